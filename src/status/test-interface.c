/* SPDX-License-Identifier: MIT */
/* Holds the interface file and the code together: what one has and the other has not, fails. */
#include "status/interface.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "status/json.h"

/* ---- a reader of Varlink's interface language, as far as our file uses it ---- */

struct reader {
    const char *at;
};

static void skip_blanks(struct reader *reader)
{
    for (;;) {
        reader->at += strspn(reader->at, " \t\n");
        if (*reader->at != '#')
            return;
        reader->at += strcspn(reader->at, "\n");
    }
}

static bool accept_token(struct reader *reader, const char *token)
{
    skip_blanks(reader);
    if (strncmp(reader->at, token, strlen(token)) != 0)
        return false;
    reader->at += strlen(token);
    return true;
}

static void read_word(struct reader *reader, const char *also, char word[64])
{
    size_t n = 0;

    skip_blanks(reader);
    while (isalnum((unsigned char)*reader->at) || (*reader->at && strchr(also, *reader->at))) {
        assert_true(n < 63);
        word[n++] = *reader->at++;
    }
    word[n] = '\0';
    assert_true(n > 0);
}

/* "(a: int, b: ?[]string)" as {"a": "int", "b": "?[]string"}. */
static json_t *read_fields(struct reader *reader)
{
    json_t *fields = json_object();
    char name[64], type[64];

    assert_true(accept_token(reader, "("));
    while (!accept_token(reader, ")")) {
        read_word(reader, "_", name);
        assert_true(accept_token(reader, ":"));
        read_word(reader, "?[]_", type);
        assert_null(json_object_get(fields, name));
        json_object_set_new(fields, name, json_string(type));
        accept_token(reader, ",");
    }
    return fields;
}

