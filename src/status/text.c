/* SPDX-License-Identifier: MIT */
#include "status/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Bytes of the character at `text`; 0 when it is no UTF-8 or a control character. */
static size_t character_bytes(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (first > 0xf4 || first == 0x7f || first < 0x20)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (!is_continuation(text[i]))
            return 0;
    /* U+0080 to U+009F are control characters too. */
    if (first == 0xc2 && (unsigned char)text[1] < 0xa0)
        return 0;
    return n;
}

char *text_clean(const char *text, bool utf8)
{
    char *copy = malloc(strlen(text) + 1);
    char *to = copy;

    if (!copy)
        return NULL;
    while (*text) {
        size_t n = character_bytes(text);

        if (n == 0 || (n > 1 && !utf8)) {
            *to++ = '?';
            text += n ? n : 1;
        } else {
            memcpy(to, text, n);
            to += n;
            text += n;
        }
    }
    *to = '\0';
    return copy;
}

size_t text_columns(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += !is_continuation(*text);
    return n;
}

size_t text_bytes_of_columns(const char *text, size_t columns)
{
    size_t i = 0;

    for (; text[i]; i++) {
        if (is_continuation(text[i]))
            continue;
        if (columns-- == 0)
            break;
    }
    return i;
}

/* Bytes of the next line: up to the last blank that fits, or as much as fits. */
static size_t line_bytes(const char *text, size_t room)
{
    size_t fits = text_bytes_of_columns(text, room);

    if (text[fits] == '\0' || text[fits] == ' ')
        return fits;
    for (size_t i = fits; i > 0; i--)
        if (text[i - 1] == ' ')
            return i - 1;
    return fits;
}

void text_wrap(FILE *out, const char *text, unsigned indent, unsigned width)
{
    size_t room = width > indent + 1 ? width - indent : 1;

    text += strspn(text, " ");
    while (*text) {
        size_t n = line_bytes(text, room);

        fprintf(out, "%*s%.*s\n", (int)indent, "", (int)n, text);
        text += n;
        text += strspn(text, " ");
    }
}

void text_bar(FILE *out, double percent, unsigned columns, bool utf8)
{
    unsigned full = percent >= 100 ? columns : (unsigned)(percent * columns / 100);

    for (unsigned i = 0; i < columns; i++)
        if (utf8)
            fputs(i < full ? "█" : "░", out);
        else
            fputc(i < full ? '#' : '-', out);
}
