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

#define BY_ID "/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"

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
          ":2: a comment stands on a line of its own, not behind something else\n" },
        { "[Discover]\nExclude=vol-1 ; not the * one\n",
          ":2: a comment stands on a line of its own, not behind something else\n" },
        { "[Warm]\nQueueDepth ; = 8\n",
          ":2: a comment stands on a line of its own, not behind something else\n" },
        { "[Warm] # fast\nQueueDepth=8\n",
          ":1: a comment stands on a line of its own, not behind something else\n" },
        { "[Discover]\nInclude: x=y\n",
          ":2: neither a [Section], nor Key=Value, nor a # comment\n" },
        { "[Volume a\tb]\nSkip=yes\n", ":1: a section's name holds a tab\n" },
        { "[Volume v]\nSkip=no\n[Volume a\033b]\nSkip=x\n",
          ":3: the line holds a control character: is this a text file?\n" },
        { "[Warm]\nEngine=auto\rBlockSize=x\n",
          ":2: the line holds a control character: is this a text file?\n" },
        { "[]\nEngine=auto\n",
          ":1: a section is written [Name] and stands on a line of its own\n" },
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
        { "[volume vol-1]\nSkip=yes\n",
          ":2: unknown section [volume vol-1]: 'Skip=' is ignored; did you mean [Volume]?\n" },
        { "[Warm up]\nEngine=auto\n",
          ":2: unknown section [Warm up]: 'Engine=' is ignored; did you mean [Warm]?\n" },
        { "[Metrics]\nX=1\n", ":2: unknown section [Metrics]: 'X=' is ignored\n" },
        { "Engine=auto\n",
          ":1: 'Engine=' is ignored before the first [Section]; it belongs in [Warm]\n" },
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

/* A long line, then one that must be read all the same: inih's buffer is 200 bytes. */
static void test_a_line_is_read_whole_or_refused(void **state)
{
    struct findings findings;
    struct conf *conf;

    (void)state;
    for (int length = 190; length < 420; length++) {
        char text[500];
        snprintf(text, sizeof(text), "[Discover]\nInclude=%0*d\n[Warm]\nQueueDepth=8\n",
                 length - (int)strlen("Include="), 0);
        assert_int_equal(load_text(text, &findings, &conf), length <= 198 ? 0 : -EINVAL);
        if (length > 198) {
            assert_string_equal(strchr(findings.text, ':'),
                                ":2: the line is longer than 198 characters\n");
            continue;
        }
        assert_int_equal(strlen(conf->include[0]), length - (int)strlen("Include="));
        assert_int_equal(conf->reads.queue_depth, 8);
        conf_free(conf);
    }
}

/* inih alone would take an indented line for a continuation, and cut the section at 49. */
static void test_lines_that_inih_would_misread(void **state)
{
    static const char *const cases[] = {
        "[Warm]\nEngine=threads\n   QueueDepth=8\n[Volume " BY_ID "]\nSkip=yes\n",
        "[Warm]\r\nEngine=threads\r\nQueueDepth=8\r\n[Volume " BY_ID "]\r\nSkip=yes\r\n",
        "\xef\xbb\xbf[Warm]\nEngine=threads\nQueueDepth=8 \n[Volume " BY_ID "  ] \nSkip=yes",
    };
    struct findings findings;
    struct conf *conf;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(load_text(cases[i], &findings, &conf), 0);
        assert_string_equal(findings.text, "");
        assert_int_equal(conf->engine, CONF_ENGINE_THREADS);
        assert_int_equal(conf->reads.queue_depth, 8);
        assert_int_equal(conf->n_volumes, 1);
        assert_string_equal(conf->volumes[0].name, BY_ID);
        assert_true(conf->volumes[0].skip);
        conf_free(conf);
    }
}

