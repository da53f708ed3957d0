/* All pairs of codes within a Hamming radius, by a scan or by multi-index hashing (M. Norouzi,
   A. Punjani, D. J. Fleet: Fast search in Hamming space with multi-index hashing, 2012).

   Codes are rows of words of 64 bits. A group of bits makes a key; `parts` has for each part of a
   group its number, its first bit and its width, from 1 to 64. Pairs are found by the keys of one
   group, of which some bits may differ, and are left out if an earlier group finds them, too. */
#include "kernels.h"

enum { ROWS = 1 << 18, INDEX = 20 }; /* pairs, after which a call returns; bits of a table at most */

typedef struct {
    const int64_t *parts, *flips;
    int64_t number, words;
} Groups;

static bool are_groups(const Groups *groups, int64_t place, int64_t kinds)
{
    for (const int64_t *part = groups->parts; part < groups->parts + 3 * groups->number; part += 3)
        if (part[0] < 0 || part[0] >= kinds || part[1] < 0 || part[2] < 1 || part[2] > 64 ||
            part[1] + part[2] > 64 * groups->words)
            return false;
    return place >= 0 && place < kinds;
}

/* The bits of a group, those of its last part lowest. */
static uint64_t key_of(const uint64_t *code, const Groups *groups, int64_t group)
{
    uint64_t key = 0;
    for (const int64_t *part = groups->parts; part < groups->parts + 3 * groups->number; part += 3) {
        if (part[0] != group)
            continue;
        int64_t word = part[1] / 64, shift = part[1] % 64, width = part[2];
        uint64_t bits = code[word] >> shift;
        if (shift + width > 64)
            bits |= code[word + 1] << (64 - shift);
        if (width == 64)
            key = bits;
        else
            key = key << width | (bits & ((UINT64_C(1) << width) - 1));
    }
    return key;
}

/* The distance, or more than the radius. */
static inline int64_t distance(const uint64_t *left, const uint64_t *right, int64_t words)
{
    int64_t apart = 0;
    for (int64_t word = 0; word < words; word++)
        apart += __builtin_popcountll(left[word] ^ right[word]);
    return apart;
}

static bool is_new(const uint64_t *left, const uint64_t *right, const Groups *groups, int64_t place,
                   uint64_t *different)
{
    for (int64_t word = 0; word < groups->words; word++)
        different[word] = left[word] ^ right[word];
    for (int64_t group = 0; group < place; group++)
        if (__builtin_popcountll(key_of(different, groups, group)) <= groups->flips[group])
            return false;
    return true;
}

/* What is looked for among the codes by one group. For many look-ups `ordered` has the codes in
   the order of keys, and `starts` where keys that begin with the same bits do. */
typedef struct {
    const uint64_t *queries, *keys, *rows, *codes, *masks, *ordered;
    const int64_t *starts;
    int64_t lefts, rights, choices, place, radius, shift;
    Groups groups;
} Search;

