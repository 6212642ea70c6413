/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#define WORD_MAX 63U

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

unsigned word_distance(const char *a, const char *b)
{
    /* Three rows of the table: two letters back (for swaps), one back, and this one. */
    unsigned rows[3][WORD_MAX + 1], *two = rows[0], *one = rows[1], *this = rows[2];
    size_t n = strlen(a), m = strlen(b);

    if (n > WORD_MAX || m > WORD_MAX)
        return UINT_MAX;
    memset(rows, 0, sizeof(rows));
    for (unsigned j = 0; j <= m; j++)
        one[j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned *free_row = two;
        this[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            this[j] = least(least(one[j], this[j - 1]) + 1, one[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                this[j] = least(this[j], two[j - 2] + 1);
        }
        two = one;
        one = this;
        this = free_row;
    }
    return one[m];
}

int word_is_near(const char *word, const char *known)
{
    return word_distance(word, known) <= (strlen(known) > 4 ? 2U : 1U);
}
