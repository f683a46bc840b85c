/* SPDX-License-Identifier: MIT */
/* policy/settings.c: what may be set where, how often, and what is refused by name (S4, S5). */
#include "policy/settings.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

typedef struct Fixture {
        Settings *settings;
        Diag diag;
} Fixture;

static void fixture_done(Fixture *fixture) {
        fixture->settings = settings_free(fixture->settings);
        diag_done(&fixture->diag);
}

#define _fixture_(name)                                                        \
        _cleanup_(fixture_done) Fixture name = { .settings = settings_new() }; \
        if (!name.settings)                                                    \
        bail_out("out of memory")

static const char *last_text(const Fixture *fixture) {
        size_t n = fixture->diag.n_messages;

        return n > 0 ? fixture->diag.messages[n - 1].text : NULL;
}

static ErrorType last_type(const Fixture *fixture) {
        size_t n = fixture->diag.n_messages;

        return n > 0 ? fixture->diag.messages[n - 1].type : ERROR_NONE;
}

static void refuse(const char *key, const char *value, ErrorType type, const char *part) {
        _fixture_(f);

        is_int(settings_set(f.settings, key, value, "-p here", &f.diag), -EINVAL,
               "%s=%s is refused", key, value);
        is_int(last_type(&f), type, "%s=%s: as %s", key, value, error_name(type));
        has_str(last_text(&f), part, "%s=%s: with the fix", key, value);
        has_str(last_text(&f), "-p here", "%s=%s: with its place", key, value);
        is_uint(settings_count(f.settings), 0, "%s=%s: nothing is kept", key, value);
}

/* Every key that is not built is refused by name. */
static void test_later(void) {
        for (Key key = 0; key < _KEY_MAX; key++) {
                const KeyInfo *info = key_info(key);
                const char *value = info->type == VALUE_BOOL     ? "yes"
                                    : info->type == VALUE_CHOICE ? "allow"
                                                                 : "1";

                if (info->built)
                        continue;
                refuse(info->name, value, ERROR_CAPABILITY, info->name);
        }
        refuse("Network", "learn", ERROR_CAPABILITY, "recording attempted destinations");
}

static void test_no_secret_is_shown(void) {
        _fixture_(f);

        (void)settings_set(f.settings, "Environment", "PASSWORD=hunter2", "-E", &f.diag);
        (void)settings_set(f.settings, "Network", "ftp://u:hunter2@h", "-p", &f.diag);
        (void)settings_set(f.settings, "Nonsense", "hunter2", "-p", &f.diag);
        is_uint(f.diag.n_messages, 3, "all three are refused");
        for (size_t i = 0; i < f.diag.n_messages; i++)
                ok(!strstr(f.diag.messages[i].text, "hunter2"), "S14: the value is not shown (%zu)",
                   i);
}

static void test_twice(void) {
        _fixture_(f);

        is_int(settings_set(f.settings, "MemoryMax", "1G", "--memory", &f.diag), 0, "once");
        is_int(settings_set(f.settings, "MemoryMax", "1G", "-p MemoryMax", &f.diag), -EINVAL,
               "twice in one layer is refused");
        has_str(last_text(&f), "given twice: --memory and -p MemoryMax", "with both places");
        is_int(settings_set(f.settings, "AllowRead", "/a", "--allow-read", &f.diag), 0, "a list");
        is_int(settings_set(f.settings, "AllowRead", "/a", "--allow-read", &f.diag), 0, "adds up");
        settings_start_layer(f.settings, LAYER_COMMAND_LINE);
        is_int(settings_set(f.settings, "MemoryMax", "2G", "above", &f.diag), 0,
               "a layer above may replace it");
        is_uint(settings_count(f.settings), 4, "all are kept, in order");
        is_str(settings_at(f.settings, 3)->value, "2G", "the value");
        is_str(settings_at(f.settings, 3)->origin, "above", "its origin");
        is_int(settings_at(f.settings, 3)->key, KEY_MemoryMax, "its key");
}

static void test_layers(void) {
        _fixture_(f);

        settings_start_layer(f.settings, LAYER_SITE);
        is_int(settings_set(f.settings, "Enforcement", "best-effort", "file:3", &f.diag), -EINVAL,
               "P5: Enforcement is refused in a file");
        has_str(last_text(&f), "on the command line only", "and the message says so");
        settings_start_layer(f.settings, LAYER_COMMAND_LINE);
        is_int(settings_set(f.settings, "Enforcement", "best-effort", "-p", &f.diag), 0,
               "and taken from the command line");
}

static void test_limits(void) {
        _cleanup_free_ char *value = malloc(SETTINGS_VALUE_MAX + 2);
        _fixture_(f);
        int worst = 0;

        if (!value)
                bail_out("out of memory");
        memset(value, 'a', SETTINGS_VALUE_MAX + 1);
        value[SETTINGS_VALUE_MAX + 1] = '\0';
        is_int(settings_set(f.settings, "User", value, "-p", &f.diag), -EINVAL,
               "a value past the limit is refused");
        value[SETTINGS_VALUE_MAX] = '\0';
        is_int(settings_set(f.settings, "User", value, "-p", &f.diag), 0,
               "a value at the limit is taken");
        for (size_t i = 0; i < SETTINGS_LIST_MAX; i++) {
                int r = settings_set(f.settings, "AllowRead", "/a", "-p", &f.diag);

                worst = MIN(worst, r);
        }
        is_int(worst, 0, "list values up to the limit are taken");
        is_int(settings_set(f.settings, "AllowExec", "/a", "-p", &f.diag), -EINVAL,
               "one more is refused");
        has_str(last_text(&f), "1024", "with the limit");
        is_int(settings_set(f.settings, "Group", "g", "-p", &f.diag), 0,
               "what is no list is not counted");
}

int main(void) {
        ok(settings_free(NULL) == NULL, "no settings are freed");
        refuse("TaskMax", "1", ERROR_CONFIGURATION, "write 'TasksMax'");
        refuse("Nice", "1", ERROR_CONFIGURATION, "unknown key 'Nice'");
        refuse("", "1", ERROR_CONFIGURATION, "unknown key ''");
        test_later();
        test_no_secret_is_shown();
        test_twice();
        test_layers();
        test_limits();
        return done_testing();
}
