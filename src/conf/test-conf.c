/* SPDX-License-Identifier: MIT */
#include "conf/conf.h"

#include "base/cleanup.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include <cmocka.h>

static char folder[64];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/ebswarm-conf.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static int teardown(void **state)
{
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static char *path_of(const char *name)
{
    char *path;

    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

static void make_folder(const char *name)
{
    _cleanup_free_ char *path = path_of(name);

    assert_int_equal(mkdir(path, 0755), 0);
}

static void write_bytes(const char *name, const char *data, size_t length)
{
    _cleanup_free_ char *path = path_of(name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    fclose(file);
}

static void write_file(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

struct findings {
    char text[4000];
    unsigned errors, warnings;
};

static void on_finding(int level, const char *text, void *userdata)
{
    struct findings *findings = userdata;

    if (level <= LOG_ERR)
        findings->errors++;
    else
        findings->warnings++;
    strcat(findings->text, text);
    strcat(findings->text, "\n");
}

/* Of the main file alone. */
static int load_text(const char *text, struct findings *findings, struct conf **ret)
{
    _cleanup_free_ char *path = path_of("main.conf");
    const struct conf_paths paths = { .main_file = path };

    write_file("main.conf", text);
    *findings = (struct findings){ 0 };
    *ret = NULL;
    return conf_load(&paths, on_finding, findings, ret);
}

static void test_no_file_gives_the_defaults(void **state)
{
    const struct conf_paths paths = { 0 };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), 0);
    assert_int_equal(conf->engine, CONF_ENGINE_AUTO);
    assert_int_equal(conf->reads.block_bytes, 0);
    assert_int_equal(conf->reads.queue_depth, 0);
    assert_int_equal(conf->checkpoint_interval_usec, 5000000);
    assert_int_equal(conf->checkpoint_bytes, 1073741824);
    assert_int_equal(conf->check_sample_bytes, 67108864);
    assert_true(conf->check_before && conf->check_after);
    assert_int_equal(conf->n_volumes, 0);
    assert_string_equal(findings.text, "");
    conf_free(conf);
}

static void test_every_key_arrives(void **state)
{
    struct findings findings;
    struct conf *conf;

    (void)state;
    assert_int_equal(load_text("# a comment\n"
                               "; another\n"
                               "[Warm]\n"
                               "Engine=threads\n"
                               "BlockSize = 64K\n"
                               "QueueDepth=128\n"
                               "ProvisionedRate=skip\n"
                               "[Discover]\n"
                               "Include=vol-* /dev/xvd?\n"
                               "Include=nvme1n1\n"
                               "Exclude=vol-1\n"
                               "OriginTimeout=1min\n"
                               "Unknown=skip\n"
                               "BlockLists=yes\n"
                               "[Check]\n"
                               "Before=no\n"
                               "After=off\n"
                               "SampleBytes=1M\n"
                               "SampleTime=5s\n"
                               "[Checkpoint]\n"
                               "Interval=1min\n"
                               "Bytes=2G\n"
                               "[Volume vol-1]\n"
                               "Device=/dev/xvdf\n"
                               "Skip=yes\n"
                               "Force=yes\n"
                               "BlockSize=auto\n",
                               &findings, &conf),
                     0);
    assert_string_equal(findings.text, "");
    assert_int_equal(conf->engine, CONF_ENGINE_THREADS);
    assert_int_equal(conf->reads.block_bytes, 65536);
    assert_int_equal(conf->reads.queue_depth, 128);
    assert_int_equal(conf->provisioned_rate, CONF_PROVISIONED_RATE_SKIP);
    assert_string_equal(conf->include[0], "vol-*");
    assert_string_equal(conf->include[1], "/dev/xvd?");
    assert_string_equal(conf->include[2], "nvme1n1");
    assert_null(conf->include[3]);
    assert_string_equal(conf->exclude[0], "vol-1");
    assert_int_equal(conf->origin_timeout_usec, 60000000);
    assert_int_equal(conf->unknown, CONF_UNKNOWN_SKIP);
    assert_true(conf->block_lists);
    assert_false(conf->check_before || conf->check_after);
    assert_int_equal(conf->check_sample_bytes, 1048576);
    assert_int_equal(conf->check_sample_usec, 5000000);
    assert_int_equal(conf->checkpoint_interval_usec, 60000000);
    assert_int_equal(conf->checkpoint_bytes, 2147483648);
    assert_int_equal(conf->n_volumes, 1);
    assert_string_equal(conf->volumes[0].name, "vol-1");
    assert_string_equal(conf->volumes[0].device, "/dev/xvdf");
    assert_true(conf->volumes[0].skip && conf->volumes[0].force);
    assert_int_equal(conf->volumes[0].reads.block_bytes, 0);
    assert_int_equal(conf->volumes[0].reads.queue_depth, 128); /* [Warm]'s */
    conf_free(conf);
}

/* Each bad line, and what is said of it behind "FILE:LINE: ". */
static void test_errors_say_where_and_what_would_be_right(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        { "[Warm]\n\nBlockSize=3M\n",
          ":3: [Warm] BlockSize=3M: must be 16K to 1M, a power of two, or auto\n" },
        { "[Warm]\nBlockSize=48K\n",
          ":2: [Warm] BlockSize=48K: must be 16K to 1M, a power of two, or auto\n" },
        { "[Warm]\nBlockSize=8K\n",
          ":2: [Warm] BlockSize=8K: must be 16K to 1M, a power of two, or auto\n" },
        { "[Warm]\nQueueDepth=0\n", ":2: [Warm] QueueDepth=0: must be 1 to 1024, or auto\n" },
        { "[Warm]\nQueueDepth=1025\n", ":2: [Warm] QueueDepth=1025: must be 1 to 1024, or auto\n" },
        { "[Warm]\nQueueDepth=-1\n", ":2: [Warm] QueueDepth=-1: must be 1 to 1024, or auto\n" },
        { "[Warm]\nQueueDepth=8 # deep\n",
          ":2: [Warm] QueueDepth=8 # deep: must be 1 to 1024, or auto\n" },
        { "[Warm]\nEngine=uring\n",
          ":2: [Warm] Engine=uring: must be auto, io_uring or threads\n" },
        { "[Check]\nBefore=maybe\n", ":2: [Check] Before=maybe: must be yes or no\n" },
        { "[Checkpoint]\nInterval=0\n", ":2: [Checkpoint] Interval=0: must be 1s to 1h\n" },
        { "[Checkpoint]\nInterval=infinity\n",
          ":2: [Checkpoint] Interval=infinity: must be 1s to 1h\n" },
        { "[Checkpoint]\nBytes=1K\n", ":2: [Checkpoint] Bytes=1K: must be 16M to 1T\n" },
        { "[Volume x]\nDevice=xvdf\n", ":2: [Volume x] Device=xvdf: must be an absolute path\n" },
        { "[Volume]\nSkip=yes\n",
          ":2: [Volume] wants a name: [Volume vol-0123456789abcdef0], a device or a by-id link\n" },
        { "[Warm]\nnonsense\n", ":2: neither a [Section], nor Key=Value, nor a # comment\n" },
        { "[Warm\nEngine=auto\n",
          ":1: a section is written [Name] and stands on a line of its own\n" },
        { "[Warm] Engine=auto\n",
          ":1: a section is written [Name] and stands on a line of its own\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct findings findings;
        struct conf *conf;
        assert_int_equal(load_text(cases[i].text, &findings, &conf), -EINVAL);
        assert_null(conf);
        assert_int_equal(findings.errors, 1);
        assert_memory_equal(findings.text, folder, strlen(folder));
        assert_string_equal(strchr(findings.text, ':'), cases[i].said);
    }
}

static void test_unknown_words_warn_with_the_nearest(void **state)
{
    static const struct {
        const char *text;
        const char *said;
    } cases[] = {
        { "[Warm]\nQueueDept=8\n",
          ":2: unknown key 'QueueDept=' in [Warm] is ignored; did you mean 'QueueDepth='?\n" },
        { "[Warm]\nqueuedepth=8\n",
          ":2: unknown key 'queuedepth=' in [Warm] is ignored; did you mean 'QueueDepth='?\n" },
        { "[Warm]\nColour=red\n", ":2: unknown key 'Colour=' in [Warm] is ignored\n" },
        { "[Warm]\nInterval=5\n",
          ":2: 'Interval=' is ignored in [Warm]; it belongs in [Checkpoint]\n" },
        { "[Wram]\nEngine=auto\n",
          ":2: unknown section [Wram]: 'Engine=' is ignored; did you mean [Warm]?\n" },
        { "Engine=auto\n", ":1: unknown section []: 'Engine=' is ignored\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct findings findings;
        struct conf *conf;
        assert_int_equal(load_text(cases[i].text, &findings, &conf), 0);
        assert_int_equal(findings.warnings, 1);
        assert_string_equal(strchr(findings.text, ':'), cases[i].said);
        conf_free(conf);
    }
}

static void test_every_finding_is_said_at_once(void **state)
{
    struct findings findings;
    struct conf *conf;

    (void)state;
    assert_int_equal(load_text("[Warm]\nEngine=x\nBlockSize=y\nzzz\nNope=1\n", &findings, &conf),
                     -EINVAL);
    assert_int_equal(findings.errors, 3);
    assert_int_equal(findings.warnings, 1);
}

static void test_an_empty_value_takes_back(void **state)
{
    struct findings findings;
    struct conf *conf;

    (void)state;
    assert_int_equal(load_text("[Warm]\nQueueDepth=8\nQueueDepth=\n"
                               "[Checkpoint]\nInterval=1h\nInterval=\n"
                               "[Discover]\nInclude=a b\nInclude=\nInclude=c\n"
                               "[Volume v]\nDevice=/dev/a\nDevice=\nQueueDepth=9\nQueueDepth=\n",
                               &findings, &conf),
                     0);
    assert_int_equal(conf->reads.queue_depth, 0);
    assert_int_equal(conf->checkpoint_interval_usec, 5000000);
    assert_string_equal(conf->include[0], "c");
    assert_null(conf->include[1]);
    assert_null(conf->volumes[0].device);
    assert_int_equal(conf->volumes[0].reads.queue_depth, 0);
    conf_free(conf);
}

/* inih alone would cut these lines and read the rest as another, or take it for a continuation. */
static void test_lines_that_inih_would_misread(void **state)
{
    char long_line[400] = "[Discover]\nInclude=";
    struct findings findings;
    struct conf *conf;
    const char by_id[] =
        "Volume /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0";
    char section[200];

    (void)state;
    memset(long_line + strlen(long_line), 'x', 250);
    strcat(long_line, "\n");
    assert_int_equal(load_text(long_line, &findings, &conf), -EINVAL);
    assert_non_null(strstr(findings.text, ":2: the line is longer than 199 characters"));

    assert_int_equal(load_text("[Warm]\nEngine=threads\n   QueueDepth=8\n", &findings, &conf), 0);
    assert_int_equal(conf->engine, CONF_ENGINE_THREADS);
    assert_int_equal(conf->reads.queue_depth, 8);
    conf_free(conf);

    snprintf(section, sizeof(section), "[%s]\nSkip=yes\n", by_id);
    assert_int_equal(load_text(section, &findings, &conf), 0);
    assert_string_equal(conf->volumes[0].name, by_id + strlen("Volume "));
    conf_free(conf);

    assert_int_equal(load_text("[Warm]\r\nQueueDepth=8\r\n", &findings, &conf), 0);
    assert_int_equal(conf->reads.queue_depth, 8);
    conf_free(conf);

    assert_int_equal(load_text("[Warm]\nQueueDepth=8", &findings, &conf), 0);
    assert_int_equal(conf->reads.queue_depth, 8);
    conf_free(conf);
}

static void test_binary_is_refused(void **state)
{
    _cleanup_free_ char *path = path_of("main.conf");
    const struct conf_paths paths = { .main_file = path };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    write_bytes("main.conf", "[Warm]\nEngine\0=auto\n", 20);
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), -EINVAL);
    assert_non_null(strstr(findings.text, ":2: the line holds a NUL byte"));
}

static void test_a_file_that_was_asked_for_must_be_there(void **state)
{
    const struct conf_paths paths = { .main_file = "/nonexistent/x.conf" };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), -EINVAL);
    assert_string_equal(findings.text,
                        "/nonexistent/x.conf: cannot be read: No such file or directory\n");
}

