/* The sums of whole weights over the set bits of packed vectors: exact, then rounded once. */
#include "kernels.h"

EXPORT int64_t sdtext_weight_sums(
    const uint8_t *packed, int64_t rows, int64_t bytes, const uint64_t *weights, int64_t bits,
    double *sums)
{
    for (int64_t row = 0; row < rows; row++, packed += bytes) {
        uint64_t low = 0, high = 0; /* halves of weights; both sums are below 2^53 */
        for (int64_t place = 0; place < bytes; place += 8)
            for (uint64_t rest = group_at(packed + place, bytes - place); rest; rest &= rest - 1) {
                int64_t bit = 8 * place + __builtin_ctzll(rest);
                low += bit < bits ? weights[bit] & UINT32_MAX : 0;
                high += bit < bits ? weights[bit] >> 32 : 0;
            }
        sums[row] = high * 4294967296.0 + low;
    }
    return 0;
}
