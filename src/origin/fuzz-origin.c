/* SPDX-License-Identifier: MIT */
/* A site's script may write anything; what is accepted must survive being written and read again.
 */
#include "base/cleanup.h"
#include "origin/origin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[ORIGIN_WHY_MAX];
    struct origin first, second;
    _cleanup_free_ char *text = NULL;
    _cleanup_free_ char *again = NULL;

    if (origin_parse((const char *)data, size, &first, why) < 0)
        return 0;
    text = origin_format(&first);
    if (!text || origin_parse(text, strlen(text), &second, why) < 0)
        abort();
    again = origin_format(&second);
    if (!again || strcmp(text, again) != 0)
        abort();
    return 0;
}
