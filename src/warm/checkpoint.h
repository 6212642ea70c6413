/* SPDX-License-Identifier: MIT */
/*
 * The text of a checkpoint: what of one volume was read, and whose it is. Format in
 * docs/checkpoint.md. Pure: no file is touched here. What fails any check is not believed in part
 * either.
 */
#ifndef WARM_CHECKPOINT_H
#define WARM_CHECKPOINT_H

#include "base/rangeset.h"
#include "check/sample.h"
#include "device/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKPOINT_FORMAT 1U
/* 16 bytes a range at the least, and a volume has at most 2^47 bytes: far more than is ever needed.
 */
#define CHECKPOINT_MAX_BYTES (UINT64_C(64) << 20)

struct checkpoint {
    struct device_identity identity;
    uint64_t size_bytes;
    uint64_t started_unix_sec; /* when the first byte was read */
    uint64_t updated_unix_sec;
    bool paused; /* by the user, in the boot identity.boot_id tells */
    char paused_boot_id[37];
    struct rangeset *warm, *unreadable;
    struct check_report before, after;
};

/* NULL when out of memory; the sets are empty. */
struct checkpoint *checkpoint_new(void);
void checkpoint_free(struct checkpoint *checkpoint);

/* Text that the caller frees. -ENOMEM. */
int checkpoint_format(const struct checkpoint *checkpoint, char **ret_text, size_t *ret_length);
/*
 * -EBADMSG (damaged), -EPROTONOSUPPORT (a newer format), -ENOMEM. *ret_why, static text, says what
 * is wrong with it.
 */
int checkpoint_parse(const char *text, size_t length, struct checkpoint **ret,
                     const char **ret_why);

#endif
