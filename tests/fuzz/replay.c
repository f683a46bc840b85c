/* SPDX-License-Identifier: MIT */
/* Feeds the files of tests/fuzz/corpus/TARGET to the fuzz target fuzz-TARGET it is linked with, as
 * TAP. Run from the top of the tree. A crash ends the program without a plan, which prove reports;
 * the name of the file is printed before. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX (1 << 20)

static bool replay(const char *path) {
        _cleanup_fclose_ FILE *file = fopen(path, "re");
        _cleanup_free_ char *data = malloc(INPUT_MAX);
        _cleanup_free_ char *exact = NULL;
        size_t size_bytes;

        if (!file || !data)
                return false;
        size_bytes = fread(data, 1, INPUT_MAX, file);
        if (ferror(file) || !feof(file))
                return false;
        exact = malloc(MAX(size_bytes, (size_t)1)); /* so that ASan sees the end */
        if (!exact)
                return false;
        memcpy(exact, data, size_bytes);
        return LLVMFuzzerTestOneInput((const uint8_t *)exact, size_bytes) == 0;
}

int main(int argc _unused_, char **argv) {
        const char *name = strstr(argv[0], "fuzz-");
        struct dirent **entries;
        char path[512];
        int n, n_run = 0, n_failed = 0;

        for (const char *next = name; next; next = strstr(next + 1, "fuzz-"))
                name = next;
        if (!name)
                return EXIT_FAILURE;
        (void)snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name + strlen("fuzz-"));
        n = scandir(path, &entries, NULL, alphasort);
        for (int i = 0; i < n; i++) {
                bool good;

                if (entries[i]->d_name[0] == '.')
                        continue;
                (void)snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s",
                               name + strlen("fuzz-"), entries[i]->d_name);
                (void)printf("# %s\n", path);
                (void)fflush(stdout);
                good = replay(path);
                n_failed += !good;
                (void)printf("%sok %d - %s\n", good ? "" : "not ", ++n_run, entries[i]->d_name);
        }
        for (int i = 0; i < n; i++)
                free(entries[i]);
        if (n >= 0)
                free(entries);
        (void)printf("1..%d\n", n_run);
        return n_run > 0 && n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
