/* SPDX-License-Identifier: MIT */
/*
 * inih does the parsing; what it does not do is done by the reader that feeds it: counting lines,
 * refusing lines that it would cut, section names that it would cut (over 49), and continuation
 * lines, which here only ever come from stray indentation. Comments behind a value are refused:
 * inih takes "; …" off and leaves "# …" in, and either can change what a line means.
 */
#include "conf/file.h"

#include "base/cleanup.h"

#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <string.h>

/* INI_MAX_LINE is 200 with the newline and the NUL. Without a newline, newer versions of inih take
 * the next line for this one's rest and drop it. */
#define LINE_MAX_CHARACTERS 198U
#define SECTION_MAX         160U
#define BLANKS              " \t"

struct reader {
    FILE *file;
    const char *path;
    const struct conf_file_handlers *handlers;
    unsigned line;
    int error;
    char section[SECTION_MAX];
    bool section_is_broken;
};

static void complain(const struct reader *reader, const char *what)
{
    reader->handlers->broken_line(reader->path, reader->line, what, reader->handlers->userdata);
}

/* `text` begins with the bracket. */
static void take_section(struct reader *reader, const char *text)
{
    const char *name = text + 1, *end = strchr(name, ']');
    size_t length = end ? (size_t)(end - name) : 0;

    reader->section_is_broken = true;
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length == 0 || end[1] != '\0') {
        complain(reader, "a section is written [Name] and stands on a line of its own");
        return;
    }
    if (length >= sizeof(reader->section)) {
        complain(reader, "the section's name is too long");
        return;
    }
    memcpy(reader->section, name, length);
    reader->section[length] = '\0';
    reader->section_is_broken = false;
}

/* inih would take a colon, too. */
static bool is_assignment(const char *text)
{
    const char *separator = strpbrk(text, "=:");

    return separator && *separator == '=';
}

static bool has_comment_behind(const char *text)
{
    for (text++; (text = strpbrk(text, "#;")); text++) {
        if (strchr(BLANKS, text[-1]))
            return true;
    }
    return false;
}

static bool has_control_character(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
            return true;
    }
    return false;
}

static const char *what_is_wrong(const char *text, size_t length)
{
    if (has_control_character(text, length))
        return "the line holds a control character: is this a text file?";
    if (*text == '\0' || *text == '#' || *text == ';')
        return NULL;
    if (length > LINE_MAX_CHARACTERS)
        return "the line is longer than 198 characters";
    if (has_comment_behind(text))
        return "a comment stands on a line of its own, not behind something else";
    if (*text == '[' && strchr(text, '\t'))
        return "a section's name holds a tab";
    if (*text != '[' && !is_assignment(text))
        return "neither a [Section], nor Key=Value, nor a # comment";
    return NULL;
}

/* What inih gets of a line: the text, or nothing where it was dealt with here. */
static const char *screen_line(struct reader *reader, const char *text, size_t length)
{
    const char *wrong = what_is_wrong(text, length);

    if (wrong) {
        complain(reader, wrong);
        /* Its keys must not go to the section before. */
        reader->section_is_broken = reader->section_is_broken || *text == '[';
        return "";
    }
    if (*text == '[') {
        take_section(reader, text);
        return "";
    }
    return reader->section_is_broken ? "" : text;
}

/* The line without blanks around it, its end, and the mark that some editors begin a file with. */
static char *trim_line(const struct reader *reader, char *line, size_t *length)
{
    char *text = line;

    if (reader->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    text += strspn(text, BLANKS);
    *length -= (size_t)(text - line);
    while (*length > 0 && memchr(" \t\r\n", text[*length - 1], 4))
        text[--*length] = '\0';
    return text;
}

static char *read_line(char *buffer, int size, void *userdata)
{
    struct reader *reader = userdata;
    _cleanup_free_ char *line = NULL;
    size_t allocated = 0, length;
    ssize_t n = getline(&line, &allocated, reader->file);
    const char *text;

    if (n < 0) {
        reader->error = ferror(reader->file) ? errno : 0;
        return NULL;
    }
    reader->line++;
    length = (size_t)n;
    text = trim_line(reader, line, &length);
    snprintf(buffer, (size_t)size, "%s\n", screen_line(reader, text, length));
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

int conf_file_read_from(FILE *file, const char *path, const struct conf_file_handlers *handlers)
{
    struct reader reader = { .file = file, .path = path, .handlers = handlers };

    if (ini_parse_stream(read_line, &reader, on_assignment, &reader) < 0)
        return -ENOMEM;
    return -reader.error;
}

int conf_file_read(const char *path, const struct conf_file_handlers *handlers)
{
    _cleanup_(fclose_p) FILE *file = fopen(path, "re");

    return file ? conf_file_read_from(file, path, handlers) : -errno;
}
