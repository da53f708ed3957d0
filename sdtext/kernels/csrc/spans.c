/* From bytes to numbered spans: what stands between line ends or, with `blanks`, between bytes up
   to the blank. A span is known by its hash, in an open-addressing table with linear probing. */
#include "span_hash.h"

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

enum { LINE_END = '\n' };

/* The number of bytes of a group, up to 8, before the first that ends a span. The lowest bit that
   these formulas set is right (S. E. Anderson: Bit twiddling hacks, hasless and haszero). */
static inline int64_t before_end(uint64_t group, bool blanks)
{
    uint64_t line_ends = group ^ ONES * LINE_END;
    uint64_t ends = blanks ? (group - ONES * (' ' + 1)) & ~group & HIGHS
                           : (line_ends - ONES) & ~line_ends & HIGHS;
    int64_t count = 0;
    if (!ends)
        return 8;
#if defined(__GNUC__)
    count = __builtin_ctzll(ends) >> 3;
#else
    for (; !(ends & UINT64_C(0x80) << 8 * count); count++)
        ;
#endif
    return count;
}

/* A span, the hash of its bytes, and whether they are all of ASCII. */
typedef struct {
    int64_t start, end;
    uint64_t hash;
    bool is_ascii;
} Span;

/* The span that begins at a place, which is below `size` and no boundary. */
static inline Span span_at(
    const uint8_t *bytes, int64_t start, int64_t size, bool blanks, uint64_t seed)
{
    int64_t place = start, some;
    uint64_t every = 0;
    SpanHash hash = {0, 1};
    do {
        int64_t left = size - place;
        uint64_t group = group_at(bytes + place, left);
        some = before_end(group, blanks);
        some = some < left ? some : left;
        group = lowest_bytes(group, some);
        every |= group;
        if (some || place == start)
            add_group(&hash, group, seed);
        place += some;
    } while (some == 8);
    return (Span){start, place, hash_of(hash, place - start), !(every & HIGHS)};
}

/* The slot with the number of a key, or the free one, 0, for it. The keys of frequent spans stand
   side by side, as they have low numbers. */
static inline uint32_t *slot_of(uint32_t *table, int64_t slots, const uint64_t *keys, uint64_t key)
{
    uint64_t place = key & (uint64_t)(slots - 1);
    while (table[place] && keys[table[place]] != key)
        place = (place + 1) & (uint64_t)(slots - 1);
    return table + place;
}

/* Fills an empty table with the numbers 1 to `known` of the keys. */
EXPORT int64_t sdtext_span_table(
    const uint64_t *keys, int64_t size, int64_t known, uint32_t *table, int64_t slots)
{
    if (slots < 2 || slots & (slots - 1) || known < 0 || known >= slots || known >= size)
        return BAD;
    for (int64_t number = 1; number <= known; number++)
        *slot_of(table, slots, keys, keys[number]) = (uint32_t)number;
    return 0;
}

/* Writes the start and the number of each span from `place` on, and returns how many there are. A
   line end is one with the number 0 where `lines` are asked for. New spans get the numbers above
   `known`, and their starts and ends are returned. Stops, with `place` at the next span, where the
   table is three quarters full. */
EXPORT int64_t sdtext_spans(
    const uint8_t *bytes, int64_t size, int64_t blanks, int64_t lines, uint64_t seed,
    uint64_t *keys, int64_t size_of_keys, uint32_t *table, int64_t slots, int64_t known, int64_t *at, int64_t one,
    int64_t *starts, int64_t room, int32_t *numbers, Array *news)
{
    if (slots < 2 || slots & (slots - 1) || known < 0 || one < 1 || *at < 0)
        return BAD;
    int64_t place = *at, count = 0, news_room = 0;
    while (place < size) {
        bool is_line_end = bytes[place] == LINE_END;
        if (is_line_end || (blanks && bytes[place] <= ' ')) {
            if (is_line_end && lines) {
                if (count == room)
                    return BAD;
                starts[count] = place;
                numbers[count++] = 0;
            }
            place++;
            continue;
        }
        Span span = span_at(bytes, place, size, blanks, seed);
        uint32_t *slot = slot_of(table, slots, keys, span.hash);
        if (!*slot) {
            if (4 * known >= 3 * slots || known + 1 >= size_of_keys)
                break;
            if (known >= INT32_MAX || !append(news, &news_room, &span, 2 * sizeof span.start))
                return NO_MEMORY;
            keys[++known] = span.hash;
            *slot = (uint32_t)known;
        }
        if (count == room)
            return BAD;
        starts[count] = place;
        numbers[count++] = (int32_t)*slot;
        place = span.end;
    }
    *at = place;
    return count;
}

