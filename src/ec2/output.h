/* SPDX-License-Identifier: MIT */
/* The folder that ebswarmd reads. */
#ifndef EC2_OUTPUT_H
#define EC2_OUTPUT_H

#include "ec2/volumes.h"

/*
 * Opens `path`, or origin/ in $RUNTIME_DIRECTORY or /run/ebswarm; makes the last folder of it.
 * Failures are told on standard error.
 */
int output_open(const char *path);
int output_write(int directory_fd, const struct volumes *volumes);
/* Takes away the files of volumes that are not attached, once all that are have theirs. */
int output_remove_stale(int directory_fd, const struct volumes *volumes);

#endif
