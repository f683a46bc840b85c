/* SPDX-License-Identifier: MIT */
/* value.c and path.c: the first byte chooses the type, the rest is the text. What is read is
 * written so that it is read as the same again; what is refused has a hint. */
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "tests/fuzz/fuzz.h"

static void try_number(ValueType type, const char *text) {
        static const char words[] = "none|system|all";
        char written[VALUE_FORMAT_SIZE];
        uint64_t number, again;
        ValueHint hint = { "" };

        if (value_parse_number(type, words, text, &number, &hint) < 0) {
                FUZZ_ASSERT(hint.text[0] != '\0');
                return;
        }
        value_format_number(type, words, number, written);
        FUZZ_ASSERT(value_parse_number(type, words, written, &again, &hint) == 0);
        FUZZ_ASSERT(number == again);
}

static void try_path(const char *text) {
        _cleanup_free_ char *path = NULL, *again = NULL;
        ValueHint hint = { "" };

        if (value_parse_path(text, "/cwd", &path, &hint) < 0) {
                FUZZ_ASSERT(hint.text[0] != '\0');
                return;
        }
        FUZZ_ASSERT(path[0] == '/' && strlen(path) <= VALUE_PATH_MAX);
        FUZZ_ASSERT(!strstr(path, "//") && !strstr(path, "/./"));
        FUZZ_ASSERT(value_parse_path(path, NULL, &again, &hint) == 0);
        FUZZ_ASSERT(strcmp(path, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_free_ char *text = NULL;
        ValueHint hint;

        if (size_bytes == 0)
                return 0;
        text = strndup((const char *)data + 1, size_bytes - 1);
        if (!text)
                return 0;
        if (data[0] % _VALUE_MAX < _VALUE_NUMBER_MAX)
                try_number((ValueType)(data[0] % _VALUE_MAX), text);
        else
                try_path(text);
        (void)value_check_variable(text, strlen(text), &hint);
        (void)value_check_account(text, &hint);
        return 0;
}
