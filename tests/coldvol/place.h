/* SPDX-License-Identifier: MIT */
/* The folder of a cold volume: ${COLDVOL_DIR:-/run/coldvol}/NAME/. */
#ifndef COLDVOL_PLACE_H
#define COLDVOL_PLACE_H

#include <limits.h>
#include <sys/un.h>

struct place {
    const char *name;
    char folder[PATH_MAX];
    char device[PATH_MAX];  /* symbolic link to the loop device */
    char mount[PATH_MAX];   /* where the file system is */
    char volume[PATH_MAX];  /* the one file in it */
    char control[PATH_MAX]; /* Unix socket of the server */
    char record[PATH_MAX];
    char settings[PATH_MAX];
    char pid[PATH_MAX]; /* locked by the server for as long as it lives */
    char log[PATH_MAX];
};

/* -EINVAL for a name that is no file name of at most 64 letters, digits, '.', '_' and '-'. */
int place_init(struct place *place, const char *name);
/* Calls `fn` with the name of every folder there is; the first negative answer ends it. */
int place_for_each(int (*fn)(const char *name, void *userdata), void *userdata);
/* Makes the folder (and the one above) unless it is there. */
int place_make(const struct place *place);
/* Removes what is in the folder and the folder, or only what does not outlive a reboot. */
void place_remove(const struct place *place, int keep_state);
/*
 * The control socket's address by way of the folder's descriptor, which the caller keeps open while
 * it uses it: a path of its own may be longer than the 107 characters that an address has.
 */
int place_get_address(const struct place *place, struct sockaddr_un *ret_address, int *ret_folder);

#endif
