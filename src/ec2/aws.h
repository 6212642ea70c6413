/* SPDX-License-Identifier: MIT */
/* Signed questions to AWS, with retries that are bounded in all. */
#ifndef EC2_AWS_H
#define EC2_AWS_H

#include "ec2/imds.h"

#include <stddef.h>
#include <stdint.h>

/* The service's own words; empty when the body was no error document. */
struct aws_error {
    char code[64];
    char message[256];
};

/* One service ("ec2", "ebs") in the instance's region. */
struct aws;

/*
 * `endpoint_variable` names the environment's replacement for https://SERVICE.REGION.DOMAIN. All
 * calls together end after `total_usec`. `why` is where a failed call puts one line on what to do.
 */
int aws_new(const struct instance *instance, const char *service, const char *endpoint_variable,
            uint64_t total_usec, char why[EC2_WHY_MAX], struct aws **ret);
void aws_free(struct aws *aws);
const char *aws_why(const struct aws *aws);
/* Of the last call that failed. */
const struct aws_error *aws_last_error(const struct aws *aws);
/* For what a caller finds out about an answer; returns `error`. */
int aws_refuse(const struct aws *aws, int error, const char *action, const char *what);

struct aws_request {
    const char *action; /* as a policy names it: "DescribeVolumes" */
    const char *target; /* the path and query after the endpoint, sorted and percent-encoded */
    const char *body;   /* a form to POST; NULL = GET */
    void (*take_error)(struct aws_error *error, const char *body, size_t length);
};

/* The body of a 200, which the caller frees. -EACCES, -EIO, -EFBIG, -ENOSYS, -ETIMEDOUT. */
int aws_call(struct aws *aws, const struct aws_request *request, char **ret, size_t *ret_length);

#endif
