/* SPDX-License-Identifier: MIT */
/* Prints every key that the program knows and what it accepts, for the test that holds manual and
 * default file to it. */
#include "conf/conf.h"

#include <stdio.h>

int main(void)
{
    const struct conf_key *key;

    for (size_t i = 0; (key = conf_key_get(i)); i++)
        printf("%s\t%s\t%s\n", key->section, key->key, key->accepts);
    return 0;
}
