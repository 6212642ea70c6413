/* SPDX-License-Identifier: MIT */
#include "ec2/describe.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define VERSION   "&Version=2016-11-15"
#define PAGES_MAX 100
/* EC2 takes no more values in one filter; an instance has fewer volumes. */
#define FILTER_VALUES_MAX 200U

typedef int (*take_fn)(struct volumes *volumes, const char *xml, size_t length, const char **why);

static int ask_once(struct aws *aws, const char *action, const char *body, take_fn take,
                    struct volumes *volumes)
{
    const struct aws_request request = {
        .action = action, .target = "/", .body = body, .take_error = ec2_error_take
    };
    _cleanup_free_ char *xml = NULL;
    const char *why;
    size_t length;
    int r = aws_call(aws, &request, &xml, &length);

    if (r < 0)
        return r;
    r = take(volumes, xml, length, &why);
    if (r < 0) {
        char what[EC2_WHY_MAX / 2];

        snprintf(what, sizeof(what), "the answer is not to be believed: %s", why);
        return aws_refuse(aws, r, action, what);
    }
    return 0;
}

static void print_encoded(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

/* `parameters` and, from the second page on, the token. */
static char *page_body(const char *action, const char *parameters, const char *next_token)
{
    char *body = NULL;
    size_t length;
    FILE *out = open_memstream(&body, &length);

    if (!out)
        return NULL;
    fprintf(out, "Action=%s" VERSION "%s", action, parameters);
    if (*next_token) {
        fputs("&NextToken=", out);
        print_encoded(out, next_token);
    }
    return fclose(out) == 0 ? body : NULL;
}

static int ask(struct aws *aws, const char *action, const char *parameters, take_fn take,
               struct volumes *volumes)
{
    volumes->next_token[0] = '\0';
    for (int page = 0; page < PAGES_MAX; page++) {
        _cleanup_free_ char *body = page_body(action, parameters, volumes->next_token);
        int r;

        if (!body)
            return aws_refuse(aws, -ENOMEM, action, "out of memory");
        r = ask_once(aws, action, body, take, volumes);
        if (r < 0 || volumes->next_token[0] == '\0')
            return r;
    }
    return aws_refuse(aws, -EFBIG, action, "the answer has too many pages");
}

static char *status_parameters(const struct volumes *volumes)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    for (size_t i = 0; i < volumes->n_items; i++)
        fprintf(out, "&VolumeId.%zu=%s", i + 1, volumes->items[i].volume);
    return fclose(out) == 0 ? text : NULL;
}

/*
 * By a filter and not by SnapshotId.N: a snapshot may be deleted after the volume was made, and
 * asked for by its id it would fail the question for all others.
 */
static char *snapshot_parameters(const struct volumes *volumes, unsigned *ret_n)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    *ret_n = 0;
    if (!out)
        return NULL;
    fputs("&Filter.1.Name=snapshot-id", out);
    for (size_t i = 0; i < volumes->n_items && *ret_n < FILTER_VALUES_MAX; i++)
        if (origin_has_snapshot(&volumes->items[i]))
            fprintf(out, "&Filter.1.Value.%u=%s", ++*ret_n, volumes->items[i].snapshot);
    return fclose(out) == 0 ? text : NULL;
}

static int ask_volumes(struct aws *aws, struct volumes *volumes)
{
    char parameters[256];

    snprintf(parameters, sizeof(parameters),
             "&MaxResults=500&Filter.1.Name=attachment.instance-id&Filter.1.Value.1=%s",
             volumes->instance_id);
    return ask(aws, "DescribeVolumes", parameters, volumes_take, volumes);
}

int describe_volumes(struct aws *aws, struct volumes *ret, void (*note)(const char *text))
{
    _cleanup_free_ char *of_volumes = NULL;
    _cleanup_free_ char *of_snapshots = NULL;
    unsigned n_snapshots;
    int r = ask_volumes(aws, ret);

    if (r < 0)
        return r;
    of_volumes = status_parameters(ret);
    of_snapshots = snapshot_parameters(ret, &n_snapshots);
    if (!of_volumes || !of_snapshots)
        return aws_refuse(aws, -ENOMEM, "DescribeVolumes", "out of memory");
    if (ret->n_items > 0 &&
        ask(aws, "DescribeVolumeStatus", of_volumes, volumes_take_status, ret) < 0)
        note(aws_why(aws));
    if (n_snapshots > 0 &&
        ask(aws, "DescribeSnapshots", of_snapshots, volumes_take_snapshots, ret) < 0)
        note(aws_why(aws));
    return 0;
}
