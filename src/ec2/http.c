/* SPDX-License-Identifier: MIT */
#include "ec2/http.h"

#include "base/cleanup.h"
#include "base/size.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#define CONNECT_TIMEOUT_MSEC 3000L

DEFINE_CLEANUP(CURL *, curl_easy_cleanup, curl_p)
DEFINE_CLEANUP(struct curl_slist *, curl_slist_free_all, slist_p)

/* Doubles the room, so that a long answer is not copied once for each piece that comes. */
static int make_room(struct http_reply *reply, size_t needed)
{
    size_t room = reply->room ? reply->room : 16 * KIB;
    char *body;

    if (needed <= reply->room)
        return 0;
    while (room < needed)
        room *= 2;
    body = realloc(reply->body, room);
    if (!body)
        return -ENOMEM;
    reply->body = body;
    reply->room = room;
    return 0;
}

static size_t on_body(char *data, size_t size, size_t n, void *userdata)
{
    struct http_reply *reply = userdata;
    size_t length = size * n;

    if (length > HTTP_BODY_MAX - reply->length || make_room(reply, reply->length + length + 1) < 0)
        return 0;
    memcpy(reply->body + reply->length, data, length);
    reply->length += length;
    reply->body[reply->length] = '\0';
    return length;
}

static int make_headers(const struct http_request *request, struct curl_slist **ret)
{
    for (size_t i = 0; i < 3 && request->headers[i]; i++) {
        struct curl_slist *longer = curl_slist_append(*ret, request->headers[i]);

        if (!longer)
            return -ENOMEM;
        *ret = longer;
    }
    return 0;
}

/* A libcurl-minimal without SigV4 knows the option's number and refuses it. */
static int set_signing(CURL *curl, const struct http_request *request)
{
    if (!request->sigv4)
        return 0;
    if (curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, request->sigv4) != CURLE_OK)
        return -ENOSYS;
    curl_easy_setopt(curl, CURLOPT_USERNAME, request->access_key);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, request->secret_key);
    return 0;
}

static void set_options(CURL *curl, const struct http_request *request, struct http_reply *reply)
{
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MSEC);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(request->timeout_usec / USEC_PER_MSEC));
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reply->error);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, reply);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "ebswarm-ec2/" EBSWARM_VERSION);
    if (request->no_proxy)
        curl_easy_setopt(curl, CURLOPT_PROXY, "");
    if (request->body)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    if (request->method)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
}

static void take_error_type(CURL *curl, struct http_reply *reply)
{
    struct curl_header *header;

    if (curl_easy_header(curl, "x-amzn-ErrorType", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
        snprintf(reply->error_type, sizeof(reply->error_type), "%.*s",
                 (int)strcspn(header->value, ":"), header->value);
}

int http_do(const struct http_request *request, struct http_reply *ret)
{
    _cleanup_(curl_p) CURL *curl = curl_easy_init();
    _cleanup_(slist_p) struct curl_slist *headers = NULL;
    CURLcode code;

    *ret = (struct http_reply){ 0 };
    if (!curl || make_headers(request, &headers) < 0)
        return -ENOMEM;
    set_options(curl, request, ret);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (set_signing(curl, request) < 0)
        return -ENOSYS;
    code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &ret->status);
    take_error_type(curl, ret);
    if (code == CURLE_OK && (ret->body || (ret->body = strdup(""))))
        return 0;
    if (!ret->error[0])
        snprintf(ret->error, sizeof(ret->error), "%s",
                 code == CURLE_WRITE_ERROR ? "the answer is over 16 MiB"
                                           : curl_easy_strerror(code));
    free(ret->body);
    ret->body = NULL;
    if (code == CURLE_NOT_BUILT_IN)
        return -ENOSYS;
    if (code == CURLE_WRITE_ERROR)
        return -EFBIG;
    return code == CURLE_OPERATION_TIMEDOUT ? -ETIMEDOUT : -EIO;
}
