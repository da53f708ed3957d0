/* What all kernels have in common: exported names, results, hot loops for each instruction set. */
#ifndef SDTEXT_KERNELS_H
#define SDTEXT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define SPREAD UINT64_C(0x9E3779B97F4A7C15) /* 2^64 over the golden ratio: spreads numbers */

enum { BAD = -1, NO_MEMORY = -2 };

/* The end of SplitMix64: every bit of the result depends on every bit. */
static inline uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* Up to eight bytes, the first one lowest. */
static inline uint64_t group_at(const uint8_t *bytes, int64_t left)
{
    uint64_t group = 0;
    if (left >= 8) /* one read */
        for (int place = 0; place < 8; place++)
            group |= (uint64_t)bytes[place] << 8 * place;
    else
        for (int64_t place = 0; place < left; place++)
            group |= (uint64_t)bytes[place] << 8 * place;
    return group;
}

/* The number of binary digits. */
static inline int digits_of(uint64_t number)
{
    return number ? 64 - __builtin_clzll(number) : 0;
}

/* Rows that a kernel allocates and `sdtext_free` frees. */
typedef struct {
    void *data;
    int64_t count;
} Array;

/* The instructions that kernels use; AVX512 stands for AVX-512 F and DQ. */
enum { PLAIN, AVX2, AVX512 };
extern int instruction_set;

/* Defines `name` as `function`, compiled a second time for products of eight numbers of 64 bits. */
#if defined(__x86_64__)
#ifdef __clang__
#define FOR_AVX512 __attribute__((target("avx512f,avx512dq"), min_vector_width(512)))
#else
#define FOR_AVX512 __attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
#endif
#define BY_EIGHT(name, function, parameters, arguments)                        \
    FOR_AVX512 static void function##_by_eight parameters { function arguments; } \
    void name parameters                                                       \
    {                                                                          \
        if (instruction_set == AVX512)                                         \
            function##_by_eight arguments;                                     \
        else                                                                   \
            function arguments;                                                \
    }
#else
#define BY_EIGHT(name, function, parameters, arguments) \
    void name parameters { function arguments; }
#endif

/* Sorts numbers in place; `spare` has room for as many. */
void sort_numbers(uint64_t *values, int64_t count, uint64_t *spare);

/* Writes the hash of each number combined with a draw. */
void mix_numbers(const uint64_t *values, int64_t many, uint64_t draw, uint64_t *hashes);

/* Appends a row of `size` bytes; `room` is how many rows fit. False where memory is full. */
bool append(Array *rows, int64_t *room, const void *row, size_t size);

/* Whether offsets begin with 0, never fall, and end within `values`. */
static inline bool are_offsets(const int64_t *offsets, int64_t rows, int64_t values)
{
    if (rows < 0 || offsets[0] != 0)
        return false;
    for (int64_t row = 0; row < rows; row++)
        if (offsets[row + 1] < offsets[row])
            return false;
    return offsets[rows] <= values;
}

#endif