/* Each bound is taken, and what is just beyond it is not. */
static void test_bounds(void **state)
{
    static const struct {
        const char *section, *key;
        const char *taken[2], *refused[2];
    } cases[] = {
        { "Warm", "BlockSize", { "16K", "1M" }, { "8K", "2M" } },
        { "Warm", "QueueDepth", { "1", "1024" }, { "0", "1025" } },
        { "Volume v", "BlockSize", { "16K", "1M" }, { "16385", "1048577" } },
        { "Volume v", "QueueDepth", { "1", "1024" }, { "0", "1025" } },
        { "Discover", "OriginTimeout", { "0", "1h" }, { "3600001ms", "infinity" } },
        { "Check", "SampleBytes", { "1M", "1G" }, { "1048575", "1073741825" } },
        { "Check", "SampleTime", { "1s", "60s" }, { "999ms", "60001ms" } },
        { "Checkpoint", "Interval", { "1s", "1h" }, { "999ms", "3600001ms" } },
        { "Checkpoint", "Bytes", { "16M", "1T" }, { "16777215", "1099511627777" } },
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        struct findings findings;
        struct conf *conf;
        char text[200];
        snprintf(text, sizeof(text), "[%s]\n%s=%s\n", cases[i / 2].section, cases[i / 2].key,
                 cases[i / 2].taken[i % 2]);
        assert_int_equal(load_text(text, &findings, &conf), 0);
        assert_string_equal(findings.text, "");
        conf_free(conf);
        snprintf(text, sizeof(text), "[%s]\n%s=%s\n", cases[i / 2].section, cases[i / 2].key,
                 cases[i / 2].refused[i % 2]);
        assert_int_equal(load_text(text, &findings, &conf), -EINVAL);
        assert_non_null(strstr(findings.text, ": must be "));
    }
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
    assert_non_null(strstr(findings.text, ":2: the line holds a control character"));
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

/* What can't be looked at is an error, not a configuration that is silently another one. */
static void test_what_cannot_be_read_is_said(void **state)
{
    _cleanup_free_ char *high = path_of("etc"), *low = path_of("lib");
    _cleanup_free_ char *main_file = path_of("etc/ebswarm.conf");
    _cleanup_free_ char *drop_ins = path_of("etc/ebswarm.conf.d");
    _cleanup_free_ char *expected = NULL;
    const char *const directories[] = { high, low, NULL };
    const struct conf_paths paths = { .directories = directories };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    make_folder("etc");
    make_folder("etc/ebswarm.conf");
    make_folder("lib");
    make_folder("lib/ebswarm.conf.d");
    write_file("lib/ebswarm.conf", "[Warm]\nQueueDepth=1\n");
    make_folder("lib/ebswarm.conf.d/10-folder.conf");
    assert_int_equal(symlink("ebswarm.conf.d", drop_ins), 0); /* a link to itself */
    assert_true(asprintf(&expected,
                         "%s: cannot be read: Is a directory\n"
                         "%s: cannot be listed: Too many levels of symbolic links\n"
                         "%s/ebswarm.conf.d/10-folder.conf: cannot be read: Is a directory\n",
                         main_file, drop_ins, low) > 0);
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), -EINVAL);
    assert_string_equal(findings.text, expected);

    /* A link that leads nowhere. */
    assert_int_equal(rmdir(main_file), 0);
    assert_int_equal(symlink("nowhere", main_file), 0);
    findings = (struct findings){ 0 };
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), -EINVAL);
    assert_non_null(strstr(findings.text, ": cannot be read: No such file or directory\n"));
}

/* One NAME is one volume over all files; [Warm] fills in what it left, wherever that stands. */
static void test_volume_sections_merge(void **state)
{
    _cleanup_free_ char *high = path_of("etc");
    const char *const directories[] = { high, NULL };
    const struct conf_paths paths = { .directories = directories };
    struct findings findings = { 0 };
    struct conf *conf;

    (void)state;
    make_folder("etc");
    make_folder("etc/ebswarm.conf.d");
    write_file("etc/ebswarm.conf", "[Volume b]\nSkip=yes\nQueueDepth=1\n[Volume a]\nForce=yes\n"
                                   "[Warm]\nBlockSize=64K\nQueueDepth=5\n");
    write_file("etc/ebswarm.conf.d/1.conf", "[Volume a]\nDevice=/dev/a\nBlockSize=32K\n"
                                            "[Volume b]\nQueueDepth=2\n[Volume c]\nSkip=no\n");
    write_file("etc/ebswarm.conf.d/2.conf", "[Warm]\nBlockSize=128K\n");
    assert_int_equal(conf_load(&paths, on_finding, &findings, &conf), 0);
    assert_string_equal(findings.text, "");
    assert_int_equal(conf->n_volumes, 3);
    assert_string_equal(conf->volumes[0].name, "b");
    assert_true(conf->volumes[0].skip);
    assert_int_equal(conf->volumes[0].reads.queue_depth, 2);
    assert_int_equal(conf->volumes[0].reads.block_bytes, 131072);
    assert_string_equal(conf->volumes[1].name, "a");
    assert_true(conf->volumes[1].force);
    assert_string_equal(conf->volumes[1].device, "/dev/a");
    assert_int_equal(conf->volumes[1].reads.queue_depth, 5);
    assert_int_equal(conf->volumes[1].reads.block_bytes, 32768);
    assert_string_equal(conf->volumes[2].name, "c");
    assert_int_equal(conf->volumes[2].reads.block_bytes, 131072);
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
        WITH_FOLDER(test_a_line_is_read_whole_or_refused),
        WITH_FOLDER(test_lines_that_inih_would_misread),
        WITH_FOLDER(test_bounds),
        WITH_FOLDER(test_binary_is_refused),
        cmocka_unit_test(test_a_file_that_was_asked_for_must_be_there),
        WITH_FOLDER(test_dropins),
        WITH_FOLDER(test_what_cannot_be_read_is_said),
        WITH_FOLDER(test_volume_sections_merge),
        WITH_FOLDER(test_a_volume_is_found_by_any_of_its_names),
    };
    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
