/* SPDX-License-Identifier: MIT */
#include "ec2/aws.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "ec2/http.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#define VERSION          "&Version=2016-11-15"
#define ATTEMPTS         6U
#define BACKOFF_MSEC     500U
#define BACKOFF_MAX_MSEC 8000U
#define TOTAL_USEC       (60 * USEC_PER_SEC)
#define PAGES_MAX        100

struct client {
    const struct instance *instance;
    char url[768], sigv4[128], *token_header;
    uint64_t deadline_usec;
    unsigned backoff_msec;
    char *why;
};

static uint64_t now_usec(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * USEC_PER_SEC + (uint64_t)ts.tv_nsec / 1000;
}

/* Full jitter: anything from 0 to the bound, so that a fleet that booted together spreads. */
static void back_off(const struct client *client, unsigned attempt)
{
    unsigned bound = client->backoff_msec << attempt, random = 0;
    struct timespec ts;

    if (bound > BACKOFF_MAX_MSEC)
        bound = BACKOFF_MAX_MSEC;
    (void)getrandom(&random, sizeof(random), 0);
    random %= bound + 1;
    ts = (struct timespec){ .tv_sec = random / 1000, .tv_nsec = random % 1000 * 1000000L };
    nanosleep(&ts, NULL);
}

static bool is_passing(const struct http_reply *reply, const struct ec2_error *error)
{
    return reply->status >= 500 || reply->status == 429 || strstr(error->code, "Throttl") ||
           strcmp(error->code, "RequestLimitExceeded") == 0;
}

static int explain(const struct client *client, const char *action, const struct ec2_error *error,
                   long status)
{
    if (strcmp(error->code, "UnauthorizedOperation") == 0 ||
        strcmp(error->code, "AccessDenied") == 0) {
        snprintf(client->why, EC2_WHY_MAX,
                 "the instance's role lacks ec2:%s: add it to its policy on resource \"*\" (see "
                 "ebswarm-ec2(8))",
                 action);
        return -EACCES;
    }
    if (strcmp(error->code, "SignatureDoesNotMatch") == 0 ||
        strcmp(error->code, "RequestExpired") == 0) {
        snprintf(client->why, EC2_WHY_MAX, "%s: %s: is this machine's clock right?", action,
                 error->code);
        return -EACCES;
    }
    snprintf(client->why, EC2_WHY_MAX, "%s: status %ld %s %s", action, status, error->code,
             error->message);
    return -EIO;
}

static int attempt_once(const struct client *client, const char *body, struct http_reply *reply)
{
    uint64_t now = now_usec();
    struct http_request request = {
        .url = client->url,
        .body = body,
        .headers = { client->token_header },
        .sigv4 = client->sigv4,
        .access_key = client->instance->access_key,
        .secret_key = client->instance->secret_key,
    };

    *reply = (struct http_reply){ 0 };
    if (now >= client->deadline_usec)
        return -ETIME;
    request.timeout_usec = client->deadline_usec - now;
    if (request.timeout_usec > 15 * USEC_PER_SEC)
        request.timeout_usec = 15 * USEC_PER_SEC;
    return http_do(&request, reply);
}

static int call(const struct client *client, const char *action, const char *body, char **ret,
                size_t *ret_length)
{
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct http_reply reply;
        struct ec2_error error = { 0 };
        int r;

        if (attempt > 0)
            back_off(client, attempt - 1);
        r = attempt_once(client, body, &reply);
        if (r == -ETIME)
            break;
        if (r == -ENOSYS || r == -EFBIG) {
            snprintf(client->why, EC2_WHY_MAX, "%s: %s", action,
                     r == -EFBIG ? "the answer is over 16 MiB"
                                 : "this libcurl cannot sign requests (SigV4): install the full "
                                   "libcurl in place of libcurl-minimal");
            return r;
        }
        if (r < 0) {
            snprintf(client->why, EC2_WHY_MAX, "%s: %s", action, reply.error);
            continue;
        }
        if (reply.status == 200) {
            *ret = reply.body;
            *ret_length = reply.length;
            return 0;
        }
        ec2_error_take(&error, reply.body, reply.length);
        free(reply.body);
        r = explain(client, action, &error, reply.status);
        if (!is_passing(&reply, &error))
            return r;
    }
    return -ETIMEDOUT;
}

typedef int (*take_fn)(struct volumes *volumes, const char *xml, size_t length, const char **why);

