/* SPDX-License-Identifier: MIT */
/* io.ebswarm as tables: what the interface file says and the code holds to. Pure. */
#ifndef STATUS_INTERFACE_H
#define STATUS_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define INTERFACE_NAME "io.ebswarm"

#define INTERFACE_NO_SUCH_VOLUME INTERFACE_NAME ".NoSuchVolume"
#define INTERFACE_FAILED         INTERFACE_NAME ".Failed"

enum interface_type { INTERFACE_NAMES, INTERFACE_INT, INTERFACE_FLOAT, INTERFACE_BOOL };

/* All parameters may be left out or null. */
struct interface_parameter {
    const char *name;
    enum interface_type type;
};

struct interface_method {
    const char *name;
    const struct interface_parameter *parameters; /* NULL name ends */
};

/* NULL past the last. */
const struct interface_method *interface_method_get(size_t n);

/* The text of io.ebswarm.varlink. The caller frees; NULL when out of memory. */
char *interface_text(void);

#define INTERFACE_MAX_NAMES 1024

struct interface_arguments {
    const char **what;  /* NULL-terminated, NULL for all; strings are those of the JSON */
    unsigned percent;   /* 100 when not given */
    double timeout_sec; /* negative when not given */
    bool any;
};

/*
 * Checks and reads a call's parameters: no unknown one, none of another type. -EINVAL with the name
 * of the bad one. The caller frees ret->what.
 */
int interface_read_arguments(const struct interface_method *method, json_t *parameters,
                             struct interface_arguments *ret, const char **ret_bad);

#endif