/* systemd's rules: by name over all folders, the higher folder's file wins, masks hide. */
static void test_dropins(void **state)
{
    _cleanup_free_ char *high = path_of("etc"), *low = path_of("lib");
    _cleanup_free_ char *mask = path_of("etc/ebswarm.conf.d/30-masked.conf");
    const char *const directories[] = { high, low, NULL };
    const struct conf_paths paths = { .directories = directories };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    make_folder("etc");
    make_folder("lib");
    make_folder("etc/ebswarm.conf.d");
    make_folder("lib/ebswarm.conf.d");
    write_file("lib/ebswarm.conf", "[Warm]\nQueueDepth=1\nBlockSize=16K\n[Check]\nBefore=no\n");
    write_file("lib/ebswarm.conf.d/10-a.conf", "[Warm]\nQueueDepth=10\n");
    write_file("etc/ebswarm.conf.d/20-b.conf", "[Warm]\nQueueDepth=20\n");
    write_file("lib/ebswarm.conf.d/20-b.conf", "[Warm]\nQueueDepth=21\nBlockSize=32K\n");
    write_file("lib/ebswarm.conf.d/30-masked.conf", "[Warm]\nQueueDepth=30\n");
    assert_int_equal(symlink("/dev/null", mask), 0);
    write_file("lib/ebswarm.conf.d/40-empty.conf", "[Warm]\nQueueDepth=40\n");
    write_file("etc/ebswarm.conf.d/40-empty.conf", "");
    write_file("etc/ebswarm.conf.d/50-no-dropin", "[Warm]\nQueueDepth=50\n");
    write_file("etc/ebswarm.conf.d/.60-hidden.conf", "[Warm]\nQueueDepth=60\n");
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), 0);
    assert_string_equal(findings.text, "");
    assert_int_equal(conf->reads.queue_depth, 20);
    assert_int_equal(conf->reads.block_bytes, 16384);
    assert_false(conf->check_before);
    conf_free(conf);

    /* A main file in the higher folder stands in for the lower one's. */
    write_file("etc/ebswarm.conf", "[Warm]\nBlockSize=128K\n");
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), 0);
    assert_int_equal(conf->reads.block_bytes, 131072);
    assert_true(conf->check_before);
    conf_free(conf);
}

