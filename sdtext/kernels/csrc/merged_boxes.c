/* Bounding boxes of connected components of close boxes; a box is a left start and end and a right
   start and end. Boxes are swept along one axis. Each is merged with the boxes that it is close to
   and that may still reach it; sweeps are repeated until none merges any. */
#include "kernels.h"

enum { SIDES = 4 };

static int compare(const void *one, const void *two, int axis)
{
    const int64_t *a = one, *b = two;
    for (int side = axis; side < axis + SIDES; side++)
        if (a[side % SIDES] != b[side % SIDES])
            return a[side % SIDES] < b[side % SIDES] ? -1 : 1;
    return 0;
}

static int by_left(const void *one, const void *two)
{
    return compare(one, two, 0);
}

static int by_right(const void *one, const void *two)
{
    return compare(one, two, 2);
}

static int by_number(const void *one, const void *two)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)two;
    return (a > b) - (a < b);
}

/* How many pairs of boxes, sorted by their starts on an axis, are close there. */
static int64_t overlaps(const int64_t *boxes, int64_t count, int axis, int64_t gap, int64_t *ends)
{
    int64_t pairs = 0, ended = 0;
    for (int64_t box = 0; box < count; box++)
        ends[box] = boxes[SIDES * box + axis + 1];
    qsort(ends, count, sizeof *ends, by_number);
    for (int64_t box = 0; box < count; box++) {
        while (ended < count && ends[ended] < boxes[SIDES * box + axis] - gap)
            ended++;
        pairs += box - ended;
    }
    return pairs;
}

static bool are_close(const int64_t *a, const int64_t *b, int64_t gap)
{
    return a[0] - b[1] <= gap && b[0] - a[1] <= gap && a[2] - b[3] <= gap && b[2] - a[3] <= gap;
}

/* Merges boxes, which are sorted by their starts on an axis, in place. How many are left. */
static int64_t sweep(int64_t *boxes, int64_t count, int axis, int64_t gap, int64_t *active)
{
    int64_t kept = 0, actives = 0;
    for (int64_t box = 0; box < count; box++) {
        int64_t here[SIDES];
        memcpy(here, boxes + SIDES * box, sizeof here);
        for (int64_t at = 0; at < actives;) {
            int64_t *other = boxes + SIDES * active[at];
            bool is_close = are_close(other, here, gap);
            if (!is_close && other[axis + 1] + gap >= here[axis]) {
                at++;
                continue;
            }
            active[at] = active[--actives];
            if (is_close) {
                for (int side = 0; side < SIDES; side += 2) {
                    here[side] = other[side] < here[side] ? other[side] : here[side];
                    here[side + 1] = other[side + 1] > here[side + 1] ? other[side + 1] : here[side + 1];
                }
                other[0] = other[1] + 1; /* marks it as merged: no box ends before it starts */
                at = 0; /* it has grown */
            }
        }
        memcpy(boxes + SIDES * kept, here, sizeof here);
        active[actives++] = kept++;
    }
    int64_t left = 0;
    for (int64_t box = 0; box < kept; box++)
        if (boxes[SIDES * box] <= boxes[SIDES * box + 1])
            memmove(boxes + SIDES * left++, boxes + SIDES * box, SIDES * sizeof *boxes);
    return left;
}

/* The first rows of `boxes` become the merged ones, sorted. Returns how many these are. */
EXPORT int64_t sdtext_merged_boxes(int64_t *boxes, int64_t count, int64_t four, int64_t gap)
{
    if (four != SIDES)
        return BAD;
    for (int64_t box = 0; box < count; box++)
        if (boxes[SIDES * box] > boxes[SIDES * box + 1] || boxes[SIDES * box + 2] > boxes[SIDES * box + 3])
            return BAD;
    int64_t *numbers = malloc((count + 1) * sizeof *numbers), before = -1;
    if (!numbers)
        return NO_MEMORY;
    while (count != before) {
        before = count;
        qsort(boxes, count, SIDES * sizeof *boxes, by_left);
        int64_t pairs = overlaps(boxes, count, 0, gap, numbers);
        qsort(boxes, count, SIDES * sizeof *boxes, by_right);
        int axis = overlaps(boxes, count, 2, gap, numbers) <= pairs ? 2 : 0;
        if (!axis)
            qsort(boxes, count, SIDES * sizeof *boxes, by_left);
        count = sweep(boxes, count, axis, gap, numbers);
    }
    qsort(boxes, count, SIDES * sizeof *boxes, by_left);
    free(numbers);
    return count;
}
