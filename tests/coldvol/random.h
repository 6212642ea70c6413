/* SPDX-License-Identifier: MIT */
/* Randomness that depends on nothing but a seed and a place, so that every run is the same volume.
 */
#ifndef COLDVOL_RANDOM_H
#define COLDVOL_RANDOM_H

#include <stdint.h>

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014) over seed, purpose and place. */
static inline uint64_t random_at(uint64_t seed, uint64_t purpose, uint64_t place)
{
    uint64_t x = seed + UINT64_C(0x9e3779b97f4a7c15) * (place + 1);

    x ^= purpose * UINT64_C(0xd1342543de82ef95);
    for (int round = 0; round < 2; round++) {
        x ^= x >> 30;
        x *= UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 27;
        x *= UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return x;
}

/* 53 bits of it, in the open interval (0, 1). */
static inline double random_unit(uint64_t seed, uint64_t purpose, uint64_t place)
{
    return ((double)(random_at(seed, purpose, place) >> 11) + 0.5) * 0x1p-53;
}

#endif
