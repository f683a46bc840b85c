/* SPDX-License-Identifier: MIT */
/* policy/json-library.c: libcjson is loaded when it is needed, and its absence is told. */
#include "policy/json-library.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "policy/json.h"
#include "tests/unit/tap.h"

/* Without a descriptor to open it by, the library is as good as missing. */
static void test_missing(void) {
        struct rlimit before, none;
        JsonLibrary library = { 0 };
        cJSON *json = NULL;
        Diag diag = { 0 };

        if (getrlimit(RLIMIT_NOFILE, &before) < 0)
                bail_out("getrlimit");
        none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
        if (setrlimit(RLIMIT_NOFILE, &none) < 0)
                bail_out("setrlimit");
        is_int(json_library_load(&library), -ENOPKG, "the library cannot be loaded");
        ok(!library.parse, "and nothing is stored");
        is_int(json_parse("{}", 2, "p.json", &json, &diag), -EINVAL, "nor JSON be read");
        if (setrlimit(RLIMIT_NOFILE, &before) < 0)
                bail_out("setrlimit");
        is_int(diag.n_messages ? (int)diag.messages[0].type : -1, ERROR_CAPABILITY, "S4: refused");
        has_str(diag.n_messages ? diag.messages[0].text : NULL, "install the package libcjson1",
                "S20: with the fix");
        diag_done(&diag);
}

static void test_loaded(void) {
        JsonLibrary first = { 0 }, second = { 0 };

        is_int(json_library_load(&first), 0, "it is loaded");
        is_int(json_library_load(&second), 0, "and once more");
        ok(first.parse && first.parse == second.parse && first.print == second.print,
           "which is the same");
}

int main(void) {
        test_missing();
        test_loaded();
        return done_testing();
}
