/* SPDX-License-Identifier: MIT */
/* Reading a bandwidth of a disk. */
#include "policy/bandwidth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

int bandwidth_parse(const char *text, Bandwidth *ret, ValueHint *reterr_hint) {
        const char *blank = strrchr(text, ' ');

        if (!blank || blank == text) {
                *reterr_hint = (ValueHint){ "write a path and a size, such as '/srv 10M'" };
                return -EINVAL;
        }
        *ret = (Bandwidth){ .path = text, .path_length = (size_t)(blank - text) };
        if (value_parse_number(VALUE_SIZE, NULL, blank + 1, &ret->bytes_per_sec, reterr_hint) < 0)
                return -EINVAL;
        if (ret->bytes_per_sec > 0)
                return 0;
        *reterr_hint = (ValueHint){ "write 1 byte per second or more" };
        return -EINVAL;
}

int bandwidth_split(const char *text, char **ret_path, uint64_t *ret_bytes_per_sec) {
        Bandwidth bandwidth;
        ValueHint hint;

        if (bandwidth_parse(text, &bandwidth, &hint) < 0)
                return -EINVAL;
        *ret_bytes_per_sec = bandwidth.bytes_per_sec;
        *ret_path = strndup(bandwidth.path, bandwidth.path_length);
        return *ret_path ? 0 : -ENOMEM;
}

/* Whether @path has a "..", which systemd does not take: it leads elsewhere across a link. */
static bool goes_up(const char *path) {
        for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/.."))
                if (at[3] == '/' || at[3] == '\0')
                        return true;
        return false;
}

/* Whether systemd reads @path out of the file that it keeps of the scope as it wrote it there: it
 * neither quotes nor escapes it, and at a reload of its units the limit would be gone, without a
 * word. Nor does the bus take what is no UTF-8. */
static bool survives_reload(const char *path) {
        for (size_t n; *path; path += n) {
                n = strchr(" \"'\\%", *path) ? 0 : str_printable_sequence(path);
                if (n == 0)
                        return false;
        }
        return true;
}

int bandwidth_canonical(const char *text, const char *cwd, char **ret, size_t *ret_path_length,
                        ValueHint *reterr_hint) {
        _cleanup_free_ char *given = NULL, *path = NULL;
        char size[VALUE_FORMAT_SIZE];
        Bandwidth bandwidth;
        int r;

        r = bandwidth_parse(text, &bandwidth, reterr_hint);
        if (r < 0)
                return r;
        given = strndup(text, bandwidth.path_length);
        if (!given)
                return -ENOMEM;
        r = value_parse_path(given, cwd, &path, reterr_hint);
        if (r < 0)
                return r;
        if (goes_up(path)) {
                *reterr_hint = (ValueHint){ "write the path without '..'" };
                return -EINVAL;
        }
        if (!survives_reload(path)) {
                *reterr_hint = (ValueHint){ "write a path of printable UTF-8 without blanks, "
                                            "quotes, '\\' and '%', which systemd loses when it "
                                            "reloads, such as the disk's own in /dev" };
                return -EINVAL;
        }
        value_format_number(VALUE_SIZE, NULL, bandwidth.bytes_per_sec, size);
        *ret_path_length = strlen(path);
        return asprintf(ret, "%s %s", path, size) < 0 ? -ENOMEM : 0;
}

int bandwidth_add(char ***list, Key key, const char *text, const char *origin, const Facts *facts,
                  Diag *reterr_diag) {
        _cleanup_free_ char *canonical = NULL;
        Bandwidth other;
        ValueHint hint;
        size_t length;
        int r;

        r = bandwidth_canonical(text, facts->cwd, &canonical, &length, &hint);
        if (r == -EINVAL)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%.256s' is no bandwidth for '%s' (%s): %s", text,
                                key_info(key)->name, origin, hint.text);
        if (r < 0)
                return r;
        for (char **entry = *list; *entry; entry++)
                if (bandwidth_parse(*entry, &other, &hint) == 0 && other.path_length == length &&
                    memcmp(*entry, canonical, length) == 0) {
                        free(*entry);
                        *entry = TAKE_PTR(canonical);
                        return 0;
                }
        return strv_add(list, canonical);
}
