/* From bytes to numbered spans: what stands between line ends or, with `blanks`, between bytes up
   to the blank. A span is known by its hash, in an open-addressing table with linear probing. */
#include "span_hash.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define GATHER UINT64_C(0x0102040810204080) /* moves the low bits of eight bytes to the top */

enum { LINE_END = '\n', BLOCK = 64 };

/* The spans up to `end`, found a block at a time: bits say where they start and stop. One that has
   started, and not stopped, did so at `start`; else `next` is apart from spans. */
typedef struct {
    const uint8_t *bytes;
    int64_t next, end, block, start;
    uint64_t starts, stops;
    bool blanks, is_apart;
} Spans;

static inline Spans spans_of(const uint8_t *bytes, int64_t place, int64_t end, bool blanks)
{
    return (Spans){bytes, place, end, place, place, 0, 0, blanks, true};
}

/* A bit for each byte of a group that is a line end or, with `blanks`, up to the blank. */
static inline uint64_t ends_in(uint64_t group, bool blanks)
{
    group ^= blanks ? 0 : ONES * LINE_END;
    /* The sums have the high bit of each byte above the blank, or above 0; none is carried. */
    uint64_t sums = (group & ~HIGHS) + ONES * (blanks ? 0x7F - ' ' : 0x7F);
    return ((~(sums | group) & HIGHS) >> 7) * GATHER >> 56;
}

/* The place of the lowest bit of the block, which is cleared. */
static inline int64_t taken(const Spans *spans, uint64_t *bits)
{
    int64_t place = spans->block + (*bits ? __builtin_ctzll(*bits) : 0);
    *bits &= *bits - 1;
    return place;
}

/* Finds the bits of the next block; all that is behind the end ends a span. */
static inline void read_block(Spans *spans)
{
    const uint8_t *bytes = spans->bytes + spans->next;
    int64_t left = spans->end - spans->next;
    uint64_t ends = left < BLOCK ? ~UINT64_C(0) << left : 0;
#if defined(__SSE2__)
    if (left >= BLOCK)
        for (int place = 0; place < BLOCK; place += 16) {
            __m128i some = _mm_loadu_si128((const void *)(bytes + place)), end = _mm_set1_epi8(LINE_END);
            end = spans->blanks ? _mm_min_epu8(some, _mm_set1_epi8(' ')) : end;
            ends |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(some, end)) << place;
        }
    else
#endif
        for (int64_t place = 0; place < left && place < BLOCK; place += 8)
            ends |= ends_in(group_at(bytes + place, left - place), spans->blanks) << place;
    uint64_t before = ends << 1 | spans->is_apart;
    spans->starts = ~ends & before;
    spans->stops = ends & ~before;
    spans->block = spans->next;
    spans->next += BLOCK;
    if (spans->is_apart)
        spans->start = taken(spans, &spans->starts);
    spans->is_apart = ends >> (BLOCK - 1);
}

