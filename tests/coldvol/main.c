/* SPDX-License-Identifier: MIT */
/* A simulated cold EBS volume as a block device; see usage() and docs/coldvol.md. */
#include "base/cleanup.h"
#include "control.h"
#include "life.h"
#include "loop.h"
#include "place.h"
#include "report.h"
#include "settings.h"
#include "volume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EXIT_USAGE 2
#define WORDS_MAX  64

static void usage(void)
{
    puts("Usage: coldvol VERB NAME [WORD...]\n"
         "\n"
         "Brings up block devices that are as slow as EBS volumes restored from snapshots, and\n"
         "that record what was read. Needs root, /dev/fuse and /dev/loop-control. The folder of a\n"
         "volume is ${COLDVOL_DIR:-/run/coldvol}/NAME/.\n"
         "\n"
         "  up NAME [--no-loop] [--read-write] [loop=/dev/loopN] [KEY=VALUE...]\n"
         "      start; prints the device's path (with --no-loop the file's) once it is usable\n"
         "  down NAME [--keep-state] | down --all\n"
         "      take away; a kept state is gone on with by the next `up NAME`\n"
         "  set NAME KEY=VALUE...          change while it is up\n"
         "  get NAME [KEY]                 settings and what is under way\n"
         "  resize NAME BYTES              of file and device; 0 is like a pulled disk\n"
         "  chill NAME [START LENGTH]      make warm granules cold again\n"
         "  detach NAME                    the loop device; the server lives on\n"
         "  attach NAME [--read-write] [loop=/dev/loopN]\n"
         "  fault NAME add START LENGTH|all KIND\n"
         "      KIND: fail | fail-first N | hang [DURATION] | slow DURATION\n"
         "  fault NAME fail-share SHARE    of the granules fails always\n"
         "  fault NAME list | clear        cleared, what hangs completes\n"
         "  record NAME [--read | --unread | --reset | --check-read START LENGTH]\n"
         "      what was read: figures, or ranges, or exit status 1 if a page is unread\n"
         "\n"
         "Keys and their defaults:");
    settings_print_help();
}

static int complain(const struct place *place, int r, const char *error)
{
    if (r == -ENOENT || r == -ECONNREFUSED)
        error = "is not up";
    fprintf(stderr, "coldvol: %s: %s\n", place->name, error && error[0] ? error : strerror(-r));
    return 1;
}

/* Sends `verb` and the words behind it. */
static int ask(const struct place *place, const char *verb, char **words, FILE *out)
{
    char *line[WORDS_MAX + 2] = { (char *)verb };
    char error[SETTINGS_ERROR_MAX];
    size_t n = 0;
    int r;

    while (words && words[n] && n < WORDS_MAX) {
        line[n + 1] = words[n];
        n++;
    }
    r = control_ask(place, line, out, error);
    return r < 0 ? complain(place, r, error) : 0;
}

/* Takes "loop=…" and "--read-write"; false when the word is neither. */
static bool loop_word(struct loop_options *loop, const char *word)
{
    if (strncmp(word, "loop=", 5) == 0)
        loop->device = word + 5;
    else if (strcmp(word, "--read-write") == 0)
        loop->read_write = true;
    else
        return false;
    return true;
}

static int print_path(const char *link)
{
    char path[PATH_MAX];
    ssize_t n = readlink(link, path, sizeof(path) - 1);

    if (n < 0)
        return -errno;
    path[n] = '\0';
    puts(path);
    return 0;
}

static int verb_up(const struct place *place, char **words)
{
    struct loop_options loop = { 0 };
    struct settings settings;
    char error[SETTINGS_ERROR_MAX];
    bool no_loop = false;
    int r;

    settings_defaults(&settings);
    r = volume_load_settings(place, &settings, error);
    for (; r == 0 && *words; words++) {
        if (strcmp(*words, "--no-loop") == 0)
            no_loop = true;
        else if (!loop_word(&loop, *words))
            r = settings_assign(&settings, *words, error);
    }
    if (r == 0)
        r = settings_check(&settings, error);
    if (r < 0) {
        fprintf(stderr, "coldvol: %s\n", error);
        return EXIT_USAGE;
    }
    loop.block_bytes = (uint32_t)settings.block_bytes;
    if (life_up(place, &settings, no_loop ? NULL : &loop) < 0)
        return 1;
    if (no_loop)
        puts(place->volume);
    else if (print_path(place->device) < 0)
        return 1;
    return 0;
}

static int verb_down(const struct place *place, char **words)
{
    bool keep_state = *words && strcmp(*words, "--keep-state") == 0;
    int r;

    if (*words && (!keep_state || words[1]))
        return EXIT_USAGE;
    r = life_down(place, keep_state);
    if (r == -ENOENT)
        return complain(place, r, NULL);
    return r < 0 ? 1 : 0;
}

static int verb_set(const struct place *place, char **words)
{
    return *words ? ask(place, "set", words, NULL) : EXIT_USAGE;
}

