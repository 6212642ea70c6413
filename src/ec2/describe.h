/* SPDX-License-Identifier: MIT */
/* Asks EC2 where an instance's volumes came from. */
#ifndef EC2_DESCRIBE_H
#define EC2_DESCRIBE_H

#include "ec2/aws.h"
#include "ec2/volumes.h"

/* `aws` is the service "ec2". A note is what is left unsaid, and why. */
int describe_volumes(struct aws *aws, struct volumes *ret, void (*note)(const char *text));

#endif