/* {"types": {NAME: fields}, "in": {METHOD: fields}, "out": {…}, "errors": {NAME: fields}} */
static json_t *read_interface(const char *text)
{
    struct reader reader = { text };
    json_t *types = json_object(), *in = json_object(), *out = json_object(),
           *errors = json_object();
    char word[64], name[64];

    read_word(&reader, "", word);
    assert_string_equal(word, "interface");
    read_word(&reader, ".", name);
    assert_string_equal(name, "io.ebswarm");
    for (skip_blanks(&reader); *reader.at; skip_blanks(&reader)) {
        read_word(&reader, "", word);
        read_word(&reader, "", name);
        if (strcmp(word, "method") == 0) {
            json_object_set_new(in, name, read_fields(&reader));
            assert_true(accept_token(&reader, "->"));
            json_object_set_new(out, name, read_fields(&reader));
        } else if (strcmp(word, "error") == 0)
            json_object_set_new(errors, name, read_fields(&reader));
        else {
            assert_string_equal(word, "type");
            json_object_set_new(types, name, read_fields(&reader));
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "types", types, "in", in, "out", out, "errors",
                     errors);
}

static json_t *read_interface_file(void)
{
    char *text = interface_text();
    json_t *interface;

    assert_non_null(text);
    interface = read_interface(text);
    free(text);
    return interface;
}

/* ---- values against types ---- */

static void assert_fields(const json_t *types, json_t *fields, json_t *value);

static void assert_type(const json_t *types, const char *type, json_t *value)
{
    size_t i;
    json_t *item;

    if (*type == '?') {
        if (!json_is_null(value))
            assert_type(types, type + 1, value);
    } else if (strncmp(type, "[]", 2) == 0) {
        assert_true(json_is_array(value));
        json_array_foreach(value, i, item) assert_type(types, type + 2, item);
    } else if (strcmp(type, "string") == 0)
        assert_true(json_is_string(value));
    else if (strcmp(type, "int") == 0)
        assert_true(json_is_integer(value));
    else if (strcmp(type, "float") == 0)
        assert_true(json_is_real(value));
    else if (strcmp(type, "bool") == 0)
        assert_true(json_is_boolean(value));
    else
        assert_fields(types, json_object_get(types, type), value);
}

/* Every field of the type is in the value, and nothing else is. */
static void assert_fields(const json_t *types, json_t *fields, json_t *value)
{
    const char *name;
    json_t *member, *type;

    assert_true(json_is_object(fields));
    assert_true(json_is_object(value));
    json_object_foreach(value, name, member) if (!json_object_get(fields, name))
        fail_msg("\"%s\" is not in the interface file", name);
    json_object_foreach(fields, name, type)
    {
        member = json_object_get(value, name);
        if (!member)
            fail_msg("\"%s\" is in the interface file only", name);
        assert_type(types, json_string_value(type), member);
    }
}

/* ---- tests ---- */

static struct volume_report make_volume(bool full)
{
    struct volume_report volume = {
        .id = "vol-0123456789abcdef0",
        .device = "/dev/nvme1n1",
        .reason = "",
        .eta_sec = full ? 60 : ETA_UNKNOWN,
        .checkpoint_path = full ? "/var/lib/ebswarm/x" : "",
        .checkpoint_error = full ? "No space left on device" : "",
        .origin = { .source = "ec2",
                    .snapshot = full ? "snap-0" : "",
                    .fast_restored = full ? 1 : -1,
                    .initialization_rate_bytes_per_sec = full ? 300 : 0,
                    .aws_progress_percent = full ? 12 : -1 },
        .check_before = { .samples = full ? 8 : 0 },
        .check_after = { .samples = full ? 8 : 0 },
    };
    return volume;
}

static void test_status_has_the_fields_of_the_file(void **state)
{
    const struct fleet_report fleet = {
        .version = "1", .state = "warming", .engine = "io_uring", .engine_reason = ""
    };
    _cleanup_(json_decref_p) json_t *interface = read_interface_file();
    json_t *out = json_object_get(json_object_get(interface, "out"), "Status");

    (void)state;
    for (int full = 0; full < 2; full++) {
        const struct volume_report volume = make_volume(full);
        const struct volume_report *const volumes[] = { &volume };
        _cleanup_(json_decref_p) json_t *value = fleet_to_json(&fleet, volumes, 1);

        assert_fields(json_object_get(interface, "types"), out, value);
    }
}

static const char *type_name(enum interface_type type)
{
    switch (type) {
    case INTERFACE_NAMES:
        return "?[]string";
    case INTERFACE_INT:
        return "?int";
    default:
        return "?float";
    case INTERFACE_BOOL:
        return "?bool";
    }
}

static void test_methods_have_the_parameters_of_the_file(void **state)
{
    _cleanup_(json_decref_p) json_t *interface = read_interface_file();
    json_t *in = json_object_get(interface, "in");
    const struct interface_method *method;
    size_t n = 0;

    (void)state;
    for (; (method = interface_method_get(n)); n++) {
        json_t *fields = json_object_get(in, method->name);
        size_t n_parameters = 0;

        assert_non_null(fields);
        for (const struct interface_parameter *p = method->parameters; p->name; p++) {
            assert_string_equal(json_string_value(json_object_get(fields, p->name)),
                                type_name(p->type));
            n_parameters++;
        }
        assert_int_equal(n_parameters, json_object_size(fields));
    }
    assert_int_equal(n, json_object_size(in));
}

static void test_errors_are_those_of_the_file(void **state)
{
    static const char *const names[] = { INTERFACE_NO_SUCH_VOLUME, INTERFACE_FAILED };
    _cleanup_(json_decref_p) json_t *interface = read_interface_file();
    json_t *errors = json_object_get(interface, "errors");

    (void)state;
    assert_int_equal(json_object_size(errors), 2);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(json_object_get(errors, strrchr(names[i], '.') + 1));
}

static int read_wait(const char *text, struct interface_arguments *ret, const char **ret_bad)
{
    _cleanup_(json_decref_p) json_t *parameters = json_loads(text, 0, NULL);
    int r;

    *ret_bad = NULL;
    r = interface_read_arguments(interface_method_get(2), parameters, ret, ret_bad);
    /* Points into the JSON that goes now. */
    if (*ret_bad)
        *ret_bad = strstr("what percent timeout_sec nonsense", *ret_bad);
    return r;
}

static void test_arguments(void **state)
{
    static const char *const bad[][2] = {
        { "{\"what\":\"vol\"}", "what" },          { "{\"what\":[1]}", "what" },
        { "{\"percent\":101}", "percent" },        { "{\"percent\":-1}", "percent" },
        { "{\"percent\":50.5}", "percent" },       { "{\"percent\":\"50\"}", "percent" },
        { "{\"timeout_sec\":-1}", "timeout_sec" }, { "{\"timeout_sec\":[]}", "timeout_sec" },
        { "{\"nonsense\":1}", "nonsense" },
    };
    struct interface_arguments arguments;
    const char *name;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(read_wait(bad[i][0], &arguments, &name), -EINVAL);
        assert_int_equal(strncmp(name, bad[i][1], strlen(bad[i][1])), 0);
    }
    assert_int_equal(read_wait("{}", &arguments, &name), 0);
    assert_null(arguments.what);
    assert_int_equal(arguments.percent, 100);
    assert_true(arguments.timeout_sec < 0);
    assert_int_equal(read_wait("{\"what\":[],\"percent\":5,\"timeout_sec\":7}", &arguments, &name),
                     0);
    assert_null(arguments.what[0]);
    assert_int_equal(arguments.percent, 5);
    assert_float_equal(arguments.timeout_sec, 7, 0);
    free(arguments.what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_has_the_fields_of_the_file),
        cmocka_unit_test(test_methods_have_the_parameters_of_the_file),
        cmocka_unit_test(test_errors_are_those_of_the_file),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
