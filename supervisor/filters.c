/* SPDX-License-Identifier: MIT */
/* The seccomp filters of a run. */
#include "supervisor/filters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "policy/digest.h"
#include "policy/filter-bind.h"
#include "policy/filter.h"
#include "policy/floor.h"
#include "policy/profile.h"
#include "policy/rights.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"

struct OwnFilters {
        FilterPair pair;
        FilterProgram programs[_FILTER_LAYER_MAX];
        uint8_t families[CALLS_MAX];
        char sha256[DIGEST_HEX_SIZE]; /* of the profile's text */
};

/* Whether the unix socket @fd may have somebody else at its other end, now, or when it accepts. The
 * own uid and root could do by themselves what a directory from them would be good for. */
static bool has_stranger(const Run *run, int fd) {
        struct ucred peer;
        socklen_t length = sizeof(peer), listens_length = sizeof(int);
        int listens;

        return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 ||
               (peer.uid != 0 && peer.uid != run->identity.uid) ||
               getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_length) < 0 || listens;
}

/* Whether what is handed in as @fd leads to the host's mounts, where the view does not hold: a
 * directory, from which by ".." everything is reached, or a socket by which one could come. */
static bool leads_out(const Run *run, int fd) {
        socklen_t length = sizeof(int);
        struct stat st;
        int domain;

        if (fstat(fd, &st) < 0)
                return false;
        if (!S_ISSOCK(st.st_mode))
                return S_ISDIR(st.st_mode);
        return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0 ||
               (domain == AF_UNIX && has_stranger(run, fd));
}

static bool has_way_out(const Run *run) {
        for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
                if (leads_out(run, fd))
                        return true;
        return false;
}

static unsigned filter_grants(const Run *run) {
        unsigned grants = 0;

        if (run->view.made && !has_way_out(run))
                grants |= FILTER_VIEW;
        if (run->policy->subprocess)
                grants |= FILTER_SUBPROCESS;
        if (run->policy->network)
                grants |= FILTER_NETWORK;
        if (run->policy->tcp_connect_ports.n_ports > 0)
                grants |= FILTER_PORTS;
        /* Without Landlock's signal scope (ABI 6) kill(2) would reach every process of the uid. */
        if (!(rights_scoped(run->facts.landlock_abi) & LANDLOCK_SCOPE_SIGNAL))
                grants |= FILTER_BIND_SIGNALS;
        return grants;
}

/* A file of the caller's, by the caller's rights. Returns its length or a negative errno. */
static ssize_t read_profile(const char *path, char *text, size_t size_bytes) {
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        return fd_read_all(fd, text, size_bytes);
}

static int compile_layers(const Profile *profile, unsigned grants, const char *path,
                          OwnFilters *own, Diag *diag) {
        struct sock_fprog *const layers[_FILTER_LAYER_MAX] = {
                [FILTER_OUTER] = &own->pair.outer,
                [FILTER_OUTER_TRACE] = &own->pair.outer_trace,
                [FILTER_INNER] = &own->pair.inner,
        };

        for (size_t i = 0; i < _FILTER_LAYER_MAX; i++) {
                FilterProgram *program = &own->programs[i];
                int r;

                r = filter_compile(profile, PROFILE_NATIVE, grants, (FilterLayer)i, program, diag);
                if (r == -E2BIG || (r == 0 && program->n_code > FILTER_LENGTH_MAX))
                        return diag_add(diag, ERROR_CONFIGURATION,
                                        "'%s' comes to more than %u instructions: take conditions "
                                        "out",
                                        path, FILTER_LENGTH_MAX);
                if (r < 0)
                        return r;
                *layers[i] = (struct sock_fprog){ .len = (unsigned short)program->n_code,
                                                  .filter = program->code };
        }
        return 0;
}

static int compile(const char *path, unsigned grants, OwnFilters *own, Diag *diag) {
        _cleanup_free_ char *text = malloc(PROFILE_TEXT_MAX + 1);
        _cleanup_(profile_done) Profile profile = { 0 };
        ssize_t n;
        int r;

        if (!text)
                return -ENOMEM;
        n = read_profile(path, text, PROFILE_TEXT_MAX + 1);
        if (n < 0)
                return diag_add(diag, ERROR_CONFIGURATION,
                                "SeccompProfile= '%s' cannot be read: %s: name a file that you may "
                                "read, or write shipped",
                                path, strerror((int)-n));
        r = profile_parse(&profile, text, (size_t)n, path, diag);
        if (r < 0)
                return r;
        r = filter_families(&profile, PROFILE_NATIVE, own->families, diag);
        if (r < 0)
                return r;
        r = compile_layers(&profile, grants, path, own, diag);
        if (r < 0)
                return r;
        own->pair.families = own->families;
        own->pair.n_families = sizeof(own->families);
        digest_sha256_hex(text, (size_t)n, own->sha256);
        return floor_check(&profile, PROFILE_NATIVE, grants, path, diag);
}

/* The first fault is the outcome, the others are told beside it. */
static int refuse(Run *run, const Diag *diag) {
        for (size_t i = 1; i < diag->n_messages && !run->invocation->quiet; i++)
                log_line("%s [%s]", diag->messages[i].text, error_name(diag->messages[i].type));
        if (diag->n_messages == 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        return outcome_fail(&run->outcome, CAUSE_REFUSED, diag->messages[0].type, "%s",
                            diag->messages[0].text);
}

int filters_prepare(Run *run) {
        unsigned grants = filter_grants(run);
        _cleanup_(diag_done) Diag diag = { 0 };

        if (!run->policy->seccomp_profile) {
                run->filters = shipped_filters(grants);
                return 0;
        }
        run->own_filters = calloc(1, sizeof(*run->own_filters));
        if (!run->own_filters ||
            compile(run->policy->seccomp_profile, grants, run->own_filters, &diag) < 0)
                return refuse(run, &diag);
        run->filters = &run->own_filters->pair;
        return 0;
}

const char *filters_sha256(const Run *run) {
        return run->filters && run->own_filters ? run->own_filters->sha256 : NULL;
}

void filters_done(Run *run) {
        for (size_t i = 0; run->own_filters && i < _FILTER_LAYER_MAX; i++)
                filter_program_done(&run->own_filters->programs[i]);
        free(run->own_filters);
        run->own_filters = NULL;
        run->filters = NULL;
}
