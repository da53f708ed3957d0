/* The body of column_sums.c for one instruction set: NAME and TARGET are its own.

   Seven columns are added to a number of three digits by four full adders, which is added to the
   sum: a Harley-Seal tree (W. Mula, N. Kurz, D. Lemire: Faster population counts using AVX2
   instructions, 2018). */

#define ADDED(sum, carry, a, b, c) \
    do { \
        Lane x_ = (a), y_ = (b), z_ = (c), both_ = x_ ^ y_; \
        carry = (x_ & y_) | (both_ & z_); \
        sum = both_ ^ z_; \
    } while (0)
#define AT(place) \
    (__builtin_prefetch(run[place] + ahead, 0, 2), *(const Lane *)(run[place] + start))

TARGET static void NAME(const uint64_t *const *columns, const Run *runs, int64_t number,
                        int64_t start, int64_t ahead, int64_t needed, int top, uint64_t *digits,
                        uint64_t *alive)
{
    const Lane none = {0};
    Lane sums[DIGITS + 3];
    for (int digit = 0; digit < top + 3; digit++)
        sums[digit] = none;
    for (int64_t at = 0; at < number; at++) {
        const uint64_t *const *run = columns + runs[at].first;
        int64_t left = runs[at].count;
        Lane *low = sums + runs[at].digit;
        for (; left > 0; run += 7, left -= 7) {
            Lane a, b, c, d, e, carry, more;
            Lane v1 = left > 1 ? AT(1) : none, v2 = left > 2 ? AT(2) : none;
            Lane v3 = left > 3 ? AT(3) : none, v4 = left > 4 ? AT(4) : none;
            Lane v5 = left > 5 ? AT(5) : none, v6 = left > 6 ? AT(6) : none;
            ADDED(a, b, AT(0), v1, v2);
            ADDED(c, d, v3, v4, v5);
            ADDED(a, e, a, c, v6);
            ADDED(b, d, b, d, e);
            ADDED(low[0], carry, low[0], a, none);
            ADDED(low[1], more, low[1], b, carry);
            ADDED(low[2], carry, low[2], d, more);
            for (Lane *high = low + 3; high < sums + top; high++) {
                more = *high & carry;
                *high ^= carry;
                carry = more;
            }
        }
        int64_t rest = runs[at].rest;
        if (rest < 0 || (rest && rest >= needed))
            continue;
        int64_t wanted = needed - rest;
        Lane reached = *(Lane *)alive;
        for (int digit = 0; digit < top; digit++)
            reached = wanted >> digit & 1 ? reached & sums[digit] : reached | sums[digit];
        reached &= *(Lane *)alive;
        if (wanted >> top)
            reached = none;
        uint64_t left_alive = 0;
        for (int word = 0; word < LANE; word++)
            left_alive |= reached[word];
        if (!left_alive || !rest) {
            *(Lane *)alive = reached;
            break;
        }
    }
    for (int digit = 0; digit < top; digit++)
        *(Lane *)(digits + LANE * digit) = sums[digit];
}

#undef ADDED
#undef AT
#undef NAME
#undef TARGET
