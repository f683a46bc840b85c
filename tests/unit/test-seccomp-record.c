/* SPDX-License-Identifier: MIT */
/* supervisor/seccomp-record.c: B64. What is not just as the kernel writes it says nothing. */
#include "supervisor/seccomp-record.h"

#include <errno.h>

#include "tests/unit/tap.h"

#define HEAD  "5,1216,90211743,-;audit: type=1326 audit(1796061595.883:13): "
#define WHO   "auid=4294967295 uid=60735 gid=60735 ses=4294967295"
#define WHAT  " sig=31 arch=c000003e syscall=1073741863"
#define TAIL  " compat=0 ip=0x7f2d4c51f0e9 code=0x80000000\n"
#define NAMED " comm=\"python3\" exe=\"/usr/bin/python3.13\""

static void test_good(void) {
        static const char *const texts[] = {
                HEAD WHO " pid=348" NAMED WHAT TAIL,
                HEAD WHO " subj=unconfined pid=348" NAMED WHAT TAIL,
                HEAD WHO " subj=a profile (enforce) pid=348" NAMED WHAT TAIL,
                /* What may not stand in quotes is in hexadecimal digits. */
                HEAD WHO " pid=348 comm=707974686F6E exe=2F7573722F62696E20 sig=31 arch=c000003e "
                         "syscall=1073741863" TAIL,
                HEAD WHO " pid=348" NAMED WHAT TAIL " SUBSYSTEM=x\n",
                "5,1216,90211743,c,more=1;audit: type=1326 audit(1796061595.883:13): " WHO
                " pid=348" NAMED WHAT TAIL,
        };

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                SeccompRecord record = { 0 };

                is_int(seccomp_record_parse(texts[i], &record), 0, "B64: '%s'", texts[i]);
                is_uint(record.pid, 348, "whose call it was");
                is_uint(record.uid, 60735, "as whom");
                is_uint(record.sig, 31, "what it died of");
                is_uint(record.arch, 0xc000003e, "of which architecture it was");
                is_uint(record.nr, 0x40000027, "which one");
        }
}

static void test_bad(void) {
        static const char *const texts[] = {
                "",
                ";",
                HEAD,
                HEAD WHO,
                HEAD WHO " pid=348" NAMED,
                HEAD WHO " pid=348" NAMED WHAT, /* perhaps not all of the number */
                HEAD WHO " pid=" NAMED WHAT TAIL,
                HEAD WHO " pid=-1" NAMED WHAT TAIL,
                HEAD WHO " pid=348" WHAT TAIL,
                HEAD WHO " pid=348" NAMED " sig=31 arch=c000003e syscall=-2" TAIL,
                HEAD WHO " pid=348" NAMED " sig=31 arch=c000003e syscall=4294967296" TAIL,
                HEAD WHO " pid=348" NAMED " sig=31 arch=1c000003e syscall=1" TAIL,
                HEAD WHO " pid=348" NAMED " sig=31 arch= syscall=1" TAIL,
                HEAD WHO " pid=348" NAMED " sig= arch=c000003e syscall=1" TAIL,
                HEAD "auid=1 gid=1 ses=1 pid=348" NAMED WHAT TAIL,
                /* Another record, another subsystem, a process that writes to the log. */
                "5,1216,90211743,-;audit: type=1327 audit(1.1:1): " WHO " pid=348" NAMED WHAT TAIL,
                "5,1216,90211743,-;x: audit: type=1326 audit(1.1:1): " WHO
                " pid=348" NAMED WHAT TAIL,
                "5,1216,90211743,-;audit: type=1326 audit(1.1): " WHO " pid=348" NAMED WHAT TAIL,
                "13,1216,90211743,-;audit: type=1326 audit(1.1:1): " WHO " pid=348" NAMED WHAT TAIL,
                "audit: type=1326 audit(1.1:1): " WHO " pid=348" NAMED WHAT TAIL,
        };
        const SeccompRecord before = { .pid = 7, .nr = 8 };

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                SeccompRecord record = before;

                is_int(seccomp_record_parse(texts[i], &record), -EBADMSG, "'%s' is refused",
                       texts[i]);
                ok(record.pid == before.pid && record.nr == before.nr, "and nothing is set by it");
        }
}

int main(void) {
        test_good();
        test_bad();
        return done_testing();
}
