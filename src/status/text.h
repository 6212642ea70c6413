/* SPDX-License-Identifier: MIT */
/* Text for a terminal, from strings that others wrote. Pure. */
#ifndef STATUS_TEXT_H
#define STATUS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A copy with '?' for what a terminal must not get (control characters, broken UTF-8) or, without
 * `utf8`, cannot show. The caller frees; NULL when out of memory.
 */
char *text_clean(const char *text, bool utf8);

/* One a character; our own texts have no wide ones. */
size_t text_columns(const char *text);
/* The bytes of the first `columns` columns. */
size_t text_bytes_of_columns(const char *text, size_t columns);

/* Writes words in lines of at most `width` columns, each behind `indent` blanks. */
void text_wrap(FILE *out, const char *text, unsigned indent, unsigned width);

/* "#####-----" in `columns` columns. Full only at 100 %. */
void text_bar(FILE *out, double percent, unsigned columns, bool utf8);

#endif
