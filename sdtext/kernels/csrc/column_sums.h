/* Sums of bit columns, digit by digit, by the widest instructions that the machine has. */
#ifndef SDTEXT_COLUMN_SUMS_H
#define SDTEXT_COLUMN_SUMS_H

#include "kernels.h"

enum { LANE = 8, DIGITS = 32 }; /* words that are added at once; binary digits of a sum */

/* Adds the words [first, first + 8 * lanes) of columns. Bit b of word w of digit d, which is
   digits[d * 8 * lanes + w], is digit d of how many columns have bit b of word w. The number of
   digits is that of the binary number `count`. Columns are readable up to whole lanes. */
typedef void ColumnSums(const uint64_t *const *columns, int64_t count, int64_t first, int64_t lanes,
                        uint64_t *digits);

ColumnSums *column_sums(void);

/* The number of binary digits. */
static inline int digits_of(int64_t number)
{
    int digits = 0;
    for (; number; number >>= 1)
        digits++;
    return digits;
}

#endif
