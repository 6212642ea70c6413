/* SPDX-License-Identifier: MIT */
/* The other end of the daemon's socket: one call at a time, with deadlines. */
#ifndef CTL_CLIENT_H
#define CTL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/cleanup.h"

struct client;

/* Deadlines are CLOCK_MONOTONIC; USEC_INFINITY for none. */
uint64_t client_now_usec(void);

/* -errno of connect(). */
int client_connect(const char *socket_path, struct client **ret);
void client_free(struct client *client);

DEFINE_CLEANUP(struct client *, client_free, client_free_p)

/* `parameters` are stolen. -ETIMEDOUT, -errno. */
int client_call(struct client *client, const char *method, json_t *parameters, bool more,
                uint64_t deadline_usec);

struct client_reply {
    json_t *json; /* owns the rest */
    json_t *parameters;
    const char *error; /* NULL when it is a result */
    bool continues;
};

/* -ECONNRESET when the daemon has gone, -EBADMSG when it talks nonsense, -ETIMEDOUT. */
int client_receive(struct client *client, uint64_t deadline_usec, struct client_reply *ret);
void client_reply_clear(struct client_reply *reply);

/* Says on stderr what to do when the daemon cannot be reached (a negative errno from above). */
void client_explain(const char *socket_path, int error);
/* Says on stderr what an error reply means. Returns the exit status. */
int client_explain_reply(const struct client_reply *reply);

/* An array of the names; NULL when there are none. */
json_t *client_names(const char *const *what);

#endif
