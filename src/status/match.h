/* SPDX-License-Identifier: MIT */
/* Which volume somebody means. Pure. */
#ifndef STATUS_MATCH_H
#define STATUS_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "warm/report.h"

/* By volume id with or without its dash, device path, or the device's name without "/dev/". */
bool match_volume(const struct volume_report *volume, const char *what);

/* NULL when none matches. */
const struct volume_report *match_find(const struct fleet_report *report, const char *what);

/* False for what can name no volume, whatever may be attached later: "", "vol-xyz", "a/b". */
bool match_is_possible(const char *what);

/*
 * The volumes that `what` names, each once, in the report's order; all when `what` is NULL or
 * empty. -ENOENT with *ret_unknown (one of `what`) when one matches nothing; with a NULL
 * `ret_unknown` such a name is passed over. The caller frees *ret.
 */
int match_select(const struct fleet_report *report, const char *const *what,
                 const struct volume_report ***ret, size_t *ret_n, const char **ret_unknown);

#endif
