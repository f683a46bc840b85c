/* SPDX-License-Identifier: MIT */
/* supervisor/report.c: one structure, as text and as JSON. */
#include "supervisor/report.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/tap.h"

static const ReportColumn rows[] = {
        { "name", "NAME", false },
        { "size", "", true },
        { "", "SIZE", false },
        { "note", "NOTE", false },
};
static const ReportColumn facts[] = {
        { "long_name", "a long name", false },
        { "here", "here", true },
        { "absent", "absent", false },
};

static void fill(Report *report) {
        report_begin(report, "rows", rows, ARRAY_SIZE(rows), false);
        report_add(report, "a\xc3\xa9");
        report_addf(report, "%llu", 18446744073709551615ULL);
        report_add(report, "16E");
        report_add(report, NULL);
        report_add(report, "longer\x1b\xff");
        report_add(report, NULL);
        report_add(report, "");
        report_add(report, "x \"y\"");
        report_begin(report, "facts", facts, ARRAY_SIZE(facts), true);
        report_add(report, "yes");
        report_add(report, "true");
        report_add(report, NULL);
        report_begin(report, "none", facts, ARRAY_SIZE(facts), false);
}

static void print(bool json, const char *wanted, const char *what) {
        _cleanup_(report_done) Report report = { 0 };
        _cleanup_free_ char *text = NULL;
        size_t size_bytes = 0;
        FILE *stream = open_memstream(&text, &size_bytes), *saved = stdout;
        int status;

        if (!stream)
                bail_out("out of memory");
        fill(&report);
        stdout = stream; /* glibc and musl both let it be set */
        status = report_print(&report, json);
        stdout = saved;
        (void)fclose(stream);
        is_int(status, 0, "%s: the status", what);
        is_str(text, wanted, "P4 B56: %s", what);
}

int main(void) {
        print(false,
              "NAME      SIZE  NOTE\n"
              "a\xc3\xa9        16E   -\n"
              "longer??  -     x \"y\"\n"
              "\n"
              "a long name  yes\n"
              "here         true\n",
              "as text, in columns");
        print(true,
              "{\"rows\":[{\"name\":\"a\xc3\xa9\",\"size\":18446744073709551615},"
              "{\"name\":\"longer\\u001b?\",\"note\":\"x \\\"y\\\"\"}],"
              "\"facts\":{\"long_name\":\"yes\",\"here\":true},\"none\":[]}\n",
              "as JSON");
        return done_testing();
}
