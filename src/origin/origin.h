/* SPDX-License-Identifier: MIT */
/*
 * Where a volume came from, as ebswarm-ec2 or a site's own script says it: one INI file a volume
 * (VOLUME.origin), which ebswarm-origin(5) documents. It is a hint for *whether* to warm:
 * nothing in it can make a block count as warm.
 */
#ifndef ORIGIN_ORIGIN_H
#define ORIGIN_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ORIGIN_FORMAT   1U
#define ORIGIN_FILE_MAX (64U * 1024U)
#define ORIGIN_WORD_MAX 64U
#define ORIGIN_WHY_MAX  224U
#define ORIGIN_NONE     "none" /* Snapshot=none: created empty */
#define ORIGIN_UNSAID   (-1)

enum origin_state { ORIGIN_STATE_UNSAID, ORIGIN_STATE_INITIALIZING, ORIGIN_STATE_COMPLETED };
enum origin_type {
    ORIGIN_TYPE_UNSAID,
    ORIGIN_TYPE_DEFAULT,
    ORIGIN_TYPE_PROVISIONED_RATE,
    ORIGIN_TYPE_VOLUME_COPY
};

/* An empty string, 0 and ORIGIN_UNSAID mean that the file does not say. */
struct origin {
    char source[ORIGIN_WORD_MAX];   /* who wrote it: "ec2" */
    char volume[ORIGIN_WORD_MAX];   /* the only key besides Format= that must be there */
    char device[ORIGIN_WORD_MAX];   /* as the cloud calls it; names a Xen volume */
    char snapshot[ORIGIN_WORD_MAX]; /* an id, or ORIGIN_NONE */
    uint64_t snapshot_bytes;        /* data in the snapshot */
    uint64_t size_bytes;
    char type[ORIGIN_WORD_MAX]; /* "gp3" */
    unsigned iops;
    uint64_t throughput_bytes; /* a second */
    int fast_restored;         /* 0, 1, ORIGIN_UNSAID */
    uint64_t initialization_rate_bytes;
    enum origin_state initialization_state;
    enum origin_type initialization_type;
    int initialization_progress; /* percent, or ORIGIN_UNSAID */
    char source_volume[ORIGIN_WORD_MAX];
    char checked[ORIGIN_WORD_MAX]; /* 2026-12-01T12:00:00Z */
    char boot_id[ORIGIN_WORD_MAX]; /* the boot in which it was fetched */
};

/* Says nothing. */
void origin_init(struct origin *origin);

/* False for an empty volume, and where the file does not say. */
bool origin_has_snapshot(const struct origin *origin);

/* One key as the file has it. -ENOENT for an unknown key, -EINVAL or -ERANGE for a bad value. */
int origin_set(struct origin *origin, const char *key, const char *value);

/*
 * -EINVAL with `why` ("line 4: Iops=many: …") on a bad value, a line that is none or too long
 * (conf/file.h), another Format= or a missing Volume=; -ENOMEM. Unknown keys and other sections are
 * passed over.
 */
int origin_parse(const char *text, size_t length, struct origin *ret, char why[ORIGIN_WHY_MAX]);

/* The file's text, which the caller frees; NULL when out of memory. origin_parse() gives it back.
 */
char *origin_format(const struct origin *origin);

/* Whose files are believed. */
struct origin_owners {
    const uid_t *uids;
    size_t n_uids;
};

/*
 * Reads and parses `name` in the folder. Only a regular file (no link) of at most ORIGIN_FILE_MAX,
 * owned by one of `owners` and writable by nobody else; `why` says what is wrong.
 * -ENOENT, -ELOOP, -EBADF, -EPERM, -EFBIG, -EINVAL.
 */
int origin_load(int directory_fd, const char *name, const struct origin_owners *owners,
                struct origin *ret, char why[ORIGIN_WHY_MAX]);

#endif
