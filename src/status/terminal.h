/* SPDX-License-Identifier: MIT */
/* What standard output can show. */
#ifndef STATUS_TERMINAL_H
#define STATUS_TERMINAL_H

#include <stdbool.h>

#include "status/render.h"

bool terminal_is_stdout(void);
/* Looks anew at each call, since terminals are resized. setlocale() was called before. */
struct render_options terminal_render_options(void);

/* Shows `text` from the top of the screen on, line over line, so that nothing flickers. */
void terminal_redraw(const char *text);

#endif
