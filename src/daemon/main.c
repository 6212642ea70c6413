/* SPDX-License-Identifier: MIT */
#include "base/log.h"
#include "daemon/configuration.h"
#include "daemon/options.h"
#include "daemon/run.h"
#include "status/terminal.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>

/* Blocked before any thread starts, so that every thread inherits it and sd-event gets them. */
static void block_signals(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Beside bars that are drawn over, only what matters: they tell the rest. */
static int log_level(const struct options *options)
{
    if (options->verbose)
        return LOG_DEBUG;
    return options->once && terminal_is_stdout() ? LOG_WARNING : LOG_INFO;
}

int main(int argc, char **argv)
{
    struct options options;
    struct conf *conf;
    int status, r = options_parse(argc, argv, &options);

    if (r != 0)
        return r < 0 ? EXIT_USAGE : EXIT_SUCCESS;
    setlocale(LC_CTYPE, "");
    if (options.check_config)
        return configuration_check(&options);
    block_signals();
    log_open(log_level(&options));
    if (configuration_load(&options, &conf) < 0) {
        log_error("the configuration is wrong, see above: not started");
        status = EXIT_USAGE;
    } else {
        status = options.once ? run_once(&options, conf) : run_service(&options, conf);
    }
    log_close();
    return status;
}
