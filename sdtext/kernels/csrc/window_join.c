/* All pairs of windows of w terms that differ, as bags, in few terms: exact.

   A block holds the windows that start in a stride of a document. It is kept as intervals, sorted
   by code: a code stands for a term and a number k, and the windows from `first` to `last` of the
   block hold the term k times or more. Two windows share as many terms as there are codes that
   both have. So two blocks that hold near windows share as many codes; which blocks do is counted
   by bit columns. Each two intervals of one code are a rectangle of pairs of windows with one more
   term in common; rectangles are added up as changes at their corners and two running sums (a
   summed-area table). P. Wang, C. Xiao, Y. Ishikawa: Detecting reused contents in text documents
   ask the question. */
#include "column_sums.h"

enum {
    CHUNK = 4096,      /* blocks that are indexed at once */
    WORDS = CHUNK / 64,
    OFTEN = 16,        /* blocks that have a code, from which on it has a bit column */
    CELL = 1 << 15,    /* steps of a cell of the result: four million at most, 300 MB */
    QUERY = 128,       /* steps of a block that is compared with a chunk */
    ROWS = 1 << 20,    /* of the result, after which a call returns */
    WIDTH = 8,
};

/* most[t]: how often term t occurs at most in one document, up to w. Terms below 0 match none. */
EXPORT int64_t sdtext_window_codes(
    const int64_t *terms, int64_t count, const int64_t *offsets, int64_t documents, int64_t w,
    int64_t *most, int64_t kinds)
{
    if (!are_offsets(offsets, documents, count))
        return BAD;
    for (int64_t place = 0; place < count; place++)
        if (terms[place] >= kinds)
            return BAD;
    int64_t *seen = calloc(kinds + 1, sizeof *seen);
    if (!seen)
        return NO_MEMORY;
    for (int64_t row = 0; row < documents; row++) {
        for (int64_t place = offsets[row]; place < offsets[row + 1]; place++) {
            int64_t term = terms[place];
            if (term >= 0 && ++seen[term] <= w && seen[term] > most[term])
                most[term] = seen[term];
        }
        for (int64_t place = offsets[row]; place < offsets[row + 1]; place++)
            if (terms[place] >= 0)
                seen[terms[place]] = 0;
    }
    free(seen);
    return 0;
}

/* The intervals of all blocks, `code << 32 | first << 16 | last`: those of block i are
   [ends[i], ends[i + 1]). Code k (from 1) of term t is bases[t] + k - 1. */
EXPORT int64_t sdtext_window_intervals(
    const int64_t *terms, int64_t count, const int64_t *offsets, int64_t documents,
    const int64_t *bases, int64_t kinds, int64_t w, int64_t stride, int64_t *ends, int64_t blocks,
    Array *intervals)
{
    if (!are_offsets(offsets, documents, count) || w < 1 || stride < 1 || stride > 1 << 16)
        return BAD;
    uint64_t *keys = malloc(2 * (w + stride) * sizeof *keys);
    int64_t room = 0, block = 0;
    bool fits = keys;
    ends[0] = 0;
    for (int64_t row = 0; row < documents && fits; row++) {
        int64_t length = offsets[row + 1] - offsets[row];
        for (int64_t first = 0; length >= w && first < length && fits; first += stride) {
            const int64_t *here = terms + offsets[row] + first;
            int64_t left = length - first, starts = left - w + 1, many = 0;
            if (starts > stride)
                starts = stride;
            for (int64_t at = 0; starts > 0 && at < left && at < starts + w - 1; at++)
                if (here[at] >= kinds) {
                    free(keys);
                    return BAD;
                } else if (here[at] >= 0)
                    keys[many++] = (uint64_t)here[at] << 32 | at;
            sort_numbers(keys, many, keys + w + stride);
            for (int64_t begin = 0, end; begin < many; begin = end) {
                uint64_t term = keys[begin] >> 32;
                for (end = begin + 1; end < many && keys[end] >> 32 == term; end++)
                    ;
                bool is_some = true;
                for (int64_t k = 1; k <= end - begin && is_some && fits; k++) {
                    int64_t from = 0, to = -2; /* of the interval that may go on */
                    uint64_t code = bases[term] + k - 1;
                    is_some = false;
                    for (int64_t place = begin; place + k <= end && fits; place++) {
                        int64_t low = (int64_t)(uint32_t)keys[place + k - 1] - (w - 1);
                        int64_t high = (int64_t)(uint32_t)keys[place];
                        int64_t behind = place > begin ? (int64_t)(uint32_t)keys[place - 1] + 1 : 0;
                        if (low < behind)
                            low = behind;
                        if (high >= starts)
                            high = starts - 1;
                        if (behind >= starts)
                            break;
                        if (low > high)
                            continue;
                        if (low != to + 1 && to >= 0) {
                            uint64_t closed = code << 32 | from << 16 | to;
                            fits = append(intervals, &room, &closed, sizeof closed);
                        }
                        if (low != to + 1 || to < 0)
                            from = low;
                        to = high;
                        is_some = true;
                    }
                    if (is_some && fits) {
                        uint64_t closed = code << 32 | from << 16 | to;
                        fits = append(intervals, &room, &closed, sizeof closed);
                    }
                }
            }
            if (block >= blocks) {
                free(keys);
                return BAD;
            }
            ends[++block] = intervals->count;
        }
    }
    free(keys);
    return !fits ? NO_MEMORY : block == blocks ? 0 : BAD;
}

