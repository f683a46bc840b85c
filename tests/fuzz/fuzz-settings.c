/* SPDX-License-Identifier: MIT */
/* cli.c, options.c, settings.c, resolve.c: the input is argv, one word per line. A command line is
 * either refused with messages that may be shown, or gives a policy whose text is read back. */
#include <string.h>

#include "policy/resolve.h"
#include "policy/wire.h"
#include "supervisor/base/str.h"
#include "supervisor/cli.h"
#include "tests/fuzz/fuzz.h"

#define WORDS_MAX 4096

static void try_policy(const Settings *settings, Diag *diag) {
        static const Facts facts = { .uid = 0, .landlock_abi = 4, .cwd = "/cwd" };
        _cleanup_(policy_freep) Policy *policy = NULL, *again = NULL;
        _cleanup_free_ char *text = NULL;

        if (policy_resolve(settings, &facts, &policy, diag) < 0) {
                FUZZ_ASSERT(diag->n_messages > 0 && !policy);
                return;
        }
        FUZZ_ASSERT(diag->n_messages == 0);
        FUZZ_ASSERT(wire_format(policy, &text) == 0);
        FUZZ_ASSERT(wire_parse(text, &again, diag) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_free_ char *line = strndup((const char *)data, size_bytes);
        char *argv[WORDS_MAX + 2] = { NULL }, name[] = "confine";
        Invocation invocation;
        Diag diag = { 0 };
        int argc = 0, r;

        if (!line)
                return 0;
        argv[argc++] = name;
        for (char *rest = line; rest && argc <= WORDS_MAX;)
                argv[argc++] = strsep(&rest, "\n");
        r = cli_parse(argc, argv, &invocation, &diag);
        FUZZ_ASSERT((r == 0) == (diag.n_messages + diag.n_dropped == 0));
        if (r == 0 && invocation.verb == VERB_RUN) {
                FUZZ_ASSERT(invocation.command && invocation.command[0]);
                try_policy(invocation.settings, &diag);
        }
        fuzz_check_messages(&diag);
        invocation_done(&invocation);
        diag_done(&diag);
        return 0;
}