/* Writes the hash of each span of some pieces, and returns how many there are; `ends` of pieces
   become ends counted in spans. Rows of number, start and end of those spans are returned that are
   not all of ASCII, or longer than `longest`. */
EXPORT int64_t sdtext_word_hashes(
    const uint8_t *bytes, int64_t size, int64_t blanks, int64_t longest, int64_t *ends,
    int64_t pieces, uint64_t *hashes, int64_t room, Array *others)
{
    int64_t place = 0, count = 0, others_room = 0;
    for (int64_t piece = 0; piece < pieces; piece++) {
        int64_t end = ends[piece];
        if (end < place - 1 || end > size)
            return BAD;
        while (place < end) {
            if (bytes[place] == LINE_END || (blanks && bytes[place] <= ' ')) {
                place++;
                continue;
            }
            Span span = span_at(bytes, place, size, blanks, 0);
            if (count == room)
                return BAD;
            if (!span.is_ascii || span.end - place > longest) {
                int64_t row[3] = {count, place, span.end};
                if (!append(others, &others_room, row, sizeof row))
                    return NO_MEMORY;
            }
            hashes[count++] = span.hash;
            place = span.end;
        }
        ends[piece] = count;
    }
    return count;
}

/* The rows of some numbers, one behind the other: values[offsets[n]] to values[offsets[n + 1]] is
   that of n. `ends` of pieces, counted in numbers, become ends counted in values. */
EXPORT int64_t sdtext_joined_rows(
    const int32_t *numbers, int64_t count, const int64_t *offsets, int64_t rows,
    const int32_t *values, int64_t size, int64_t *ends, int64_t pieces, Array *result)
{
    if (!are_offsets(offsets, rows, size))
        return BAD;
    int64_t from = 0, to = 0, room = count + 1;
    int32_t *joined = malloc(room * sizeof *joined);
    result->data = joined;
    if (!joined)
        return NO_MEMORY;
    for (int64_t piece = 0; piece <= pieces; piece++) {
        int64_t end = piece < pieces ? ends[piece] : count;
        if (end < from || end > count)
            return BAD;
        for (; from < end; from++) {
            if (numbers[from] < 0 || numbers[from] >= rows)
                return BAD;
            int64_t start = offsets[numbers[from]], length = offsets[numbers[from] + 1] - start;
            if (length > room - to - 1) {
                room = 2 * room + length;
                if (!(joined = realloc(result->data, room * sizeof *joined)))
                    return NO_MEMORY;
                result->data = joined;
            }
            joined[to] = values[start < size ? start : 0]; /* mostly all there is */
            for (int64_t place = 1; place < length; place++)
                joined[to + place] = values[start + place];
            to += length;
        }
        if (piece < pieces)
            ends[piece] = to;
    }
    result->count = to;
    return to;
}

/* Replaces each byte by that of a table, or leaves it out where it is not kept; `ends` move with
   what stands before them. Returns the number of bytes that are left. */
EXPORT int64_t sdtext_translated(
    const uint8_t *bytes, int64_t size, const uint8_t *table, int64_t letters,
    const uint8_t *is_kept, int64_t *ends, int64_t pieces, uint8_t *result)
{
    if (letters != 256)
        return BAD;
    int64_t from = 0, to = 0;
    for (int64_t piece = 0; piece <= pieces; piece++) {
        int64_t end = piece < pieces ? ends[piece] : size;
        if (end < from || end > size)
            return BAD;
        for (; from < end; from++) {
            result[to] = table[bytes[from]];
            to += is_kept[bytes[from]] != 0;
        }
        if (piece < pieces)
            ends[piece] = to;
    }
    return to;
}
