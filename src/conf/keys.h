/* SPDX-License-Identifier: MIT */
/* The table of sections and keys: what each takes, and where it goes. */
#ifndef CONF_KEYS_H
#define CONF_KEYS_H

#include "conf/conf.h"

#define VOLUME_SECTION "Volume"

/* Not yet said in a [Volume …] section: [Warm]'s value will be taken. */
#define READS_UNSET_DEPTH UINT32_MAX
#define READS_UNSET_BLOCK UINT64_MAX

struct key {
    struct conf_key about;
    /* -EINVAL, -ERANGE: `about.accepts` says what would be right. -ENOMEM. */
    int (*parse)(const char *value, void *field);
    size_t offset; /* of the field in struct conf, or struct conf_volume for VOLUME_SECTION */
    size_t length; /* of the field; 0 for a string or list, which parse() resets by itself */
};

/* NULL past the last. */
const struct key *key_get(size_t n);
/* NULL when there is no such key; the name must match to the letter, as systemd has it. */
const struct key *key_find(const char *section, const char *name);
bool section_exists(const char *section);

/* The nearest known one, NULL when none is near. */
const char *key_nearest(const char *section, const char *name);
const char *section_nearest(const char *section);
/* The section that has a key of this name, NULL when none has. */
const char *key_home(const char *name);

#endif