static void test_a_volume_is_found_by_any_of_its_names(void **state)
{
    const char *const names[] = { "/dev/nvme1n1", "vol-2", NULL }, *const none[] = { "x", NULL };
    struct findings findings;
    struct conf *conf;

    (void)state;
    assert_int_equal(
        load_text("[Volume vol-1]\nSkip=yes\n[Volume vol-2]\nSkip=no\n", &findings, &conf), 0);
    assert_string_equal(conf_find_volume(conf, names)->name, "vol-2");
    assert_null(conf_find_volume(conf, none));
    conf_free(conf);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_file_gives_the_defaults),
        WITH_FOLDER(test_every_key_arrives),
        WITH_FOLDER(test_errors_say_where_and_what_would_be_right),
        WITH_FOLDER(test_unknown_words_warn_with_the_nearest),
        WITH_FOLDER(test_every_finding_is_said_at_once),
        WITH_FOLDER(test_an_empty_value_takes_back),
        WITH_FOLDER(test_lines_that_inih_would_misread),
        WITH_FOLDER(test_binary_is_refused),
        cmocka_unit_test(test_a_file_that_was_asked_for_must_be_there),
        WITH_FOLDER(test_dropins),
        WITH_FOLDER(test_a_volume_is_found_by_any_of_its_names),
    };
    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
