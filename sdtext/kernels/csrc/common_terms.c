/* Terms and runs of terms that two lists have in common, by a hash table of the runs of one of them
   with linear probing. */
#include "kernels.h"

/* Where a run begins, and one more than how often it occurs; 0 stands for a free slot. */
typedef struct {
    uint32_t place, count;
} Slot;

typedef struct {
    const uint32_t *terms;
    int64_t length; /* of each run */
    Slot *slots;
    uint64_t mask;
    int shift;
} Table;

static inline Slot *slot_of(const Table *table, const uint32_t *run)
{
    uint64_t hash = run[0] * SPREAD;
    for (int64_t at = 1; at < table->length; at++)
        hash = mixed(hash + run[at]);
    for (uint64_t place = hash >> table->shift;; place = (place + 1) & table->mask) {
        Slot *slot = table->slots + place;
        int64_t at = 0;
        while (slot->count && at < table->length && table->terms[slot->place + at] == run[at])
            at++;
        if (!slot->count || at == table->length)
            return slot;
    }
}

/* Counts each run of so many terms; at least half of the slots stay free. */
static bool fill(Table *table, const uint32_t *terms, int64_t count, int64_t length)
{
    int digits = 1 + digits_of(count > 1 ? count - 1 : 0);
    Slot *slots = count > UINT32_MAX ? NULL : calloc(UINT64_C(1) << digits, sizeof *slots);
    *table = (Table){terms, length, slots, (UINT64_C(1) << digits) - 1, 64 - digits};
    for (int64_t place = 0; slots && place <= count - length; place++) {
        Slot *slot = slot_of(table, terms + place);
        if (!slot->count)
            *slot = (Slot){(uint32_t)place, 1};
        slot->count += slot->count < UINT32_MAX;
    }
    return slots;
}

/* Whether each of the terms is in a run of so many terms that the others have, too. */
EXPORT int64_t sdtext_are_in(
    const uint32_t *terms, int64_t count, const uint32_t *others, int64_t size, int64_t length,
    uint8_t *flags)
{
    Table table;
    if (length < 1)
        return BAD;
    if (!fill(&table, others, size, length))
        return NO_MEMORY;
    memset(flags, 0, count);
    for (int64_t place = 0; place <= count - length; place++)
        if (slot_of(&table, terms + place)->count)
            memset(flags + place, 1, length);
    free(table.slots);
    return 0;
}

/* The size of the intersection of two lists as multisets. */
EXPORT int64_t sdtext_common_terms(
    const uint32_t *left, int64_t lefts, const uint32_t *right, int64_t rights)
{
    Table table;
    int64_t common = 0;
    if (!fill(&table, left, lefts, 1))
        return NO_MEMORY;
    for (int64_t place = 0; place < rights; place++) {
        /* A term that is used up keeps its slot. */
        Slot *slot = slot_of(&table, right + place);
        common += slot->count > 1;
        slot->count -= slot->count > 1;
    }
    free(table.slots);
    return common;
}

/* The parts of two lists with the greatest sums, by turns: a term that the part of the other side
   has counts `unit`, any other -weight. Of equal sums that which ends first, and then begins first.
   Parts are left start and end, right start and end; they are whole at first. */
EXPORT int64_t sdtext_best_parts(
    const uint32_t *left, int64_t lefts, const uint32_t *right, int64_t rights, int64_t unit,
    int64_t weight, int64_t right_weight, int64_t turns, int64_t *parts, int64_t four)
{
    const uint32_t *sides[] = {left, right};
    const int64_t weights[] = {weight, right_weight}, whole[] = {0, lefts, 0, rights};
    if (four != 4)
        return BAD;
    memcpy(parts, whole, sizeof whole);
    for (int64_t turn = 0, same = 0; turn < turns && same < 2; turn++) {
        int side = turn % 2;
        int64_t *part = parts + 2 * side, *other = parts + 2 * !side;
        int64_t sum = 0, least = 0, best = 0, first = part[0], start = first, end = part[1];
        Table table;
        if (!fill(&table, sides[!side] + other[0], other[1] - other[0], 1))
            return NO_MEMORY;
        part[1] = first;
        for (int64_t place = first; place < end; place++) {
            sum += slot_of(&table, sides[side] + place)->count ? unit : -weights[side];
            if (sum < least) {
                least = sum;
                start = place + 1;
            } else if (sum - least > best) {
                best = sum - least;
                part[0] = start;
                part[1] = place + 1;
            }
        }
        free(table.slots);
        same = part[0] == first && part[1] == end ? same + 1 : 0;
    }
    return 0;
}
