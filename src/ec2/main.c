/* SPDX-License-Identifier: MIT */
#include "base/atomicfile.h"
#include "base/cleanup.h"
#include "ec2/aws.h"

#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#define SUFFIX ".origin"

DEFINE_CLEANUP(DIR *, closedir, closedir_p)

static const char help[] =
    "ebswarm-ec2 [--output DIR] [--check]\n"
    "\n"
    "Asks EC2 where this instance's volumes came from and writes one file a volume\n"
    "for ebswarmd. Needs no privilege and opens no device.\n"
    "\n"
    "  --output DIR   write there (default: $RUNTIME_DIRECTORY/origin, /run/ebswarm/origin)\n"
    "  --check        print what would be written; write nothing\n"
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

static int open_output(const char *output)
{
    _cleanup_free_ char *path = NULL;
    const char *runtime = getenv("RUNTIME_DIRECTORY");
    int fd;

    if (!runtime || !*runtime)
        runtime = "/run/ebswarm";
    if (!output && asprintf(&path, "%.*s/origin", (int)strcspn(runtime, ":"), runtime) >= 0)
        output = path;
    if (!output)
        return -ENOMEM;
    if (mkdir(output, 0755) < 0 && errno != EEXIST)
        fprintf(stderr, "ebswarm-ec2: %s: %s\n", output, strerror(errno));
    fd = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        fprintf(stderr, "ebswarm-ec2: %s: %s\n", output, strerror(errno));
    return fd;
}

static bool is_attached(const struct volumes *volumes, const char *name)
{
    for (size_t i = 0; i < volumes->n_items; i++) {
        size_t length = strlen(volumes->items[i].volume);

        if (strncmp(name, volumes->items[i].volume, length) == 0 &&
            strcmp(name + length, SUFFIX) == 0)
            return true;
    }
    return false;
}

/* Only files by our own naming: a site's own script may write beside us. */
static int remove_stale(int directory, const struct volumes *volumes)
{
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _cleanup_(closedir_p) DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    struct dirent *entry;

    if (!dir)
        return complain("cannot list the output folder");
    while ((entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');

        if (strncmp(entry->d_name, "vol-", 4) == 0 && dot && strcmp(dot, SUFFIX) == 0 &&
            !is_attached(volumes, entry->d_name))
            (void)unlinkat(directory, entry->d_name, 0);
    }
    return 0;
}

static int write_one(int directory, const struct origin *origin, const char *text)
{
    char name[ORIGIN_WORD_MAX + sizeof(SUFFIX)];
    int r;

    snprintf(name, sizeof(name), "%s" SUFFIX, origin->volume);
    r = atomic_write_file(directory, name, text, strlen(text), 0644);
    if (r < 0)
        fprintf(stderr, "ebswarm-ec2: %s: %s\n", name, strerror(-r));
    return r;
}

static int say(const struct volumes *volumes, const char *output, bool check)
{
    _cleanup_close_ int directory = check ? -1 : open_output(output);
    int r = 0;

    if (!check && directory < 0)
        return -EIO;
    for (size_t i = 0; i < volumes->n_items; i++) {
        _cleanup_free_ char *text = origin_format(&volumes->items[i]);

        if (!text)
            return complain("out of memory");
        if (check)
            printf("%s\n", text);
        else if (write_one(directory, &volumes->items[i], text) < 0)
            r = -EIO;
    }
    return check || r < 0 ? r : remove_stale(directory, volumes);
}

static int run(const char *output, bool check)
{
    struct instance instance;
    struct volumes volumes = { 0 };
    char why[EC2_WHY_MAX] = "out of memory";
    int r = imds_ask(&instance, why);

    if (r >= 0)
        r = aws_ask(&instance, &volumes, note, why);
    instance_forget(&instance);
    if (r < 0) {
        (void)complain(why);
    } else {
        stamp(&volumes);
        r = say(&volumes, output, check);
    }
    volumes_done(&volumes);
    return r;
}

int main(int argc, char *argv[])
{
    static const struct option options[] = {
        { "output", required_argument, NULL, 'o' },
        { "check", no_argument, NULL, 'c' },
        { "version", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    const char *output = NULL;
    bool check = false;
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        switch (option) {
        case 'o':
            output = optarg;
            break;
        case 'c':
            check = true;
            break;
        case 'v':
            puts("ebswarm-ec2 " EBSWARM_VERSION);
            return 0;
        case 'h':
            fputs(help, stdout);
            return 0;
        default:
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ebswarm-ec2: '%s' is not understood; see --help\n", argv[optind]);
        return 2;
    }
    /* No core: it would hold the role's credentials. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    return run(output, check) < 0 ? 1 : 0;
}
