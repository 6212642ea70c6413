/* SPDX-License-Identifier: MIT */
#ifndef CONF_DROPINS_H
#define CONF_DROPINS_H

/* A folder that is there and can't be listed: what it holds is not known. */
typedef void (*dropins_broken_fn)(const char *path, int error, void *userdata);

/*
 * The drop-ins to read, in order: DIRECTORY/FOLDER/NAME.conf of all directories (highest first,
 * NULL-terminated), sorted by NAME. Of two with one NAME the higher directory's counts; one that is
 * empty or a link to /dev/null hides those below it and is not read. As systemd.unit(5) has it.
 * *ret is NULL-terminated and the caller's. -ENOMEM.
 */
int dropins_list(const char *const *directories, const char *folder, dropins_broken_fn broken,
                 void *userdata, char ***ret);

#endif
