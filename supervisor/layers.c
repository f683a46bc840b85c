/* SPDX-License-Identifier: MIT */
/* Policy files from the disk into settings, the lowest layer first. Every run pays for this before
 * anything else: what does not exist costs one failed system call. */
#include "supervisor/layers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "policy/policy-file.h"
#include "policy/resolve.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/homes.h"
#include "supervisor/policy-text.h"
#include "supervisor/trust.h"

#define SHIPPED "/usr/share/confine"
#define LOCAL   "/usr/local/share/confine"
#define SITE    "/etc/confine"
#define NAME    "confine.conf"

#define DROP_INS_MAX 64 /* files of confine.conf.d */

typedef struct Context {
        Invocation *invocation;
        Settings *settings; /* the new ones */
        Diag *diag;
        char *config; /* owned; ~/.config/confine, NULL: nobody knows where that is */
        char *cwd;    /* owned; NULL: not asked yet, or unknown */
} Context;

static void context_done(Context *context) {
        (void)settings_free(context->settings);
        free(context->config);
        free(context->cwd);
}

static int parse(Context *context, const PolicyText *file, Layer layer) {
        size_t length = (size_t)(strrchr(file->path, '/') - file->path);
        _cleanup_free_ char *directory = strndup(file->path, MAX(length, (size_t)1));
        const char *home = getenv("HOME");
        char uid[16];

        if (!context->cwd)
                context->cwd = getcwd(NULL, 0);
        (void)snprintf(uid, sizeof(uid), "%u", geteuid());
        if (!directory)
                return -ENOMEM;
        return policy_file_parse(
                &(const PolicyFile){
                        .name = file->path,
                        .directory = directory,
                        .layer = layer,
                        .among_homes =
                                layer == LAYER_PROJECT && homes_place(directory) != PLACE_ORDINARY,
                        .home = home && home[0] == '/' ? home : NULL,
                        .cwd = context->cwd,
                        .uid = uid,
                },
                file->text, file->size_bytes, context->settings, context->diag);
}

/* Takes the file @path, which becomes ours, if there is one. What is wrong with it is in the diag,
 * and the others are looked at as well. Returns 0 or -ENOMEM. */
static int take(Context *context, char *path, Layer layer, Owner owner) {
        _cleanup_(policy_text_done) PolicyText file = POLICY_TEXT_INIT;
        int r;

        r = policy_text_read(&file, path, 0, context->diag);
        /* A ceiling must not go with what holds it. */
        if (r == -ENOENT && lstat(path, &file.st) == 0)
                r = policy_text_refuse(context->diag, path, "is a link to nothing",
                                       "put a file there, or take the link away");
        if (r == 0)
                r = policy_text_check_owner(&file, owner, context->diag);
        if (r == 0)
                r = parse(context, &file, layer);
        if (r == 0 && layer == LAYER_USER)
                context->invocation->guarded[GUARDED_USER] = TAKE_PTR(file.path);
        return r == -ENOMEM ? r : 0;
}

static int is_drop_in(const struct dirent *entry) {
        size_t length = strlen(entry->d_name);

        return entry->d_name[0] != '.' && length > 5 &&
               strcmp(entry->d_name + length - 5, ".conf") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b) {
        return strcmp((*a)->d_name, (*b)->d_name);
}

static int take_drop_ins(Context *context) {
        static const char directory[] = SITE "/confine.conf.d";
        struct dirent **entries = NULL;
        int n = scandir(directory, &entries, is_drop_in, compare_names), r = 0;

        if (n < 0)
                return errno == ENOENT
                               ? 0
                               : policy_text_refuse(context->diag, directory, strerror(errno),
                                                    "make it a directory that you may read");
        if (n > DROP_INS_MAX)
                r = policy_text_refuse(context->diag, directory, "has more than 64 files",
                                       "join some");
        for (int i = 0; i < n; i++) {
                if (r == 0)
                        r = take(context, str_format("%s/%s", directory, entries[i]->d_name),
                                 LAYER_SITE, OWNER_ROOT);
                free(entries[i]);
        }
        free(entries);
        return r;
}

static int take_site(Context *context) {
        int r;

        r = take(context, strdup(SITE "/" NAME), LAYER_SITE, OWNER_ROOT);
        return r < 0 ? r : take_drop_ins(context);
}

/* Where the user has policies. Returns 0 or -ENOMEM. */
static int find_config(Context *context) {
        const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

        /* A relative one is to be ignored: XDG Base Directory Specification. */
        if (xdg && xdg[0] == '/')
                context->config = str_format("%s/confine", xdg);
        else if (home && home[0] == '/')
                context->config = str_format("%s/.config/confine", home);
        else
                return 0;
        return context->config ? 0 : -ENOMEM;
}

