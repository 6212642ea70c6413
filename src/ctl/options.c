/* SPDX-License-Identifier: MIT */
#include "ctl/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/size.h"

#define BIT(verb) (1u << (verb))

static const struct ctl_verb verbs[CTL_N_VERBS] = {
    [CTL_LIST] = { "list", "", "Show every block device, and whether it is warmed and why", false },
    [CTL_STATUS] = { "status", "[WHAT...]", "Show how far the volumes are", false },
    [CTL_WAIT] = { "wait", "[WHAT...]", "Wait until the volumes are warm", false },
    [CTL_GATE] = { "gate", "[UNIT [WHAT...]]",
                   "Let a systemd unit start only when the volumes are warm", false },
    [CTL_PAUSE] = { "pause", "WHAT...", "Stop reading, until resume or reboot", true },
    [CTL_RESUME] = { "resume", "WHAT...", "Go on reading", true },
};

enum option_id {
    SOCKET,
    JSON,
    WATCH,
    PERCENT,
    TIMEOUT,
    ANY,
    ALLOW_INCOMPLETE,
    ON_TIMEOUT,
    REMOVE,
    ESCAPED,
    ALL,
    HELP,
    VERSION,
    N_OPTIONS
};

static const struct ctl_option options[N_OPTIONS] = {
    [SOCKET] = { "socket", "PATH", "Ask the daemon on this socket", 0 },
    [JSON] = { "json", NULL, "Print JSON", 0 },
    [WATCH] = { "watch", NULL, "Go on showing what changes", BIT(CTL_STATUS) },
    [PERCENT] = { "percent", "N", "Warm to N percent is enough", BIT(CTL_WAIT) | BIT(CTL_GATE) },
    [TIMEOUT] = { "timeout", "T", "Give up after T (\"90\", \"5min\", \"1h 30min\")",
                  BIT(CTL_WAIT) | BIT(CTL_GATE) },
    [ANY] = { "any", NULL, "One of the volumes is enough", BIT(CTL_WAIT) | BIT(CTL_GATE) },
    [ALLOW_INCOMPLETE] = { "allow-incomplete", NULL, "Blocks that cannot be read do not matter",
                           BIT(CTL_WAIT) | BIT(CTL_GATE) },
    [ON_TIMEOUT] = { "on-timeout", "WHAT", "Then \"start\" the unit (the default), or \"fail\"",
                     BIT(CTL_GATE) },
    [REMOVE] = { "remove", NULL, "Take the unit's gate away", BIT(CTL_GATE) },
    [ESCAPED] = { "escaped", NULL, "WHAT is as systemd-escape(1) writes it", BIT(CTL_WAIT) },
    [ALL] = { "all", NULL, "All volumes, also those that come later",
              BIT(CTL_PAUSE) | BIT(CTL_RESUME) },
    [HELP] = { "help", NULL, "Show this help", 0 },
    [VERSION] = { "version", NULL, "Show the version", 0 },
};

const struct ctl_verb *ctl_verb_get(size_t n)
{
    return n < CTL_N_VERBS ? &verbs[n] : NULL;
}

const struct ctl_option *ctl_option_get(size_t n)
{
    return n < N_OPTIONS ? &options[n] : NULL;
}

/* ---- help ---- */

