/* The sums of whole weights over the set bits of packed vectors: exact, then rounded once. */
#include "kernels.h"

EXPORT int64_t sdtext_weight_sums(
    const uint8_t *packed, int64_t rows, int64_t bytes, const uint64_t *weights, int64_t bits,
    double *sums)
{
    for (int64_t row = 0; row < rows; row++, packed += bytes) {
        unsigned __int128 sum = 0;
        for (int64_t place = 0; place < bytes; place += 8)
            for (uint64_t rest = group_at(packed + place, bytes - place); rest; rest &= rest - 1) {
                int64_t bit = 8 * place + __builtin_ctzll(rest);
                sum += bit < bits ? weights[bit] : 0;
            }
        sums[row] = (double)sum;
    }
    return 0;
}
