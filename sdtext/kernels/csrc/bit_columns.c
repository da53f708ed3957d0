/* Which of many bit vectors have enough in common with a query, exactly: bit-sliced columns.

   Beside the rows of vectors stands a column for each term, a bit for each vector. A query reads
   the columns of its own terms alone. 512 vectors, of nearly one size, are added up at once; they
   need at least what a vector of the least of these sizes needs. Columns are added from the
   heaviest and rarest term on, until none of the vectors can reach that. D. Rinfret, P. O'Neil, E.
   O'Neil: Bit-sliced index arithmetic, SIGMOD 2001; O. Kaser, D. Lemire: Compressed bitmap indexes:
   beyond unions and intersections, 2014; S. J. Swamidass, P. Baldi: Bounds and algorithms for fast
   exact searches of chemical fingerprints in linear and sublinear time, 2007 (the bound by size). */
#include "column_sums.h"

enum {
    TILE = 4,    /* lanes that all queries are compared with in turn, so that they stay in the cache */
    TOGETHER = 28, /* columns that are added before sums are looked at again */
};

/* 64 x 64 bits transposed (H. S. Warren: Hacker's Delight, 2nd edition, 2012, section 7-3). */
static void transpose(uint64_t *rows)
{
    uint64_t mask = UINT64_C(0xFFFFFFFF);
    for (int half = 32; half; half /= 2, mask ^= mask << half)
        for (int start = 0; start < 64; start += 2 * half)
            for (int row = start; row < start + half; row++) {
                uint64_t swapped = (rows[row] >> half ^ rows[row + half]) & mask;
                rows[row + half] ^= swapped;
                rows[row] ^= swapped << half;
            }
}

/* Sets the bits [first, first + count) of each column to those of the rows order[first], ...;
   `first` is a multiple of 64. */
EXPORT int64_t sdtext_bit_columns(
    const uint8_t *packed, int64_t rows, int64_t width, const int64_t *order, int64_t places,
    int64_t first, int64_t count, uint64_t *columns, int64_t terms, int64_t words)
{
    if (terms != 8 * width || places > 64 * words || first % 64 || first < 0 || count < 0 ||
        count > places - first)
        return BAD;
    for (int64_t place = first; place < first + count; place++)
        if (order[place] < 0 || order[place] >= rows)
            return BAD;
    for (int64_t word = first / 64; 64 * word < first + count; word++)
        for (int64_t byte = 0; byte < width; byte += 8) {
            uint64_t square[64] = {0};
            int64_t size = width - byte < 8 ? width - byte : 8;
            for (int64_t bit = 0; bit < 64 && 64 * word + bit < first + count; bit++) {
                const uint8_t *from = packed + order[64 * word + bit] * width + byte;
                for (int64_t at = 0; at < size; at++)
                    square[bit] |= (uint64_t)from[at] << 8 * at;
            }
            transpose(square);
            for (int64_t term = 0; term < 8 * size; term++)
                columns[(8 * byte + term) * words + word] = square[term];
        }
    return 0;
}

typedef struct {
    Run *runs;
    const uint64_t **columns;
    int64_t number;
    int64_t units; /* of all terms */
    int top;
} Query;

/* The runs of a query: TOGETHER terms after the other by rank, and of these those of each binary
   digit. 0, or NO_MEMORY, or BAD where a rank is no place of `by_rank`, or no term or weight is. */
