/* SPDX-License-Identifier: MIT */
#include "ec2/imds.h"

#include "base/cleanup.h"
#include "base/size.h"
#include "ec2/http.h"
#include "ec2/pause.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TIMEOUT_USEC (2 * USEC_PER_SEC)
#define ATTEMPTS     4U
#define ROLES        "/latest/meta-data/iam/security-credentials/"

DEFINE_CLEANUP(json_t *, json_decref, json_p)

struct session {
    char endpoint[512];
    char token_header[256];
    char *why;
};

static int refuse(const struct session *session, int error, const char *what)
{
    snprintf(session->why, EC2_WHY_MAX, "%s", what);
    return error;
}

/* The service says 5xx and 429 while it is busy, as it may be when an instance has just booted. */
static int do_request(const struct http_request *request, struct http_reply *reply)
{
    for (unsigned attempt = 0;; attempt++) {
        int r = http_do(request, reply);

        if (r < 0 || (reply->status < 500 && reply->status != 429) || attempt + 1 == ATTEMPTS)
            return r;
        free(reply->body);
        pause_before_retry(attempt);
    }
}

static int request(struct session *session, const char *path, bool is_token,
                   struct http_reply *reply)
{
    char url[768];
    struct http_request request = {
        .url = url,
        .method = is_token ? "PUT" : NULL,
        .headers = { is_token ? "X-aws-ec2-metadata-token-ttl-seconds: 300"
                              : session->token_header },
        .no_proxy = true,
        .timeout_usec = TIMEOUT_USEC,
    };

    if (snprintf(url, sizeof(url), "%s%s", session->endpoint, path) >= (int)sizeof(url))
        return refuse(session, -EINVAL, "the metadata service's address is too long");
    return do_request(&request, reply);
}

static int get_token(struct session *session)
{
    struct http_reply reply = { 0 };
    _cleanup_free_ char *body = NULL;
    int r = request(session, "/latest/api/token", true, &reply);

    body = reply.body;
    if (r == -ETIMEDOUT)
        return refuse(session, r,
                      "the instance metadata service does not answer: this is no EC2 instance, or "
                      "in a container its hop limit is too low (aws ec2 modify-instance-metadata-"
                      "options --http-put-response-hop-limit 2)");
    if (r < 0) {
        snprintf(session->why, EC2_WHY_MAX, "no instance metadata service at %.200s: %s",
                 session->endpoint, reply.error);
        return r;
    }
    if (reply.status != 200 || reply.length == 0 || reply.length > 200 ||
        body[strcspn(body, "\r\n")] != '\0')
        return refuse(session, -EACCES,
                      "the instance metadata service gives no token (is it switched off for this "
                      "instance?)");
    snprintf(session->token_header, sizeof(session->token_header), "X-aws-ec2-metadata-token: %s",
             body);
    return 0;
}

/* 401 = the token ran out: a new one, once. */
static int get(struct session *session, const char *path, char **ret)
{
    for (int attempt = 0;; attempt++) {
        struct http_reply reply = { 0 };
        int r = request(session, path, false, &reply);

        if (r >= 0 && reply.status == 200) {
            *ret = reply.body;
            return 0;
        }
        free(reply.body);
        if (r >= 0 && reply.status == 401 && attempt == 0) {
            r = get_token(session);
            if (r < 0)
                return r;
            continue;
        }
        snprintf(session->why, EC2_WHY_MAX, "the instance metadata service: %s: %s, status %ld",
                 path, r < 0 ? reply.error : "refused", reply.status);
        return r < 0 ? r : reply.status == 404 ? -ENOENT : -EIO;
    }
}

static bool take_string(const json_t *object, const char *key, char *ret, size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value && *value && !strpbrk(value, "\r\n") &&
           snprintf(ret, size, "%s", value) < (int)size;
}

/* They become a host's name and a form's value, so nothing else may stand in them. */
static bool is_name(const char *text)
{
    return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-")] == '\0';
}

static int get_domain(struct session *session, struct instance *ret)
{
    _cleanup_free_ char *domain = NULL;
    int r = get(session, "/latest/meta-data/services/domain", &domain);

    if (r < 0)
        return r;
    domain[strcspn(domain, "\r\n")] = '\0';
    if (!is_name(domain) || strlen(domain) >= sizeof(ret->domain))
        return refuse(session, -EBADMSG, "the metadata service's domain is no domain");
    strcpy(ret->domain, domain);
    return 0;
}

