/* SPDX-License-Identifier: MIT */
/* Mount points and sources are named by whoever may mount. */
#include "device/mountinfo.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct mounts mounts;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (mounts_parse(text, &mounts) >= 0)
        for (size_t i = 0; i < mounts.n_mounts; i++)
            if (!mounts_find_id(&mounts, mounts.mounts[i].id))
                abort();
    (void)mounts_find_path(&mounts, "/a/path");
    mounts_free(&mounts);
    free(text);
    return 0;
}
