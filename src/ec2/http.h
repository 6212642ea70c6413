/* SPDX-License-Identifier: MIT */
/* One bounded request by libcurl. */
#ifndef EC2_HTTP_H
#define EC2_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_BODY_MAX (16U * 1024U * 1024U)

struct http_request {
    const char *url;
    const char *method; /* NULL = GET, or POST with a body */
    const char *body;
    const char *headers[3]; /* NULL-terminated */
    const char *sigv4;      /* "aws:amz:REGION:SERVICE" */
    const char *access_key, *secret_key;
    bool no_proxy;
    uint64_t timeout_usec;
};

struct http_reply {
    long status;
    char *body; /* NUL-terminated; the caller's */
    size_t length, room;
    char error_type[64]; /* of a JSON service's error, which its body does not name */
    char error[256];     /* why there is no status */
};

/* 0 when there is a whole answer, whatever its status; -EIO, -ETIMEDOUT, -EFBIG, -ENOSYS. */
int http_do(const struct http_request *request, struct http_reply *ret);

#endif
