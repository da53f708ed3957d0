/* The pairs of an exact set-similarity join: rows, and those in the posting lists of their prefix. */
#include "kernels.h"

enum { ROWS = 1 << 20 }; /* pairs, after which a call returns */

/* Each row with each other one that is in one of its lists, once: the row owners[i] has the list
   postings[begins[i] : begins[i] + lengths[i]], and all of its lists stand one after the other,
   from `start` on. Returns the list to go on with. */
EXPORT int64_t sdtext_posting_pairs(
    const int64_t *owners, int64_t lists, const int64_t *begins, const int64_t *lengths,
    const int64_t *postings, int64_t count, int64_t rows, int64_t start, Array *pairs)
{
    int64_t *seen = calloc(rows + 1, sizeof *seen), room = 0; /* with which owner, from 1 on */
    bool fits = seen, is_right = start >= 0;
    for (; fits && is_right && start < lists; start++) {
        int64_t owner = owners[start], begin = begins[start], length = lengths[start];
        if (pairs->count >= ROWS && (!start || owners[start - 1] != owner))
            break;
        is_right = owner >= 0 && owner < rows && begin >= 0 && length >= 0 && begin <= count &&
                   length <= count - begin;
        for (int64_t at = begin; fits && is_right && at < begin + length; at++) {
            int64_t row[2] = {owner, postings[at]};
            is_right = row[1] >= 0 && row[1] < rows;
            if (!is_right || row[1] == owner || seen[row[1]] == owner + 1)
                continue;
            seen[row[1]] = owner + 1;
            fits = append(pairs, &room, row, sizeof row);
        }
    }
    free(seen);
    return !is_right ? BAD : fits ? start : NO_MEMORY;
}
