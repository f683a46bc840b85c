/* SPDX-License-Identifier: MIT */
/* The table of attacks (tests/adversarial/attacks) under the real filters and the real Landlock,
 * for each ABI that leaves something else to seccomp. Those that need a run of confine or a booted
 * machine are left to the system tests. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "policy/rights.h"
#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "tests/adversarial/attacks/attacks.h"
#include "tests/native/confined.h"
#include "tests/unit/tap.h"

static const LandlockGrant landlock[] = {
        { "read", GRANT_READ },       { "write", GRANT_WRITE },
        { "/usr", GRANT_EXEC },       { "/lib", GRANT_EXEC },
        { "/lib64", GRANT_EXEC },     { "/bin", GRANT_EXEC },
        { "/dev/null", GRANT_WRITE }, { NULL, 0 },
};

/* ---- those outside */

static pid_t start_neighbour(void) {
        char text[sizeof("ready\n")] = "";
        int pipe_fds[2];
        pid_t pid;

        if (pipe2(pipe_fds, O_CLOEXEC) < 0)
                bail_out("pipe: %m");
        pid = fork();
        if (pid == 0) {
                (void)dup2(pipe_fds[1], STDOUT_FILENO);
                (void)close(pipe_fds[1]);
                exit(scene_play());
        }
        (void)close(pipe_fds[1]);
        if (pid < 0 || read(pipe_fds[0], text, sizeof(text) - 1) <= 0)
                bail_out("there is no neighbour");
        (void)close(pipe_fds[0]);
        return pid;
}

static pid_t start_confederate(int *ret_channel) {
        int pair[2];
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
                bail_out("socketpair: %m");
        pid = fork();
        if (pid == 0) {
                (void)close(pair[1]);
                while (scene_answer(pair[0], getppid()) == 0)
                        ;
                _exit(0);
        }
        if (pid < 0)
                bail_out("fork: %m");
        (void)close(pair[0]);
        *ret_channel = pair[1];
        return pid;
}

static int remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
                      struct FTW *ftw _unused_) {
        return remove(path);
}

/* ---- the attacks */

typedef struct Deal {
        const Attack *attack;
        const Scene *scene;
} Deal;

static int attempt(const void *argument) {
        const Deal *deal = argument;

        return deal->attack->attempt(deal->scene, deal->attack->argument);
}

static int outcome_of(Outcome outcome) {
        return outcome.result == -SIGSYS ? FATAL : outcome.result;
}

static void test_plain(const Attack *attack, const Scene *scene) {
        const Deal deal = { attack, scene };
        int got = outcome_of(plain_run(attempt, &deal));

        if (attack->plain != ANY)
                is_str(result_name(got), result_name(attack->plain), "control: %s: %s",
                       attack->name, attack->what);
        else if (got == attack->confined)
                skip("a kernel that permits it plainly", "%s", attack->name);
}

static void test_sandboxed(const Attack *attack, const Scene *scene, int abi, unsigned grants) {
        const Deal deal = { attack, scene };
        int got;

        if (!(rights_scoped(abi) & LANDLOCK_SCOPE_SIGNAL))
                grants |= FILTER_BIND_SIGNALS;
        got = outcome_of(sandboxed_run(abi, landlock, grants, attempt, &deal));
        is_str(result_name(got), result_name(attack->confined), "%s: %s: ABI %d%s: %s", attack->ids,
               attack->name, abi, grants & FILTER_SUBPROCESS ? ", with subprocesses" : "",
               attack->what);
}

static void test_attacks(const Scene *scene) {
        const int newest = kernel_landlock_abi();
        const int abis[] = { 3, 4, 6, newest };
        const unsigned mine = geteuid() == 0 ? ROOT : 0;
        const Attack *attack;

        for (size_t i = 0; (attack = attack_row(i)); i++) {
                if (!attack_applies(attack, mine | ALONE | PROCESSES))
                        continue;
                test_plain(attack, scene);
                for (size_t a = 0; a < ARRAY_SIZE(abis); a++) {
                        if (abis[a] > newest)
                                continue;
                        if (attack_applies(attack, mine | ALONE))
                                test_sandboxed(attack, scene, abis[a], 0);
                        if (attack_applies(attack, mine | PROCESSES))
                                test_sandboxed(attack, scene, abis[a], FILTER_SUBPROCESS);
                }
        }
}

int main(int argc, char *argv[]) {
        char path[] = "/tmp/confine-test-attacks-XXXXXX";
        pid_t neighbour, confederate;
        Scene scene;
        int channel;

        if (argc > 0 && strcmp(argv[0], "true") == 0)
                return 0; /* an attack executed us */
        if (kernel_landlock_abi() < rights_floor()) {
                skip("Landlock ABI 3", "P5: attacks");
                return done_testing();
        }
        if (!mkdtemp(path) || chdir(path) < 0)
                bail_out("%s: %m", path);
        neighbour = start_neighbour();
        confederate = start_confederate(&channel);
        if (scene_read(channel, &scene) < 0)
                bail_out("read/scene: %m");
        test_attacks(&scene);
        (void)kill(neighbour, SIGTERM);
        (void)waitpid(neighbour, NULL, 0);
        (void)close(channel);
        (void)waitpid(confederate, NULL, 0);
        (void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        return done_testing();
}
