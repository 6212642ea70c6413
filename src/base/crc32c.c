/* SPDX-License-Identifier: MIT */
#include "base/crc32c.h"

/* Bit by bit: a checkpoint is some kilobytes, every few seconds. */
uint32_t crc32c(const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (UINT32_C(0x82f63b78) & (0U - (crc & 1U)));
    }
    return ~crc;
}