static inline __attribute__((always_inline)) int64_t by_keys(
    const Search *in, int64_t start, bool other, uint64_t *different, Array *pairs)
{
    const int64_t words = in->groups.words, end = other ? in->lefts : in->rights;
    int64_t room = 0;
    for (; start < end && pairs->count < ROWS; start++) {
        const uint64_t *query = (other ? in->queries : in->ordered) + start * words;
        const int64_t left = other ? start : (int64_t)in->rows[start];
        const uint64_t key = other ? key_of(query, &in->groups, in->place) : in->keys[start];
        for (int64_t choice = 0; choice < (other ? in->choices : 1); choice++) {
            uint64_t wanted = other ? key ^ in->masks[choice] : key;
            int64_t low = other ? 0 : start + 1, high = other ? in->rights : low;
            if (other && in->starts) {
                low = in->starts[wanted >> in->shift];
                high = in->starts[(wanted >> in->shift) + 1];
            }
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
                const uint64_t *code = in->ordered ? in->ordered + low * words
                                                   : in->codes + in->rows[low] * words;
                int64_t apart = distance(query, code, words);
                if (apart <= in->radius && is_new(query, code, &in->groups, in->place, different)) {
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
static int64_t by_keys_and_popcnt(const Search *in, int64_t start, bool other, uint64_t *different,
                                  Array *pairs)
{
    return by_keys(in, start, other, different, pairs);
}

/* Pairs of the queries from `start` on with codes, by their sorted keys in the group `place`, each
   with the row of its code; the query's key is changed by each mask. Without `other` the codes are
   the queries, keys must be equal, and each pair is found once. Rows are a query, a code and their
   distance. Returns the query, or without `other` the place among the keys, to go on with. */
EXPORT int64_t sdtext_hamming_by_keys(
    const uint64_t *queries, int64_t lefts, int64_t words, const uint64_t *codes, int64_t rights,
    const uint64_t *keys, const uint64_t *rows, const int64_t *parts, int64_t number, int64_t three,
    const int64_t *flips, int64_t kinds, const uint64_t *masks, int64_t choices, int64_t place,
    int64_t radius, int64_t other, int64_t start, Array *pairs)
{
    const Groups groups = {parts, flips, number, words};
    if (three != 3 || start < 0 || !are_groups(&groups, place, kinds) || (!other && lefts != rights))
        return BAD;
    const bool are_many = !other || (lefts - start) * choices > rights / 16;
    int64_t width = 0, result = NO_MEMORY, *starts = NULL;
    uint64_t *ordered = NULL, *different = malloc((words + 1) * sizeof *different);
    for (int64_t part = 0; part < number; part++)
        if (parts[3 * part] == place)
            width += parts[3 * part + 2];
    const int64_t bits = width < INDEX ? width : INDEX, shift = width - bits;
    if (are_many) {
        ordered = malloc((rights * words + 1) * sizeof *ordered);
        starts = calloc(((size_t)1 << bits) + 2, sizeof *starts);
    }
    if (different && (!are_many || (ordered && starts))) {
        for (int64_t at = 0; are_many && at < rights; at++) {
            if (rows[at] >= (uint64_t)rights || keys[at] >> shift >> bits) {
                result = BAD;
                goto end;
            }
            memcpy(ordered + at * words, codes + rows[at] * words, words * sizeof *ordered);
            starts[(keys[at] >> shift) + 1]++;
        }
        for (int64_t key = 0; are_many && key < (int64_t)1 << bits; key++)
            starts[key + 1] += starts[key];
        const Search in = {queries, keys, rows, codes, masks, ordered, starts, lefts, rights,
                           choices, place, radius, shift, groups};
        result = instruction_set == PLAIN ? by_keys(&in, start, other, different, pairs)
                                          : by_keys_and_popcnt(&in, start, other, different, pairs);
    }
end:
    free(starts);
    free(ordered);
    free(different);
    return result;
}

static inline __attribute__((always_inline)) bool scan(
    const uint64_t *left, const uint64_t *right, int64_t rights, int64_t words, int64_t radius,
    int64_t place, int64_t first, Array *pairs, int64_t *room)
{
    for (int64_t at = first; at < rights; at++) {
        int64_t apart = distance(left, right + at * words, words);
        int64_t row[3] = {place, at, apart};
        if (apart <= radius && !append(pairs, room, row, sizeof row))
            return false;
    }
    return true;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) /* which every processor with AVX2 has */
#endif
static bool scan_by_popcnt(const uint64_t *left, const uint64_t *right, int64_t rights,
                           int64_t words, int64_t radius, int64_t place, int64_t first,
                           Array *pairs, int64_t *room)
{
    if (words == 1)
        return scan(left, right, rights, 1, radius, place, first, pairs, room);
    if (words == 2)
        return scan(left, right, rights, 2, radius, place, first, pairs, room);
    return scan(left, right, rights, words, radius, place, first, pairs, room);
}

/* The same by comparing each left code from `start` on with each right one; without `other` both
   are the same codes, and each is compared with later ones. */
EXPORT int64_t sdtext_hamming_by_scan(
    const uint64_t *left, int64_t lefts, int64_t words, const uint64_t *right, int64_t rights,
    int64_t radius, int64_t other, int64_t start, Array *pairs)
{
    int64_t room = 0;
    if (start < 0)
        return BAD;
    for (; start < lefts && pairs->count < ROWS; start++) {
        const uint64_t *code = left + start * words;
        int64_t first = other ? 0 : start + 1;
        bool fits = instruction_set == PLAIN
                        ? scan(code, right, rights, words, radius, start, first, pairs, &room)
                        : scan_by_popcnt(code, right, rights, words, radius, start, first, pairs,
                                         &room);
        if (!fits)
            return NO_MEMORY;
    }
    return start;
}