static int call_and_take(const struct client *client, const char *action, const char *body,
                         take_fn take, struct volumes *volumes)
{
    _cleanup_free_ char *xml = NULL;
    const char *why;
    size_t length;
    int r = call(client, action, body, &xml, &length);

    if (r < 0)
        return r;
    r = take(volumes, xml, length, &why);
    if (r < 0)
        snprintf(client->why, EC2_WHY_MAX, "%s: the answer is not to be believed: %s", action, why);
    return r;
}

static void print_encoded(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
}

static char *page_body(const struct client *client, const char *next_token)
{
    char *body = NULL;
    size_t length;
    FILE *out = open_memstream(&body, &length);

    if (!out)
        return NULL;
    fprintf(out,
            "Action=DescribeVolumes" VERSION "&MaxResults=500"
            "&Filter.1.Name=attachment.instance-id&Filter.1.Value.1=%s",
            client->instance->id);
    if (*next_token) {
        fputs("&NextToken=", out);
        print_encoded(out, next_token);
    }
    return fclose(out) == 0 ? body : NULL;
}

static int describe_volumes(const struct client *client, struct volumes *volumes)
{
    for (int page = 0; page < PAGES_MAX; page++) {
        _cleanup_free_ char *body = page_body(client, volumes->next_token);
        int r;

        if (!body)
            return -ENOMEM;
        r = call_and_take(client, "DescribeVolumes", body, volumes_take, volumes);
        if (r < 0 || volumes->next_token[0] == '\0')
            return r;
    }
    snprintf(client->why, EC2_WHY_MAX, "DescribeVolumes: more than %d pages", PAGES_MAX);
    return -EFBIG;
}

/* Of the volumes, or of their snapshots where there are any. */
static char *ids_body(const char *action, const char *parameter, const struct volumes *volumes,
                      bool of_snapshots, unsigned *ret_n)
{
    char *body = NULL;
    size_t length;
    FILE *out = open_memstream(&body, &length);

    *ret_n = 0;
    if (!out)
        return NULL;
    fprintf(out, "Action=%s" VERSION, action);
    for (size_t i = 0; i < volumes->n_items; i++) {
        const struct origin *origin = &volumes->items[i];

        if (of_snapshots && strcmp(origin->snapshot, ORIGIN_NONE) == 0)
            continue;
        fprintf(out, "&%s.%u=%s", parameter, ++*ret_n,
                of_snapshots ? origin->snapshot : origin->volume);
    }
    return fclose(out) == 0 ? body : NULL;
}

static void ask_more(const struct client *client, const char *action, const char *parameter,
                     take_fn take, bool of_snapshots, struct volumes *volumes,
                     void (*note)(const char *text))
{
    unsigned n;
    _cleanup_free_ char *body = ids_body(action, parameter, volumes, of_snapshots, &n);

    if (body && n > 0 && call_and_take(client, action, body, take, volumes) < 0)
        note(client->why);
}

static int client_init(struct client *client, const struct instance *instance, char *why)
{
    const char *endpoint = getenv("AWS_ENDPOINT_URL_EC2");
    const char *backoff = getenv("EBSWARM_EC2_BACKOFF_MSEC"); /* for tests */

    *client = (struct client){ .instance = instance, .backoff_msec = BACKOFF_MSEC, .why = why };
    client->deadline_usec = now_usec() + TOTAL_USEC;
    if (backoff && (parse_unsigned(backoff, &client->backoff_msec) < 0 ||
                    client->backoff_msec > BACKOFF_MAX_MSEC))
        client->backoff_msec = BACKOFF_MSEC;
    if (endpoint && *endpoint)
        snprintf(client->url, sizeof(client->url), "%s/", endpoint);
    else
        snprintf(client->url, sizeof(client->url), "https://ec2.%s.%s/", instance->region,
                 instance->domain);
    snprintf(client->sigv4, sizeof(client->sigv4), "aws:amz:%s:ec2", instance->region);
    if (asprintf(&client->token_header, "X-Amz-Security-Token: %s", instance->session_token) < 0)
        return -ENOMEM;
    return 0;
}

int aws_ask(const struct instance *instance, struct volumes *ret, void (*note)(const char *text),
            char why[EC2_WHY_MAX])
{
    struct client client;
    int r = client_init(&client, instance, why);

    if (r < 0)
        return r;
    r = describe_volumes(&client, ret);
    if (r >= 0) {
        ask_more(&client, "DescribeVolumeStatus", "VolumeId", volumes_take_status, false, ret,
                 note);
        ask_more(&client, "DescribeSnapshots", "SnapshotId", volumes_take_snapshots, true, ret,
                 note);
    }
    explicit_bzero(client.token_header, strlen(client.token_header));
    free(client.token_header);
    return r;
}
