/* SPDX-License-Identifier: MIT */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli), reflected; RFC 3720 appendix B.4 has test vectors. */
uint32_t crc32c(const void *data, size_t length);

#endif
