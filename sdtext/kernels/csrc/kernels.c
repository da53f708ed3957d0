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
    return (low & 0xE0) == 0xE0 && (b & bit_AVX512F) && (b & bit_AVX512DQ) ? AVX512
                                                                                   : AVX2;
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
    array->data = NULL;
    array->count = 0;
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

enum { FEW = 32 };

/* By insertion, or by bytes from the highest on, in place: American flag sort (P. M. McIlroy,
   K. Bostic, M. D. McIlroy: Engineering radix sort, 1993). */
static void sort_from(uint64_t *values, int64_t count, int shift)
{
    if (count <= FEW) {
        for (int64_t place = 1; place < count; place++) {
            uint64_t value = values[place];
            int64_t to = place;
            for (; to > 0 && values[to - 1] > value; to--)
                values[to] = values[to - 1];
            values[to] = value;
        }
        return;
    }
    int64_t next[256], ends[256], counts[256] = {0}, end = 0;
    for (int64_t place = 0; place < count; place++)
        counts[values[place] >> shift & 255]++;
    for (int byte = 0; byte < 256; byte++) {
        next[byte] = end;
        ends[byte] = end += counts[byte];
    }
    for (int byte = 0; byte < 256; byte++)
        while (next[byte] < ends[byte]) {
            uint64_t value = values[next[byte]];
            for (int to = value >> shift & 255; to != byte; to = value >> shift & 255) {
                uint64_t other = values[next[to]];
                values[next[to]++] = value;
                value = other;
            }
            values[next[byte]++] = value;
        }
    for (int byte = 0; shift && byte < 256; byte++)
        sort_from(values + ends[byte] - counts[byte], counts[byte], shift - 8);
}

void sort_numbers(uint64_t *values, int64_t count)
{
    uint64_t used = 0;
    for (int64_t place = 0; place < count; place++)
        used |= values[place];
    int shift = 56;
    while (shift && !(used >> shift))
        shift -= 8;
    sort_from(values, count, shift);
}
