/* The sizes of intersections of sets: rows of distinct numbers in rising order. */
#include "kernels.h"

enum { FAR = 16 }; /* times as long: the longer row is searched, the other one read */

/* The number of values that two rows share. */
static int64_t merged(const uint64_t *left, int64_t many, const uint64_t *right, int64_t others)
{
    int64_t shared = 0;
    const uint64_t *left_end = left + many, *right_end = right + others;
    while (left < left_end && right < right_end) {
        uint64_t a = *left, b = *right;
        shared += a == b;
        left += a <= b;
        right += b <= a;
    }
    return shared;
}

/* The same where the right row is much longer: galloping search (Bentley and Yao 1976). */
static int64_t searched(const uint64_t *left, int64_t many, const uint64_t *right, int64_t others)
{
    int64_t shared = 0, start = 0;
    for (int64_t place = 0; place < many && start < others; place++) {
        int64_t step = 1, stop = start;
        while (stop < others && right[stop] < left[place]) {
            start = stop + 1;
            stop += step;
            step *= 2;
        }
        if (stop > others)
            stop = others;
        while (start < stop) {
            int64_t middle = start + (stop - start) / 2;
            if (right[middle] < left[place])
                start = middle + 1;
            else
                stop = middle;
        }
        shared += start < others && right[start] == left[place];
    }
    return shared;
}

/* counts[i]: how many values row lefts[i] of the left shares with row rights[i] of the right. */
EXPORT int64_t sdtext_common(
    const uint64_t *left, int64_t left_values, const int64_t *left_offsets, int64_t left_rows,
    const uint64_t *right, int64_t right_values, const int64_t *right_offsets, int64_t right_rows,
    const int64_t *lefts, int64_t pairs, const int64_t *rights, int64_t *counts)
{
    if (!are_offsets(left_offsets, left_rows, left_values) ||
        !are_offsets(right_offsets, right_rows, right_values))
        return BAD;
    for (int64_t pair = 0; pair < pairs; pair++) {
        int64_t row = lefts[pair], other = rights[pair];
        if (row < 0 || row >= left_rows || other < 0 || other >= right_rows)
            return BAD;
        const uint64_t *a = left + left_offsets[row], *b = right + right_offsets[other];
        int64_t many = left_offsets[row + 1] - left_offsets[row];
        int64_t others = right_offsets[other + 1] - right_offsets[other];
        if (many > FAR * others)
            counts[pair] = searched(b, others, a, many);
        else if (others > FAR * many)
            counts[pair] = searched(a, many, b, others);
        else
            counts[pair] = merged(a, many, b, others);
    }
    return 0;
}

/* counts[i]: how many values row i shares with the query. Nearly all others have no mark, a bit by
   the highest bits of their spread value; the rest are looked up in the query. */
EXPORT int64_t sdtext_common_counts(
    const uint64_t *query, int64_t wanted, const uint64_t *values, int64_t all,
    const int64_t *offsets, int64_t rows, int64_t *counts)
{
    if (!are_offsets(offsets, rows, all))
        return BAD;
    int shift = 55;
    while (shift > 36 && (int64_t)1 << (64 - shift) < 64 * wanted)
        shift--;
    uint64_t *marks = calloc((size_t)1 << (58 - shift), sizeof *marks);
    if (!marks)
        return NO_MEMORY;
    for (int64_t place = 0; place < wanted; place++) {
        uint64_t slot = query[place] * SPREAD >> shift;
        marks[slot >> 6] |= UINT64_C(1) << (slot & 63);
    }
    for (int64_t row = 0; row < rows; row++) {
        counts[row] = 0;
        for (int64_t place = offsets[row]; place < offsets[row + 1]; place++) {
            uint64_t slot = values[place] * SPREAD >> shift;
            if (marks[slot >> 6] >> (slot & 63) & 1)
                counts[row] += searched(values + place, 1, query, wanted);
        }
    }
    free(marks);
    return 0;
}
