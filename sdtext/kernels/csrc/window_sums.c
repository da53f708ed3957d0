/* Sums over sliding windows: the sum of numbers[i + j] * base^j for each start i, modulo a number
   up to 2^32, or 2^64 where that is 0. From the last window to the first, each follows from the one
   behind it (R. M. Karp, M. O. Rabin: Efficient randomized pattern-matching algorithms, 1987). */
#include "kernels.h"

enum { SOME = 256 }; /* sums that are mixed together */

static inline uint64_t modulo(uint64_t number, uint64_t modulus)
{
    return modulus ? number % modulus : number;
}

/* Returns the number of windows that are left: 0 where the starts ascend. */
static inline int64_t sums_of(
    const uint64_t *numbers, int64_t count, int64_t length, uint64_t base, uint64_t modulus,
    const int64_t *starts, int64_t windows, uint64_t *sums)
{
    uint64_t power = modulo(1, modulus), sum = 0;
    base = modulo(base, modulus);
    for (int64_t place = 0; place < length; place++)
        power = modulo(power * base, modulus);
    for (int64_t place = count - 1; place >= 0; place--) {
        uint64_t behind = place + length < count ? modulo(numbers[place + length], modulus) : 0;
        uint64_t here = modulo(numbers[place], modulus) + modulus - modulo(behind * power, modulus);
        sum = modulo(sum * base + here, modulus); /* below 2^64, or of a modulus that divides it */
        if (windows && starts[windows - 1] == place)
            sums[--windows] = sum;
    }
    return windows;
}

EXPORT int64_t sdtext_window_sums(
    const uint64_t *numbers, int64_t count, int64_t length, uint64_t base, uint64_t modulus,
    int64_t mix, const int64_t *starts, int64_t windows, uint64_t *sums)
{
    if (length < 1 || modulus > UINT64_C(1) << 32 || (windows && starts[windows - 1] > count - length))
        return BAD;
    if (modulus ? sums_of(numbers, count, length, base, modulus, starts, windows, sums)
                : sums_of(numbers, count, length, base, 0, starts, windows, sums))
        return BAD;
    uint64_t some[SOME];
    for (int64_t start = 0, many; mix && start < windows; start += many) {
        many = windows - start < SOME ? windows - start : SOME;
        memcpy(some, sums + start, many * sizeof *some);
        mix_numbers(some, many, 0, sums + start);
    }
    return 0;
}

/* The sums of the `many` windows from the first number on, by Horner's rule. */
static inline void sum_some(
    const uint64_t *numbers, int64_t many, int64_t length, uint64_t base, uint64_t *restrict sums)
{
    memset(sums, 0, many * sizeof *sums);
    for (int64_t place = length - 1; place >= 0; place--)
        for (int64_t window = 0; window < many; window++)
            sums[window] = sums[window] * base + numbers[place + window];
}

BY_EIGHT(sum_many, sum_some,
         (const uint64_t *numbers, int64_t many, int64_t length, uint64_t base, uint64_t *sums),
         (numbers, many, length, base, sums))

/* The mixed sums, modulo 2^64, of the windows of each row, and of all of a shorter row; `offsets`
   become theirs. Returns how many there are. */
EXPORT int64_t sdtext_row_windows(
    const uint64_t *numbers, int64_t count, int64_t *offsets, int64_t rows, int64_t length,
    uint64_t base, uint64_t *sums)
{
    if (!are_offsets(offsets, rows, count) || length < 1)
        return BAD;
    uint64_t some[SOME];
    int64_t to = 0, start = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t end = offsets[row + 1], wide = end - start < length ? end - start : length;
        for (int64_t last = end - wide + (start < end), many; start < last; start += many, to += many) {
            many = last - start < SOME ? last - start : SOME;
            sum_many(numbers + start, many, wide, base, some);
            mix_numbers(some, many, 0, sums + to);
        }
        start = end;
        offsets[row + 1] = to;
    }
    return to;
}