/* A home that cannot be looked into, a service's say, has no policy. */
static int take_user(Context *context) {
        char *path;

        if (!context->config)
                return 0;
        path = str_format("%s/" NAME, context->config);
        if (path && access(path, F_OK) < 0) {
                free(path);
                return 0;
        }
        return take(context, path, LAYER_USER, OWNER_ROOT_OR_CALLER);
}

/* The file beside what is run. *ret is the caller's, NULL: there is no place for one. */
static int find_project(const Invocation *invocation, char **ret) {
        _cleanup_free_ char *place = NULL;

        switch (invocation->form) {
        case FORM_SCRIPT:
        case FORM_PROGRAM:
                place = invocation->command ? realpath(invocation->command[0], NULL) : NULL;
                break;
        case FORM_MODULE:
                place = realpath("./", NULL);
                break;
        case FORM_COMMAND:
        case FORM_CODE:
        case FORM_STDIN:
                break;
        }
        if (!place)
                return 0; /* what cannot be found is told when it is to be executed */
        if (invocation->form == FORM_MODULE)
                *ret = str_format("%s/" NAME, place[1] ? place : "");
        else
                *ret = str_format("%.*s/" NAME, (int)(strrchr(place, '/') - place), place);
        return *ret ? 0 : -ENOMEM;
}

/* The one that was named is not looked at a second time. */
static int take_project(Context *context, const PolicyText *named) {
        Invocation *invocation = context->invocation;
        _cleanup_(policy_text_done) PolicyText file = POLICY_TEXT_INIT;
        char *path = NULL;
        int r;

        r = find_project(invocation, &path);
        if (r < 0 || !path)
                return r;
        r = policy_text_read(&file, path, O_NOFOLLOW, context->diag);
        if (r < 0 || (named->fd >= 0 && file.st.st_dev == named->st.st_dev &&
                      file.st.st_ino == named->st.st_ino))
                return r == -ENOMEM ? r : 0;
        if (trust_has(file.path, file.text, file.size_bytes))
                return parse(context, &file, LAYER_TRUSTED_PROJECT);
        r = policy_text_check_owner(&file, OWNER_CALLER, context->diag);
        if (r == 0)
                r = parse(context, &file, LAYER_PROJECT);
        if (r == 0)
                invocation->guarded[GUARDED_PROJECT] = TAKE_PTR(file.path);
        return r == -ENOMEM ? r : 0;
}

static bool is_name(const char *word) {
        return word[0] != '.' && word[0] != '\0' && strlen(word) <= 64 &&
               word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "._-")] == '\0';
}

/* The policy @name, the caller's own first. */
static int find_named(Context *context, const char *name, PolicyText *ret) {
        const struct {
                const char *directory;
                Owner owner;
        } places[] = {
                { context->config, OWNER_ROOT_OR_CALLER },
                { SITE, OWNER_ROOT },
                { LOCAL, OWNER_ROOT },
                { SHIPPED, OWNER_ROOT },
        };

        for (size_t i = 0; is_name(name) && i < ARRAY_SIZE(places); i++) {
                _cleanup_(policy_text_done) PolicyText file = POLICY_TEXT_INIT;
                int r;

                if (!places[i].directory)
                        continue;
                r = policy_text_read(&file,
                                     str_format("%s/policies/%s.conf", places[i].directory, name),
                                     0, context->diag);
                if (r == -ENOENT)
                        continue;
                if (r == 0)
                        r = policy_text_check_owner(&file, places[i].owner, context->diag);
                if (r == 0 && places[i].owner != OWNER_ROOT) {
                        context->invocation->guarded[GUARDED_NAMED] = strdup(file.path);
                        if (!context->invocation->guarded[GUARDED_NAMED])
                                return -ENOMEM;
                }
                if (r == 0) {
                        *ret = file;
                        file = POLICY_TEXT_INIT;
                }
                return r;
        }
        return diag_add(context->diag, ERROR_CONFIGURATION,
                        "there is no policy '%.128s' in ~/.config/confine/policies, " SITE
                        "/policies or " SHIPPED "/policies: correct the name, or write a file with "
                        "a slash, as in ./%.128s",
                        name, name);
}