static int64_t plan(Query *query, const uint64_t *columns, int64_t words, const int64_t *units,
                    const uint8_t *packed, int64_t terms, const int64_t *ranks,
                    const int64_t *by_rank, int64_t weighted)
{
    uint64_t *marks = calloc(weighted / 64 + 1, sizeof *marks);
    int64_t *chosen = malloc((terms + 1) * sizeof *chosen);
    int64_t digits = 0, at = 0, most = 0, count = marks && chosen ? 0 : NO_MEMORY;
    for (int64_t byte = 0; !count && byte < terms / 8; byte++)
        for (unsigned bits = packed[byte]; bits; bits &= bits - 1) {
            int64_t rank = ranks[8 * byte + __builtin_ctz(bits)];
            if (rank >= weighted)
                count = BAD;
            else if (rank >= 0)
                marks[rank / 64] |= UINT64_C(1) << rank % 64;
        }
    for (int64_t word = 0; count >= 0 && 64 * word < weighted; word++)
        for (uint64_t bits = marks[word]; bits; bits &= bits - 1) {
            int64_t term = by_rank[64 * word + __builtin_ctzll(bits)];
            if (term < 0 || term >= terms || units[term] < 0 || units[term] > 1 << 20) {
                count = BAD;
                break;
            }
            most |= units[term];
            query->units += units[term];
            digits += __builtin_popcountll(units[term]);
            chosen[count++] = term;
        }
    free(marks);
    query->top = digits_of(query->units);
    int64_t groups = (count + TOGETHER - 1) / TOGETHER, rest = query->units;
    query->runs = malloc((groups * digits_of(most) + 1) * sizeof *query->runs);
    query->columns = malloc((digits + 1) * sizeof *query->columns);
    if (count > 0 && (!query->runs || !query->columns || query->top > DIGITS))
        count = NO_MEMORY;
    for (int64_t start = 0; start < count; start += TOGETHER) {
        int64_t stop = start + TOGETHER < count ? start + TOGETHER : count, begin = query->number;
        for (int digit = 0; most >> digit; digit++) {
            Run run = {at, 0, -1, digit};
            for (int64_t place = start; place < stop; place++)
                if (units[chosen[place]] >> digit & 1) {
                    query->columns[at++] = columns + chosen[place] * words;
                    rest -= (int64_t)1 << digit;
                    run.count++;
                }
            if (run.count)
                query->runs[query->number++] = run;
        }
        if (query->number > begin)
            query->runs[query->number - 1].rest = rest;
    }
    free(chosen);
    return count < 0 ? count : 0;
}

static void forget(Query *query)
{
    free(query->runs);
    free(query->columns);
}

/* The sums of a lane: in `alive` which searched vectors from place `first` on share `least` with
   the query. */
static void lane_sums(const Query *query, const uint64_t *searched, int64_t lane, int64_t first,
                      int64_t ahead, int64_t least, uint64_t *digits, uint64_t *alive)
{
    memcpy(alive, searched + LANE * lane, LANE * sizeof *alive);
    for (int64_t word = 0; word < LANE; word++) {
        int64_t begin = 64 * (LANE * lane + word);
        if (first >= begin + 64)
            alive[word] = 0;
        else if (first > begin)
            alive[word] &= ~UINT64_C(0) << (first - begin);
    }
    column_sums()(query->columns, query->runs, query->number, LANE * lane, LANE * ahead, least,
                  query->top, digits, alive);
}

/* The searched vectors that may share with each query as much as their lane needs; none that does
   is missing. Rows: the query, the place of the vector, what they share.

   `ranks` has the place of each term among those that are added, -1 for one without weight, and
   `by_rank` the terms in that order; `units` are weights. Only places above after[q] count. */
EXPORT int64_t sdtext_bit_candidates(
    const uint64_t *columns, int64_t terms, int64_t words, const uint64_t *searched,
    const int64_t *ranks, const int64_t *by_rank, int64_t weighted, const int64_t *units,
    const uint8_t *packed, int64_t queries, int64_t width, const int64_t *needed, int64_t lanes,
    const int64_t *after, Array *found)
{
    if (terms != 8 * width || words != LANE * lanes)
        return BAD;
    Query *plans = calloc(queries + 1, sizeof *plans);
    int64_t room = 0, planned = plans ? 0 : NO_MEMORY;
    for (int64_t query = 0; !planned && query < queries; query++)
        planned = plan(&plans[query], columns, words, units, packed + query * width, terms, ranks,
                       by_rank, weighted);
    bool fits = !planned;
    for (int64_t tile = 0; tile < lanes && fits; tile += TILE)
        for (int64_t query = 0; query < queries && fits; query++)
            for (int64_t lane = tile; lane < tile + TILE && lane < lanes && fits; lane++) {
                int64_t least = needed[query * lanes + lane], first = after[query] + 1;
                if (least < 1)
                    least = 1;
                if (least > plans[query].units || first >= 64 * LANE * (lane + 1))
                    continue;
                uint64_t digits[DIGITS * LANE], alive[LANE];
                lane_sums(&plans[query], searched, lane, first, lane + 2, least, digits, alive);
                for (int64_t word = 0; word < LANE && fits; word++)
                    for (uint64_t bits = alive[word]; bits && fits; bits &= bits - 1) {
                        int64_t bit = __builtin_ctzll(bits), place = 64 * (LANE * lane + word) + bit;
                        int64_t row[3] = {query, place, sum_at(digits, plans[query].top, word, bit)};
                        fits = append(found, &room, row, sizeof row);
                    }
            }
    for (int64_t query = 0; plans && query < queries; query++)
        forget(&plans[query]);
    free(plans);
    return fits || planned ? planned : NO_MEMORY;
}

