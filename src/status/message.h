/* SPDX-License-Identifier: MIT */
/* Varlink's messages (https://varlink.org/Method-Call) as text and as JSON. Pure. */
#ifndef STATUS_MESSAGE_H
#define STATUS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct message_call {
    json_t *json; /* owns the rest */
    const char *method;
    json_t *parameters; /* an object, or NULL */
    bool more, oneway;
};

/* -EBADMSG when it is no call. The caller clears *ret. */
int message_parse_call(const char *text, struct message_call *ret);
void message_call_clear(struct message_call *call);

/*
 * Text of a reply, or with `error` of an error; `parameters` may be NULL. The caller frees; NULL
 * when out of memory.
 */
char *message_format_reply(json_t *parameters, bool continues, const char *error);

/* Splits "io.ebswarm.Status" at its last dot; false when there is none. */
bool message_split_method(const char *method, size_t *ret_interface_length, const char **ret_name);

#endif
