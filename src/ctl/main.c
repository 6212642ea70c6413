/* SPDX-License-Identifier: MIT */
#include <locale.h>

#include "ctl/options.h"
#include "ctl/resolve.h"
#include "ctl/verbs.h"

static int (*const verbs[CTL_N_VERBS])(const struct ctl_options *options) = {
    [CTL_LIST] = verb_list,   [CTL_STATUS] = verb_status, [CTL_WAIT] = verb_wait,
    [CTL_PAUSE] = verb_pause, [CTL_RESUME] = verb_resume,
};

int main(int argc, char **argv)
{
    struct ctl_options options;
    enum ctl_verb_id verb;
    char **names;
    int status;

    /* Only what characters are: numbers in JSON keep their point. */
    setlocale(LC_CTYPE, "");
    switch (ctl_options_parse(argc, argv, &verb, &options)) {
    case CTL_RUN:
        status = ctl_resolve(&options, &names);
        if (status == 0)
            status = verbs[verb](&options);
        ctl_names_free(names);
        return status;
    case CTL_DONE:
        return 0;
    default:
        return CTL_EXIT_USAGE;
    }
}
