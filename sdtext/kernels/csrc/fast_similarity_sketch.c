/* Fast similarity sketching (S. Dahlgaard, M. B. T. Knudsen, M. Thorup, FOCS 2017), as
   sdtext/kernels/minhash/fast_similarity_sketch.py defines it. */
#include "kernels.h"

enum { SOME = 256 }; /* elements whose hashes are computed before they are used */

/* One row of `slots` numbers for each row of values, and all bits set for an empty one. `draws`
   has two numbers for each slot: of the rounds that choose a slot, then of those that fill one. */
EXPORT int64_t sdtext_fast_similarity_sketches(
    const uint64_t *values, int64_t count, const int64_t *offsets, int64_t rows,
    const uint64_t *draws, int64_t rounds, uint32_t *sketches, int64_t slots)
{
    if (!are_offsets(offsets, rows, count) || rounds != 2 * slots || slots > UINT32_MAX)
        return BAD;
    uint64_t *filled = malloc((slots + 1) * sizeof *filled), hashes[SOME];
    if (!filled)
        return NO_MEMORY;
    for (int64_t row = 0; row < rows; row++) {
        int64_t left = slots;
        memset(filled, 255, slots * sizeof *filled);
        for (int64_t round = 0; round < rounds && left && offsets[row] < offsets[row + 1]; round++)
            for (int64_t start = offsets[row]; start < offsets[row + 1]; start += SOME) {
                int64_t many = offsets[row + 1] - start < SOME ? offsets[row + 1] - start : SOME;
                mix_numbers(values + start, many, draws[round], hashes);
                for (int64_t at = 0; at < many; at++) {
                    int64_t slot = (int64_t)((hashes[at] >> 32) * (uint64_t)slots >> 32);
                    uint64_t *at_slot = filled + (round < slots ? slot : round - slots);
                    uint64_t key = (uint64_t)round << 32 | (hashes[at] & UINT32_MAX), before = *at_slot;
                    left -= before == UINT64_MAX;
                    *at_slot = key < before ? key : before;
                }
            }
        for (int64_t slot = 0; slot < slots; slot++)
            sketches[row * slots + slot] = (uint32_t)filled[slot];
    }
    free(filled);
    return 0;
}
