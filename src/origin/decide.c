/* SPDX-License-Identifier: MIT */
#include "origin/decide.h"

#include "base/size.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Up to here AWS says that a fast restored volume is warm from the start. */
#define FAST_RESTORE_IOPS       64000U
#define FAST_RESTORE_THROUGHPUT (1000 * MIB)
/* io2 reports no throughput; it is what its IOPS give at the size up to which an I/O counts once.
 */
#define IO2_IO_BYTES (256 * KIB)

static struct origin_decision decision(enum origin_verdict verdict, const char *source,
                                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct origin_decision decision(enum origin_verdict verdict, const char *source,
                                       const char *format, ...)
{
    struct origin_decision ret = { .verdict = verdict };
    va_list ap;

    snprintf(ret.source, sizeof(ret.source), "%s", *source ? source : "unnamed");
    va_start(ap, format);
    vsnprintf(ret.reason, sizeof(ret.reason), format, ap);
    va_end(ap);
    return ret;
}

static struct origin_decision decide_unknown(enum conf_unknown unknown, const char *source,
                                             const char *what)
{
    switch (unknown) {
    case CONF_UNKNOWN_WARM:
        return decision(ORIGIN_WARM, source, "%s, Unknown=warm", what);
    case CONF_UNKNOWN_SKIP:
        return decision(ORIGIN_SKIP, source, "%s, Unknown=skip", what);
    case CONF_UNKNOWN_PROBE:
        break;
    }
    return decision(ORIGIN_PROBE, source, "%s, Unknown=probe", what);
}

static bool within_fast_restore(const struct origin *origin)
{
    uint64_t throughput = origin->throughput_bytes;

    if (throughput == 0 && strcmp(origin->type, "io2") == 0)
        throughput = origin->iops * IO2_IO_BYTES;
    return origin->iops <= FAST_RESTORE_IOPS && throughput <= FAST_RESTORE_THROUGHPUT;
}

static bool is_of_this_boot(const struct origin_question *question)
{
    const char *boot = question->origin->boot_id;

    return *boot && question->boot_id && strcasecmp(boot, question->boot_id) == 0;
}

static bool has_provisioned_rate(const struct origin *origin)
{
    return origin->initialization_rate_bytes > 0 ||
           origin->initialization_type == ORIGIN_TYPE_PROVISIONED_RATE;
}

static struct origin_decision decide_snapshot(const struct origin_question *question)
{
    const struct origin *origin = question->origin;
    const char *source = origin->source;
    bool completed = origin->initialization_state == ORIGIN_STATE_COMPLETED;

    /* Before "completed": AWS says to initialize these whatever their state. */
    if (origin->fast_restored == 1 && !within_fast_restore(origin))
        return decision(ORIGIN_WARM, source,
                        "fast restored from %s, but above 64000 IOPS or 1000 MiB/s",
                        origin->snapshot);
    if (origin->fast_restored == 1)
        return decision(ORIGIN_SKIP, source, "fast restored from %s", origin->snapshot);
    if (completed && is_of_this_boot(question))
        return decision(ORIGIN_SKIP, source, "initialization of %s completed", origin->snapshot);
    if (has_provisioned_rate(origin) && question->provisioned_rate == CONF_PROVISIONED_RATE_SKIP)
        return decision(ORIGIN_SKIP, source,
                        "AWS initializes %s at a provisioned rate, ProvisionedRate=skip",
                        origin->snapshot);
    if (has_provisioned_rate(origin))
        return decision(ORIGIN_WARM, source,
                        "restored from %s at a provisioned rate, warmed anyway", origin->snapshot);
    if (completed)
        return decision(ORIGIN_WARM, source,
                        "restored from %s; \"completed\" was said in another boot",
                        origin->snapshot);
    return decision(ORIGIN_WARM, source, "restored from %s", origin->snapshot);
}

struct origin_decision origin_decide(const struct origin_question *question)
{
    const struct origin *origin = question->origin;

    if (question->force)
        return decision(ORIGIN_WARM, "configuration", "Force=yes");
    if (!origin && !question->timed_out)
        return decision(ORIGIN_WAIT, "none", "waiting to hear where the volume came from");
    if (!origin)
        return decide_unknown(question->unknown, "none", "nothing says where the volume came from");
    if (origin->source_volume[0] != '\0')
        return decision(ORIGIN_SKIP, origin->source, "copy of %s, which AWS initializes by itself",
                        origin->source_volume);
    if (origin->initialization_type == ORIGIN_TYPE_VOLUME_COPY)
        return decision(ORIGIN_SKIP, origin->source,
                        "copy of another volume, which AWS initializes by itself");
    if (strcmp(origin->snapshot, ORIGIN_NONE) == 0)
        return decision(ORIGIN_SKIP, origin->source, "empty volume");
    if (origin->snapshot[0] == '\0')
        return decide_unknown(question->unknown, origin->source,
                              "its origin file names no snapshot");
    return decide_snapshot(question);
}
