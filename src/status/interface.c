/* SPDX-License-Identifier: MIT */
#include "status/interface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "interface-lines.h"

static const struct interface_parameter none[] = { { 0 } };
static const struct interface_parameter names[] = { { "what", INTERFACE_NAMES }, { 0 } };
static const struct interface_parameter waiting[] = {
    { "what", INTERFACE_NAMES },
    { "percent", INTERFACE_INT },
    { "timeout_sec", INTERFACE_FLOAT },
    { "any", INTERFACE_BOOL },
    { 0 },
};

static const struct interface_method methods[] = {
    { "List", none },   { "Status", names }, { "Wait", waiting },
    { "Pause", names }, { "Resume", names },
};

const struct interface_method *interface_method_get(size_t n)
{
    return n < sizeof(methods) / sizeof(methods[0]) ? &methods[n] : NULL;
}

char *interface_text(void)
{
    const size_t n = sizeof(interface_lines) / sizeof(interface_lines[0]);
    size_t length = 0;
    char *text, *end;

    for (size_t i = 0; i < n; i++)
        length += strlen(interface_lines[i]);
    text = malloc(length + 1);
    if (!text)
        return NULL;
    end = text;
    for (size_t i = 0; i < n; i++)
        end = stpcpy(end, interface_lines[i]);
    return text;
}

static bool has_parameter(const struct interface_method *method, const char *name)
{
    for (const struct interface_parameter *p = method->parameters; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

static int read_names(const json_t *json, const char ***ret)
{
    _cleanup_free_ const char **what = NULL;
    size_t n = json_array_size(json);

    if (!json_is_array(json) || n > INTERFACE_MAX_NAMES)
        return -EINVAL;
    what = calloc(n + 1, sizeof(const char *));
    if (!what)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        what[i] = json_string_value(json_array_get(json, i));
        if (!what[i])
            return -EINVAL;
    }
    *ret = steal_pointer(&what);
    return 0;
}

static int read_percent(const json_t *json, unsigned *ret)
{
    json_int_t value = json_integer_value(json);

    if (!json_is_integer(json) || value < 0 || value > 100)
        return -EINVAL;
    *ret = (unsigned)value;
    return 0;
}

static int read_timeout(const json_t *json, double *ret)
{
    if (!json_is_number(json) || json_number_value(json) < 0)
        return -EINVAL;
    *ret = json_number_value(json);
    return 0;
}

static int read_argument(const struct interface_parameter *parameter, const json_t *json,
                         struct interface_arguments *ret)
{
    if (!json || json_is_null(json))
        return 0;
    switch (parameter->type) {
    case INTERFACE_NAMES:
        return read_names(json, &ret->what);
    case INTERFACE_INT:
        return read_percent(json, &ret->percent);
    case INTERFACE_FLOAT:
        return read_timeout(json, &ret->timeout_sec);
    case INTERFACE_BOOL:
        ret->any = json_is_true(json);
        return json_is_boolean(json) ? 0 : -EINVAL;
    }
    return -EINVAL;
}

int interface_read_arguments(const struct interface_method *method, json_t *parameters,
                             struct interface_arguments *ret, const char **ret_bad)
{
    struct interface_arguments arguments = { .percent = 100, .timeout_sec = -1 };
    const char *name;
    json_t *value;
    int r = 0;

    json_object_foreach(parameters, name, value)
    {
        if (!has_parameter(method, name)) {
            *ret_bad = name;
            return -EINVAL;
        }
    }
    for (const struct interface_parameter *p = method->parameters; p->name; p++) {
        r = read_argument(p, json_object_get(parameters, p->name), &arguments);
        if (r < 0) {
            *ret_bad = p->name;
            free(arguments.what);
            return r;
        }
    }
    *ret = arguments;
    return 0;
}
