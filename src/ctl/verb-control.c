/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/size.h"
#include "ctl/client.h"
#include "ctl/verbs.h"
#include "status/json.h"

static void print_done(const struct ctl_options *options, const struct client_reply *reply,
                       const char *done)
{
    const json_t *volumes = json_object_get(reply->parameters, "volumes");

    if (options->json) {
        json_dumpf(reply->parameters, stdout, REPORT_JSON_FLAGS);
        printf("\n");
        return;
    }
    for (size_t i = 0; i < json_array_size(volumes); i++) {
        const char *id = json_string_value(json_array_get(volumes, i));

        printf("%s: %s\n", id ? id : "?", done);
    }
    if (options->all && json_array_size(volumes) == 0)
        printf("%s, but there are no volumes yet\n", done);
}

static int control(const struct ctl_options *options, const char *method, const char *done)
{
    _cleanup_(client_free_p) struct client *client = NULL;
    uint64_t deadline_usec = client_now_usec() + VERB_ANSWER_USEC;
    struct client_reply reply = { 0 };
    int r;

    r = client_connect(options->socket, &client);
    if (r == 0)
        r = client_call(client, method, json_pack("{s:o}", "what", client_names(options->what)),
                        false, deadline_usec);
    if (r == 0)
        r = client_receive(client, deadline_usec, &reply);
    if (r < 0) {
        client_explain(options->socket, r);
        return CTL_EXIT_FAILURE;
    }
    if (reply.error)
        r = client_explain_reply(&reply);
    else
        print_done(options, &reply, done);
    client_reply_clear(&reply);
    return r;
}

int verb_pause(const struct ctl_options *options)
{
    return control(options, "io.ebswarm.Pause", "paused");
}

int verb_resume(const struct ctl_options *options)
{
    return control(options, "io.ebswarm.Resume", "resumed");
}
