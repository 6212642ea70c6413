/* SPDX-License-Identifier: MIT */
#include "status/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 1024u

void frame_buffer_init(struct frame_buffer *buffer, size_t max_bytes)
{
    *buffer = (struct frame_buffer){ .max_bytes = max_bytes };
}

void frame_buffer_clear(struct frame_buffer *buffer)
{
    free(buffer->data);
    frame_buffer_init(buffer, buffer->max_bytes);
}

static void move_to_front(struct frame_buffer *buffer)
{
    if (buffer->begin == 0)
        return;
    memmove(buffer->data, buffer->data + buffer->begin, buffer->end - buffer->begin);
    buffer->end -= buffer->begin;
    buffer->scanned -= buffer->begin;
    buffer->begin = 0;
}

static int grow(struct frame_buffer *buffer)
{
    size_t wanted = buffer->allocated ? buffer->allocated * 2 : FIRST_BYTES;
    char *data;

    if (wanted > buffer->max_bytes)
        wanted = buffer->max_bytes;
    if (wanted <= buffer->allocated)
        return -ENOBUFS;
    data = realloc(buffer->data, wanted);
    if (!data)
        return -ENOMEM;
    buffer->data = data;
    buffer->allocated = wanted;
    return 0;
}

int frame_buffer_reserve(struct frame_buffer *buffer, char **ret_data, size_t *ret_bytes)
{
    int r;

    if (buffer->end == buffer->allocated)
        move_to_front(buffer);
    if (buffer->end == buffer->allocated) {
        r = grow(buffer);
        if (r < 0)
            return r;
    }
    *ret_data = buffer->data + buffer->end;
    *ret_bytes = buffer->allocated - buffer->end;
    return 0;
}

void frame_buffer_commit(struct frame_buffer *buffer, size_t bytes)
{
    buffer->end += bytes;
}

bool frame_buffer_has_message(struct frame_buffer *buffer)
{
    const char *nul;

    if (buffer->scanned == buffer->end)
        return false;
    nul = memchr(buffer->data + buffer->scanned, '\0', buffer->end - buffer->scanned);
    /* Stays in front of a NUL that was found, so that bytes are looked at once only. */
    buffer->scanned = nul ? (size_t)(nul - buffer->data) : buffer->end;
    return nul != NULL;
}

const char *frame_buffer_take(struct frame_buffer *buffer)
{
    const char *message;

    if (!frame_buffer_has_message(buffer))
        return NULL;
    message = buffer->data + buffer->begin;
    buffer->begin = ++buffer->scanned;
    return message;
}