typedef struct {
    const uint64_t *intervals;
    const int64_t *ends, *documents, *firsts;
} Blocks;

/* The codes of a chunk of blocks: rare ones have lists of blocks, the others columns of bits.
   slots[code]: 0 for none, the number of a column from 1 on, or below 0 that of a list. */
typedef struct {
    int32_t *slots;
    uint64_t *columns;
    int64_t *starts;
    uint16_t *lists;
} Index;

static void free_index(Index *index)
{
    free(index->slots);
    free(index->columns);
    free(index->starts);
    free(index->lists);
}

static bool make_index(Index *index, const Blocks *blocks, int64_t first, int64_t count,
                       int64_t codes)
{
    int32_t rare = 0, often = 0;
    int64_t listed = 0;
    *index = (Index){.slots = calloc(codes + 1, sizeof *index->slots)};
    if (!index->slots)
        return false;
    const int64_t start = blocks->ends[first], stop = blocks->ends[first + count];
    const uint64_t *intervals = blocks->intervals;
    for (int64_t block = first; block < first + count; block++)
        for (int64_t at = blocks->ends[block]; at < blocks->ends[block + 1]; at++)
            if (at == blocks->ends[block] || intervals[at] >> 32 != intervals[at - 1] >> 32)
                index->slots[intervals[at] >> 32]++;
    index->starts = malloc((stop - start + 2) * sizeof *index->starts);
    if (!index->starts)
        return false;
    for (int64_t at = start; at < stop; at++) { /* numbers a code where it is first met */
        int32_t *slot = &index->slots[intervals[at] >> 32];
        if (*slot <= 0 || *slot >= CHUNK + 1)
            continue;
        if (*slot >= OFTEN)
            *slot = CHUNK + 1 + ++often;
        else {
            index->starts[++rare] = listed;
            listed += *slot;
            *slot = -rare;
        }
    }
    index->starts[rare + 1] = listed;
    index->lists = malloc((listed + 1) * sizeof *index->lists);
    index->columns = calloc(((size_t)often + 1) * WORDS, sizeof *index->columns);
    if (!index->lists || !index->columns)
        return false;
    for (int64_t block = first; block < first + count; block++)
        for (int64_t at = blocks->ends[block]; at < blocks->ends[block + 1]; at++) {
            if (at > blocks->ends[block] && intervals[at] >> 32 == intervals[at - 1] >> 32)
                continue;
            int32_t slot = index->slots[intervals[at] >> 32];
            int64_t place = block - first;
            if (slot < 0)
                index->lists[index->starts[-slot]++] = (uint16_t)place;
            else
                index->columns[(int64_t)(slot - CHUNK - 1) * WORDS + place / 64] |=
                    UINT64_C(1) << place % 64;
        }
    for (int32_t list = rare; list > 0; list--) /* each list ended where the next one begins */
        index->starts[list] = list > 1 ? index->starts[list - 1] : 0;
    return true;
}

/* What a pair of blocks is verified with: a square of changes with one more row and column. */
typedef struct {
    int64_t stride, w, least, each;
    int32_t *changes, *down, *across;
    int64_t *steps; /* that are left */
    Array *rows;
    int64_t room;
} Verification;

