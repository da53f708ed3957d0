#include "kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The widest instructions of this processor whose registers the system saves (XCR0). */
static int widest(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return PLAIN;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
        return PLAIN;
    return (low & 0xE0) == 0xE0 && (b & bit_AVX512F) && (b & bit_AVX512DQ) ? AVX512 : AVX2;
#else
    return PLAIN;
#endif
}

int instruction_set;

__attribute__((constructor)) static void at_load(void)
{
    instruction_set = widest();
}

/* Uses at most this instruction set, for tests. The one that is used. */
EXPORT int64_t sdtext_instruction_set(int64_t most)
{
    int here = widest();
    instruction_set = most < 0 ? PLAIN : most < here ? (int)most : here;
    return instruction_set;
}

EXPORT void sdtext_free(Array *array)
{
    free(array->data);
    *array = (Array){NULL, 0};
}

bool append(Array *rows, int64_t *room, const void *row, size_t size)
{
    if (rows->count == *room) {
        int64_t more = *room ? *room + *room / 2 : 1024;
        void *data = realloc(rows->data, more * size);
        if (!data)
            return false;
        rows->data = data;
        *room = more;
    }
    memcpy((char *)rows->data + size * rows->count++, row, size);
    return true;
}

enum { FEW = 16, MOST_DIGITS = 10 };

/* Sorts numbers that differ in the lowest `digits` alone: into as many buckets as there are numbers,
   about, by their highest digits, then each by insertion or, where it has more than a few, so again
   (E. J. Isaac, R. C. Singleton: Sorting by address calculation, 1956). */
static void sort_from(uint64_t *values, int64_t count, int digits, uint64_t *spare)
{
    if (count > FEW && digits) {
        int64_t ends[(1 << MOST_DIGITS) + 1];
        int here = digits_of(count);
        here = here < MOST_DIGITS ? here : MOST_DIGITS;
        digits -= here < digits ? here : digits;
        const uint64_t last = (UINT64_C(1) << here) - 1;
        memset(ends, 0, (last + 2) * sizeof *ends);
        memcpy(spare, values, count * sizeof *values);
        for (int64_t place = 0; place < count; place++)
            ends[(values[place] >> digits & last) + 1]++;
        for (uint64_t bucket = 0; bucket < last; bucket++)
            ends[bucket + 1] += ends[bucket];
        for (int64_t place = 0; place < count; place++)
            values[ends[spare[place] >> digits & last]++] = spare[place];
        for (uint64_t bucket = 0, start = 0; bucket <= last; start = ends[bucket++])
            if (ends[bucket] - start > FEW)
                sort_from(values + start, ends[bucket] - start, digits, spare);
    }
    for (int64_t place = 1; place < count; place++) {
        uint64_t value = values[place];
        int64_t to = place;
        for (; to > 0 && values[to - 1] > value; to--)
            values[to] = values[to - 1];
        values[to] = value;
    }
}

void sort_numbers(uint64_t *values, int64_t count, uint64_t *spare)
{
    uint64_t used = 0;
    for (int64_t place = 0; place < count; place++)
        used |= values[place];
    sort_from(values, count, digits_of(used), spare);
}

/* Makes sets of rows: sorts each and leaves out repeats, in place. Returns how many are left. */
EXPORT int64_t sdtext_sets(uint64_t *values, int64_t count, int64_t *offsets, int64_t rows)
{
    if (!are_offsets(offsets, rows, count))
        return BAD;
    uint64_t *spare = malloc(count * sizeof *spare + 1);
    if (!spare)
        return NO_MEMORY;
    int64_t start = 0, to = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t end = offsets[row + 1];
        sort_numbers(values + start, end - start, spare);
        uint64_t before = start < end ? ~values[start] : 0;
        for (; start < end; start++) {
            uint64_t value = values[start];
            values[to] = value;
            to += value != before;
            before = value;
        }
        offsets[row + 1] = to;
    }
    free(spare);
    return to;
}

static inline void mix_some(const uint64_t *values, int64_t many, uint64_t draw, uint64_t *hashes)
{
    for (int64_t at = 0; at < many; at++)
        hashes[at] = mixed(values[at] ^ draw);
}

BY_EIGHT(mix_numbers, mix_some,
         (const uint64_t *values, int64_t many, uint64_t draw, uint64_t *hashes),
         (values, many, draw, hashes))
