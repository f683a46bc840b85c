/* SPDX-License-Identifier: MIT */
/* INI files by inih. It takes an indented line for the rest of the one before, cuts long lines or
 * drops what follows them, begins comments in the middle of values, takes ':' for '=', tells no
 * line numbers and goes on after errors. So it gets its lines from here, and only those that it
 * cannot take for something else. Source: ini.h of inih 55, ini.c of inih 59. */
#include "policy/inifile.h"

#include <errno.h>
#include <ini.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define BLANKS      " \t"
#define SECTION_MAX 32 /* bytes; inih has room for 49 */
#define ORIGIN_SIZE 512

typedef struct Reader {
        const char *name;
        const char *at, *end;
        unsigned line;
        char origin[ORIGIN_SIZE];
        char section[SECTION_MAX + 1];
        bool skip; /* the lines of a section that was refused */
        int error;
        IniHandler handler;
        void *context;
        Diag *diag;
} Reader;

static void set_origin(Reader *reader) {
        /* The end of a path says more than its start. */
        size_t length = strlen(reader->name), room = ORIGIN_SIZE - sizeof(":4294967295");

        (void)snprintf(reader->origin, ORIGIN_SIZE, "%s:%u",
                       reader->name + (length > room ? length - room : 0), reader->line);
}

static int refuse(const Reader *reader, const char *what, const char *fix) {
        return diag_add(reader->diag, ERROR_CONFIGURATION, "%s (%s): %s", what, reader->origin,
                        fix);
}

static int check_text(const Reader *reader, const char *line, size_t length) {
        if (strlen(line) != length)
                return refuse(reader, "a NUL byte", "write text");
        if (length > 0 && line[length - 1] == '\r')
                return refuse(reader, "a carriage return at the end of the line",
                              "end lines with a line feed alone");
        for (size_t n; *line != '\0'; line += n) {
                n = str_utf8_sequence(line);
                if (n == 0)
                        return refuse(reader, "bytes that are no UTF-8", "write UTF-8");
                if (((unsigned char)*line < ' ' && *line != '\t') || *line == 0x7f)
                        return refuse(reader, "a control character", "take it out");
        }
        return 0;
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static int begin_section(Reader *reader, const char *line) {
        size_t length = strspn(line + 1, letters);
        const char *after = line + 1 + length;
        int r;

        reader->skip = true;
        if (*after != ']' || after[1 + strspn(after + 1, BLANKS)] != '\0')
                return refuse(reader, "no section", "write [NAME] and nothing else on the line");
        if (length == 0 || length > SECTION_MAX)
                return refuse(reader, "no name of a section", "write [Limits], say");
        (void)snprintf(reader->section, sizeof(reader->section), "%.*s", (int)length, line + 1);
        r = reader->handler(reader->context, reader->section, NULL, NULL, reader->origin,
                            reader->diag);
        reader->skip = r < 0;
        return r;
}

static int check_assignment(const Reader *reader, const char *line) {
        size_t length = strcspn(line, "=" BLANKS);
        const char *equals = line + length + strspn(line + length, BLANKS);

        if (reader->section[0] == '\0')
                return refuse(reader, "a line before the first section", "write [Limits], say");
        if (*equals != '=' || length != strspn(line, letters) || length == 0)
                return refuse(reader, "no assignment", "write KEY=VALUE");
        for (const char *mark = strchr(equals, ';'); mark; mark = strchr(mark + 1, ';'))
                if (strchr(BLANKS, mark[-1]))
                        return refuse(reader, "a ';' after a blank",
                                      "a comment has a line of its own, and a value no ' ;'");
        if (line[strlen(line) - 1] == '\\')
                return refuse(reader, "a '\\' at the end of the line",
                              "write the whole value on one line");
        return 0;
}

/* Whether inih is to see the line. */
static int check_line(Reader *reader, const char *line, size_t length) {
        int r;

        if (line[0] == '#' || line[0] == ';')
                return check_text(reader, line, length);
        if (line[0] == '[') {
                r = check_text(reader, line, length);
                return r < 0 ? r : begin_section(reader, line);
        }
        if (reader->skip || strspn(line, BLANKS) == length)
                return -EAGAIN; /* blank, or not looked at */
        r = check_text(reader, line, length);
        if (r < 0)
                return r;
        if (strchr(BLANKS, line[0]))
                return refuse(reader, "a blank at the start of the line",
                              "begin every line at its first column");
        return check_assignment(reader, line);
}

/* As fgets(3), but a line that is wrong has become an empty one, and the last one, too, ends with a
 * newline: without it inih 59 takes a line that fills its buffer for the start of a longer one, and
 * drops everything up to the next newline. */
static char *next_line(char *line, int size, void *context) {
        Reader *reader = context;
        const char *newline;
        size_t length;
        int r;

        if (reader->error < 0 || reader->at == reader->end)
                return NULL;
        newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
        length = (size_t)((newline ? newline : reader->end) - reader->at);
        reader->line++;
        set_origin(reader);
        line[0] = '\0';
        if (reader->line > INIFILE_LINES_MAX) {
                reader->error = refuse(reader, "too many lines", "write fewer");
                return NULL;
        }
        if (length + 1 < (size_t)size) {
                memcpy(line, reader->at, length);
                line[length] = '\0';
                r = check_line(reader, line, length);
        } else
                r = diag_add(reader->diag, ERROR_CONFIGURATION,
                             "a line of more than %d bytes (%s): write a shorter one, or set the "
                             "key on the command line",
                             size - 2, reader->origin);
        memcpy(line + (r < 0 ? 0 : length), "\n", sizeof("\n"));
        if (r == -ENOMEM)
                reader->error = r;
        reader->at += length + (newline ? 1 : 0);
        return line;
}

static int take(void *context, const char *section _unused_, const char *key, const char *value) {
        Reader *reader = context;
        int r;

        r = reader->handler(reader->context, reader->section, key, value, reader->origin,
                            reader->diag);
        if (r < 0 && r != -EINVAL)
                reader->error = r;
        return 1;
}

int inifile_parse(const char *name, const char *text, size_t size_bytes, IniHandler handler,
                  void *context, Diag *reterr_diag) {
        size_t n_before = reterr_diag->n_messages + reterr_diag->n_dropped;
        Reader reader = {
                .name = name,
                .at = text,
                .end = text + size_bytes,
                .handler = handler,
                .context = context,
                .diag = reterr_diag,
        };

        if (size_bytes > INIFILE_TEXT_MAX)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%s' is longer than %d bytes: write a shorter file", name,
                                INIFILE_TEXT_MAX);
        /* Its own verdict is about syntax that it is not shown. */
        if (ini_parse_stream(next_line, &reader, take, &reader) != 0 && reader.error == 0)
                return diag_add(reterr_diag, ERROR_CONFIGURATION, "'%s' cannot be read by inih",
                                name);
        if (reader.error < 0)
                return reader.error;
        return reterr_diag->n_messages + reterr_diag->n_dropped > n_before ? -EINVAL : 0;
}
