/* Terms that two lists have in common, by a hash table of one of them with linear probing. */
#include "kernels.h"

enum { FEW = 1 << 10 }; /* slots that need no allocation */

/* A term, and one more than how often it occurs; 0 stands for a free slot. */
typedef struct {
    uint32_t term, count;
} Slot;

typedef struct {
    Slot *slots, few[FEW];
    uint64_t mask;
    int shift;
} Table;

static inline Slot *slot_of(const Table *table, uint32_t term)
{
    uint64_t place = (term * SPREAD) >> table->shift;
    while (table->slots[place].count && table->slots[place].term != term)
        place = (place + 1) & table->mask;
    return table->slots + place;
}

/* Counts each term of a list; at least half of the slots stay free. */
static bool fill(Table *table, const uint32_t *terms, int64_t count)
{
    table->shift = 63;
    while (count > INT64_C(1) << (63 - table->shift))
        table->shift--;
    uint64_t slots = UINT64_C(1) << (64 - table->shift);
    table->mask = slots - 1;
    table->slots = slots <= FEW ? table->few : calloc(slots, sizeof(Slot));
    if (!table->slots)
        return false;
    if (slots <= FEW)
        memset(table->few, 0, slots * sizeof(Slot));
    for (int64_t place = 0; place < count; place++) {
        Slot *slot = slot_of(table, terms[place]);
        slot->term = terms[place];
        slot->count += slot->count ? slot->count < UINT32_MAX : 2;
    }
    return true;
}

static void clear(Table *table)
{
    if (table->slots != table->few)
        free(table->slots);
}

/* Whether each of the terms is among the others. */
EXPORT int64_t sdtext_are_in(
    const uint32_t *terms, int64_t count, const uint32_t *others, int64_t size, uint8_t *flags)
{
    Table table;
    if (!fill(&table, others, size))
        return NO_MEMORY;
    for (int64_t place = 0; place < count; place++)
        flags[place] = slot_of(&table, terms[place])->count > 0;
    clear(&table);
    return 0;
}

/* The size of the intersection of two lists as multisets. */
EXPORT int64_t sdtext_common_terms(
    const uint32_t *left, int64_t lefts, const uint32_t *right, int64_t rights)
{
    Table table;
    int64_t common = 0;
    if (!fill(&table, left, lefts))
        return NO_MEMORY;
    for (int64_t place = 0; place < rights; place++) {
        /* A term that is used up keeps its slot. */
        Slot *slot = slot_of(&table, right[place]);
        common += slot->count > 1;
        slot->count -= slot->count > 1;
    }
    clear(&table);
    return common;
}
