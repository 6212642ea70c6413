/* SPDX-License-Identifier: MIT */
#include "control.h"

#include "base/size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

struct call {
    struct volume *volume;
    char **words; /* behind the verb; NULL at the end */
    size_t length;
    FILE *out;
    char *error; /* SETTINGS_ERROR_MAX */
};

static int refuse(const struct call *call, const char *what)
{
    snprintf(call->error, SETTINGS_ERROR_MAX, "%s", what);
    return -EINVAL;
}

/* "all" as the length reaches to the end of the volume, however it grows. */
static int parse_range(const struct call *call, char **words, uint64_t *ret_start,
                       uint64_t *ret_end)
{
    uint64_t length_bytes;

    if (parse_size(words[0], ret_start) < 0)
        return refuse(call, "START is not a size such as 0 or 64M");
    *ret_end = UINT64_MAX;
    if (strcmp(words[1], "all") == 0)
        return 0;
    if (parse_size(words[1], &length_bytes) < 0 || length_bytes == 0 ||
        length_bytes > UINT64_MAX - *ret_start)
        return refuse(call, "LENGTH is not \"all\" or a size such as 4K");
    *ret_end = *ret_start + length_bytes;
    return 0;
}

static int do_ping(const struct call *call)
{
    (void)call;
    return 0;
}

static int do_get(const struct call *call)
{
    const char *key = call->length > 0 ? call->words[0] : NULL;
    char text[SETTINGS_TEXT_MAX];
    struct model_counts counts;

    if (settings_format(&call->volume->settings, key, text, sizeof(text)) < 0)
        return refuse(call, "no such key");
    fputs(text, call->out);
    if (key)
        return 0;
    model_get_counts(call->volume->model, &counts);
    fprintf(call->out, "reads_in_flight=%llu\nreads_in_flight_max=%llu\n",
            (unsigned long long)counts.reads_in_flight,
            (unsigned long long)counts.reads_in_flight_max);
    fprintf(call->out, "reads_hanging=%llu\nfetches_under_way=%llu\n",
            (unsigned long long)counts.reads_hanging, (unsigned long long)counts.fetches_under_way);
    return 0;
}

static int do_set(const struct call *call)
{
    for (size_t i = 0; i < call->length; i++) {
        int r = volume_set(call->volume, call->words[i], call->error);

        if (r < 0)
            return r;
    }
    return 0;
}

static int do_resize(const struct call *call)
{
    uint64_t size_bytes;

    if (parse_size(call->words[0], &size_bytes) < 0)
        return refuse(call, "BYTES is not a size such as 0 or 2G");
    return volume_resize(call->volume, size_bytes);
}

static int do_chill(const struct call *call)
{
    uint64_t start, end;
    int r = parse_range(call, call->words, &start, &end);

    if (r == 0)
        record_chill(call->volume->record, start, end);
    return r;
}

static int do_record_reset(const struct call *call)
{
    return record_reset(call->volume->record);
}

static int parse_hang(const struct call *call, const char *argument, struct fault *fault)
{
    uint64_t duration_usec = USEC_INFINITY;

    if (argument && parse_duration(argument, &duration_usec) < 0)
        return refuse(call, "hang [DURATION]: not a duration such as 5s or 300ms");
    fault->kind = FAULT_HANG;
    fault->until_usec = USEC_INFINITY;
    if (duration_usec < USEC_INFINITY - volume_now_usec())
        fault->until_usec = volume_now_usec() + duration_usec;
    return 0;
}

static int parse_kind(const struct call *call, const char *kind, const char *argument,
                      struct fault *fault)
{
    unsigned count;

    if (strcmp(kind, "hang") == 0)
        return parse_hang(call, argument, fault);
    if (strcmp(kind, "fail") == 0 && !argument) {
        fault->kind = FAULT_FAIL;
        return 0;
    }
    if (strcmp(kind, "fail-first") == 0) {
        if (!argument || parse_unsigned(argument, &count) < 0)
            return refuse(call, "fail-first N: N is not a whole number");
        fault->kind = FAULT_FAIL_FIRST;
        fault->count = count;
        return 0;
    }
    if (strcmp(kind, "slow") == 0) {
        if (!argument || parse_duration(argument, &fault->delay_usec) < 0)
            return refuse(call, "slow DURATION: not a duration such as 300ms");
        fault->kind = FAULT_SLOW;
        return 0;
    }
    return refuse(call, "KIND is not fail, fail-first N, hang [DURATION] or slow DURATION");
}

