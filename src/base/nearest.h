/* SPDX-License-Identifier: MIT */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/*
 * How many letters must be added, dropped, changed or swapped with a neighbour to make `a` into `b`
 * (optimal string alignment), upper and lower case being one. Words over 63 letters are far from
 * all.
 */
unsigned word_distance(const char *a, const char *b);

/* True if `word` looks like a slip for `known`. */
int word_is_near(const char *word, const char *known);

#endif
