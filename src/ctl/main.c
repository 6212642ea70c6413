/* SPDX-License-Identifier: MIT */
#include <locale.h>

#include "base/cleanup.h"
#include "ctl/options.h"
#include "ctl/resolve.h"
#include "ctl/unescape.h"
#include "ctl/verbs.h"

static const struct {
    int (*run)(const struct ctl_options *options);
    bool
        what_as_named; /* WHAT is not resolved: its first is a unit, and it is put down for later */
} verbs[CTL_N_VERBS] = {
    [CTL_LIST] = { verb_list, false },   [CTL_STATUS] = { verb_status, false },
    [CTL_WAIT] = { verb_wait, false },   [CTL_GATE] = { verb_gate, true },
    [CTL_PAUSE] = { verb_pause, false }, [CTL_RESUME] = { verb_resume, false },
};

static int run(enum ctl_verb_id verb, struct ctl_options *options)
{
    char **names = NULL;
    int status = verbs[verb].what_as_named ? 0 : ctl_resolve(options, &names);

    if (status == 0)
        status = verbs[verb].run(options);
    ctl_names_free(names);
    return status;
}

/* The one WHAT is what a unit has for its instance. */
static int run_escaped(enum ctl_verb_id verb, const struct ctl_options *options)
{
    _cleanup_free_ char *unescaped = unescape_what(options->what[0]);
    const char *const one[] = { unescaped, NULL };
    struct ctl_options plain = *options;

    if (!unescaped) {
        fputs("ebswarmctl: --escaped: a \"\\\" that is no \"\\xNN\"; see systemd-escape(1)\n",
              stderr);
        return CTL_EXIT_USAGE;
    }
    plain.what = one;
    return run(verb, &plain);
}

int main(int argc, char **argv)
{
    struct ctl_options options;
    enum ctl_verb_id verb;

    /* Only what characters are: numbers in JSON keep their point. */
    setlocale(LC_CTYPE, "");
    switch (ctl_options_parse(argc, argv, &verb, &options)) {
    case CTL_RUN:
        return options.escaped ? run_escaped(verb, &options) : run(verb, &options);
    case CTL_DONE:
        return 0;
    default:
        return CTL_EXIT_USAGE;
    }
}
