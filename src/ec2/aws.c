/* SPDX-License-Identifier: MIT */
#include "ec2/aws.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "ec2/http.h"
#include "ec2/pause.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define ATTEMPTS         6U
#define ATTEMPT_MAX_USEC (15 * USEC_PER_SEC)

struct aws {
    const struct instance *instance;
    const char *service;
    char endpoint[600], sigv4[128], *token_header;
    uint64_t deadline_usec;
    struct aws_error error;
    char *why;
};

DEFINE_CLEANUP(struct aws *, aws_free, aws_free_p)

const char *aws_why(const struct aws *aws)
{
    return aws->why;
}

const struct aws_error *aws_last_error(const struct aws *aws)
{
    return &aws->error;
}

int aws_refuse(const struct aws *aws, int error, const char *action, const char *what)
{
    snprintf(aws->why, EC2_WHY_MAX, "%s: %s", action, what);
    return error;
}

static bool is_passing(long status, const struct aws_error *error)
{
    return status >= 500 || status == 429 || strcasestr(error->code, "throttl") ||
           strcmp(error->code, "RequestLimitExceeded") == 0;
}

static bool is_one_of(const char *code, const char *const *codes)
{
    for (; *codes; codes++)
        if (strcmp(code, *codes) == 0)
            return true;
    return false;
}

static int explain(const struct aws *aws, const char *action, long status)
{
    static const char *const denied[] = { "UnauthorizedOperation", "AccessDenied",
                                          "AccessDeniedException", NULL };
    static const char *const clock[] = { "SignatureDoesNotMatch", "RequestExpired",
                                         "InvalidSignatureException", NULL };
    static const char *const credentials[] = {
        "AuthFailure",           "InvalidClientTokenId",        "ExpiredToken",
        "ExpiredTokenException", "UnrecognizedClientException", NULL
    };
    const char *code = aws->error.code;

    if (is_one_of(code, denied)) {
        snprintf(aws->why, EC2_WHY_MAX,
                 "the instance's role lacks %s:%s: add it to its policy (see ebswarm-ec2(8))",
                 aws->service, action);
        return -EACCES;
    }
    if (is_one_of(code, clock)) {
        snprintf(aws->why, EC2_WHY_MAX, "%s: %s: is this machine's clock right?", action, code);
        return -EACCES;
    }
    if (is_one_of(code, credentials)) {
        snprintf(aws->why, EC2_WHY_MAX,
                 "%s: %s: the credentials are not accepted; was the role removed or replaced?",
                 action, code);
        return -EACCES;
    }
    snprintf(aws->why, EC2_WHY_MAX, "%s: status %ld %s %s", action, status, code,
             aws->error.message);
    return -EIO;
}

static int attempt_once(const struct aws *aws, const struct aws_request *request,
                        struct http_reply *reply)
{
    char url[1200];
    uint64_t now = now_usec();
    struct http_request http = {
        .url = url,
        .body = request->body,
        .headers = { aws->token_header },
        .sigv4 = aws->sigv4,
        .access_key = aws->instance->access_key,
        .secret_key = aws->instance->secret_key,
    };

    *reply = (struct http_reply){ 0 };
    if (snprintf(url, sizeof(url), "%s%s", aws->endpoint, request->target) >= (int)sizeof(url))
        return -ENAMETOOLONG;
    if (now >= aws->deadline_usec)
        return -ETIME;
    http.timeout_usec = aws->deadline_usec - now;
    if (http.timeout_usec > ATTEMPT_MAX_USEC)
        http.timeout_usec = ATTEMPT_MAX_USEC;
    return http_do(&http, reply);
}

/* What no further attempt can mend; 0 for the rest. */
static int explain_final(const struct aws *aws, const char *action, int error)
{
    switch (error) {
    case -EFBIG:
        return aws_refuse(aws, error, action, "the answer is over 16 MiB");
    case -ENOSYS:
        return aws_refuse(aws, error, action,
                          "this libcurl cannot sign requests (SigV4): install the full libcurl in "
                          "place of libcurl-minimal");
    case -ENAMETOOLONG:
        return aws_refuse(aws, error, action, "the endpoint's address is too long");
    default:
        return 0;
    }
}

/* The error's own fields come from the network: one printable line is all that may be shown. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
            *text = '?';
}

static void take_error(struct aws *aws, const struct aws_request *request,
                       const struct http_reply *reply)
{
    aws->error = (struct aws_error){ 0 };
    request->take_error(&aws->error, reply->body, reply->length);
    if (reply->error_type[0])
        snprintf(aws->error.code, sizeof(aws->error.code), "%s", reply->error_type);
    make_printable(aws->error.code);
    make_printable(aws->error.message);
}

int aws_call(struct aws *aws, const struct aws_request *request, char **ret, size_t *ret_length)
{
    (void)aws_refuse(aws, -ETIMEDOUT, request->action, "no time was left to ask");
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct http_reply reply;
        int r;

        if (attempt > 0)
            pause_before_retry(attempt - 1);
        r = attempt_once(aws, request, &reply);
        if (r == -ETIME)
            break;
        if (explain_final(aws, request->action, r) < 0)
            return r;
        if (r < 0) {
            (void)aws_refuse(aws, r, request->action, reply.error);
            continue;
        }
        if (reply.status == 200) {
            *ret = reply.body;
            *ret_length = reply.length;
            return 0;
        }
        take_error(aws, request, &reply);
        free(reply.body);
        r = explain(aws, request->action, reply.status);
        if (!is_passing(reply.status, &aws->error))
            return r;
    }
    return -ETIMEDOUT;
}

static int set_endpoint(struct aws *aws, const char *variable)
{
    const char *endpoint = getenv(variable);
    size_t length;

    if (!endpoint || !*endpoint) {
        snprintf(aws->endpoint, sizeof(aws->endpoint), "https://%s.%s.%s", aws->service,
                 aws->instance->region, aws->instance->domain);
        return 0;
    }
    if (snprintf(aws->endpoint, sizeof(aws->endpoint), "%s", endpoint) >=
        (int)sizeof(aws->endpoint))
        return aws_refuse(aws, -EINVAL, variable, "is too long");
    length = strlen(aws->endpoint);
    if (aws->endpoint[length - 1] == '/')
        aws->endpoint[length - 1] = '\0';
    return 0;
}

int aws_new(const struct instance *instance, const char *service, const char *endpoint_variable,
            uint64_t total_usec, char why[EC2_WHY_MAX], struct aws **ret)
{
    _cleanup_(aws_free_p) struct aws *aws = calloc(1, sizeof(*aws));
    int r;

    snprintf(why, EC2_WHY_MAX, "out of memory");
    if (!aws)
        return -ENOMEM;
    aws->instance = instance;
    aws->service = service;
    aws->why = why;
    aws->deadline_usec = now_usec() + total_usec;
    r = set_endpoint(aws, endpoint_variable);
    if (r < 0)
        return r;
    snprintf(aws->sigv4, sizeof(aws->sigv4), "aws:amz:%s:%s", instance->region, service);
    /* Long-lived credentials of the environment may have none. */
    if (instance->session_token[0] &&
        asprintf(&aws->token_header, "X-Amz-Security-Token: %s", instance->session_token) < 0)
        return -ENOMEM;
    *ret = steal_pointer(&aws);
    return 0;
}

void aws_free(struct aws *aws)
{
    if (!aws)
        return;
    if (aws->token_header)
        explicit_bzero(aws->token_header, strlen(aws->token_header));
    free(aws->token_header);
    free(aws);
}