/* What --policy says. */
static int read_named(Context *context, PolicyText *ret) {
        Invocation *invocation = context->invocation;
        char *path;
        int r;

        if (!invocation->policy)
                return 0;
        if (!strchr(invocation->policy, '/'))
                return find_named(context, invocation->policy, ret);
        path = realpath(invocation->policy, NULL);
        if (!path)
                return policy_text_refuse(context->diag, invocation->policy, strerror(errno),
                                          "correct the name");
        r = policy_text_read(ret, path, 0, context->diag);
        if (r < 0)
                return r == -ENOENT ? policy_text_refuse(context->diag, invocation->policy,
                                                         "went away", "correct the name")
                                    : r;
        invocation->guarded[GUARDED_NAMED] = strdup(path);
        return invocation->guarded[GUARDED_NAMED] ? 0 : -ENOMEM;
}

static int take_files(Context *context) {
        _cleanup_(policy_text_done) PolicyText named = POLICY_TEXT_INIT;
        int r;

        r = take(context, strdup(SHIPPED "/" NAME), LAYER_SHIPPED, OWNER_ROOT);
        if (r == 0)
                r = take_site(context);
        if (r == 0)
                r = take_user(context);
        if (r == 0)
                r = read_named(context, &named);
        if (r == 0)
                r = take_project(context, &named);
        if (r == 0 && named.text)
                r = parse(context, &named, LAYER_NAMED);
        return r;
}

/* What Python needs to start is what a form of Python stands on, unless somebody says otherwise. */
static int set_base(Context *context) {
        if (!form_is_python(context->invocation->form))
                return 0;
        settings_start_layer(context->settings, LAYER_SHIPPED);
        return settings_set(context->settings, "Base", "python", "the form", context->diag);
}

static int read_layers(Invocation *invocation, bool only_site, Diag *reterr_diag) {
        size_t n_before = reterr_diag->n_messages + reterr_diag->n_dropped;
        _cleanup_(context_done) Context context = {
                .invocation = invocation,
                .settings = settings_new(),
                .diag = reterr_diag,
        };
        _cleanup_(policy_freep) Policy *policy = NULL;
        Settings *above = invocation->settings;
        int r;

        if (!context.settings)
                return -ENOMEM;
        r = only_site ? take_site(&context) : find_config(&context);
        if (r == 0 && !only_site)
                r = set_base(&context);
        if (r == 0 && !only_site)
                r = take_files(&context);
        if (r == 0 || r == -EINVAL) /* what is wrong further up is told as well */
                r = settings_add_all(context.settings, above, reterr_diag);
        if (r < 0)
                return r;
        invocation->settings = context.settings;
        context.settings = above;
        if (reterr_diag->n_messages + reterr_diag->n_dropped == n_before)
                return 0;
        /* It is refused anyway: with all that is wrong, the values too. */
        (void)policy_resolve(invocation->settings, &facts_of_any_machine, &policy, reterr_diag);
        return -EINVAL;
}

int layers_read(Invocation *invocation, Diag *reterr_diag) {
        return read_layers(invocation, false, reterr_diag);
}

int layers_read_site(Invocation *invocation, Diag *reterr_diag) {
        return read_layers(invocation, true, reterr_diag);
}

/* A tree that is to be installed counts as what it will be. */
static Layer layer_of(const PolicyText *file) {
        static const char *const homes[] = { "/.config/confine", SHIPPED, LOCAL };
        const char *site = strstr(file->path, SITE "/"), *name = strrchr(file->path, '/');
        size_t length = (size_t)(name - file->path);

        if (site)
                return str_path_below(site, SITE "/policies") ? LAYER_NAMED : LAYER_SITE;
        if (strcmp(name + 1, NAME) != 0)
                return LAYER_NAMED;
        for (size_t i = 0; i < ARRAY_SIZE(homes); i++)
                if (length >= strlen(homes[i]) &&
                    strncmp(name - strlen(homes[i]), homes[i], strlen(homes[i])) == 0)
                        return LAYER_NAMED;
        return trust_has(file->path, file->text, file->size_bytes) ? LAYER_TRUSTED_PROJECT
                                                                   : LAYER_PROJECT;
}

int layers_read_file(const char *name, Settings *settings, Diag *reterr_diag) {
        _cleanup_(policy_text_done) PolicyText file = POLICY_TEXT_INIT;
        Context context = { .settings = settings, .diag = reterr_diag };
        char *path = realpath(name, NULL);
        int r;

        r = path ? policy_text_read(&file, path, 0, reterr_diag) : -errno;
        if (r == 0 && path)
                r = parse(&context, &file, layer_of(&file));
        free(context.cwd);
        return r == 0 || r == -EINVAL || r == -ENOMEM
                       ? r
                       : policy_text_refuse(reterr_diag, name, strerror(-r), "correct the name");
}
