/* Keys of an LSH band: XXH64 of the slots of each row, each as four bytes, the lowest first (Y.
   Collet: the specification of xxHash). */
#include "kernels.h"

#define ONE UINT64_C(0x9E3779B185EBCA87)
#define TWO UINT64_C(0xC2B2AE3D27D4EB4F)
#define THREE UINT64_C(0x165667B19E3779F9)
#define FOUR UINT64_C(0x85EBCA77C2B2AE63)
#define FIVE UINT64_C(0x27D4EB2F165667C5)

static inline uint64_t turned(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

static inline uint64_t round_of(uint64_t sum, uint64_t eight)
{
    return turned(sum + eight * TWO, 31) * ONE;
}

static inline uint64_t eight_at(const uint32_t *slots)
{
    return slots[0] | (uint64_t)slots[1] << 32;
}

static uint64_t xxh64(const uint32_t *slots, int64_t count, uint64_t seed)
{
    int64_t left = count;
    uint64_t hash = seed + FIVE;
    if (left >= 8) {
        uint64_t sums[4] = {seed + ONE + TWO, seed + TWO, seed, seed - ONE};
        for (; left >= 8; slots += 8, left -= 8)
            for (int lane = 0; lane < 4; lane++)
                sums[lane] = round_of(sums[lane], eight_at(slots + 2 * lane));
        hash = turned(sums[0], 1) + turned(sums[1], 7) + turned(sums[2], 12) + turned(sums[3], 18);
        for (int lane = 0; lane < 4; lane++)
            hash = (hash ^ round_of(0, sums[lane])) * ONE + FOUR;
    }
    hash += 4 * (uint64_t)count;
    for (; left >= 2; slots += 2, left -= 2)
        hash = turned(hash ^ round_of(0, eight_at(slots)), 27) * ONE + FOUR;
    if (left)
        hash = turned(hash ^ *slots * ONE, 23) * TWO + THREE;
    hash = (hash ^ hash >> 33) * TWO;
    hash = (hash ^ hash >> 29) * THREE;
    return hash ^ hash >> 32;
}

EXPORT int64_t sdtext_band_keys(
    const uint32_t *sketches, int64_t rows, int64_t slots, uint64_t seed, uint64_t *keys)
{
    for (int64_t row = 0; row < rows; row++)
        keys[row] = xxh64(sketches + row * slots, slots, seed);
    return 0;
}