/* The start and the end of the next span; false where there is none. */
static inline bool next_span(Spans *spans, int64_t *start, int64_t *stop)
{
    while (!spans->stops) {
        if (spans->next >= spans->end + !spans->is_apart)
            return false;
        read_block(spans);
    }
    *start = spans->start;
    *stop = taken(spans, &spans->stops);
    spans->start = taken(spans, &spans->starts);
    return true;
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
   `known`, and their starts and ends are returned. With a `mark` above 0 only the first of equal
   spans of each piece is written: `last` has the mark, plus the number of the piece, with which each
   was seen before. Stops, with `place` at the next span, where the table is three quarters full. */
EXPORT int64_t sdtext_spans(
    const uint8_t *bytes, int64_t size, int64_t blanks, int64_t lines, uint64_t seed,
    uint64_t *keys, int64_t size_of_keys, uint32_t *last, int64_t mark, uint32_t *table, int64_t slots,
    int64_t known, const int64_t *ends, int64_t pieces, int64_t *at, int64_t one, int64_t *starts, int64_t room, int32_t *numbers, Array *news)
{
    if (slots < 2 || slots & (slots - 1) || known < 0 || one < 1 || *at < 0)
        return BAD;
    Spans spans = spans_of(bytes, *at, size, blanks);
    int64_t place = *at, count = 0, news_room = 0, piece = 0;
    while (place < size) {
        int64_t bounds[2] = {size, size};
        bool is_span = next_span(&spans, bounds, bounds + 1);
        for (; place < bounds[0]; place++)
            if (lines && bytes[place] == LINE_END) {
                if (count == room)
                    return BAD;
                starts[count] = place;
                numbers[count++] = 0;
            }
        if (!is_span)
            break;
        uint64_t every;
        uint64_t key = span_hash(bytes + place, bounds[1] - place, size - place, seed, &every);
        uint32_t *slot = slot_of(table, slots, keys, key);
        if (!*slot) {
            if (4 * known >= 3 * slots || known + 1 >= size_of_keys)
                break;
            if (known >= INT32_MAX || !append(news, &news_room, bounds, sizeof bounds))
                return NO_MEMORY;
            keys[++known] = key;
            *slot = (uint32_t)known;
        }
        if (count == room)
            return BAD;
        starts[count] = place;
        numbers[count] = (int32_t)*slot;
        for (; piece < pieces && ends[piece] <= place; piece++)
            mark += mark > 0;
        count += !mark | (last[*slot] != (uint32_t)mark); /* which no processor can predict */
        last[*slot] = (uint32_t)mark;
        place = bounds[1];
    }
    *at = place;
    return count;
}

enum { SOME = 256 };

/* Short spans that wait for their hashes, which are computed together. */
typedef struct {
    int64_t count;
    uint64_t first[SOME], second[SOME], lengths[SOME];
} Waiting;

static inline void hash_some(const Waiting *spans, int64_t count, uint64_t *restrict hashes)
{
    /* The hash of a group without bytes is 0. */
    for (int64_t at = 0; at < count; at++) {
        uint64_t first = mixed_group(spans->first[at]), second = mixed_group(spans->second[at]);
        hashes[at] = mixed(first + second * POWERS + spans->lengths[at] * LENGTH);
    }
}

BY_EIGHT(hash_many, hash_some, (const Waiting *spans, int64_t count, uint64_t *hashes),
         (spans, count, hashes))

/* Writes the hashes of those that wait: the last ones before `end`. */
static void hash_waiting(Waiting *spans, uint64_t *end)
{
    hash_many(spans, spans->count, end - spans->count);
    spans->count = 0;
}

/* Adds a word to those that wait, or hashes it where it is long; `end` is the place of its hash.
   Returns the bits of all its bytes. */
static inline uint64_t add_word(
    Waiting *waiting, const uint8_t *bytes, int64_t length, int64_t left, uint64_t *end)
{
    uint64_t every;
    if (length > SHORT || left < SHORT) {
        hash_waiting(waiting, end);
        *end = span_hash(bytes, length, left, 0, &every);
        return every;
    }
    if (waiting->count == SOME)
        hash_waiting(waiting, end);
    uint64_t first = group_at(bytes, 8) & lowest(length);
    uint64_t second = group_at(bytes + 8, 8) & lowest(length - 8);
    waiting->first[waiting->count] = first;
    waiting->second[waiting->count] = second;
    waiting->lengths[waiting->count++] = (uint64_t)length;
    return first | second;
}

/* Bytes of a word, and of what its letters become: seven for two at most. */
enum { LONG = 1024, ROOM = 4 * LONG };

/* A word in which each character beyond ASCII is replaced by up to seven bytes of its number, the
   first one lowest; the highest byte is how many there are, and 1 more. Returns the length, or -1
   where the number of a character is 0. */
static int64_t replaced(
    const uint8_t *bytes, int64_t length, const uint64_t *letters, int64_t codes, uint8_t *result)
{
    int64_t to = 0;
    for (int64_t at = 0; at < length;) {
        int64_t code = bytes[at++];
        if (code < 0x80) {
            result[to++] = (uint8_t)code;
            continue;
        }
        int more = code < 0xE0 ? 1 : code < 0xF0 ? 2 : 3;
        code &= 0x3F >> more;
        for (; more && at < length; more--)
            code = code << 6 | (bytes[at++] & 0x3F);
        uint64_t letter = code < codes ? letters[code] : 0;
        if (!letter)
            return -1;
        for (int place = 0; place < 8; place++)
            result[to + place] = (uint8_t)(letter >> 8 * place);
        to += ((letter >> 56) - 1) & 7;
    }
    return to;
}

/* Writes the hash of each word of some pieces, and returns how many there are; `ends` of pieces
   become ends counted in words. Words are spans between blanks; what they contain beyond ASCII is
   replaced before. Rows of number, start and end of those spans are returned, each as one word,
   of which that is not known, or which are longer than `longest`. */
EXPORT int64_t sdtext_word_hashes(
    const uint8_t *bytes, int64_t size, int64_t longest, const uint64_t *letters, int64_t codes,
    int64_t *ends, int64_t pieces, uint64_t *hashes, int64_t room, Array *others)
{
    int64_t place = 0, count = 0, others_room = 0;
    Waiting waiting = {.count = 0};
    uint8_t word[ROOM] = {0};
    for (int64_t piece = 0; piece < pieces; piece++) {
        if (ends[piece] < place - 1 || ends[piece] > size)
            return BAD;
        Spans spans = spans_of(bytes, place < size ? place : size, ends[piece], true);
        int64_t start, stop;
        while (next_span(&spans, &start, &stop)) {
            int64_t length = stop - start, made = -1;
            if (count == room)
                return BAD;
            uint64_t every = add_word(&waiting, bytes + start, length, size - start, hashes + count++);
            if (!(every & HIGHS) && length <= longest)
                continue;
            if (length <= LONG && length <= longest)
                made = replaced(bytes + start, length, letters, codes, word);
            if (made < 0) {
                int64_t row[3] = {count - 1, start, stop};
                if (!append(others, &others_room, row, sizeof row))
                    return NO_MEMORY;
                continue;
            }
            count--;
            waiting.count -= waiting.count > 0;
            Spans words = spans_of(word, 0, made, true);
            while (next_span(&words, &start, &stop)) {
                if (count == room)
                    return BAD;
                add_word(&waiting, word + start, stop - start, ROOM - start, hashes + count++);
            }
        }
        place = ends[piece] + 1;
        ends[piece] = count;
    }
    hash_waiting(&waiting, hashes + count);
    return count;
}

/* The rows of some numbers, one behind the other: values[offsets[n]] to values[offsets[n + 1]] is
   that of n. `ends` of pieces, counted in numbers, become ends counted in values. */
EXPORT int64_t sdtext_joined_rows(
    const int32_t *numbers, int64_t count, const int64_t *offsets, int64_t rows,
    const int32_t *values, int64_t size, int64_t *ends, int64_t pieces, Array *result)
{
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
            if (start < 0 || length < 0 || start > size || length > size - start)
                return BAD;
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
