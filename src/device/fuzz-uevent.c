/* SPDX-License-Identifier: MIT */
#include "device/uevent.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct uevent uevent;

    if (uevent_parse((const char *)data, size, &uevent) >= 0 &&
        (uevent.name[0] == '\0' || strchr(uevent.name, '/')))
        abort();
    return 0;
}
