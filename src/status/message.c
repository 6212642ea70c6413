/* SPDX-License-Identifier: MIT */
#include "status/message.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "status/json.h"

/* An absent flag is false. */
static bool read_flag(const json_t *json, const char *key, bool *ret)
{
    const json_t *flag = json_object_get(json, key);

    *ret = json_is_true(flag);
    return !flag || json_is_boolean(flag);
}

int message_parse_call(const char *text, struct message_call *ret)
{
    struct message_call call = { .json = json_loads(text, JSON_REJECT_DUPLICATES, NULL) };
    bool upgrade = false;

    call.method = json_string_value(json_object_get(call.json, "method"));
    call.parameters = json_object_get(call.json, "parameters");
    if (json_is_null(call.parameters))
        call.parameters = NULL;
    if (!call.method || (call.parameters && !json_is_object(call.parameters)) ||
        !read_flag(call.json, "more", &call.more) ||
        !read_flag(call.json, "oneway", &call.oneway) ||
        !read_flag(call.json, "upgrade", &upgrade) || upgrade || (call.more && call.oneway)) {
        json_decref(call.json);
        return -EBADMSG;
    }
    *ret = call;
    return 0;
}

void message_call_clear(struct message_call *call)
{
    json_decref(call->json);
    *call = (struct message_call){ 0 };
}

char *message_format_reply(json_t *parameters, bool continues, const char *error)
{
    _cleanup_(json_decref_p) json_t *reply = json_object();

    if (!reply || (error && json_object_set_new(reply, "error", json_string(error)) < 0) ||
        json_object_set_new(reply, "parameters",
                            parameters ? json_incref(parameters) : json_object()) < 0 ||
        (continues && json_object_set_new(reply, "continues", json_true()) < 0))
        return NULL;
    return json_dumps(reply, REPORT_JSON_FLAGS);
}

bool message_split_method(const char *method, size_t *ret_interface_length, const char **ret_name)
{
    const char *dot = strrchr(method, '.');

    if (!dot)
        return false;
    *ret_interface_length = (size_t)(dot - method);
    *ret_name = dot + 1;
    return true;
}
