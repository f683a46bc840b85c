/* SPDX-License-Identifier: MIT */
/* policy/inifile.c: the limits, and lines that inih would take for something else. The messages are
 * in tests/data/policy-files. */
#include "policy/inifile.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

typedef struct Lines {
        char text[4096]; /* what was said, "[Section]" or "Key=value@origin" and ';' each */
        int fails;       /* what the handler returns for a key */
        size_t n;
} Lines;

static int take(void *context, const char *section, const char *key, const char *value,
                const char *origin, Diag *reterr_diag _unused_) {
        Lines *lines = context;
        size_t length = strlen(lines->text);

        lines->n++;
        (void)snprintf(lines->text + length, sizeof(lines->text) - length, "%s%s%s%s%s%s;",
                       key ? "" : "[", key ? key : section, key ? "=" : "]", key ? value : "",
                       key ? "@" : "", key ? origin : "");
        return key ? lines->fails : 0;
}

static int parse(const char *text, size_t size_bytes, Lines *lines, Diag *diag) {
        *lines = (Lines){ .fails = lines->fails };
        return inifile_parse("f", text, size_bytes, take, lines, diag);
}

static void good(const char *text, const char *wanted) {
        _cleanup_(diag_done) Diag diag = { 0 };
        Lines lines = { 0 };

        is_int(parse(text, strlen(text), &lines, &diag), 0, "good: %s", wanted);
        is_str(lines.text, wanted, "says that");
        is_uint(diag.n_messages, 0, "and nothing against it");
}

/* One fault, and what else the text says. @size_bytes: 0 for all of the string. */
static void bad(const char *text, size_t size_bytes, const char *message, const char *rest) {
        _cleanup_(diag_done) Diag diag = { 0 };
        Lines lines = { 0 };

        is_int(parse(text, size_bytes ? size_bytes : strlen(text), &lines, &diag), -EINVAL,
               "bad: %s", message);
        is_uint(diag.n_messages, 1, "one message");
        has_str(diag.n_messages ? diag.messages[0].text : NULL, message, "which says so");
        is_str(lines.text, rest, "the rest is read");
}

static void test_lines(void) {
        _cleanup_free_ char *text = malloc(INIFILE_TEXT_MAX + 2);
        char line[512] = "[A]\nk=";
        size_t start = strlen("[A]\n");
        Lines lines = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };

        if (!text)
                bail_out("out of memory");
        memset(line + start + 2, 'x', 196);
        memcpy(line + start + 198, "\nb=1\n", sizeof("\nb=1\n"));
        is_int(parse(line, strlen(line), &lines, &diag), 0, "a line of 198 bytes is taken whole");
        is_uint(lines.n, 3, "as one");
        is_int(parse(line, start + 198, &lines, &diag), 0, "also where no newline ends it");
        is_uint(lines.n, 2, "as one");
        memset(line + start + 2, 'x', 197);
        memcpy(line + start + 199, "\nb=1\n", sizeof("\nb=1\n"));
        bad(line, strlen(line), "a line of more than 198 bytes (f:2)", "[A];b=1@f:3;");

        memset(text, '\n', INIFILE_TEXT_MAX + 1);
        is_int(parse(text, INIFILE_LINES_MAX, &lines, &diag), 0, "as many lines as there may be");
        bad(text, INIFILE_LINES_MAX + 1, "too many lines (f:4097)", "");
        memset(text, '#', INIFILE_TEXT_MAX + 1);
        for (size_t i = 100; i < INIFILE_TEXT_MAX; i += 100)
                text[i] = '\n';
        is_int(parse(text, INIFILE_TEXT_MAX, &lines, &diag), 0, "as long as a file may be");
        bad(text, INIFILE_TEXT_MAX + 1, "'f' is longer than 262144 bytes", "");
}

