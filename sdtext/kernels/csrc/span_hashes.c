/* Hashes of spans of bytes. */
#include "span_hash.h"

EXPORT int64_t sdtext_span_hashes(
    const uint8_t *bytes, int64_t size, const int64_t *starts, int64_t spans,
    const int64_t *lengths, uint64_t seed, uint64_t *hashes)
{
    for (int64_t span = 0; span < spans; span++) {
        int64_t start = starts[span], length = lengths[span];
        if (start < 0 || length < 0 || start > size || length > size - start)
            return BAD;
        uint64_t every;
        hashes[span] = span_hash(bytes + start, length, size - start, seed, &every);
    }
    return 0;
}
