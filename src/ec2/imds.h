/* SPDX-License-Identifier: MIT */
/* The instance metadata service, version 2. */
#ifndef EC2_IMDS_H
#define EC2_IMDS_H

#define EC2_WHY_MAX 512

struct instance {
    char region[64], id[64], domain[64];
    char access_key[160], secret_key[160];
    char session_token[8192];
};

/* Negative errno, `why` saying in one line what to do about it. */
int imds_ask(struct instance *ret, char why[EC2_WHY_MAX]);
/* Overwrites the credentials. */
void instance_forget(struct instance *instance);

#endif
