/* All pairs of codes within a Hamming radius, by a scan or by multi-index hashing (M. Norouzi,
   A. Punjani, D. J. Fleet: Fast search in Hamming space with multi-index hashing, 2012).

   Codes are rows of bytes, read as words of 64 bits. A group of bits makes a key; `parts` has for each part of a
   group its number, its first bit and its width, from 1 to 64. Pairs are found by the keys of one
   group, of which some bits may differ, and are left out if an earlier group finds them, too. */
#include "kernels.h"

enum { ROWS = 1 << 18 }; /* pairs, after which a call returns */

typedef struct {
    const int64_t *parts, *flips;
    int64_t number, bytes;
} Groups;

/* Word `word` of a code, padded with 0. */
static inline uint64_t word_at(const uint8_t *code, int64_t bytes, int64_t word)
{
    const int64_t left = bytes - 8 * word;
    if (left >= 8 || bytes < 8)
        return group_at(code + 8 * word, left);
    return left > 0 ? group_at(code + bytes - 8, 8) >> 8 * (8 - left) : 0; /* one read */
}

/* The same of a code, or of the bits in which two codes differ. */
static uint64_t word_of(const uint8_t *code, const uint8_t *other, int64_t bytes, int64_t word)
{
    return word_at(code, bytes, word) ^ (other ? word_at(other, bytes, word) : 0);
}

/* The width of a group; 0 where the parts are none of groups of such codes. */
static int64_t width_of(const Groups *groups, int64_t place, int64_t kinds)
{
    int64_t width = 0;
    for (const int64_t *part = groups->parts; part < groups->parts + 3 * groups->number; part += 3) {
        if (part[0] < 0 || part[0] >= kinds || part[1] < 0 || part[2] < 1 || part[2] > 64 ||
            part[1] > 8 * groups->bytes)
            return 0;
        width += part[0] == place ? part[2] : 0;
    }
    return width <= 64 ? width : 0;
}

/* The bits of a group, those of its last part lowest. */
static uint64_t key_of(const uint8_t *code, const uint8_t *other, const Groups *groups,
                       int64_t group)
{
    uint64_t key = 0;
    for (const int64_t *part = groups->parts; part < groups->parts + 3 * groups->number; part += 3) {
        if (part[0] != group)
            continue;
        int64_t word = part[1] / 64, shift = part[1] % 64, width = part[2];
        uint64_t bits = word_of(code, other, groups->bytes, word) >> shift;
        if (shift + width > 64)
            bits |= word_of(code, other, groups->bytes, word + 1) << (64 - shift);
        if (width == 64)
            key = bits;
        else
            key = key << width | (bits & ((UINT64_C(1) << width) - 1));
    }
    return key;
}

static inline int64_t distance(const uint8_t *left, const uint8_t *right, int64_t bytes)
{
    int64_t apart = 0;
    for (int64_t word = 0; 8 * word < bytes; word++)
        apart += __builtin_popcountll(word_at(left, bytes, word) ^ word_at(right, bytes, word));
    return apart;
}

static bool is_new(const uint8_t *left, const uint8_t *right, const Groups *groups, int64_t place)
{
    for (int64_t group = 0; group < place; group++)
        if (__builtin_popcountll(key_of(left, right, groups, group)) <= groups->flips[group])
            return false;
    return true;
}

/* What is looked for among the codes by one group. */
typedef struct {
    const uint8_t *queries, *codes;
    const uint64_t *keys, *rows, *masks;
    const int64_t *starts;
    int64_t lefts, rights, entries, choices, place, radius, shift;
    Groups groups;
} Search;