/* The near windows of two blocks, one row for all of them or one for each pair. */
static bool verify(Verification *with, const Blocks *left, int64_t block, const Blocks *right,
                   int64_t other)
{
    const int64_t side = with->stride + 1;
    const uint64_t *a = left->intervals + left->ends[block];
    const uint64_t *a_end = left->intervals + left->ends[block + 1];
    const uint64_t *b = right->intervals + right->ends[other];
    const uint64_t *b_end = right->intervals + right->ends[other + 1];
    const uint64_t *a_first = a, *b_first = b;
    int64_t rectangles = 0;
    /* How many common codes each single window has: most pairs of blocks end here. */
    memset(with->down, 0, side * sizeof *with->down);
    memset(with->across, 0, side * sizeof *with->across);
    while (a < a_end && b < b_end) {
        uint64_t code = *a >> 32, wanted = *b >> 32;
        if (code < wanted)
            a++;
        else if (code > wanted)
            b++;
        else {
            const uint64_t *from = a, *other_from = b;
            for (; a < a_end && *a >> 32 == code; a++) {
                with->down[*a >> 16 & 0xFFFF]++;
                with->down[(*a & 0xFFFF) + 1]--;
            }
            for (; b < b_end && *b >> 32 == code; b++) {
                with->across[*b >> 16 & 0xFFFF]++;
                with->across[(*b & 0xFFFF) + 1]--;
            }
            rectangles += (a - from) * (b - other_from);
        }
    }
    *with->steps -= side + (a - a_first);
    int64_t sums[2] = {0}, most[2] = {0};
    for (int64_t at = 0; at < with->stride; at++) {
        sums[0] += with->down[at];
        sums[1] += with->across[at];
        for (int axis = 0; axis < 2; axis++)
            if (sums[axis] > most[axis])
                most[axis] = sums[axis];
    }
    if (most[0] < with->least || most[1] < with->least)
        return true;
    *with->steps -= side * side + rectangles;
    memset(with->changes, 0, side * side * sizeof *with->changes);
    for (a = a_first, b = b_first; a < a_end && b < b_end;) {
        uint64_t code = *a >> 32, wanted = *b >> 32;
        if (code < wanted)
            a++;
        else if (code > wanted)
            b++;
        else {
            const uint64_t *from = b;
            for (; a < a_end && *a >> 32 == code; a++)
                for (b = from; b < b_end && *b >> 32 == code; b++) {
                    int32_t *top = with->changes + (*a >> 16 & 0xFFFF) * side;
                    int32_t *bottom = with->changes + ((*a & 0xFFFF) + 1) * side;
                    int64_t begin = *b >> 16 & 0xFFFF, end = (*b & 0xFFFF) + 1;
                    top[begin]++;
                    top[end]--;
                    bottom[begin]--;
                    bottom[end]++;
                }
        }
    }
    int64_t row[WIDTH] = {left->documents[block], right->documents[other], -1, 0, side, 0, 0, 0};
    const int64_t begin = left->firsts[block], other_begin = right->firsts[other];
    int64_t best = 0;
    memset(with->down, 0, side * sizeof *with->down); /* the sum of the rows so far */
    for (int64_t i = 0; i < with->stride; i++) {
        const int32_t *changes = with->changes + i * side;
        for (int64_t j = 0; j < side; j++)
            with->down[j] += changes[j];
        int64_t common = 0;
        for (int64_t j = 0; j < with->stride; j++) {
            common += with->down[j];
            if (common < with->least)
                continue;
            if (with->each) {
                int64_t one[WIDTH] = {row[0], row[1], begin + i, begin + i, other_begin + j,
                                      other_begin + j, 1, with->w - common};
                if (!append(with->rows, &with->room, one, sizeof one))
                    return false;
            }
            if (!row[6]++)
                row[2] = begin + i;
            row[3] = begin + i;
            if (j < row[4])
                row[4] = j;
            if (j > row[5])
                row[5] = j;
            if (common > best)
                best = common;
        }
    }
    if (!row[6])
        return true;
    *with->steps -= CELL;
    if (with->each)
        return true;
    row[4] += other_begin;
    row[5] += other_begin;
    row[7] = with->w - best;
    return append(with->rows, &with->room, row, sizeof row);
}

/* The near windows of the blocks [query, ...) of the left with those of [first, first + CHUNK) of
   the right; with `earlier`, of documents with those before them, both sides being the same.

   Rows are cells: the document on either side, the first and last start on the left and on the
   right, the number of pairs, and their least distance; with `each` one for each pair of windows.
   Returns the block to go on with. `steps` are those that may still be done; it returns at once
   when they are below 0. */
