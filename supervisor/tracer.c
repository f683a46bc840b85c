/* SPDX-License-Identifier: MIT */
/* In place of the listener: lets the run's own execve through. */
#include "supervisor/tracer.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int tracer_attach(pid_t pid) {
        /* EXITKILL: without us nothing would stop at the filter's word but everything get ENOSYS,
         * the program's first execve too. */
        if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL) < 0)
                return -errno;
        return 0;
}

int tracer_serve(pid_t pid) {
        siginfo_t info = { 0 };

        if (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) < 0)
                return -errno;
        if (info.si_pid == 0)
                return 0;
        if (info.si_status == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
                return ptrace(PTRACE_DETACH, pid, NULL, NULL) < 0 ? -errno : 1;
        /* A signal on its way to the worker before the execve: let it have it. */
        if (ptrace(PTRACE_CONT, pid, NULL, (long)(info.si_status & 0x7f)) < 0)
                return -errno;
        return 0;
}
