/* MinHash by affine functions: slot i of a row holds the least ((a_i x + b_i) mod p) mod n. */
#include "kernels.h"

/* value mod m, where value is below 2^62 and m below 2^31: the quotient in floating point is wrong
   by one at most. */
static inline uint64_t reduced(uint64_t value, uint64_t modulus, double inverse)
{
    int64_t rest = (int64_t)(value - (uint64_t)(int64_t)((double)(int64_t)value * inverse) * modulus);
    rest += rest < 0 ? (int64_t)modulus : 0;
    rest -= rest >= (int64_t)modulus ? (int64_t)modulus : 0;
    return (uint64_t)rest;
}

static inline __attribute__((always_inline)) void least_of(
    const uint64_t *values, int64_t count, uint64_t a, uint64_t b, uint64_t prime, uint64_t rows,
    uint32_t *result)
{
    const double by_prime = prime ? 1.0 / (double)prime : 0, by_rows = rows ? 1.0 / (double)rows : 0;
    uint64_t least = UINT32_MAX;
    if (!prime) { /* modulo 2^32 */
        uint32_t low = UINT32_MAX;
        for (int64_t at = 0; at < count; at++) {
            uint32_t value = (uint32_t)a * (uint32_t)values[at] + (uint32_t)b;
            low = value < low ? value : low;
        }
        least = low;
    } else if (!rows) {
        for (int64_t at = 0; at < count; at++) {
            uint64_t value = reduced(a * values[at] + b, prime, by_prime);
            least = value < least ? value : least;
        }
    } else {
        for (int64_t at = 0; at < count; at++) {
            uint64_t value = reduced(reduced(a * values[at] + b, prime, by_prime), rows, by_rows);
            least = value < least ? value : least;
        }
    }
    *result = (uint32_t)least;
}

BY_EIGHT(least_of_many, least_of,
         (const uint64_t *values, int64_t count, uint64_t a, uint64_t b, uint64_t prime,
          uint64_t rows, uint32_t *result),
         (values, count, a, b, prime, rows, result))

/* Sketches of rows of numbers, which are below 2^31, as a, b, `prime` and `modulus` are; all bits
   set for an empty row. `modulus` 0 is left out; `prime` 0 stands for 2^32 and no modulus. */
EXPORT int64_t sdtext_affine_sketches(
    const uint64_t *values, int64_t count, const int64_t *offsets, int64_t rows,
    const uint64_t *a, int64_t slots, const uint64_t *b, uint64_t prime, uint64_t modulus,
    uint32_t *sketches)
{
    if (!are_offsets(offsets, rows, count))
        return BAD;
    for (int64_t row = 0; row < rows; row++) {
        const uint64_t *here = values + offsets[row];
        const int64_t many = offsets[row + 1] - offsets[row];
        for (int64_t slot = 0; slot < slots; slot++)
            least_of_many(here, many, a[slot], b[slot], prime, modulus, sketches + row * slots + slot);
    }
    return 0;
}