static int fault_add(const struct call *call)
{
    struct fault fault = { 0 };
    int r;

    if (call->length < 4 || call->length > 5)
        return refuse(call, "fault add START LENGTH|all KIND [ARG]");
    r = parse_range(call, call->words + 1, &fault.start, &fault.end);
    if (r < 0)
        return r;
    r = parse_kind(call, call->words[3], call->words[4], &fault);
    if (r < 0)
        return r;
    return faults_add(call->volume->faults, &fault);
}

static int fault_share(const struct call *call)
{
    char *end = NULL;
    double share = call->length == 2 ? strtod(call->words[1], &end) : -1;

    if (!end || end == call->words[1] || *end || !(share >= 0 && share <= 1))
        return refuse(call, "fault fail-share SHARE, from 0 to 1");
    faults_set_share(call->volume->faults, share);
    return 0;
}

static int fault_list(const struct call *call)
{
    static const char *const kinds[] = { "fail", "fail-first", "hang", "slow" };
    const struct fault *fault;

    for (size_t i = 0; (fault = faults_get(call->volume->faults, i)); i++) {
        fprintf(call->out, "%llu ", (unsigned long long)fault->start);
        if (fault->end == UINT64_MAX)
            fprintf(call->out, "all %s", kinds[fault->kind]);
        else
            fprintf(call->out, "%llu %s", (unsigned long long)(fault->end - fault->start),
                    kinds[fault->kind]);
        if (fault->kind == FAULT_FAIL_FIRST)
            fprintf(call->out, " %llu", (unsigned long long)fault->count);
        fputc('\n', call->out);
    }
    fprintf(call->out, "fail-share %.15g\n", faults_share(call->volume->faults));
    return 0;
}

static int do_fault(const struct call *call)
{
    const char *what = call->words[0];

    if (strcmp(what, "add") == 0)
        return fault_add(call);
    if (strcmp(what, "fail-share") == 0)
        return fault_share(call);
    if (strcmp(what, "list") == 0)
        return fault_list(call);
    if (strcmp(what, "clear") != 0)
        return refuse(call, "fault add, fail-share, list or clear");
    faults_clear(call->volume->faults);
    return model_faults_changed(call->volume->model, volume_now_usec());
}

static const struct {
    const char *verb;
    size_t least, most; /* words behind it */
    int (*fn)(const struct call *call);
} verbs[] = {
    { "ping", 0, 0, do_ping },       { "get", 0, 1, do_get },
    { "set", 1, WORDS_MAX, do_set }, { "resize", 1, 1, do_resize },
    { "chill", 2, 2, do_chill },     { "record-reset", 0, 0, do_record_reset },
    { "fault", 1, 6, do_fault },
};

/* Splits at single blanks: an empty word cannot be sent. */
static size_t split(char *line, char *words[WORDS_MAX + 1])
{
    size_t length = 0;

    for (char *word; length < WORDS_MAX && (word = strsep(&line, " "));) {
        if (word[0])
            words[length++] = word;
    }
    words[length] = NULL;
    return length;
}

int control_execute(struct volume *volume, char *line, FILE *out, char error[SETTINGS_ERROR_MAX])
{
    char *words[WORDS_MAX + 1];
    size_t length = split(line, words);
    struct call call = { volume, words + 1, length > 0 ? length - 1 : 0, out, error };

    error[0] = '\0';
    for (size_t i = 0; length > 0 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        int r;

        if (strcmp(verbs[i].verb, words[0]) != 0)
            continue;
        if (call.length < verbs[i].least || call.length > verbs[i].most)
            return refuse(&call, "wrong number of words; see --help");
        r = verbs[i].fn(&call);
        if (r < 0 && !error[0])
            snprintf(error, SETTINGS_ERROR_MAX, "%s", strerror(-r));
        return r;
    }
    return refuse(&call, "no such verb");
}
