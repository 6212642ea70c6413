/* SPDX-License-Identifier: MIT */
#include "ctl/unescape.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
    if (!isxdigit((unsigned char)c))
        return -1;
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* The byte that "\x2d" stands for; negative for anything else. */
static int escaped_byte(const char *text)
{
    int high, low;

    if (strncmp(text, "\\x", 2) != 0)
        return -1;
    high = hex_digit(text[2]);
    low = high < 0 ? -1 : hex_digit(text[3]);
    return low < 0 || high * 16 + low == 0 ? -1 : high * 16 + low;
}

/* `slash` is what a dash stands for. False for a broken escape. `ret` is as long as `text`. */
static bool unescape(const char *text, char slash, char *ret)
{
    for (; *text; text++) {
        int byte = escaped_byte(text);
        if (*text == '\\' && byte < 0)
            return false;
        if (byte >= 0)
            text += strlen("\\x2d") - 1;
        *ret++ = byte >= 0 ? (char)byte : *text == '-' ? slash : *text;
    }
    *ret = '\0';
    return true;
}

static bool is_volume_id(const char *text)
{
    return strncmp(text, "vol-", 4) == 0 && text[4] != '\0' &&
           strspn(text + 4, "0123456789abcdef") == strlen(text + 4);
}

char *unescape_what(const char *instance)
{
    char *ret = calloc(1, strlen(instance) + 2);

    if (!ret || !unescape(instance, '-', ret)) {
        free(ret);
        return NULL;
    }
    if (is_volume_id(ret))
        return ret;
    ret[0] = '/';
    if (strcmp(instance, "-") == 0)
        ret[1] = '\0';
    else
        unescape(instance, '/', ret + 1);
    return ret;
}