static int verb_get(const struct place *place, char **words)
{
    return ask(place, "get", words, stdout);
}

static int verb_fault(const struct place *place, char **words)
{
    return *words ? ask(place, "fault", words, stdout) : EXIT_USAGE;
}

static int verb_chill(const struct place *place, char **words)
{
    char *all[] = { "0", "all", NULL };

    return ask(place, "chill", *words ? words : all, NULL);
}

static int verb_resize(const struct place *place, char **words)
{
    int r = *words ? ask(place, "resize", words, NULL) : EXIT_USAGE;

    if (r != 0)
        return r;
    r = loop_update_size(place);
    return r < 0 ? complain(place, r, NULL) : 0;
}

static int verb_detach(const struct place *place, char **words)
{
    int r;

    if (*words)
        return EXIT_USAGE;
    r = loop_detach(place);
    return r < 0 ? complain(place, r, r == -ENOENT ? "has no device" : NULL) : 0;
}

static int verb_attach(const struct place *place, char **words)
{
    struct loop_options loop = { 0 };
    struct settings settings;
    char error[SETTINGS_ERROR_MAX];
    int r;

    for (; *words; words++) {
        if (!loop_word(&loop, *words))
            return EXIT_USAGE;
    }
    settings_defaults(&settings);
    r = volume_load_settings(place, &settings, error);
    if (r < 0)
        return complain(place, r, error);
    loop.block_bytes = (uint32_t)settings.block_bytes;
    r = loop_attach(place, &loop);
    if (r < 0)
        return complain(place, r, r == -EBUSY ? "has a device, or that one is taken" : NULL);
    return print_path(place->device) < 0 ? 1 : 0;
}

DEFINE_CLEANUP(struct report *, report_free, report_free_p)

static int check_read(const struct place *place, struct report *report, char **words)
{
    uint64_t start, length_bytes;
    int r;

    if (!words[0] || !words[1] || parse_size(words[0], &start) < 0 ||
        parse_size(words[1], &length_bytes) < 0 || length_bytes > UINT64_MAX - start)
        return EXIT_USAGE;
    r = report_check_read(report, start, start + length_bytes);
    if (r < 0) {
        complain(place, r, "--check-read: not within the volume");
        return EXIT_USAGE;
    }
    return r > 0 ? 0 : 1;
}

static int verb_record(const struct place *place, char **words)
{
    _cleanup_(report_free_p) struct report *report = NULL;
    char *ping[] = { "ping", NULL };
    char error[SETTINGS_ERROR_MAX];
    int r;

    if (*words && strcmp(*words, "--reset") == 0)
        return ask(place, "record-reset", NULL, NULL);
    /* Once a living server has answered, every reply it sent before is in the record. */
    (void)control_ask(place, ping, NULL, error);
    r = report_open(place->record, &report);
    if (r < 0)
        return complain(place, r, "no record of this version");
    if (!*words)
        r = report_print(report, stdout);
    else if (strcmp(*words, "--read") == 0)
        r = report_print_ranges(report, true, stdout);
    else if (strcmp(*words, "--unread") == 0)
        r = report_print_ranges(report, false, stdout);
    else if (strcmp(*words, "--check-read") == 0)
        return check_read(place, report, words + 1);
    else
        return EXIT_USAGE;
    return r < 0 ? complain(place, r, NULL) : 0;
}

static const struct {
    const char *name;
    int (*fn)(const struct place *place, char **words);
} verbs[] = {
    { "up", verb_up },         { "down", verb_down },     { "set", verb_set },
    { "get", verb_get },       { "fault", verb_fault },   { "chill", verb_chill },
    { "resize", verb_resize }, { "detach", verb_detach }, { "attach", verb_attach },
    { "record", verb_record },
};

static int down_one(const char *name, void *userdata)
{
    struct place place;
    int *status = userdata;

    if (place_init(&place, name) == 0 && life_down(&place, false) < 0)
        *status = 1;
    return 0;
}

static int down_all(void)
{
    int status = 0;

    return place_for_each(down_one, &status) < 0 ? 1 : status;
}

static int run(const char *verb, const char *name, char **words)
{
    struct place place;

    if (place_init(&place, name) < 0) {
        fprintf(stderr,
                "coldvol: \"%s\" is no name: up to 64 letters, digits, '.', '_' and '-'; "
                "COLDVOL_DIR must be an absolute path\n",
                name);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].name, verb) == 0)
            return verbs[i].fn(&place, words);
    }
    return EXIT_USAGE;
}

/* So that none of the files that are opened later is taken for one of these. */
static void hold_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    int status = EXIT_USAGE;

    hold_standard_files();

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage();
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "down") == 0 && strcmp(argv[2], "--all") == 0)
        return down_all();
    if (argc >= 3)
        status = run(argv[1], argv[2], argv + 3);
    if (status == EXIT_USAGE)
        fprintf(stderr, "coldvol: see `coldvol --help`\n");
    return status;
}
