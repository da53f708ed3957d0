/* The hash of a span of bytes: a polynomial of its groups of eight bytes, each of them mixed.
   sdtext/kernels/arrays/integer_and_byte_hashes.py has the formula. */
#ifndef SDTEXT_SPAN_HASH_H
#define SDTEXT_SPAN_HASH_H

#include "kernels.h"

#define POWERS UINT64_C(0xD1342543DE82EF95)
#define LENGTH UINT64_C(0xAF251AF3B0F025B5)

/* The sum of the groups so far, and the power of the next one. */
typedef struct {
    uint64_t sum, power;
} SpanHash;

/* The lowest bytes of a group; `count` is at most 8. */
static inline uint64_t lowest_bytes(uint64_t group, int64_t count)
{
    return count < 8 ? group & ((UINT64_C(1) << 8 * count) - 1) : group;
}

static inline void add_group(SpanHash *hash, uint64_t group, uint64_t seed)
{
    group ^= seed;
    group = (group ^ group >> 32) * SPREAD;
    hash->sum += (group ^ group >> 29) * hash->power;
    hash->power *= POWERS;
}

static inline uint64_t hash_of(SpanHash hash, int64_t length)
{
    return mixed(hash.sum + (uint64_t)length * LENGTH);
}

#endif