/* Puts a value in the place of the least one, which is the first of a heap. */
static void replace_least(double *heap, int64_t count, double value)
{
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= value)
            break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

/* The whole sum that a vector needs for a share of `whole`, if that is more than `least`. */
static int64_t needed_for(double share, double whole, int64_t least)
{
    double sum = share * whole * (1 - 1e-6); /* floats are far more exact */
    return sum > (double)least ? (int64_t)sum + ((double)(int64_t)sum < sum) : least;
}

/* The searched vectors that share with a query as much as their lane needs, which rises to what the
   `best` of them have, and is set in `needed`. Rows: the place of the vector, what they share.

   The best have the greatest shares of what vectors need that equal the query: bounds[0] for the
   least size in a lane, bounds[1] for the greatest; bounds[2] is the most that one can have. Bounds
   are below 2^50. */
EXPORT int64_t sdtext_bit_best(
    const uint64_t *columns, int64_t terms, int64_t words, const uint64_t *searched,
    const int64_t *ranks, const int64_t *by_rank, int64_t weighted, const int64_t *units,
    const uint8_t *packed, int64_t width, int64_t *needed, int64_t lanes, const double *bounds,
    int64_t three, int64_t best, Array *found)
{
    if (terms != 8 * width || words != LANE * lanes || three != 3 || best < 1)
        return BAD;
    const double *low = bounds, *high = bounds + lanes, *most = bounds + 2 * lanes;
    for (int64_t at = 0; at < 3 * lanes; at++)
        if (!(bounds[at] >= 0 && bounds[at] < (double)(INT64_C(1) << 50)))
            return BAD;
    Query query = {0};
    best = best < 64 * words ? best : 64 * words + 1;
    double *heap = calloc(best, sizeof *heap);
    int64_t room = 0, kept = 0, planned = NO_MEMORY;
    if (heap)
        planned = plan(&query, columns, words, units, packed, terms, ranks, by_rank, weighted);
    bool fits = !planned;
    for (int64_t lane = lanes; fits && lane--;) { /* greater vectors share more by chance */
        int64_t least = needed_for(heap[0], low[lane], needed[lane] > 1 ? needed[lane] : 1);
        if (least > query.units || (double)least > most[lane])
            continue;
        uint64_t digits[DIGITS * LANE], alive[LANE];
        lane_sums(&query, searched, lane, 0, lane - 2, least, digits, alive);
        for (int64_t word = 0; word < LANE && fits; word++)
            for (uint64_t bits = alive[word]; bits && fits; bits &= bits - 1) {
                int64_t bit = __builtin_ctzll(bits);
                int64_t row[2] = {64 * (LANE * lane + word) + bit,
                                  sum_at(digits, query.top, word, bit)};
                fits = append(found, &room, row, sizeof row);
                double share = high[lane] > 0 ? row[1] / high[lane] : 0;
                if (share > heap[0])
                    replace_least(heap, best, share);
            }
    }
    for (int64_t lane = 0; fits && lane < lanes; lane++)
        needed[lane] = needed_for(heap[0], low[lane], needed[lane]);
    int64_t(*rows)[2] = found->data;
    for (int64_t at = 0; fits && at < found->count; at++)
        if (rows[at][1] >= needed[rows[at][0] / (64 * LANE)])
            memmove(rows[kept++], rows[at], sizeof *rows);
    found->count = kept;
    forget(&query);
    free(heap);
    return fits || planned ? planned : NO_MEMORY;
}
