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
#define AT(place) (*(const Lane *)(columns[place] + start))

TARGET static void NAME(const uint64_t *const *columns, int64_t count, int64_t first,
                        int64_t lanes, uint64_t *digits)
{
    int top = digits_of(count);
    for (int64_t lane = 0; lane < lanes; lane++) {
        int64_t start = first + LANE * lane, place = 0;
        const Lane none = {0};
        Lane ones = none, twos = none, fours = none, high[DIGITS];
        for (int digit = 3; digit < top; digit++)
            high[digit] = none;
        for (; place < count; place += 7) {
            Lane a, b, c, d, e, carry, more;
            int64_t left = count - place;
            Lane v1 = left > 1 ? AT(place + 1) : none, v2 = left > 2 ? AT(place + 2) : none;
            Lane v3 = left > 3 ? AT(place + 3) : none, v4 = left > 4 ? AT(place + 4) : none;
            Lane v5 = left > 5 ? AT(place + 5) : none, v6 = left > 6 ? AT(place + 6) : none;
            ADDED(a, b, AT(place), v1, v2);
            ADDED(c, d, v3, v4, v5);
            ADDED(a, e, a, c, v6);
            ADDED(b, d, b, d, e);
            ADDED(ones, carry, ones, a, none);
            ADDED(twos, more, twos, b, carry);
            ADDED(fours, carry, fours, d, more);
            for (int digit = 3; digit < top; digit++) {
                more = high[digit] & carry;
                high[digit] ^= carry;
                carry = more;
            }
        }
        high[0] = ones, high[1] = twos, high[2] = fours;
        for (int digit = 0; digit < top; digit++)
            *(Lane *)(digits + LANE * (lanes * digit + lane)) = high[digit];
    }
}

#undef ADDED
#undef AT
#undef NAME
#undef TARGET
