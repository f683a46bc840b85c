/* SPDX-License-Identifier: MIT */
/* policy/diag.c: messages are bounded, one line and harmless (B56). */
#include "policy/diag.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

static void test_limits(void) {
        char text[DIAG_TEXT_MAX + 2];
        Diag diag = { 0 };

        memset(text, 'a', sizeof(text));
        text[DIAG_TEXT_MAX] = '\0';
        (void)diag_add(&diag, ERROR_CONFIGURATION, "%s", text);
        is_str(diag.messages[0].text, text, "a message at the limit is kept as it is");
        text[DIAG_TEXT_MAX] = 'a';
        text[DIAG_TEXT_MAX + 1] = '\0';
        (void)diag_add(&diag, ERROR_CONFIGURATION, "%s", text);
        is_uint(strlen(diag.messages[1].text), DIAG_TEXT_MAX, "one byte more is cut");
        is_str(diag.messages[1].text + DIAG_TEXT_MAX - 5, "aa...", "and marked");
        memcpy(text + DIAG_TEXT_MAX - 4, "\xe2\x82\xac", 3);
        (void)diag_add(&diag, ERROR_CONFIGURATION, "%s", text);
        is_str(diag.messages[2].text + DIAG_TEXT_MAX - 6, "aa...",
               "a cut does not split a character");
        diag_done(&diag);
}

int main(void) {
        Diag diag = { 0 };

        is_int(diag_add(&diag, ERROR_CONFIGURATION, "bad '%s': write '%d'", "x\n\033[1m", 1),
               -EINVAL, "adding returns -EINVAL");
        is_str(diag.messages[0].text, "bad 'x??[1m': write '1'", "B56: the text is harmless");
        is_int(diag.messages[0].type, ERROR_CONFIGURATION, "the type is kept");
        for (size_t i = 1; i < DIAG_MAX; i++)
                (void)diag_add(&diag, ERROR_CAPABILITY, "message %zu", i);
        is_uint(diag.n_messages, DIAG_MAX, "messages up to the limit are kept");
        is_uint(diag.n_dropped, 0, "and none is dropped");
        is_int(diag_add(&diag, ERROR_CAPABILITY, "one more"), -EINVAL, "one more is an error too");
        is_uint(diag.n_messages, DIAG_MAX, "but not kept");
        is_uint(diag.n_dropped, 1, "but counted");
        diag_done(&diag);
        is_uint(diag.n_messages + diag.n_dropped, 0, "done leaves an empty one");
        test_limits();
        return done_testing();
}
