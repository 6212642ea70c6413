/* SPDX-License-Identifier: MIT */
/* EC2's query API for one instance, with retries. */
#ifndef EC2_AWS_H
#define EC2_AWS_H

#include "ec2/imds.h"
#include "ec2/volumes.h"

/* Asks where the instance's volumes came from. A note is what is left unsaid, and why. */
int aws_ask(const struct instance *instance, struct volumes *ret, void (*note)(const char *text),
            char why[EC2_WHY_MAX]);

#endif
