/* SPDX-License-Identifier: MIT */
/*
 * A client's bytes, in pieces, against the whole server; then the same bytes as the answer that
 * ebswarmctl would read. The first byte says how large the pieces are.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "status/interface.h"
#include "status/json.h"
#include "status/render.h"
#include "status/varlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

/* Reads the arguments as every method of ours does, and answers. */
static void handle(struct varlink_call *call, json_t *parameters, void *userdata)
{
    struct interface_arguments arguments;
    const char *bad = "";
    int r = interface_read_arguments(userdata, parameters, &arguments, &bad);

    if (r < 0) {
        varlink_call_invalid_parameter(call, bad);
        return;
    }
    free(arguments.what);
    if (varlink_call_wants_more(call))
        varlink_call_send(call, json_object());
    varlink_call_reply(call, json_incref(parameters));
}

static void run_until_idle(sd_event *event)
{
    while (sd_event_run(event, 0) > 0)
        ;
}

static void serve(const uint8_t *data, size_t size, size_t piece)
{
    static const struct varlink_method methods[] = { { "Wait", handle } };
    const struct varlink_interface interface = { INTERFACE_NAME, "", methods, 1,
                                                 (void *)(uintptr_t)interface_method_get(2) };
    const struct varlink_options options = { "", "", "", "", &interface, 4 };
    struct varlink_server *server;
    sd_event *event;
    char sink[4096];
    int pair[2];

    must(sd_event_new(&event) >= 0);
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
    must(varlink_server_new(event, -1, &options, &server) == 0);
    must(varlink_server_attach(server, pair[0]) == 0);
    for (size_t i = 0; i < size; i += piece) {
        size_t n = size - i < piece ? size - i : piece;

        if (send(pair[1], data + i, n, MSG_NOSIGNAL) < 0)
            break;
        run_until_idle(event);
        while (recv(pair[1], sink, sizeof(sink), 0) > 0)
            run_until_idle(event);
    }
    close(pair[1]);
    run_until_idle(event);
    varlink_server_free(server);
    sd_event_unref(event);
}

static void read_answer(const uint8_t *data, size_t size)
{
    static const struct render_options options = { .width = 80 };
    _cleanup_(json_decref_p) json_t *json = json_loadb((const char *)data, size, 0, NULL);
    _cleanup_(parsed_report_free_p) struct parsed_report *parsed = NULL;
    char error[REPORT_ERROR_MAX];

    if (report_from_json(json, &parsed, error) == 0) {
        _cleanup_free_ char *text = render_status(parsed_report_get(parsed), &options);

        must(text != NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    serve(data + 1, size - 1, (size_t)data[0] * 16 + 1);
    read_answer(data + 1, size - 1);
    return 0;
}
