/* SPDX-License-Identifier: MIT */
/* The call that killed a program. /dev/kmsg and not the journal: it is there at once, where
 * journald is slow or gone, too. With an auditd the record is that one's alone. */
#include "supervisor/sigsys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/calls.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/seccomp-record.h"

#define LINE_SIZE   8192U  /* the kernel's PRINTK_MESSAGE_MAX is 2048, and was this */
#define LINES_MAX   65536U /* of the default buffer, 128 KiB to 1 MiB, about 10000 */
#define LOGGED_USEC (500 * USEC_PER_MSEC)

/* The pids of the log are those of this namespace. Its number is the kernel's PROC_PID_INIT_INO. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCU

static int open_log(void) {
        struct stat st;

        if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino != INITIAL_PID_NAMESPACE)
                return -EBADF;
        return open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* The uid too, since numbers are used again. */
static bool is_own(const Run *run, const SeccompRecord *record) {
        return record->pid == (uint64_t)run->worker_mark.pid && record->uid == run->identity.uid &&
               record->sig == SIGSYS;
}

/* Another thread of the kernel writes the line. The last one of several is looked for: what is
 * there is read to its end. */
static bool find_record(const Run *run, int fd, SeccompRecord *ret) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), LOGGED_USEC);
        bool found = false;

        for (size_t i = 0; i < LINES_MAX; i++) {
                struct pollfd pfd = { .fd = fd, .events = POLLIN };
                char line[LINE_SIZE + 1];
                SeccompRecord record;
                ssize_t n = read(fd, line, LINE_SIZE);

                if (n < 0 && errno == EAGAIN) {
                        if (found || clock_now_usec() >= deadline)
                                break;
                        (void)poll(&pfd, 1, clock_poll_timeout(deadline));
                        continue;
                }
                /* EPIPE: some were overwritten before they were read. */
                if (n == 0 || (n < 0 && errno != EPIPE && errno != EINTR))
                        break;
                if (n < 0)
                        continue;
                line[n] = '\0';
                if (seccomp_record_parse(line, &record) == 0 && is_own(run, &record)) {
                        *ret = record;
                        found = true;
                }
        }
        return found;
}

static bool explain_call(Outcome *o, const SeccompRecord *record) {
        const char *name, *abi = call_foreign_abi(record->arch, record->nr, &name);

        if (!abi)
                return false;
        outcome_explain(o, ERROR_NONE,
                        "the program made the system call %s%s%s%u of another ABI than its "
                        "machine's own, %s: use a native program",
                        name ? "'" : "", name ? name : "", name ? "', " : "number ", record->nr,
                        abi);
        return true;
}

void sigsys_explain(Run *run) {
        Outcome *o = &run->outcome;
        _cleanup_close_ int fd = -EBADF;
        SeccompRecord record;

        if (o->cause != CAUSE_SIGNAL || o->signal != SIGSYS)
                return;
        fd = open_log();
        if (fd >= 0 && find_record(run, fd, &record) && explain_call(o, &record))
                return;
        /* The pattern does not find the record that this gets into. */
        outcome_explain(o, ERROR_NONE,
                        "the program made a system call of another ABI than its machine's own "
                        "(32-bit, x32), or sent itself SIGSYS: see which with 'journalctl "
                        "--grep=\"pid=%d [c]omm=.* sig=31 \"', and use a native program",
                        (int)run->worker_mark.pid);
}
