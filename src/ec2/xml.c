/* SPDX-License-Identifier: MIT */
#include "ec2/xml.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX      16
#define PATH_MAX_BYTES 512
#define TEXT_MAX       4096

struct reader {
    XML_Parser parser;
    xml_element_fn element;
    void *userdata;
    const char *why;
    unsigned depth;
    size_t ends[DEPTH_MAX + 1]; /* of `path` at each depth */
    char path[PATH_MAX_BYTES];
    char text[TEXT_MAX + 1];
    size_t text_length;
};

static void stop(struct reader *reader, const char *why)
{
    reader->why = why;
    XML_StopParser(reader->parser, XML_FALSE);
}

static void on_start(void *userdata, const char *name, const char **attributes)
{
    struct reader *reader = userdata;
    size_t at = reader->depth ? reader->ends[reader->depth] : 0;
    size_t room = sizeof(reader->path) - at;
    int written = 0;

    (void)attributes;
    reader->text_length = 0;
    if (reader->depth >= DEPTH_MAX) {
        stop(reader, "elements are nested too deeply");
        return;
    }
    if (reader->depth > 0)
        written = snprintf(reader->path + at, room, at ? "/%s" : "%s", name);
    if (written < 0 || (size_t)written >= room) {
        stop(reader, "an element's name is too long");
        return;
    }
    reader->ends[++reader->depth] = at + (size_t)written;
}

static void on_end(void *userdata, const char *name)
{
    struct reader *reader = userdata;

    (void)name;
    reader->text[reader->text_length] = '\0';
    reader->path[reader->ends[reader->depth]] = '\0';
    if (reader->depth > 1)
        reader->element(reader->path, reader->text, reader->userdata);
    reader->text_length = 0;
    reader->depth--;
}

static void on_text(void *userdata, const char *text, int length)
{
    struct reader *reader = userdata;

    if ((size_t)length > TEXT_MAX - reader->text_length) {
        stop(reader, "a text is too long");
        return;
    }
    memcpy(reader->text + reader->text_length, text, (size_t)length);
    reader->text_length += (size_t)length;
}

static void on_doctype(void *userdata, const char *name, const char *sysid, const char *pubid,
                       int has_internal_subset)
{
    (void)name, (void)sysid, (void)pubid, (void)has_internal_subset;
    stop(userdata, "it declares a document type, which AWS never does");
}

int xml_parse(const char *data, size_t length, xml_element_fn element, void *userdata,
              const char **why)
{
    struct reader reader = { .element = element, .userdata = userdata };
    enum XML_Status status;

    *why = "it is too long";
    if (length > INT_MAX)
        return -EINVAL;
    reader.parser = XML_ParserCreate(NULL);
    if (!reader.parser)
        return -ENOMEM;
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reader.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);
    status = XML_Parse(reader.parser, data, (int)length, XML_TRUE);
    *why = reader.why ? reader.why : XML_ErrorString(XML_GetErrorCode(reader.parser));
    XML_ParserFree(reader.parser);
    return status == XML_STATUS_OK ? 0 : -EINVAL;
}