static void print_option(const struct ctl_option *option)
{
    char left[32];

    snprintf(left, sizeof(left), "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    printf("  %-18s %s\n", left, option->help);
}

static void print_options(unsigned verb_bit)
{
    for (int i = 0; i < N_OPTIONS; i++)
        if (verb_bit ? options[i].verbs & verb_bit : options[i].verbs == 0)
            print_option(&options[i]);
}

static void print_help(void)
{
    printf("ebswarmctl [OPTION...] COMMAND [WHAT...]\n\n"
           "Shows and steers the warm-up of EBS volumes.\n\n"
           "Commands:\n");
    for (int i = 0; i < CTL_N_VERBS; i++)
        printf("  %-7s %-17s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
    printf("\nOptions:\n");
    print_options(0);
    printf("\nWHAT is a volume id, a device or its name. See ebswarmctl(1), and\n"
           "ebswarmctl COMMAND --help for a command's own options.\n");
}

static void print_verb_help(enum ctl_verb_id verb)
{
    printf("ebswarmctl %s [OPTION...] %s\n\n%s.\n\nOptions:\n", verbs[verb].name,
           verbs[verb].arguments, verbs[verb].help);
    print_options(BIT(verb));
    print_options(0);
}

/* ---- mistakes ---- */

static void complain_about_verb(const char *word)
{
    const char *nearest = NULL;

    for (int i = 0; i < CTL_N_VERBS && !nearest; i++) {
        if (word_is_near(word, verbs[i].name))
            nearest = verbs[i].name;
    }
    fprintf(stderr, "ebswarmctl: there is no command \"%s\"", word);
    if (nearest)
        fprintf(stderr, "; did you mean \"%s\"?\n", nearest);
    else
        fprintf(stderr, "; see ebswarmctl --help\n");
}

static enum ctl_parsed mistake(const char *option, const char *value, const char *accepts)
{
    fprintf(stderr, "ebswarmctl: --%s %s: %s is wanted\n", option, value, accepts);
    return CTL_MISTAKE;
}

/* ---- parsing ---- */

static enum ctl_parsed set_option(int id, const char *value, struct ctl_options *ret)
{
    switch (id) {
    case SOCKET:
        ret->socket = value;
        break;
    case JSON:
        ret->json = true;
        break;
    case WATCH:
        ret->watch = true;
        break;
    case ANY:
        ret->any = true;
        break;
    case ALL:
        ret->all = true;
        break;
    case PERCENT:
        if (parse_percent(value, &ret->percent) < 0)
            return mistake("percent", value, "a number from 0 to 100");
        break;
    case TIMEOUT:
        if (parse_duration(value, &ret->timeout_usec) < 0)
            return mistake("timeout", value, "a time such as 90, 5min or \"1h 30min\"");
        ret->timeout_text = value;
        break;
    case ALLOW_INCOMPLETE:
        ret->allow_incomplete = true;
        break;
    case ON_TIMEOUT:
        ret->fail_on_timeout = strcmp(value, "fail") == 0;
        if (!ret->fail_on_timeout && strcmp(value, "start") != 0)
            return mistake("on-timeout", value, "start or fail");
        break;
    case REMOVE:
        ret->remove = true;
        break;
    case ESCAPED:
        ret->escaped = true;
        break;
    default:
        break;
    }
    return CTL_RUN;
}

static void make_long_options(struct option long_options[N_OPTIONS + 1])
{
    memset(long_options, 0, (N_OPTIONS + 1) * sizeof(*long_options));
    for (int i = 0; i < N_OPTIONS; i++)
        long_options[i] = (struct option){
            .name = options[i].name,
            .has_arg = options[i].argument ? required_argument : no_argument,
            /* Away from '?', which getopt answers to a mistake. */
            .val = 256 + i,
        };
}

static enum ctl_parsed parse_options(int argc, char **argv, unsigned *ret_given,
                                     struct ctl_options *ret)
{
    struct option long_options[N_OPTIONS + 1];
    int c;

    make_long_options(long_options);
    while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        int id = c == 'h' ? HELP : c - 256;

        if (id < 0)
            return CTL_MISTAKE;
        *ret_given |= 1u << id;
        if (set_option(id, optarg, ret) == CTL_MISTAKE)
            return CTL_MISTAKE;
    }
    return CTL_RUN;
}

static bool find_verb(const char *word, enum ctl_verb_id *ret)
{
    for (int i = 0; i < CTL_N_VERBS; i++)
        if (strcmp(word, verbs[i].name) == 0) {
            *ret = (enum ctl_verb_id)i;
            return true;
        }
    return false;
}

static enum ctl_parsed check_verb(enum ctl_verb_id verb, unsigned given,
                                  const struct ctl_options *parsed)
{
    for (int i = 0; i < N_OPTIONS; i++)
        if (given & (1u << i) && options[i].verbs && !(options[i].verbs & BIT(verb))) {
            fprintf(stderr, "ebswarmctl: %s has no option --%s; see ebswarmctl %s --help\n",
                    verbs[verb].name, options[i].name, verbs[verb].name);
            return CTL_MISTAKE;
        }
    if (verbs[verb].needs_what && !*parsed->what && !parsed->all) {
        fprintf(stderr, "ebswarmctl: %s: name the volumes, or say --all\n", verbs[verb].name);
        return CTL_MISTAKE;
    }
    if (verb == CTL_GATE && parsed->remove && (!parsed->what[0] || parsed->what[1])) {
        fprintf(stderr, "ebswarmctl: gate --remove: name one unit\n");
        return CTL_MISTAKE;
    }
    if (parsed->escaped && (!parsed->what[0] || parsed->what[1])) {
        fprintf(stderr, "ebswarmctl: --escaped: name one WHAT\n");
        return CTL_MISTAKE;
    }
    if (parsed->all && *parsed->what) {
        fprintf(stderr, "ebswarmctl: %s: either --all or names of volumes, not both\n",
                verbs[verb].name);
        return CTL_MISTAKE;
    }
    return CTL_RUN;
}

static void set_defaults(struct ctl_options *ret)
{
    const char *socket = getenv("EBSWARM_SOCKET");

    *ret = (struct ctl_options){
        .socket = socket && *socket ? socket : CTL_SOCKET_DEFAULT,
        .percent = 100,
        .timeout_usec = USEC_INFINITY,
    };
}

enum ctl_parsed ctl_options_parse(int argc, char **argv, enum ctl_verb_id *ret_verb,
                                  struct ctl_options *ret)
{
    unsigned given = 0;
    bool has_verb;

    set_defaults(ret);
    if (parse_options(argc, argv, &given, ret) == CTL_MISTAKE)
        return CTL_MISTAKE;
    has_verb = optind < argc && find_verb(argv[optind], ret_verb);
    if (given & (1u << VERSION)) {
        printf("ebswarmctl %s\n", EBSWARM_VERSION);
        return CTL_DONE;
    }
    if (given & (1u << HELP)) {
        if (has_verb)
            print_verb_help(*ret_verb);
        else
            print_help();
        return CTL_DONE;
    }
    if (optind >= argc) {
        fprintf(stderr, "ebswarmctl: which command? See ebswarmctl --help\n");
        return CTL_MISTAKE;
    }
    if (!has_verb) {
        complain_about_verb(argv[optind]);
        return CTL_MISTAKE;
    }
    ret->what = (const char *const *)(argv + optind + 1);
    return check_verb(*ret_verb, given, ret);
}
