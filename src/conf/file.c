/* SPDX-License-Identifier: MIT */
/*
 * inih does the parsing; what it does not do is done by the reader that feeds it: counting lines,
 * refusing lines that it would cut (over 199 characters), section names that it would cut (over
 * 49), and continuation lines, which here only ever come from stray indentation.
 */
#include "conf/file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <string.h>

#define LINE_MAX_CHARACTERS 199U
#define SECTION_MAX         160U

struct reader {
    FILE *file;
    const char *path;
    const struct conf_file_handlers *handlers;
    unsigned line;
    char section[SECTION_MAX];
    bool section_is_broken;
};

static void complain(const struct reader *reader, const char *what)
{
    reader->handlers->broken_line(reader->path, reader->line, what, reader->handlers->userdata);
}

static void take_section(struct reader *reader, const char *text)
{
    const char *end = strchr(text, ']');

    reader->section_is_broken = true;
    if (!end || end[1 + strspn(end + 1, " \t")] != '\0') {
        complain(reader, "a section is written [Name] and stands on a line of its own");
        return;
    }
    if ((size_t)(end - text) >= sizeof(reader->section)) {
        complain(reader, "the section's name is too long");
        return;
    }
    snprintf(reader->section, sizeof(reader->section), "%.*s", (int)(end - text - 1), text + 1);
    reader->section_is_broken = false;
}

static bool is_assignment_or_nothing(const char *text)
{
    return *text == '\0' || *text == '#' || *text == ';' || strchr(text, '=') != NULL;
}

/* What inih gets of a line: the text, or nothing where it was dealt with here. */
static const char *screen_line(struct reader *reader, char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    text += strspn(text, " \t");
    if (strlen(text) > LINE_MAX_CHARACTERS) {
        complain(reader, "the line is longer than 199 characters");
        return "";
    }
    if (*text == '[') {
        take_section(reader, text);
        return "";
    }
    if (!is_assignment_or_nothing(text)) {
        complain(reader, "neither a [Section], nor Key=Value, nor a # comment");
        return "";
    }
    return reader->section_is_broken ? "" : text;
}

static char *read_line(char *buffer, int size, void *userdata)
{
    struct reader *reader = userdata;
    _cleanup_free_ char *line = NULL;
    size_t allocated = 0;
    ssize_t length = getline(&line, &allocated, reader->file);

    if (length < 0)
        return NULL;
    reader->line++;
    if (memchr(line, '\0', (size_t)length)) {
        complain(reader, "the line holds a NUL byte: this is no text file");
        line[0] = '\0';
    }
    snprintf(buffer, (size_t)size, "%s\n", screen_line(reader, line));
    return buffer;
}

static int on_assignment(void *userdata, const char *section, const char *key, const char *value)
{
    struct reader *reader = userdata;
    const struct conf_assignment assignment = {
        .path = reader->path,
        .line = reader->line,
        .section = reader->section,
        .key = key,
        .value = value ? value : "",
    };

    (void)section; /* cut to 49 characters; ours is whole */
    reader->handlers->assignment(&assignment, reader->handlers->userdata);
    return 1;
}

int conf_file_read(const char *path, const struct conf_file_handlers *handlers)
{
    _cleanup_(fclose_p) FILE *file = fopen(path, "re");
    struct reader reader = { .file = file, .path = path, .handlers = handlers };

    if (!file)
        return -errno;
    if (ini_parse_stream(read_line, &reader, on_assignment, &reader) < 0)
        return -ENOMEM;
    return ferror(file) ? -EIO : 0;
}
