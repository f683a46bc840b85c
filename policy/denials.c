/* SPDX-License-Identifier: MIT */
/* What a run was denied: counting and telling. */
#include "policy/denials.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/syscall.h>

#include "policy/calls.h"
#include "supervisor/base/base.h"

/* Numbers instead of <sys/socket.h>'s names: they are the kernel's, and this is no place for
 * sockets. */
static const struct {
        int domain;
        const char *name;
        bool local; /* cannot leave the machine */
} domains[] = {
        { 1, "AF_UNIX", true },     { 2, "AF_INET", false },    { 10, "AF_INET6", false },
        { 16, "AF_NETLINK", true }, { 17, "AF_PACKET", false }, { 38, "AF_ALG", true },
        { 40, "AF_VSOCK", false },
};

#define DOMAIN_UNIX    1
#define DOMAIN_NETLINK 16

/* SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, as glibc's open_socket() in nscd_helper.c asks. */
#define PROBE_TYPE 02004001

static const struct {
        const char *one;
        const char *many;
        const char *option; /* that grants it; NULL: none does */
        size_t granted;     /* offset in Policy of what the option sets */
} families[_DENIAL_MAX] = {
        [DENIAL_EXEC] = { "program execution", "program executions", "--allow-run",
                          offsetof(Policy, subprocess) },
        [DENIAL_PROCESS] = { "new process", "new processes", "--allow-run",
                             offsetof(Policy, subprocess) },
        [DENIAL_NETWORK] = { "network socket", "network sockets", "--allow-net",
                             offsetof(Policy, network) },
        [DENIAL_LOCAL] = { "local or kernel socket", "local or kernel sockets", NULL, 0 },
        [DENIAL_INSPECT] = { "look into another process", "looks into other processes", NULL, 0 },
};

static bool is_local(int domain) {
        for (size_t i = 0; i < ARRAY_SIZE(domains); i++)
                if (domains[i].domain == domain)
                        return domains[i].local;
        return false;
}

void denials_count(Denials *denials, DenialFamily family, int nr,
                   const uint64_t arguments[static 2]) {
        /* As the kernel reads it. */
        int domain = nr == SYS_socket ? (int)(uint32_t)arguments[0] : -1;
        DenialRow *row = denials->rows;

        if (family == DENIAL_NETWORK && is_local(domain))
                family = DENIAL_LOCAL;
        denials->n_families[family]++;
        if (domain == DOMAIN_UNIX && (uint32_t)arguments[1] == PROBE_TYPE)
                denials->n_probes++;
        if (domain == DOMAIN_NETLINK)
                denials->n_netlink++;
        while (row < denials->rows + denials->n_rows && (row->nr != nr || row->domain != domain))
                row++;
        if (row == denials->rows + denials->n_rows) {
                if (denials->n_rows == DENIAL_ROWS_MAX) {
                        denials->n_others++;
                        return;
                }
                denials->n_rows++;
                *row = (DenialRow){ .nr = nr, .domain = domain };
        }
        row->n++;
}

/* "execve", "socket(AF_INET)", "socket(44)"; a call that libseccomp did not know is its number. */
static void print_row(FILE *stream, const DenialRow *row) {
        const char *call = call_name(PROFILE_NATIVE, row->nr);

        if (row->nr != SYS_socket) {
                (void)(call ? fprintf(stream, "%s", call) : fprintf(stream, "%d", row->nr));
                return;
        }
        for (size_t i = 0; i < ARRAY_SIZE(domains); i++)
                if (domains[i].domain == row->domain) {
                        (void)fprintf(stream, "socket(%s)", domains[i].name);
                        return;
                }
        (void)fprintf(stream, "socket(%d)", row->domain);
}

/* The text of @stream, which ends here, to *ret; an empty one is NULL. */
static int take_text(FILE *stream, char **text, char **ret) {
        bool failed = ferror(stream) != 0;

        if (fclose(stream) != 0 || failed) /* a stream in memory fails for one reason only */
                return -ENOMEM;
        *ret = (*text)[0] ? TAKE_PTR(*text) : NULL;
        return 0;
}

int denials_format(const Denials *denials, char **ret) {
        _cleanup_free_ char *text = NULL;
        size_t size_bytes;
        FILE *stream = open_memstream(&text, &size_bytes);

        if (!stream)
                return -ENOMEM;
        for (size_t i = 0; i < denials->n_rows; i++) {
                if (i > 0)
                        (void)fputc(' ', stream);
                print_row(stream, &denials->rows[i]);
                (void)fprintf(stream, "=%" PRIu64, denials->rows[i].n);
        }
        if (denials->n_others > 0)
                (void)fprintf(stream, " others=%" PRIu64, denials->n_others);
        return take_text(stream, &text, ret);
}

/* libc's look-ups get along without what they try: nscd, always by two sockets, and after that, of
 * an address, netlink. */
static uint64_t count_told(const Denials *denials, DenialFamily family) {
        uint64_t n = denials->n_families[family], n_paired = denials->n_probes / 2 * 2;

        if (family != DENIAL_LOCAL || n_paired == 0)
                return n;
        return n - n_paired - denials->n_netlink;
}

int denials_explain(const Denials *denials, const Policy *policy, char **ret) {
        _cleanup_free_ char *text = NULL;
        const char *comma = "";
        size_t size_bytes;
        FILE *stream = open_memstream(&text, &size_bytes);

        if (!stream)
                return -ENOMEM;
        for (DenialFamily i = 0; i < _DENIAL_MAX; i++) {
                uint64_t n = count_told(denials, i);
                const bool *granted;

                if (n == 0 || !families[i].one)
                        continue;
                granted = (const void *)((const char *)policy + families[i].granted);
                (void)fprintf(stream, "%s%" PRIu64 " %s (%s%s)", comma, n,
                              n == 1 ? families[i].one : families[i].many,
                              families[i].option && !*granted ? "grant: " : "no grant allows it",
                              families[i].option && !*granted ? families[i].option : "");
                comma = ", ";
        }
        return take_text(stream, &text, ret);
}
