/* SPDX-License-Identifier: MIT */
/* policy/policy-file.c: P2 S4 S7: what files may say. Each file of tests/data/policy-files is read
 * in the layer that its name begins with, below the golden text of what came of it: the values, the
 * ceilings and every message. `make golden` writes them anew. */
#include "policy/policy-file.h"

#include <dirent.h>
#include <string.h>

#include "policy/inifile.h"
#include "policy/resolve.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

#define DIRECTORY "tests/data/policy-files"

static const struct {
        const char *prefix;
        Layer layer;
        const char *name, *directory;
        bool among_homes;
} layers[] = {
        { "site-", LAYER_SITE, "/etc/confine/confine.conf", "/etc/confine", false },
        { "user-", LAYER_USER, "/home/u/.config/confine/confine.conf", "/home/u/.config/confine",
          false },
        { "project-", LAYER_PROJECT, "/p/confine.conf", "/p", false },
        { "home-", LAYER_PROJECT, "/home/u/confine.conf", "/home/u", true },
        { "named-", LAYER_NAMED, "/n/x.conf", "/n", false },
};

static char *read_whole(const char *path, size_t *ret_size_bytes) {
        _cleanup_fclose_ FILE *file = fopen(path, "re");
        _cleanup_free_ char *text = malloc(INIFILE_TEXT_MAX + 1);

        if (!text)
                bail_out("out of memory");
        if (!file)
                return NULL;
        *ret_size_bytes = fread(text, 1, INIFILE_TEXT_MAX, file);
        text[*ret_size_bytes] = '\0';
        return ferror(file) ? NULL : TAKE_PTR(text);
}

static void tell_settings(FILE *out, const Settings *settings) {
        for (size_t i = 0; i < settings_count(settings); i++) {
                const Setting *setting = settings_at(settings, i);

                (void)fprintf(out, "%s=%s (%s)\n", key_info(setting->key)->name, setting->value,
                              setting->origin);
        }
        for (size_t i = 0; i < settings_count_ceilings(settings); i++) {
                const Setting *setting = settings_ceiling_at(settings, i);

                (void)fprintf(out, "ceiling: %s=%s (%s)\n", key_info(setting->key)->name,
                              setting->value, setting->origin);
        }
        if (settings_no_sandbox_forbidden(settings))
                (void)fprintf(out, "no --no-sandbox (%s)\n",
                              settings_no_sandbox_forbidden(settings));
}

/* What comes of @text in a layer, as text. */
static char *tell(size_t layer, const char *text, size_t size_bytes) {
        const PolicyFile file = {
                .name = layers[layer].name,
                .directory = layers[layer].directory,
                .layer = layers[layer].layer,
                .among_homes = layers[layer].among_homes,
                .home = "/home/u",
                .cwd = "/cwd",
                .uid = "1000",
        };
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };
        char *told = NULL;
        size_t told_size;
        FILE *out = open_memstream(&told, &told_size);
        int r;

        if (!settings || !out)
                bail_out("out of memory");
        r = policy_file_parse(&file, text, size_bytes, settings, &diag);
        ok((r < 0) == (diag.n_messages > 0), "a fault has a message, and only a fault");
        tell_settings(out, settings);
        (void)policy_resolve(settings, &facts_of_any_machine, &policy, &diag);
        for (size_t i = 0; i < diag.n_messages; i++)
                (void)fprintf(out, "%s [%s]\n", diag.messages[i].text,
                              error_name(diag.messages[i].type));
        if (fclose(out) != 0)
                bail_out("out of memory");
        return told;
}

static void compare(const char *name) {
        _cleanup_free_ char *path = str_format(DIRECTORY "/%s", name), *golden_path = NULL;
        _cleanup_free_ char *text = NULL, *golden = NULL, *told = NULL;
        size_t layer = 0, size_bytes, golden_size;

        while (layer < ARRAY_SIZE(layers) &&
               strncmp(name, layers[layer].prefix, strlen(layers[layer].prefix)) != 0)
                layer++;
        golden_path = str_format("%s.golden", path);
        text = path ? read_whole(path, &size_bytes) : NULL;
        if (!golden_path || !text || layer == ARRAY_SIZE(layers))
                bail_out("%s cannot be read, or is of no layer", name);
        told = tell(layer, text, size_bytes);
        if (getenv("CONFINE_GOLDEN")) {
                _cleanup_fclose_ FILE *out = fopen(golden_path, "we");

                if (!out || fputs(told, out) < 0)
                        bail_out("%s cannot be written", golden_path);
                return;
        }
        golden = read_whole(golden_path, &golden_size);
        is_str(told, golden, "P2 S7: %s is as its golden text says", name);
}

int main(void) {
        struct dirent **entries;
        int n = scandir(DIRECTORY, &entries, NULL, alphasort), n_files = 0;

        for (int i = 0; i < n; i++) {
                const char *dot = strrchr(entries[i]->d_name, '.');

                if (dot && strcmp(dot, ".conf") == 0) {
                        compare(entries[i]->d_name);
                        n_files++;
                }
                free(entries[i]);
        }
        if (n >= 0)
                free(entries);
        ok(n_files >= 8, "the files are there");
        return done_testing();
}
