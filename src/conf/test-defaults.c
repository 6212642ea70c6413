/* SPDX-License-Identifier: MIT */
/* The file that is installed shows each key, commented out, with the value it has without a file.
 */
#include "conf/keys.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *default_file;

static void on_finding(int level, const char *text, void *userdata)
{
    (void)level, (void)userdata;
    fail_msg("%s", text);
}

/* In force are now the lines that are commented out, without the blank that prose begins with. */
static void uncomment(FILE *from, FILE *to)
{
    char line[300];

    while (fgets(line, sizeof(line), from)) {
        bool is_setting = line[0] == '#' && line[1] != ' ';
        fputs(line + is_setting, to);
    }
}

/* `behind` is added at the end. */
static struct conf *load(const char *behind)
{
    char path[] = "/tmp/ebswarm-defaults.XXXXXX";
    const struct conf_paths paths = { .main_file = path };
    FILE *from = fopen(default_file, "re"), *to = fdopen(mkstemp(path), "w");
    struct conf *conf = NULL;
    int r;

    assert_non_null(from);
    assert_non_null(to);
    uncomment(from, to);
    fputs(behind, to);
    fclose(from);
    fclose(to);
    r = conf_load(&paths, on_finding, NULL, &conf);
    unlink(path);
    assert_int_equal(r, 0);
    return conf;
}

static void assert_same(const struct key *key, const void *object, const void *expected)
{
    const char *field = (const char *)object + key->offset;

    if (key->length == 0)
        assert_null(*(void *const *)(const void *)field);
    else if (memcmp(field, (const char *)expected + key->offset, key->length) != 0)
        fail_msg("[%s] %s= is not shown with its default", key->about.section, key->about.key);
}

static void test_every_key_is_shown_with_its_default(void **state)
{
    struct conf *conf = load(""), *expected = conf_new_default();
    const struct conf_volume volume = { .reads = expected->reads };
    const struct key *key;

    (void)state;
    assert_int_equal(conf->n_volumes, 1);
    for (size_t i = 0; (key = key_get(i)); i++) {
        if (strcmp(key->about.section, VOLUME_SECTION) == 0)
            assert_same(key, &conf->volumes[0], &volume);
        else
            assert_same(key, conf, expected);
    }
    conf_free(conf);
    conf_free(expected);
}

/* What is shown for a volume must not stand in [Warm]'s way. */
static void test_a_volume_is_shown_as_warm_has_it(void **state)
{
    struct conf *conf = load("\n[Warm]\nBlockSize=64K\nQueueDepth=7\n");

    (void)state;
    assert_int_equal(conf->volumes[0].reads.block_bytes, 65536);
    assert_int_equal(conf->volumes[0].reads.queue_depth, 7);
    conf_free(conf);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_shown_with_its_default),
        cmocka_unit_test(test_a_volume_is_shown_as_warm_has_it),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: %s DEFAULT-FILE\n", argv[0]);
        return 2;
    }
    default_file = argv[1];
    return cmocka_run_group_tests_name("defaults", tests, NULL, NULL);
}
