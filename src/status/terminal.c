/* SPDX-License-Identifier: MIT */
#include "status/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Wide enough for every column, where nothing wraps. */
#define WIDTH_OF_A_PIPE 120u
#define WIDTH_UNKNOWN   80u
#define ROWS_UNKNOWN    24u

bool terminal_is_stdout(void)
{
    return isatty(STDOUT_FILENO);
}

static struct winsize get_size(void)
{
    struct winsize size = { 0 };

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
        return (struct winsize){ 0 };
    return size;
}

static unsigned get_rows(void)
{
    unsigned rows = get_size().ws_row;

    return rows ? rows : ROWS_UNKNOWN;
}

static unsigned get_width(void)
{
    unsigned width = get_size().ws_col;

    if (width)
        return width;
    return terminal_is_stdout() ? WIDTH_UNKNOWN : WIDTH_OF_A_PIPE;
}

/* https://no-color.org: set to anything but nothing. */
static bool wants_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    return terminal_is_stdout() && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

struct render_options terminal_render_options(void)
{
    return (struct render_options){
        .width = get_width(),
        .colour = wants_colour(),
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}

void terminal_redraw(const char *text)
{
    unsigned rows = get_rows();

    printf("\033[H");
    for (unsigned row = 1; *text && row < rows; row++) {
        size_t n = strcspn(text, "\n");

        printf("%.*s\033[K\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    printf("\033[J");
    fflush(stdout);
}