static int get_identity(struct session *session, struct instance *ret)
{
    _cleanup_free_ char *body = NULL;
    _cleanup_(json_p) json_t *json = NULL;
    int r = get(session, "/latest/dynamic/instance-identity/document", &body);

    if (r < 0)
        return r;
    json = json_loads(body, 0, NULL);
    if (!take_string(json, "region", ret->region, sizeof(ret->region)) ||
        !take_string(json, "instanceId", ret->id, sizeof(ret->id)) || !is_name(ret->region) ||
        !is_name(ret->id))
        return refuse(session, -EBADMSG, "the identity document names no region or instanceId");
    return get_domain(session, ret);
}

static int get_credentials(struct session *session, struct instance *ret)
{
    _cleanup_free_ char *role = NULL;
    _cleanup_free_ char *body = NULL;
    _cleanup_(json_p) json_t *json = NULL;
    char path[256], expiration[64];
    int r = get(session, ROLES, &role);

    if (r == -ENOENT || (r >= 0 && role[0] == '\0'))
        return refuse(session, -EACCES,
                      "the instance has no role: attach one with ec2:DescribeVolumes and "
                      "ec2:DescribeVolumeStatus (see ebswarm-ec2(8))");
    if (r < 0)
        return r;
    role[strcspn(role, "\r\n")] = '\0';
    snprintf(path, sizeof(path), ROLES "%.150s", role);
    r = get(session, path, &body);
    if (r < 0)
        return r;
    json = json_loads(body, 0, NULL);
    explicit_bzero(body, strlen(body));
    if (!take_string(json, "AccessKeyId", ret->access_key, sizeof(ret->access_key)) ||
        !take_string(json, "SecretAccessKey", ret->secret_key, sizeof(ret->secret_key)) ||
        !take_string(json, "Token", ret->session_token, sizeof(ret->session_token)) ||
        !take_string(json, "Expiration", expiration, sizeof(expiration))) {
        char code[64] = "no reason given";

        (void)take_string(json, "Code", code, sizeof(code));
        snprintf(session->why, EC2_WHY_MAX,
                 "the role %.100s gives no credentials (%s): check its trust policy", role, code);
        return -EACCES;
    }
    return 0;
}

static bool take_variable(const char *name, char *ret, size_t size)
{
    const char *value = getenv(name);

    return value && *value && !strpbrk(value, "\r\n") &&
           snprintf(ret, size, "%s", value) < (int)size;
}

/* As the SDKs do, the environment's credentials go before the role's. */
static bool take_environment(struct instance *ret)
{
    if (!take_variable("AWS_ACCESS_KEY_ID", ret->access_key, sizeof(ret->access_key)) ||
        !take_variable("AWS_SECRET_ACCESS_KEY", ret->secret_key, sizeof(ret->secret_key)))
        return false;
    (void)take_variable("AWS_SESSION_TOKEN", ret->session_token, sizeof(ret->session_token));
    return true;
}

static int set_endpoint(struct session *session)
{
    const char *endpoint = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    size_t length;

    if (!endpoint || !*endpoint)
        endpoint = "http://169.254.169.254";
    length = strlen(endpoint);
    if (endpoint[length - 1] == '/')
        length--;
    if (length >= sizeof(session->endpoint))
        return refuse(session, -EINVAL, "AWS_EC2_METADATA_SERVICE_ENDPOINT is too long");
    memcpy(session->endpoint, endpoint, length);
    return 0;
}

int imds_ask(struct instance *ret, char why[EC2_WHY_MAX])
{
    struct session session = { .why = why };
    int r;

    *ret = (struct instance){ 0 };
    r = set_endpoint(&session);
    if (r >= 0)
        r = get_token(&session);
    if (r >= 0)
        r = get_identity(&session, ret);
    if (r >= 0 && !take_environment(ret))
        r = get_credentials(&session, ret);
    return r;
}

void instance_forget(struct instance *instance)
{
    explicit_bzero(instance, sizeof(*instance));
}
