/* SPDX-License-Identifier: MIT */
#include "ctl/gates.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "ctl/client.h"
#include "ctl/gate.h"
#include "ctl/resolve.h"
#include "ctl/systemctl.h"
#include "ctl/verbs.h"
#include "status/json.h"

DEFINE_CLEANUP(DIR *, closedir, closedir_p)

static const char *member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* What the daemon says to a wait that gives up at once. The caller's; NULL when it says nothing. */
static char *ask_daemon(const char *socket_path, const struct gate_wait *wait,
                        const char *const *names)
{
    _cleanup_(client_free_p) struct client *client = NULL;
    uint64_t deadline_usec = client_now_usec() + VERB_ANSWER_USEC;
    struct client_reply reply = { 0 };
    char *why = NULL;
    int r = client_connect(socket_path, &client);

    if (r == 0)
        r = client_call(client, "io.ebswarm.Wait",
                        json_pack("{s:o, s:i, s:b, s:i}", "what", client_names(names), "percent",
                                  (int)wait->percent, "any", wait->any, "timeout_sec", 0),
                        false, deadline_usec);
    if (r == 0)
        r = client_receive(client, deadline_usec, &reply);
    if (r == 0 && !reply.error)
        why = strdup(member(reply.parameters, "why"));
    client_reply_clear(&reply);
    return why;
}

static char *what_it_waits_for(const struct ctl_options *options, const struct gate_wait *wait)
{
    static const char *const all[] = { NULL };
    struct ctl_options copy = *options;
    char **names = NULL;
    char *why = NULL;

    copy.what = wait->n_what > 0 ? (const char *const *)wait->what : all;
    if (ctl_resolve(&copy, &names) == 0)
        why = ask_daemon(options->socket, wait, copy.what);
    ctl_names_free(names);
    return why ? why : strdup("ebswarmd does not answer");
}

/* How systemd calls the waiting, in words of a gate's. */
static const char *state_of(const char *active_state)
{
    static const struct {
        const char *systemd, *gate;
    } words[] = {
        { "active", "open" },
        { "activating", "waiting" },
        { "failed", "failed" },
        { "inactive", "not asked yet" },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(active_state, words[i].systemd) == 0)
            return words[i].gate;
    }
    return active_state;
}

static json_t *what_to_json(const struct gate_wait *wait)
{
    json_t *what = json_array();

    for (size_t i = 0; what && i < wait->n_what; i++) {
        if (json_array_append_new(what, text_to_json(wait->what[i])) < 0) {
            json_decref(what);
            return NULL;
        }
    }
    return what;
}

static json_t *describe(const struct ctl_options *options, const char *unit)
{
    char waiting_unit[GATE_UNIT_MAX],
        path[sizeof(GATE_FOLDER) + GATE_UNIT_MAX + sizeof(GATE_FILE) + 8];
    _cleanup_free_ char *state = NULL, *why = NULL;
    struct gate_wait wait = { 0 };
    json_t *gate = NULL;

    if (gate_waiting_unit(unit, waiting_unit) < 0)
        return NULL;
    snprintf(path, sizeof(path), GATE_FOLDER "/%s.d/" GATE_FILE, waiting_unit);
    state = systemctl_property(waiting_unit, "ActiveState");
    if (gate_wait_read(path, &wait) < 0)
        why = strdup("its settings cannot be read: remove it and make it again");
    else if (state && strcmp(state, "active") != 0)
        why = what_it_waits_for(options, &wait);
    gate = json_pack("{s:s, s:s, s:s, s:o, s:i, s:b, s:o}", "unit", unit, "waiting_unit",
                     waiting_unit, "state", state ? state_of(state) : "unknown", "what",
                     what_to_json(&wait), "percent", (int)wait.percent, "any", wait.any, "why",
                     text_to_json(why ? why : ""));
    gate_wait_done(&wait);
    return gate;
}

/* "postgresql.service.d" of a gated unit; its own waiting units are none. */
static bool is_gated(int folder_fd, const char *name, char ret_unit[GATE_UNIT_MAX])
{
    char path[GATE_UNIT_MAX + sizeof(GATE_FILE) + 4];
    size_t length = strlen(name);

    if (length < 3 || length - 2 >= GATE_UNIT_MAX || strcmp(name + length - 2, ".d") != 0 ||
        strncmp(name, GATE_UNIT_PREFIX, strlen(GATE_UNIT_PREFIX)) == 0)
        return false;
    snprintf(path, sizeof(path), "%s/" GATE_FILE, name);
    if (faccessat(folder_fd, path, F_OK, 0) < 0)
        return false;
    memcpy(ret_unit, name, length - 2);
    ret_unit[length - 2] = '\0';
    return true;
}

static json_t *find_gates(const struct ctl_options *options)
{
    _cleanup_(closedir_p) DIR *folder = opendir(GATE_FOLDER);
    const struct dirent *entry;
    json_t *gates = json_array();
    char unit[GATE_UNIT_MAX];

    while (folder && gates && (entry = readdir(folder))) {
        if (is_gated(dirfd(folder), entry->d_name, unit) &&
            json_array_append_new(gates, describe(options, unit)) < 0) {
            json_decref(gates);
            return NULL;
        }
    }
    return gates;
}

static void print_what(const json_t *gate)
{
    const json_t *what = json_object_get(gate, "what");

    for (size_t i = 0; i < json_array_size(what); i++)
        printf(" %s", json_string_value(json_array_get(what, i)));
    if (json_array_size(what) == 0)
        printf(" all volumes");
}

static void print_gate(const json_t *gate)
{
    int percent = (int)json_integer_value(json_object_get(gate, "percent"));
    const char *why = member(gate, "why");

    printf("%s: %s;", member(gate, "unit"), member(gate, "state"));
    print_what(gate);
    if (percent < 100)
        printf(" to %d %%", percent);
    if (json_is_true(json_object_get(gate, "any")))
        printf(" (any is enough)");
    printf("%s%s\n", *why ? ": " : "", why);
}

int gates_show(const struct ctl_options *options)
{
    json_t *gates = find_gates(options);

    if (!gates) {
        fputs("ebswarmctl: memory is short\n", stderr);
        return CTL_EXIT_FAILURE;
    }
    if (options->json) {
        json_dumpf(gates, stdout, REPORT_JSON_FLAGS);
        puts("");
    } else {
        for (size_t i = 0; i < json_array_size(gates); i++)
            print_gate(json_array_get(gates, i));
        if (json_array_size(gates) == 0)
            puts("no gates; ebswarmctl gate UNIT [WHAT...] makes one");
    }
    json_decref(gates);
    return 0;
}
