/* SPDX-License-Identifier: MIT */
/* What a verb tells: tables of cells, made once, printed as text or as one JSON object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define REPORT_TABLES_MAX  4
#define REPORT_COLUMNS_MAX 20

/* Text within, since each pointer in a table is a relocation, which every start pays for. */
typedef struct ReportColumn {
        char name[20];    /* the member in JSON; "": not there */
        char heading[20]; /* as text; "": not shown there */
        bool raw;         /* a number, true or false: without quotes in JSON */
} ReportColumn;

typedef struct ReportTable {
        const char *name;            /* the member in JSON: an array of objects, a row each */
        const ReportColumn *columns; /* static */
        size_t n_columns;
        bool single;  /* one row: an object, and as text a line for each cell */
        char **cells; /* row by row; NULL: does not apply, left out; owned */
        size_t n_cells;
} ReportTable;

typedef struct Report {
        ReportTable tables[REPORT_TABLES_MAX];
        size_t n_tables;
        bool failed; /* out of memory: report_print() tells */
} Report;

/* Begins a table. All but @report is static and stays. */
void report_begin(Report *report, const char *name, const ReportColumn *columns, size_t n_columns,
                  bool single);

/* Adds the next cell of the table that was begun last: a copy of @text, which may be NULL. */
void report_add(Report *report, const char *text);

/* The same, formatted. */
void report_addf(Report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints @report to stdout, or why that cannot be done to stderr. What may not be shown on a
 * terminal, and in JSON what is no UTF-8, is replaced in place: nothing else is done with it
 * afterwards. Returns the exit status of a verb: 0 or 1. */
int report_print(Report *report, bool json);

/* Frees what @report holds; the struct itself is the caller's. Accepts a zeroed one. */
void report_done(Report *report);
