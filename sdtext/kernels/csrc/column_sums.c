#include "column_sums.h"

typedef uint64_t Lane __attribute__((vector_size(8 * LANE), aligned(8), may_alias));

#define NAME plain_sums
#define TARGET
#include "column_sums_body.h"

#if defined(__x86_64__)
#define NAME avx2_sums
#define TARGET __attribute__((target("avx2")))
#include "column_sums_body.h"
#define NAME avx512_sums
#define TARGET __attribute__((target("avx512f")))
#include "column_sums_body.h"
static ColumnSums *const all_sums[] = {plain_sums, avx2_sums, avx512_sums};
#else
static ColumnSums *const all_sums[] = {plain_sums, plain_sums, plain_sums};
#endif

ColumnSums *column_sums(void)
{
    return all_sums[instruction_set];
}
