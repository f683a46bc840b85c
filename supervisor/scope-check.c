/* SPDX-License-Identifier: MIT */
/* Drop-ins that loosen the unit. Source: org.freedesktop.systemd1(5). */
#include "supervisor/scope-check.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "doctor/bus.h"
#include "policy/value.h"
#include "supervisor/base/base.h"

#define PROPERTIES "org.freedesktop.DBus.Properties"

/* A property on which the third deadline depends. @type is its signature on the bus; a 't' is a
 * span that may be shorter. */
typedef struct Setting {
        const char *property;
        const char *key; /* in unit files */
        char type;
        uint64_t wanted;
        const char *wanted_text;
} Setting;

void scope_check_done(ScopeCheck *check) {
        (void)sd_bus_slot_unref(check->call);
        free(check->path);
        free(check->drop_ins);
        free(check->finding);
        *check = (ScopeCheck){ 0 };
}

static _printf_(2, 3) void find(ScopeCheck *check, const char *format, ...) {
        va_list ap;

        if (check->error < 0)
                return;
        check->error = -EPERM;
        va_start(ap, format);
        if (vasprintf(&check->finding, format, ap) < 0)
                check->finding = NULL;
        va_end(ap);
}

bool scope_is_lost(const sd_bus_error *error) {
        static const char *const names[] = {
                SD_BUS_ERROR_NO_REPLY,
                SD_BUS_ERROR_DISCONNECTED,
                SD_BUS_ERROR_SERVICE_UNKNOWN,
                SD_BUS_ERROR_NAME_HAS_NO_OWNER,
        };

        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                if (sd_bus_error_has_name(error, names[i]))
                        return true;
        return false;
}

static void fail(ScopeCheck *check, const char *reason) {
        check->done = true;
        find(check,
             "what drop-ins changed in '%s' cannot be told (%s): look for them with 'systemctl cat "
             "%s'",
             check->unit, reason, check->unit);
}

static void fail_answer(ScopeCheck *check, const sd_bus_error *e, int error) {
        fail(check, e && e->message ? e->message : strerror(-error));
        if (e && scope_is_lost(e) && check->error == -EPERM)
                check->error = -EAGAIN;
}

static void format_span(uint64_t usec, char ret[static VALUE_FORMAT_SIZE]) {
        if (usec == USEC_INFINITY)
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "infinity");
        else
                value_format_number(VALUE_SPAN, NULL, usec, ret);
}

static void find_looser(ScopeCheck *check, const Setting *setting, const char *found,
                        const char *wanted) {
        find(check,
             "%s=%s of '%s' is looser than the run's %s, so systemd would not hold its deadline: "
             "take it out of %s",
             setting->key, found, check->unit, wanted, check->drop_ins);
}

/* The value is next in @m. Returns a negative errno if it is not what was expected. */
static int check_value(ScopeCheck *check, const Setting *setting, sd_bus_message *m) {
        char found[VALUE_FORMAT_SIZE], wanted[VALUE_FORMAT_SIZE];
        const char type[] = { setting->type, '\0' };
        uint64_t span;
        const char *text;
        int number, r;

        switch (setting->type) {
        case 't':
                r = sd_bus_message_read(m, "v", type, &span);
                if (r < 0 || span <= setting->wanted)
                        return r;
                format_span(span, found);
                format_span(setting->wanted, wanted);
                find_looser(check, setting, found, wanted);
                return 0;
        case 's':
                r = sd_bus_message_read(m, "v", type, &text);
                if (r >= 0 && strcmp(text, setting->wanted_text) != 0)
                        find_looser(check, setting, text, setting->wanted_text);
                return r;
        default:
                r = sd_bus_message_read(m, "v", type, &number);
                if (r < 0 || (uint64_t)number == setting->wanted)
                        return r;
                (void)snprintf(found, sizeof(found), "%d", number);
                find_looser(check, setting, found, setting->wanted_text);
                return 0;
        }
}

/* Returns how many of the settings were there, or a negative errno. */
static int check_all(ScopeCheck *check, sd_bus_message *m) {
        const ScopeRequest *request = check->request;
        const Setting settings[] = {
                { "RuntimeMaxUSec", "RuntimeMaxSec", 't', scope_runtime_max_usec(request->policy),
                  NULL },
                { "RuntimeRandomizedExtraUSec", "RuntimeRandomizedExtraSec", 't', 0, NULL },
                { "TimeoutStopUSec", "TimeoutStopSec", 't', request->policy->timeout_stop_usec,
                  NULL },
                { "KillMode", "KillMode", 's', 0, "control-group" },
                { "SendSIGKILL", "SendSIGKILL", 'b', 1, "yes" },
                { "FinalKillSignal", "FinalKillSignal", 'i', SIGKILL, "SIGKILL" },
        };
        size_t n_found = 0;
        const char *name;
        int r;

        r = sd_bus_message_enter_container(m, 'a', "{sv}");
        while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
                const Setting *setting = NULL;

                r = sd_bus_message_read(m, "s", &name);
                if (r < 0)
                        return r;
                for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
                        if (strcmp(settings[i].property, name) == 0)
                                setting = &settings[i];
                r = setting ? check_value(check, setting, m) : sd_bus_message_skip(m, "v");
                if (r < 0)
                        return r;
                n_found += setting != NULL;
                r = sd_bus_message_exit_container(m);
        }
        if (r < 0)
                return r;
        return n_found == ARRAY_SIZE(settings) ? 0 : -ENODATA;
}

static int on_settings(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        const sd_bus_error *e = sd_bus_message_get_error(m);
        ScopeCheck *check = userdata;
        int r;

        check->done = true;
        r = e ? -sd_bus_error_get_errno(e) : check_all(check, m);
        if (r < 0)
                fail_answer(check, e, r);
        return 0;
}

/* Collects the strings of the variant in @m. Returns a negative errno. */
static int read_drop_ins(ScopeCheck *check, sd_bus_message *m) {
        const char *path;
        int r;

        r = sd_bus_message_enter_container(m, 'v', "as");
        if (r < 0)
                return r;
        r = sd_bus_message_enter_container(m, 'a', "s");
        while (r >= 0 && (r = sd_bus_message_read(m, "s", &path)) > 0) {
                _cleanup_free_ char *before = TAKE_PTR(check->drop_ins);

                if (asprintf(&check->drop_ins, "%s%s'%s'", before ? before : "", before ? ", " : "",
                             path) < 0) {
                        check->drop_ins = NULL;
                        return -ENOMEM;
                }
        }
        return r;
}

static int on_drop_ins(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        const sd_bus_error *e = sd_bus_message_get_error(m);
        ScopeCheck *check = userdata;
        int r;

        r = e ? -sd_bus_error_get_errno(e) : read_drop_ins(check, m);
        check->done = r >= 0 && !check->drop_ins;
        if (r < 0 || check->done) {
                if (r < 0)
                        fail_answer(check, e, r);
                return 0;
        }
        check->call = sd_bus_slot_unref(check->call);
        r = sd_bus_call_method_async(check->bus, &check->call, BUS_MANAGER, check->path, PROPERTIES,
                                     "GetAll", on_settings, check, "s", BUS_MANAGER ".Scope");
        if (r < 0)
                fail(check, strerror(-r));
        return 0;
}

int scope_check_ask(ScopeCheck *check) {
        int r;

        r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", check->unit, &check->path);
        if (r < 0)
                return r;
        return sd_bus_call_method_async(check->bus, &check->call, BUS_MANAGER, check->path,
                                        PROPERTIES, "Get", on_drop_ins, check, "ss",
                                        BUS_MANAGER ".Unit", "DropInPaths");
}
