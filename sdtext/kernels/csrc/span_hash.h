/* The hash of a span of bytes: a polynomial of its groups of eight bytes, each of them mixed.
   sdtext/kernels/arrays/integer_and_byte_hashes.py has the formula. */
#ifndef SDTEXT_SPAN_HASH_H
#define SDTEXT_SPAN_HASH_H

#include "kernels.h"

#define POWERS UINT64_C(0xD1342543DE82EF95)
#define LENGTH UINT64_C(0xAF251AF3B0F025B5)

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

static inline uint64_t mixed_group(uint64_t group)
{
    group = (group ^ group >> 32) * SPREAD;
    return group ^ group >> 29;
}

enum { SHORT = 16 }; /* bytes of a span of at most two groups */

/* The bits of the lowest `count` bytes of a group, from -8 to 16. */
static inline uint64_t lowest(int64_t count)
{
#define ALL ~UINT64_C(0)
    static const uint64_t masks[8 + SHORT + 1] = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, ALL >> 56, ALL >> 48, ALL >> 40, ALL >> 32, ALL >> 24,
        ALL >> 16, ALL >> 8, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL,
    };
    return masks[8 + count];
#undef ALL
}

/* The hash of a span of 1 to 16 bytes by its groups, of which the second one may have none. */
static inline uint64_t short_hash(uint64_t first, uint64_t second, uint64_t length, uint64_t seed)
{
    uint64_t power = length > 8 ? POWERS : 0;
    return mixed(mixed_group(first ^ seed) + mixed_group(second ^ seed) * power + length * LENGTH);
}

/* The hash of a span. `left` bytes from its start on can be read; `every` has the bits of all. */
static inline uint64_t span_hash(
    const uint8_t *bytes, int64_t length, int64_t left, uint64_t seed, uint64_t *every)
{
    uint64_t sum = 0, power = 1;
    if (left >= SHORT && length >= 1 && length <= SHORT) { /* mostly */
        uint64_t first = group_at(bytes, 8) & lowest(length);
        uint64_t second = group_at(bytes + 8, 8) & lowest(length - 8);
        *every = first | second;
        return short_hash(first, second, (uint64_t)length, seed);
    }
    *every = 0;
    int64_t place = 0;
    do {
        /* One read where it is possible, without the bytes behind the span. */
        int64_t some = length - place < 8 ? length - place : 8;
        uint64_t group = group_at(bytes + place, left - place >= 8 ? 8 : some) & lowest(some);
        *every |= group;
        sum += mixed_group(group ^ seed) * power;
        power *= POWERS;
        place += 8;
    } while (place < length);
    return mixed(sum + (uint64_t)length * LENGTH);
}

#endif
