/* SPDX-License-Identifier: MIT */
/* Where people keep their files. The user database is not asked, since that may mean a server: who
 * has no line in /etc/passwd is covered by $HOME and by /home. */
#include "supervisor/homes.h"

#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define PEOPLE_FIRST 1000 /* UID_MIN of login.defs(5) */

static Place compare(const char *directory, const char *home) {
        size_t length = strlen(directory), n = strlen(home);

        while (n > 1 && home[n - 1] == '/')
                n--;
        if (home[0] != '/' || n <= 1 || strncmp(directory, home, MIN(length, n)) != 0)
                return PLACE_ORDINARY;
        if (length == n)
                return PLACE_HOME;
        return length < n && home[length] == '/' ? PLACE_ABOVE_HOMES : PLACE_ORDINARY;
}

/* Not fgetpwent(3), which asks for its place in the file twice a line. */
static Place compare_passwd(const char *directory) {
        _cleanup_fclose_ FILE *f = fopen("/etc/passwd", "re");
        _cleanup_free_ char *line = NULL;
        Place place = PLACE_ORDINARY;
        size_t size = 0;

        while (f && getline(&line, &size, f) > 0) {
                const char *fields[6] = { NULL }; /* name, password, uid, gid, comment, home */
                char *rest = line;
                uint64_t uid;

                for (size_t i = 0; i < ARRAY_SIZE(fields) && rest; i++)
                        fields[i] = strsep(&rest, ":\n");
                if (fields[5] && str_read_number(fields[2], NULL, &uid) &&
                    (uid == 0 || uid >= PEOPLE_FIRST))
                        place = MAX(place, compare(directory, fields[5]));
        }
        return place;
}

Place homes_place(const char *directory) {
        static const char homes[] = "/home/";
        const char *own = getenv("HOME"), *below = directory + strlen(homes);
        _cleanup_free_ char *real = own ? realpath(own, NULL) : NULL;
        Place place = compare_passwd(directory);

        if (directory[1] == '\0')
                return PLACE_ABOVE_HOMES;
        if (strcmp(directory, "/home") == 0)
                return PLACE_ABOVE_HOMES;
        if (strncmp(directory, homes, strlen(homes)) == 0 && !strchr(below, '/'))
                place = MAX(place, PLACE_HOME);
        if (own)
                place = MAX(place, compare(directory, own));
        if (real)
                place = MAX(place, compare(directory, real));
        return place;
}
