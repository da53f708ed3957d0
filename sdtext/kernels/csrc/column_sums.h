/* Sums of bit columns, digit by digit, by the widest instructions that the machine has. */
#ifndef SDTEXT_COLUMN_SUMS_H
#define SDTEXT_COLUMN_SUMS_H

#include "kernels.h"

enum { LANE = 8, DIGITS = 48 }; /* words that are added at once; binary digits of a sum at most */

/* Columns [first, first + count), each of which counts 2^digit; behind the last of some, what all
   further ones add at most, which is -1 where more of the same follow. */
typedef struct {
    int64_t first, count, rest;
    int digit;
} Run;

/* Adds the words [start, start + LANE) of columns, run by run, until all are added or none of the
   sums that `alive` has a bit for can reach `needed`. Bit b of digits[d * LANE + w] is digit d,
   below `top`, of the sum for bit b of word w. Which sums reach what is needed is left in `alive`,
   LANE words. The words from `ahead` on are those that are soon added: memory takes as long as
   adding. */
typedef void ColumnSums(const uint64_t *const *columns, const Run *runs, int64_t number,
                        int64_t start, int64_t ahead, int64_t needed, int top, uint64_t *digits,
                        uint64_t *alive);

ColumnSums *column_sums(void);

/* The number that bit `bit` of word `word` of the digits stands for. */
static inline int64_t sum_at(const uint64_t *digits, int top, int64_t word, int64_t bit)
{
    int64_t sum = 0;
    for (int digit = 0; digit < top; digit++)
        sum += (int64_t)(digits[LANE * digit + word] >> bit & 1) << digit;
    return sum;
}

#endif