/* The end of the memory ends it at once. */
static void test_memory(void) {
        static const char text[] = "[A]\nb=1\nc=2\n";
        _cleanup_(diag_done) Diag diag = { 0 };
        Lines lines = { .fails = -ENOMEM };

        is_int(parse(text, strlen(text), &lines, &diag), -ENOMEM, "no memory for a value");
        is_str(lines.text, "[A];b=1@f:2;", "what follows is not asked for");
        lines.fails = -EINVAL;
        (void)diag_add(&diag, ERROR_CONFIGURATION, "before");
        is_int(parse(text, strlen(text), &lines, &diag), 0,
               "what was in the messages before is not counted");
        is_str(lines.text, "[A];b=1@f:2;c=2@f:3;", "a value that is refused does not end it");
}

static void test_origin(void) {
        static const char text[] = "[A]\nb=1\n";
        _cleanup_(diag_done) Diag diag = { 0 };
        Lines lines = { 0 };
        char name[2001];

        memset(name, 'x', sizeof(name) - 1);
        memcpy(name + sizeof(name) - 5, "/end", sizeof("/end"));
        is_int(inifile_parse(name, text, strlen(text), take, &lines, &diag), 0, "a long name");
        has_str(lines.text, "x/end:2;", "keeps its end");
}

int main(void) {
        good("", "");
        good("\n \t\n# x\n; y\n#", "");
        good("[A]", "[A];");
        good("[Abc] \n[A]\n", "[Abc];[A];");
        good("[A]\nKey = some value \nb=\nc==x=\n", "[A];Key=some value@f:2;b=@f:3;c==x=@f:4;");
        good("[A]\nb=;x\nc=a;b # d\ne=\"q\" 'r' $x %h ~\n",
             "[A];b=;x@f:2;c=a;b # d@f:3;e=\"q\" 'r' $x %h ~@f:4;");
        good("[A]\nb=\xc3\xa4\nc=1\n", "[A];b=\xc3\xa4@f:2;c=1@f:3;");
        good("[A]\n\nb=1", "[A];b=1@f:3;");
        bad("[A]\nb=1\n c=2\n", 0, "a blank at the start of the line (f:3)", "[A];b=1@f:2;");
        bad("[A]\nb=1 ;x\nc=2\n", 0, "a ';' after a blank (f:2)", "[A];c=2@f:3;");
        bad("[A]\nb: 1\n", 0, "no assignment (f:2)", "[A];");
        bad("[A]\nb:c=1\n", 0, "no assignment (f:2)", "[A];");
        bad("[A]\nb\n", 0, "no assignment (f:2)", "[A];");
        bad("[A]\n=1\n", 0, "no assignment (f:2)", "[A];");
        bad("[A]\na b=1\n", 0, "no assignment (f:2)", "[A];");
        bad("[A]\nb=1\\\nc=2\n", 0, "a '\\' at the end of the line (f:2)", "[A];c=2@f:3;");
        bad("b=1\n[A]\n", 0, "a line before the first section (f:1)", "[A];");
        bad("\xef\xbb\xbf[A]\n", 0, "a line before the first section (f:1)", "");
        bad("[A]\r\n", 0, "a carriage return at the end of the line (f:1)", "");
        bad("[A]\nb=\0c\nd=1\n", 12, "a NUL byte (f:2)", "[A];d=1@f:3;");
        bad("[A]\nb=\x1b[1m\n", 0, "a control character (f:2)", "[A];");
        bad("[A]\nb=\x7f\n", 0, "a control character (f:2)", "[A];");
        bad("[A]\nb=\xff\n", 0, "bytes that are no UTF-8 (f:2)", "[A];");
        bad("# \xff\n[A]\n", 0, "bytes that are no UTF-8 (f:1)", "[A];");
        bad("[A\nb=1\n[C]\nd=1\n", 0, "no section (f:1)", "[C];d=1@f:4;");
        bad("[A] x\nb=1\n", 0, "no section (f:1)", "");
        bad("[]\n", 0, "no name of a section (f:1)", "");
        bad("[a b]\n", 0, "no section (f:1)", "");
        bad("[abcdefghijklmnopqrstuvwxyzabcdefg]\n", 0, "no name of a section (f:1)", "");
        good("[abcdefghijklmnopqrstuvwxyzabcdef]\n", "[abcdefghijklmnopqrstuvwxyzabcdef];");
        test_lines();
        test_memory();
        test_origin();
        return done_testing();
}
