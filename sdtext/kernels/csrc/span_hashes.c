/* Hashes of spans of bytes. */
#include "span_hash.h"

EXPORT int64_t sdtext_span_hashes(
    const uint8_t *bytes, int64_t size, const int64_t *starts, int64_t spans,
    const int64_t *lengths, uint64_t seed, uint64_t *hashes)
{
    for (int64_t span = 0; span < spans; span++) {
        int64_t start = starts[span], left = lengths[span];
        if (start < 0 || left < 0 || start > size || left > size - start)
            return BAD;
        SpanHash hash = {0, 1};
        do {
            /* One read where it is possible, without the bytes behind the span. */
            uint64_t group = group_at(bytes + start, size - start >= 8 ? 8 : left);
            add_group(&hash, lowest_bytes(group, left < 8 ? left : 8), seed);
            start += 8;
            left -= 8;
        } while (left > 0);
        hashes[span] = hash_of(hash, lengths[span]);
    }
    return 0;
}