static inline __attribute__((always_inline)) int64_t by_keys(
    const Search *in, int64_t start, bool other, Array *pairs)
{
    const int64_t bytes = in->groups.bytes, end = other ? in->lefts : in->rights;
    int64_t room = 0;
    for (; start < end && pairs->count < ROWS; start++) {
        const int64_t left = other ? start : (int64_t)in->rows[start];
        if (left < 0 || left >= in->lefts)
            return BAD;
        const uint8_t *query = in->queries + left * bytes;
        const uint64_t key = other ? key_of(query, NULL, &in->groups, in->place) : in->keys[start];
        for (int64_t choice = 0; choice < (other ? in->choices : 1); choice++) {
            const uint64_t wanted = other ? key ^ in->masks[choice] : key;
            const uint64_t entry = wanted >> in->shift;
            if (other && entry >= (uint64_t)in->entries)
                return BAD;
            int64_t low = other ? in->starts[entry] : start + 1;
            int64_t high = other ? in->starts[entry + 1] : low;
            if (low < 0 || high > in->rights)
                return BAD;
            while (low < high) {
                int64_t middle = low + (high - low) / 2;
                if (in->keys[middle] < wanted)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (; low < in->rights && in->keys[low] == wanted; low++) {
                if (in->rows[low] >= (uint64_t)in->rights)
                    return BAD;
                const uint8_t *code = in->codes + in->rows[low] * bytes;
                int64_t apart = distance(query, code, bytes);
                if (apart <= in->radius && is_new(query, code, &in->groups, in->place)) {
                    int64_t row[3] = {left, (int64_t)in->rows[low], apart};
                    if (!append(pairs, &room, row, sizeof row))
                        return NO_MEMORY;
                }
            }
        }
    }
    return start;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) /* which every processor with AVX2 has */
#endif
static int64_t by_keys_and_popcnt(const Search *in, int64_t start, bool other, Array *pairs)
{
    return by_keys(in, start, other, pairs);
}

/* Pairs of the queries from `start` on with codes, by their sorted keys in the group `place`, each
   with the row of its code; the query's key is changed by each mask. `starts` has for each of 2^n
   values of a key's first n bits the place of the first such key, and behind them the number of
   keys. Without `other` the codes are the queries, keys must be equal, and each pair is found once.
   Rows are a query, a code and their distance. Returns the query, or without `other` the place
   among the keys, to go on with. */
EXPORT int64_t sdtext_hamming_by_keys(
    const uint8_t *queries, int64_t lefts, int64_t bytes, const uint8_t *codes, int64_t rights,
    const uint64_t *keys, const uint64_t *rows, const int64_t *starts, int64_t entries,
    const int64_t *parts, int64_t number, int64_t three, const int64_t *flips, int64_t kinds,
    const uint64_t *masks, int64_t choices, int64_t place, int64_t radius, int64_t other,
    int64_t start, Array *pairs)
{
    const Groups groups = {parts, flips, number, bytes};
    const int64_t width = width_of(&groups, place, kinds), bits = digits_of(entries) - 1;
    if (three != 3 || start < 0 || bits < 1 || width < bits || entries != (int64_t)1 << bits ||
        place < 0 || place >= kinds || (!other && lefts != rights))
        return BAD;
    const Search in = {queries, codes, keys, rows, masks, starts, lefts, rights, entries, choices,
                       place, radius, width - bits, groups};
    return instruction_set == PLAIN ? by_keys(&in, start, other, pairs)
                                    : by_keys_and_popcnt(&in, start, other, pairs);
}

static inline __attribute__((always_inline)) bool scan(
    const uint8_t *left, const uint8_t *right, int64_t rights, int64_t bytes, int64_t radius,
    int64_t place, int64_t first, Array *pairs, int64_t *room)
{
    for (int64_t at = first; at < rights; at++) {
        int64_t apart = distance(left, right + at * bytes, bytes);
        int64_t row[3] = {place, at, apart};
        if (apart <= radius && !append(pairs, room, row, sizeof row))
            return false;
    }
    return true;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) /* which every processor with AVX2 has */
#endif
static bool scan_by_popcnt(const uint8_t *left, const uint8_t *right, int64_t rights,
                           int64_t bytes, int64_t radius, int64_t place, int64_t first,
                           Array *pairs, int64_t *room)
{
    if (bytes == 8)
        return scan(left, right, rights, 8, radius, place, first, pairs, room);
    if (bytes == 13) /* of the recipe `evidence` */
        return scan(left, right, rights, 13, radius, place, first, pairs, room);
    return scan(left, right, rights, bytes, radius, place, first, pairs, room);
}

/* The same by comparing each left code from `start` on with each right one; without `other` both
   are the same codes, and each is compared with later ones. */
EXPORT int64_t sdtext_hamming_by_scan(
    const uint8_t *left, int64_t lefts, int64_t bytes, const uint8_t *right, int64_t rights,
    int64_t radius, int64_t other, int64_t start, Array *pairs)
{
    int64_t room = 0;
    if (start < 0)
        return BAD;
    for (; start < lefts && pairs->count < ROWS; start++) {
        const uint8_t *code = left + start * bytes;
        int64_t first = other ? 0 : start + 1;
        bool fits = instruction_set == PLAIN
                        ? scan(code, right, rights, bytes, radius, start, first, pairs, &room)
                        : scan_by_popcnt(code, right, rights, bytes, radius, start, first, pairs,
                                         &room);
        if (!fits)
            return NO_MEMORY;
    }
    return start;
}
