/* SPDX-License-Identifier: MIT */
#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "base/size.h"
#include "conf/conf.h"
#include "ec2/describe.h"
#include "ec2/lists.h"
#include "ec2/output.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <time.h>

#define ORIGINS_TOTAL_USEC (60 * USEC_PER_SEC)
/* A page of 10,000 blocks lasts 0.1 s or so; 64 TiB have 13,000 pages. */
#define LISTS_TOTAL_USEC (30 * 60 * USEC_PER_SEC)

struct settings {
    const char *output;
    bool check, block_lists;
};

DEFINE_CLEANUP(struct aws *, aws_free, aws_free_p)

static const char help[] =
    "ebswarm-ec2 [--output DIR] [--config FILE] [--check]\n"
    "\n"
    "Asks EC2 where this instance's volumes came from and writes one file a volume\n"
    "for ebswarmd. Needs no privilege and opens no device.\n"
    "\n"
    "  --output DIR   write there (default: $RUNTIME_DIRECTORY/origin, /run/ebswarm/origin)\n"
    "  --config FILE  read [Discover] BlockLists= there and not in ebswarm.conf\n"
    "  --check        print what would be written, and what is not permitted; write nothing\n"
    "  --version      print the version\n"
    "  --help         print this\n"
    "\n"
    "Exit status: 0 done, 1 failed (the last files stay), 2 usage. See ebswarm-ec2(8).\n";

static void note(const char *text)
{
    fprintf(stderr, "ebswarm-ec2: not known: %s\n", text);
}

static int complain(const char *what)
{
    fprintf(stderr, "ebswarm-ec2: %s\n", what);
    return -EIO;
}

static void stamp(struct volumes *volumes)
{
    _cleanup_free_ char *boot_id = NULL;
    size_t length;
    time_t now = time(NULL);
    struct tm tm;

    if (read_small_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 64, &boot_id, &length) >= 0)
        boot_id[strcspn(boot_id, "\n")] = '\0';
    for (size_t i = 0; i < volumes->n_items; i++) {
        struct origin *origin = &volumes->items[i];

        strcpy(origin->source, "ec2");
        strftime(origin->checked, sizeof(origin->checked), "%Y-%m-%dT%H:%M:%SZ",
                 gmtime_r(&now, &tm));
        if (boot_id)
            (void)origin_set(origin, "BootId", boot_id);
    }
}

static void print(const struct volumes *volumes)
{
    for (size_t i = 0; i < volumes->n_items; i++) {
        _cleanup_free_ char *text = origin_format(&volumes->items[i]);

        printf("%s\n", text ? text : "out of memory");
    }
}

static int report_origins(const struct settings *settings, struct volumes *volumes,
                          int *ret_directory)
{
    int r;

    stamp(volumes);
    if (settings->check) {
        print(volumes);
        return 0;
    }
    *ret_directory = output_open(settings->output);
    if (*ret_directory < 0)
        return *ret_directory;
    r = output_write(*ret_directory, volumes);
    return r < 0 ? r : output_remove_stale(*ret_directory, volumes);
}

static int ask_origins(const struct instance *instance, struct volumes *volumes,
                       char why[EC2_WHY_MAX])
{
    _cleanup_(aws_free_p) struct aws *ec2 = NULL;
    int r = aws_new(instance, "ec2", "AWS_ENDPOINT_URL_EC2", ORIGINS_TOTAL_USEC, why, &ec2);

    return r < 0 ? r : describe_volumes(ec2, volumes, note);
}

/* After the origins, which the daemon waits for. */
static int ask_lists(const struct instance *instance, const struct volumes *volumes, int directory,
                     char why[EC2_WHY_MAX])
{
    _cleanup_(aws_free_p) struct aws *ebs = NULL;
    int r = aws_new(instance, "ebs", "AWS_ENDPOINT_URL_EBS", LISTS_TOTAL_USEC, why, &ebs);

    if (r >= 0)
        lists_ask(ebs, volumes, directory, note);
    return r;
}

static int ask(const struct settings *settings, struct instance *instance, struct volumes *volumes)
{
    char why[EC2_WHY_MAX] = "out of memory";
    _cleanup_close_ int directory = -1;
    int r = imds_ask(instance, why);

    volumes->instance_id = instance->id;
    if (r >= 0)
        r = ask_origins(instance, volumes, why);
    if (r < 0)
        return complain(why);
    r = report_origins(settings, volumes, &directory);
    if (r < 0 || !settings->block_lists)
        return r;
    r = ask_lists(instance, volumes, directory, why);
    return r < 0 ? complain(why) : 0;
}

static int run(const struct settings *settings)
{
    struct instance instance;
    struct volumes volumes = { 0 };
    int r = ask(settings, &instance, &volumes);

    instance_forget(&instance);
    volumes_done(&volumes);
    return r;
}

static void report_finding(int level, const char *text, void *userdata)
{
    (void)userdata;
    /* The daemon tells the warnings. */
    if (level <= LOG_ERR)
        (void)complain(text);
}

static int read_configuration(const char *file, struct settings *settings)
{
    struct conf_paths paths = { .main_file = file, .directories = conf_directories() };
    struct conf *conf;
    int r = conf_load(&paths, report_finding, NULL, &conf);

    if (r < 0)
        return r;
    settings->block_lists = conf->block_lists;
    conf_free(conf);
    return 0;
}

static int usage(const char *what)
{
    if (what)
        fprintf(stderr, "ebswarm-ec2: '%s' is not understood\n", what);
    fputs("See ebswarm-ec2 --help.\n", stderr);
    return 2;
}

int main(int argc, char *argv[])
{
    static const struct option options[] = {
        { "output", required_argument, NULL, 'o' }, { "config", required_argument, NULL, 'f' },
        { "check", no_argument, NULL, 'c' },        { "version", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },         { NULL, 0, NULL, 0 },
    };
    struct settings settings = { 0 };
    const char *config = NULL;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        switch (option) {
        case 'o':
            settings.output = optarg;
            break;
        case 'f':
            config = optarg;
            break;
        case 'c':
            settings.check = true;
            break;
        case 'v':
            puts("ebswarm-ec2 " EBSWARM_VERSION);
            return 0;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            return usage(NULL);
        }
    }
    if (optind < argc)
        return usage(argv[optind]);
    /* No core: it would hold the role's credentials. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return read_configuration(config, &settings) < 0 || run(&settings) < 0 ? 1 : 0;
}
