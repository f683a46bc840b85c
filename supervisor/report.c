/* SPDX-License-Identifier: MIT */
/* Tables as text and as JSON. */
#include "supervisor/report.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "policy/errors.h"
#include "policy/json-library.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"

void report_done(Report *report) {
        for (size_t i = 0; i < report->n_tables; i++) {
                ReportTable *table = &report->tables[i];

                for (size_t j = 0; j < table->n_cells; j++)
                        free(table->cells[j]);
                free(table->cells);
        }
        *report = (Report){ 0 };
}

void report_begin(Report *report, const char *name, const ReportColumn *columns, size_t n_columns,
                  bool single) {
        assert(report->n_tables < REPORT_TABLES_MAX && n_columns <= REPORT_COLUMNS_MAX);
        report->tables[report->n_tables++] = (ReportTable){
                .name = name,
                .columns = columns,
                .n_columns = n_columns,
                .single = single,
        };
}

/* Takes ownership of @cell. */
static void append(Report *report, char *cell) {
        ReportTable *table = &report->tables[report->n_tables - 1];
        char **grown = reallocarray(table->cells, table->n_cells + 1, sizeof(char *));

        if (!grown) {
                free(cell);
                report->failed = true;
                return;
        }
        table->cells = grown;
        table->cells[table->n_cells++] = cell;
}

void report_add(Report *report, const char *text) {
        char *copy = text ? strdup(text) : NULL;

        report->failed |= text && !copy;
        append(report, copy);
}

void report_addf(Report *report, const char *format, ...) {
        char *text = NULL;
        va_list ap;

        va_start(ap, format);
        if (vasprintf(&text, format, ap) < 0) {
                text = NULL;
                report->failed = true;
        }
        va_end(ap);
        append(report, text);
}

/* The text of the printable @cell, and how many characters wide it is. */
static const char *shown(const char *cell, size_t *ret_width) {
        if (!cell || cell[0] == '\0')
                cell = "-";
        *ret_width = 0;
        for (const char *at = cell; *at; at += str_utf8_sequence(at))
                ++*ret_width;
        return cell;
}

static void print_single(const ReportTable *table) {
        size_t width = 0;

        for (size_t i = 0; i < table->n_columns; i++)
                width = MAX(width, strlen(table->columns[i].heading));
        for (size_t i = 0; i < table->n_cells; i++) {
                size_t length;

                if (table->columns[i].heading[0] && table->cells[i])
                        (void)printf("%-*s  %s\n", (int)width, table->columns[i].heading,
                                     shown(table->cells[i], &length));
        }
}

static void print_row(const ReportTable *table, const char *const *cells, const size_t *widths) {
        size_t blanks = 0;

        for (size_t i = 0; i < table->n_columns; i++) {
                size_t width;
                const char *text;

                if (!table->columns[i].heading[0])
                        continue;
                text = shown(cells[i], &width);
                (void)printf("%*s%s", (int)blanks, "", text);
                blanks = widths[i] - width + 2;
        }
        (void)putchar('\n');
}

static void print_rows(const ReportTable *table) {
        size_t widths[REPORT_COLUMNS_MAX] = { 0 };
        const char *headings[REPORT_COLUMNS_MAX] = { NULL }, *const *cells = (const char *const *)
                                                                                     table->cells;
        const char *const *end = cells + table->n_cells;

        for (size_t i = 0; i < table->n_columns; i++) {
                headings[i] = table->columns[i].heading;
                widths[i] = strlen(headings[i]);
                for (const char *const *row = cells; row < end; row += table->n_columns) {
                        size_t width;

                        (void)shown(row[i], &width);
                        widths[i] = MAX(widths[i], width);
                }
        }
        print_row(table, headings, widths);
        for (const char *const *row = cells; row < end; row += table->n_columns)
                print_row(table, row, widths);
}

static void print_text(const Report *report) {
        for (size_t i = 0; i < report->n_tables; i++) {
                const ReportTable *table = &report->tables[i];

                for (size_t j = 0; j < table->n_cells; j++)
                        if (table->cells[j])
                                str_make_printable(table->cells[j]);
                if (table->n_cells == 0)
                        continue;
                if (i > 0)
                        (void)putchar('\n');
                if (table->single)
                        print_single(table);
                else
                        print_rows(table);
        }
}

/* Adds the row @cells to @parent: as the member @name, or to the array if that is NULL. */
static bool add_row(const JsonLibrary *json, cJSON *parent, const char *name,
                    const ReportTable *table, char *const *cells) {
        cJSON *object = json->create_object();

        if (!object)
                return false;
        if (!(name ? json->add_to_object(parent, name, object)
                   : json->add_to_array(parent, object))) {
                json->delete (object);
                return false;
        }
        for (size_t i = 0; i < table->n_columns; i++)
                if (table->columns[i].name[0] && cells[i] &&
                    !json_add(json, object, table->columns[i].name, cells[i],
                              table->columns[i].raw))
                        return false;
        return true;
}

static bool add_table(const JsonLibrary *json, cJSON *object, const ReportTable *table) {
        cJSON *array;

        if (table->single)
                return add_row(json, object, table->name, table, table->cells);
        array = json->create_array();
        if (!array)
                return false;
        if (!json->add_to_object(object, table->name, array)) {
                json->delete (array);
                return false;
        }
        for (size_t i = 0; i < table->n_cells; i += table->n_columns)
                if (!add_row(json, array, NULL, table, table->cells + i))
                        return false;
        return true;
}

static bool add_tables(const JsonLibrary *json, cJSON *object, const void *of) {
        const Report *report = of;

        for (size_t i = 0; i < report->n_tables; i++)
                if (!add_table(json, object, &report->tables[i]))
                        return false;
        return true;
}

static int print_json(const Report *report) {
        _cleanup_free_ char *text = NULL;
        int r;

        r = json_format(add_tables, report, &text);
        if (r < 0)
                return r;
        (void)puts(text);
        return 0;
}

int report_print(Report *report, bool json) {
        int r = report->failed ? -ENOMEM : 0;

        if (r == 0 && json)
                r = print_json(report);
        else if (r == 0)
                print_text(report);
        if (r == -ENOPKG)
                log_line("--json needs the library " JSON_LIBRARY_NAME
                         ": install the package " JSON_LIBRARY_PACKAGE " [%s]",
                         error_name(ERROR_CAPABILITY));
        else if (r < 0)
                log_line("out of memory");
        if (r == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
                r = -errno;
                log_line("cannot write to stdout: %s", strerror(-r));
        }
        return r < 0;
}
