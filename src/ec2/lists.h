/* SPDX-License-Identifier: MIT */
/* Asks which blocks of the volumes' snapshots hold data. */
#ifndef EC2_LISTS_H
#define EC2_LISTS_H

#include "ec2/aws.h"
#include "ec2/volumes.h"

#define LISTS_SUFFIX ".blocks"

/*
 * `aws` is the service "ebs". Writes VOLUME.blocks into the folder for each volume of a snapshot
 * that has no good one yet: a snapshot never changes. A folder of -1 asks for the first page only
 * and writes nothing. A list that cannot be had is noted: it only saves reads.
 */
void lists_ask(struct aws *aws, const struct volumes *volumes, int directory_fd,
               void (*note)(const char *text));

#endif
