/* SPDX-License-Identifier: MIT */
/* Messages ended by NUL, out of a stream that comes in pieces of any size. Pure. */
#ifndef STATUS_FRAME_H
#define STATUS_FRAME_H

#include <stdbool.h>
#include <stddef.h>

struct frame_buffer {
    char *data;
    size_t begin, end; /* what is held is data[begin..end) */
    size_t scanned;    /* data[begin..scanned) has no NUL */
    size_t allocated;
    size_t max_bytes;
};

void frame_buffer_init(struct frame_buffer *buffer, size_t max_bytes);
void frame_buffer_clear(struct frame_buffer *buffer);

/*
 * Room for reading into: at least one byte, at most up to max_bytes held. -ENOBUFS when full:
 * then either a message can be taken or the sender exceeds the limit. -ENOMEM.
 */
int frame_buffer_reserve(struct frame_buffer *buffer, char **ret_data, size_t *ret_bytes);
/* `bytes` were read into what frame_buffer_reserve() gave. */
void frame_buffer_commit(struct frame_buffer *buffer, size_t bytes);

/*
 * The next message as a string (its NUL is the frame's own); NULL when none is complete. Valid
 * until the next reserve.
 */
const char *frame_buffer_take(struct frame_buffer *buffer);
bool frame_buffer_has_message(struct frame_buffer *buffer);

#endif
