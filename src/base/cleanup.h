/* SPDX-License-Identifier: MIT */
/* Ownership by attribute: what a function took, it gives back on every way out. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

/* Defines name(type *p), for _cleanup_(name): it calls function(*p) unless *p is NULL. */
#define DEFINE_CLEANUP(type, function, name)                                                       \
    /* NOLINTNEXTLINE(bugprone-macro-parentheses): a type can't have any */                        \
    static inline void name(type *p)                                                               \
    {                                                                                              \
        if (*p)                                                                                    \
            function(*p);                                                                          \
    }

static inline void free_p(void *p)
{
    void **pointer = p;
    free(*pointer);
}

static inline void close_p(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

DEFINE_CLEANUP(FILE *, fclose, fclose_p)

#define _cleanup_free_  _cleanup_(free_p)
#define _cleanup_close_ _cleanup_(close_p)

/* Hands the pointer over to the caller and forgets it here. */
static inline void *steal_pointer_impl(void *p)
{
    void **pointer = p;
    void *value = *pointer;
    *pointer = NULL;
    return value;
}
#define steal_pointer(p) steal_pointer_impl(p)

static inline int steal_fd(int *fd)
{
    int value = *fd;
    *fd = -1;
    return value;
}

#endif
