/* SPDX-License-Identifier: MIT */
/* Reading Slice=. A '-' in the name of a slice leads one level down, so that its name says where it
 * is. */
#include "policy/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/base.h"

#define TOP    "confine"
#define SUFFIX ".slice"

/* Those of unit names but for '\', which escapes, and '@', which slices cannot have. */
#define WORD_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:_."

static size_t stem_length(const char *name) {
        size_t length = strlen(name), suffix = strlen(SUFFIX);

        return length >= suffix && strcmp(name + length - suffix, SUFFIX) == 0 ? length - suffix
                                                                               : length;
}

/* WORD[-WORD]... */
static bool is_stem(const char *text, size_t length) {
        const char *end = text + length;

        while (text < end) {
                size_t n = strspn(text, WORD_CHARACTERS);

                n = MIN(n, (size_t)(end - text));
                if (n == 0)
                        return false;
                text += n;
                if (text == end)
                        return true;
                if (*text++ != '-')
                        return false;
        }
        return false;
}

static bool is_below_top(const char *text, size_t length) {
        size_t top = strlen(TOP);

        return length >= top && memcmp(text, TOP, top) == 0 && (length == top || text[top] == '-');
}

static size_t count_levels(const char *text, size_t length) {
        size_t n = 0;

        for (size_t i = 0; i < length; i++)
                n += text[i] == '-';
        return n;
}

int slice_check(const char *text, ValueHint *reterr_hint) {
        size_t length = stem_length(text);

        if (!is_stem(text, length) || length + strlen(TOP "-" SUFFIX) > SLICE_NAME_MAX ||
            count_levels(text, length) > SLICE_LEVELS_MAX) {
                (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                               "write a name such as confine-batch: letters, digits, '_', '.' and "
                               "':', and a '-' for each of %d levels at most",
                               SLICE_LEVELS_MAX);
                return -EINVAL;
        }
        if (!is_below_top(text, length)) {
                (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                               "every run is below " SLICE_TOP ", write confine-%.*s", (int)length,
                               text);
                return -EINVAL;
        }
        return 0;
}

int slice_parse(const char *text, char **ret, ValueHint *reterr_hint) {
        int r;

        r = slice_check(text, reterr_hint);
        if (r < 0)
                return r;
        return asprintf(ret, "%.*s" SUFFIX, (int)stem_length(text), text) < 0 ? -ENOMEM : 0;
}

bool slice_is_child(const char *name, const char *parent) {
        size_t length = strlen(name), stem = stem_length(name), above = stem_length(parent);

        return stem < length && length <= SLICE_NAME_MAX && stem > above + 1 &&
               memcmp(name, parent, above) == 0 && name[above] == '-' &&
               is_stem(name + above + 1, stem - above - 1) &&
               !memchr(name + above + 1, '-', stem - above - 1);
}
