/* Hashes of spans of bytes: a polynomial of their groups of eight bytes, each of them mixed.
   sdtext/kernels/arrays/integer_and_byte_hashes.py has the formula. */
#include "kernels.h"

#define POWERS UINT64_C(0xD1342543DE82EF95)
#define LENGTH UINT64_C(0xAF251AF3B0F025B5)

/* Up to eight bytes, the first one lowest. */
static inline uint64_t group_at(const uint8_t *bytes, int64_t left)
{
    uint64_t group = 0;
    for (int64_t place = 0; place < left && place < 8; place++)
        group |= (uint64_t)bytes[place] << 8 * place;
    return group;
}

EXPORT int64_t sdtext_span_hashes(
    const uint8_t *bytes, int64_t size, const int64_t *starts, int64_t spans,
    const int64_t *lengths, uint64_t seed, uint64_t *hashes)
{
    for (int64_t span = 0; span < spans; span++) {
        int64_t start = starts[span], left = lengths[span];
        if (start < 0 || left < 0 || start > size || left > size - start)
            return BAD;
        uint64_t sum = (uint64_t)left * LENGTH, power = 1;
        do {
            uint64_t group;
            if (left >= 8)
                group = group_at(bytes + start, 8);
            else if (size - start >= 8) /* one read, without the bytes behind the span */
                group = group_at(bytes + start, 8) & ((UINT64_C(1) << 8 * left) - 1);
            else
                group = group_at(bytes + start, left);
            group ^= seed;
            group = (group ^ group >> 32) * SPREAD;
            sum += (group ^ group >> 29) * power;
            power *= POWERS;
            start += 8;
            left -= 8;
        } while (left > 0);
        hashes[span] = mixed(sum);
    }
    return 0;
}
