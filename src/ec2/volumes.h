/* SPDX-License-Identifier: MIT */
/* EC2's answers about volumes, turned into origins. Pure. */
#ifndef EC2_VOLUMES_H
#define EC2_VOLUMES_H

#include "ec2/aws.h"
#include "origin/origin.h"

#define VOLUMES_TOKEN_MAX 4097

struct volumes {
    const char *instance_id; /* whose attachments count: a volume may have several */
    struct origin *items;
    size_t n_items;
    char next_token[VOLUMES_TOKEN_MAX]; /* of the last page; "" after the last */
};

void volumes_done(struct volumes *volumes);
/* Each adds an answer's page. -EINVAL with *why, -ENOMEM. */
int volumes_take(struct volumes *volumes, const char *xml, size_t length, const char **why);
int volumes_take_status(struct volumes *volumes, const char *xml, size_t length, const char **why);
int volumes_take_snapshots(struct volumes *volumes, const char *xml, size_t length,
                           const char **why);
/* Empty strings when the body is no error document. */
void ec2_error_take(struct aws_error *error, const char *xml, size_t length);

#endif
