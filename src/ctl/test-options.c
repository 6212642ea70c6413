/* SPDX-License-Identifier: MIT */
/* The manual page and the program's table name the same commands and options. */
#include "ctl/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

#define MAX_ITEMS 32

struct items {
    char names[MAX_ITEMS][32];
    bool has_argument[MAX_ITEMS];
    size_t n;
};

/* Collects NAME of lines ".It MACRO NAME [Ar …]". */
static void read_manual(const char *macro, struct items *ret)
{
    _cleanup_(fclose_p) FILE *file = fopen(MANUAL_PAGE, "re");
    char line[256], prefix[16];

    *ret = (struct items){ 0 };
    assert_non_null(file);
    snprintf(prefix, sizeof(prefix), ".It %s ", macro);
    while (fgets(line, sizeof(line), file)) {
        char *name = line + strlen(prefix);
        size_t length;

        if (strncmp(line, prefix, strlen(prefix)) != 0)
            continue;
        length = strcspn(name, " \n");
        assert_true(ret->n < MAX_ITEMS && length < sizeof(ret->names[0]));
        memcpy(ret->names[ret->n], name, length);
        ret->has_argument[ret->n++] = strstr(name, " Ar ") != NULL;
    }
}

static size_t find(const struct items *items, const char *name)
{
    size_t i = 0;

    while (i < items->n && strcmp(items->names[i], name) != 0)
        i++;
    if (i == items->n)
        fail_msg("the manual does not tell of \"%s\"", name);
    return i;
}

static void test_commands(void **state)
{
    struct items items;
    size_t n = 0;

    (void)state;
    read_manual("Cm", &items);
    for (; ctl_verb_get(n); n++)
        find(&items, ctl_verb_get(n)->name);
    assert_int_equal(items.n, n);
}

static void test_options(void **state)
{
    struct items items;
    size_t n = 0;

    (void)state;
    read_manual("Fl", &items);
    for (; ctl_option_get(n); n++) {
        const struct ctl_option *option = ctl_option_get(n);
        char name[32];

        snprintf(name, sizeof(name), "-%s", option->name);
        assert_int_equal(items.has_argument[find(&items, name)], option->argument != NULL);
    }
    assert_int_equal(items.n, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