EXPORT int64_t sdtext_window_join(
    const uint64_t *left_intervals, int64_t left_count, const int64_t *left_ends, int64_t lefts,
    const int64_t *left_documents, const int64_t *left_firsts,
    const uint64_t *right_intervals, int64_t right_count, const int64_t *right_ends, int64_t rights,
    const int64_t *right_documents, const int64_t *right_firsts,
    int64_t codes, int64_t query, int64_t first, int64_t w, int64_t stride, int64_t least,
    int64_t earlier, int64_t each, int64_t *steps, int64_t one, Array *rows)
{
    if (!are_offsets(left_ends, lefts, left_count) || !are_offsets(right_ends, rights, right_count) ||
        query < 0 || first < 0 || first > rights || stride < 1 || least < 1 || one != 1)
        return BAD;
    const Blocks left = {left_intervals, left_ends, left_documents, left_firsts};
    const Blocks right = {right_intervals, right_ends, right_documents, right_firsts};
    const int64_t count = rights - first < CHUNK ? rights - first : CHUNK, side = stride + 1;
    ColumnSums *sums = column_sums();
    Index index;
    Verification with = {.stride = stride, .w = w, .least = least, .each = each,
                         .steps = steps, .rows = rows};
    int64_t longest = 0;
    for (int64_t block = 0; block < lefts; block++)
        if (left_ends[block + 1] - left_ends[block] > longest)
            longest = left_ends[block + 1] - left_ends[block];
    const uint64_t **columns = malloc((longest + 1) * sizeof *columns);
    uint64_t *digits = malloc(DIGITS * WORDS * sizeof *digits);
    uint16_t *rare = calloc(CHUNK, sizeof *rare), *touched = malloc(CHUNK * sizeof *touched);
    with.changes = malloc(side * side * sizeof *with.changes);
    with.down = malloc(side * sizeof *with.down);
    with.across = malloc(side * sizeof *with.across);
    bool fits = make_index(&index, &right, first, count, codes) && columns && digits && rare &&
                touched && with.changes && with.down && with.across;
    for (; fits && query < lefts && *steps >= 0 && rows->count < ROWS; query++) {
        int64_t limit = count, many = 0, touches = 0, lists = 0;
        while (earlier && limit && right_documents[first + limit - 1] >= left_documents[query])
            limit--; /* documents are in order, so this falls by one document at a time */
        if (!limit)
            continue;
        *steps -= QUERY;
        for (int64_t at = left_ends[query]; at < left_ends[query + 1]; at++) {
            uint64_t code = left_intervals[at] >> 32;
            if (at > left_ends[query] && left_intervals[at - 1] >> 32 == code)
                continue;
            int32_t slot = index.slots[code];
            if (slot > 0)
                columns[many++] = index.columns + (int64_t)(slot - CHUNK - 1) * WORDS;
            else if (slot < 0) {
                lists++;
                for (int64_t to = index.starts[-slot]; to < index.starts[1 - slot]; to++)
                    if (!rare[index.lists[to]]++)
                        touched[touches++] = index.lists[to];
            }
        }
        bool is_possible = many + lists >= least && (many >= least || touches);
        int64_t words = (limit + 63) / 64, lanes = (words + LANE - 1) / LANE;
        int top = digits_of(many);
        if (is_possible) {
            const Run run = {0, many, -1, 0};
            for (int64_t lane = 0; lane < lanes; lane++)
                sums(columns, &run, 1, LANE * lane, LANE * (lane + 2), 0, top,
                     digits + DIGITS * LANE * lane, NULL);
            *steps -= many * lanes / 2 + touches;
        }
        for (int64_t word = 0; is_possible && many >= least && word < words; word++) {
            uint64_t reached = ~UINT64_C(0);
            const uint64_t *here = digits + DIGITS * LANE * (word / LANE) + word % LANE;
            for (int digit = 0; digit < top; digit++) {
                uint64_t sum = here[LANE * digit];
                reached = least >> digit & 1 ? reached & sum : reached | sum;
            }
            if (word == limit / 64)
                reached &= (UINT64_C(1) << limit % 64) - 1;
            for (; reached && fits; reached &= reached - 1) {
                int64_t other = 64 * word + __builtin_ctzll(reached);
                rare[other] = 0; /* so that it is not verified again */
                fits = verify(&with, &left, query, &right, first + other);
            }
        }
        for (int64_t at = 0; at < touches; at++) {
            int64_t other = touched[at], sum = rare[other];
            rare[other] = 0;
            if (!is_possible || !sum || other >= limit || !fits)
                continue;
            if (top)
                sum += sum_at(digits + DIGITS * LANE * (other / 64 / LANE), top, other / 64 % LANE,
                              other % 64);
            if (sum >= least)
                fits = verify(&with, &left, query, &right, first + other);
        }
    }
    free_index(&index);
    free(columns);
    free(digits);
    free(rare);
    free(touched);
    free(with.changes);
    free(with.down);
    free(with.across);
    return fits ? query : NO_MEMORY;
}
