/* SPDX-License-Identifier: MIT */
/* ebswarmctl's verbs and options, as one table for the parser, --help and the manual's test. */
#ifndef CTL_OPTIONS_H
#define CTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTL_SOCKET_DEFAULT "/run/ebswarm/io.ebswarm"

/* The exit statuses that scripts may rely on; those of `wait` are in status/wait.h. */
#define CTL_EXIT_FAILURE        1
#define CTL_EXIT_USAGE          2
#define CTL_EXIT_TIMEOUT        3
#define CTL_EXIT_NO_SUCH_VOLUME 5

struct ctl_options {
    const char *socket;
    const char *const *what; /* NULL-terminated */
    bool json, watch, any, all, remove, allow_incomplete, escaped;
    bool fail_on_timeout;     /* of a gate: the unit is not started then */
    unsigned percent;         /* 100 when not given */
    uint64_t timeout_usec;    /* USEC_INFINITY when not given */
    const char *timeout_text; /* as it was given, or NULL */
};

enum ctl_verb_id { CTL_LIST, CTL_STATUS, CTL_WAIT, CTL_GATE, CTL_PAUSE, CTL_RESUME, CTL_N_VERBS };

struct ctl_verb {
    const char *name;
    const char *arguments; /* "[WHAT…]" */
    const char *help;      /* one line */
    bool needs_what;       /* unless --all is given */
};

struct ctl_option {
    const char *name;
    const char *argument; /* NULL when it takes none */
    const char *help;
    unsigned verbs; /* bits 1 << enum ctl_verb_id; 0: every verb's, also in front of it */
};

/* NULL past the last. */
const struct ctl_verb *ctl_verb_get(size_t n);
const struct ctl_option *ctl_option_get(size_t n);

enum ctl_parsed {
    CTL_RUN,     /* *ret_verb and *ret are set */
    CTL_DONE,    /* --help or --version was printed */
    CTL_MISTAKE, /* said on stderr */
};

/* `argv` is permuted; *ret points into it. */
enum ctl_parsed ctl_options_parse(int argc, char **argv, enum ctl_verb_id *ret_verb,
                                  struct ctl_options *ret);

#endif
