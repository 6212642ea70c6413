/* SPDX-License-Identifier: MIT */
/*
 * A gate: a systemd unit that starts only when volumes are warm. Two drop-ins make it:
 *
 *   UNIT.d/50-ebswarm-gate.conf                       orders the unit behind
 * ebswarm-gate@UNIT.service ebswarm-gate@UNIT.service.d/50-ebswarm-gate.conf  says what that one
 * waits for
 *
 * Pure: what stands in them, and what is read out of them.
 */
#ifndef CTL_GATE_H
#define CTL_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "ctl/options.h"

#define GATE_FILE         "50-ebswarm-gate.conf"
#define GATE_UNIT_PREFIX  "ebswarm-gate@"
#define GATE_UNIT_MAX     256 /* with its NUL: systemd's UNIT_NAME_MAX */
#define GATE_TIMEOUT_TEXT "12h"
#define GATE_WHAT_MAX     190 /* so that "What=…" is a line that can be read again */

/*
 * "postgresql" → "postgresql.service"; "a@b.mount" stays. -EINVAL for what is no unit's name, a
 * template ("a@.service"), or a unit of ebswarm's own.
 */
int gate_unit_name(const char *name, char ret[GATE_UNIT_MAX]);

/* The unit that waits: "ebswarm-gate@postgresql.service.service". -ENAMETOOLONG. */
int gate_waiting_unit(const char *unit, char ret[GATE_UNIT_MAX]);

/* The texts of the two files. The caller frees; NULL when out of memory. `what` as it was named. */
char *gate_unit_drop_in(const char *unit, const char *waiting_unit);
char *gate_waiting_drop_in(const char *unit, const struct ctl_options *options,
                           const char *const *what, const char *program);

/* What gate_waiting_drop_in() has put down, read from the file again. */
struct gate_wait {
    char **what; /* NULL-terminated, NULL for all volumes */
    size_t n_what;
    unsigned percent;
    bool any;
};

/* -errno; the caller calls gate_wait_done(), also after an error. */
int gate_wait_read(const char *path, struct gate_wait *ret);
void gate_wait_done(struct gate_wait *wait);

#endif
