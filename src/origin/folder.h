/* SPDX-License-Identifier: MIT */
/* The origin files of one folder, and which of them speaks of a device. */
#ifndef ORIGIN_FOLDER_H
#define ORIGIN_FOLDER_H

#include "origin/origin.h"

/* What ends the name of an origin file. */
#define ORIGIN_SUFFIX ".origin"

struct origin_file {
    struct origin origin;
    int64_t written_unix_usec; /* the file's time of modification */
};

struct origin_folder {
    struct origin_file *files;
    size_t n_files;
};

/* $RUNTIME_DIRECTORY/origin, else /run/ebswarm/origin. The caller's; NULL when out of memory. */
char *origin_folder_path(void);

bool origin_folder_is_file(const char *name);

/*
 * Reads all files that are believed (origin_load()): root's, our own, and those of whoever owns the
 * folder, a user that was given it to write there. The others are logged and left out; so is the
 * whole folder where it is not there. The caller calls origin_folder_done().
 */
void origin_folder_read(const char *path, struct origin_folder *ret);
void origin_folder_done(struct origin_folder *folder);

/* NULL where nothing is told. */
const struct origin *origin_folder_find(const struct origin_folder *folder, const char *volume_id);

/* A device that has no id of its own, as those of Xen. */
struct origin_device {
    const char *name; /* the kernel's: "xvdf" */
    uint64_t size_bytes;
    /* When it came; a file written before that tells of one that had the name earlier. 0 = not
     * known: no file is believed. */
    int64_t appeared_unix_usec;
    const char *boot_id; /* this boot's: names are given anew in each */
};

/*
 * The one file whose Device= is this device's name: "/dev/sdf" is xvdf, "/dev/sda1" xvda (AWS,
 * "Device names on Linux"). NULL where none is, or more than one, or where the size is another
 * (some kernels shift the letters).
 */
const struct origin *origin_folder_find_device(const struct origin_folder *folder,
                                               const struct origin_device *device);

#endif
