/* SPDX-License-Identifier: MIT */
/* What standard output can show. */
#ifndef CTL_TERMINAL_H
#define CTL_TERMINAL_H

#include <stdbool.h>

#include "status/render.h"

bool terminal_is_stdout(void);
/* 24 when not known. */
unsigned terminal_rows(void);
/* Looks anew at each call, since terminals are resized. setlocale() was called before. */
struct render_options terminal_render_options(void);

/* Shows `text` from the top of the screen on, line over line, so that nothing flickers. */
void terminal_redraw(const char *text);

#endif
