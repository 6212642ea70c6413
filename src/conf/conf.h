/* SPDX-License-Identifier: MIT */
/* ebswarm.conf and its drop-ins, read into one checked struct. */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conf_engine { CONF_ENGINE_AUTO, CONF_ENGINE_IO_URING, CONF_ENGINE_THREADS };
enum conf_unknown { CONF_UNKNOWN_PROBE, CONF_UNKNOWN_WARM, CONF_UNKNOWN_SKIP };
enum conf_provisioned_rate { CONF_PROVISIONED_RATE_WARM, CONF_PROVISIONED_RATE_SKIP };

/* What can be set in [Warm] for all volumes and again in [Volume …] for one. */
struct conf_reads {
    uint64_t block_bytes; /* BlockSize=, 16K–1M, a power of two; 0 = auto */
    unsigned queue_depth; /* QueueDepth=, 1–1024; 0 = auto */
};

/* [Volume NAME]: NAME is a volume id, a device or a by-id link. */
struct conf_volume {
    char *name;
    char *device; /* Device=, an absolute path; NULL if not set */
    bool skip;    /* Skip=yes: never warmed */
    bool force;   /* Force=yes: warmed even where discovery would refuse (instance store) */
    struct conf_reads reads; /* already completed by [Warm]'s values */
};

struct conf {
    enum conf_engine engine;                     /* [Warm] Engine= */
    struct conf_reads reads;                     /* [Warm] BlockSize=, QueueDepth= */
    enum conf_provisioned_rate provisioned_rate; /* [Warm] ProvisionedRate= */

    char **include; /* [Discover] Include=, globs, NULL-terminated; NULL if not set */
    char **exclude;
    uint64_t origin_timeout_usec; /* [Discover] OriginTimeout=, default 20 s */
    enum conf_unknown unknown;    /* [Discover] Unknown=, default probe */
    bool block_lists;             /* [Discover] BlockLists=, default no (read by ebswarm-ec2) */

    bool check_before; /* [Check] Before=, After=, default yes */
    bool check_after;
    uint64_t check_sample_bytes; /* [Check] SampleBytes=, default 64M */
    uint64_t check_sample_usec;  /* [Check] SampleTime=, default 10 s */

    uint64_t checkpoint_interval_usec; /* [Checkpoint] Interval=, default 5 s */
    uint64_t checkpoint_bytes;         /* [Checkpoint] Bytes=, default 1G */

    struct conf_volume *volumes; /* in the order of their first appearance */
    size_t n_volumes;
};

/* One finding about a file: `level` is LOG_ERR or LOG_WARNING; `text` begins with "FILE:LINE: ". */
typedef void (*conf_report_fn)(int level, const char *text, void *userdata);

/* Where to look. A NULL `main_file` means DIRECTORY/ebswarm.conf of the first directory that has
 * it. */
struct conf_paths {
    const char *main_file;          /* --config FILE; must exist if given */
    const char *const *directories; /* highest priority first: /etc/ebswarm, /usr/lib/ebswarm */
};

/*
 * Where the configuration is: $CONFIGURATION_DIRECTORY, else /etc/ebswarm; then /usr/lib/ebswarm.
 * NULL-terminated, static.
 */
const char *const *conf_directories(void);

/*
 * Reads the main file, then ebswarm.conf.d/NAME.conf of all directories sorted by NAME (of two with
 * the same NAME the higher directory's wins; a link to /dev/null masks), as systemd does. Every
 * finding is reported, not just the first. Errors (a known key with a bad value, a broken line, a
 * file that can't be read) give -EINVAL and no configuration; warnings (an unknown section or key,
 * with the nearest known one) do not. No file at all is not an error. The caller frees *ret.
 */
int conf_load(const struct conf_paths *paths, conf_report_fn report, void *userdata,
              struct conf **ret);
struct conf *conf_new_default(void);
void conf_free(struct conf *conf);

/* The section for a volume known by any of `names` (NULL-terminated), NULL if there is none. */
const struct conf_volume *conf_find_volume(const struct conf *conf, const char *const *names);

/* The table of sections and keys, for the manual's test: NULL after the last. */
struct conf_key {
    const char *section;
    const char *key;
    const char *accepts; /* what would be right, in words: "16K to 1M, a power of two, or auto" */
};
const struct conf_key *conf_key_get(size_t n);

#endif
