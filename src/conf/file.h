/* SPDX-License-Identifier: MIT */
/* One INI file as a sequence of assignments with their line numbers. */
#ifndef CONF_FILE_H
#define CONF_FILE_H

#include <stdio.h>

/* One assignment. Strings live for the call. */
struct conf_assignment {
    const char *path;
    unsigned line;
    const char *section; /* "Warm"; "" before the first section */
    const char *key;
    const char *value; /* "" resets to the default */
};

struct conf_file_handlers {
    void (*assignment)(const struct conf_assignment *assignment, void *userdata);
    /* A line that is none. */
    void (*broken_line)(const char *path, unsigned line, const char *what, void *userdata);
    void *userdata;
};

/* 0 when the file was read, however many lines were broken; negative errno when it can't be read.
 */
int conf_file_read(const char *path, const struct conf_file_handlers *handlers);

/* The same of a file that is open; `path` is what the handlers are told. It stays the caller's. */
int conf_file_read_from(FILE *file, const char *path, const struct conf_file_handlers *handlers);

#endif
