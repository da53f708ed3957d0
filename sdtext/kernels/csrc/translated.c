/* Bytes translated by a table, as `bytes.translate` does. */
#include "kernels.h"

enum { LETTERS = 256 };

/* The bytes from one place to another; how many are written. */
static int64_t translate(const uint8_t *bytes, int64_t count, const uint8_t *table,
                         const uint8_t *is_kept, uint8_t *result)
{
    int64_t to = 0;
    for (int64_t from = 0; from < count; from++) {
        result[to] = table[bytes[from]];
        to += is_kept[bytes[from]] != 0;
    }
    return to;
}

#if defined(__x86_64__)
#include <immintrin.h>

enum { BLOCK = 32, CASE = 'a' - 'A' };

/* For each choice among eight bytes where those that are kept come from. */
static uint64_t sources[LETTERS];

__attribute__((constructor)) static void at_load(void)
{
    for (int kept = 0; kept < LETTERS; kept++)
        for (uint64_t place = 0, many = 0; place < 8; place++)
            if (kept >> place & 1)
                sources[kept] |= place << 8 * many++;
}

/* Of a table that at most makes letters of ASCII lower-case, keeps other bytes as they are, and
   deletes but some of ASCII. What it does with control characters is not known here. */
typedef struct {
    uint8_t deleted[16]; /* by the low half of a byte, a bit for each high half below 8 */
    uint8_t fold;        /* the bit that makes a letter lower-case, or 0 */
} Rules;

/* Whether the table is such a one. */
static bool are_rules(const uint8_t *table, const uint8_t *is_kept, Rules *rules)
{
    memset(rules->deleted, 0, sizeof rules->deleted);
    rules->fold = table['A'] == 'A' ? 0 : CASE;
    for (int byte = 0; byte < LETTERS; byte++) {
        bool is_capital = byte >= 'A' && byte <= 'Z', is_control = byte < ' ' && byte != '\n';
        if (!is_kept[byte] && byte < 0x80)
            rules->deleted[byte & 15] |= (uint8_t)(1 << (byte >> 4));
        else if (!is_control && (table[byte] != (is_capital ? byte + rules->fold : byte) || !is_kept[byte]))
            return false;
    }
    return true;
}

/* As `translate`, by rules; `count` is a multiple of BLOCK, and the result has room for as many. */
__attribute__((target("avx2,popcnt"))) static int64_t translate_by_rules(
    const uint8_t *bytes, int64_t count, const uint8_t *table, const uint8_t *is_kept,
    const Rules *rules, uint8_t *result)
{
    const __m256i bits = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    const __m256i deleted = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)rules->deleted));
    const __m256i fold = _mm256_set1_epi8((char)rules->fold), below = _mm256_set1_epi8('A' - 1);
    const __m256i above = _mm256_set1_epi8('Z' + 1), low = _mm256_set1_epi8(15);
    const __m256i line_end = _mm256_set1_epi8('\n'), blank = _mm256_set1_epi8(' ');
    int64_t to = 0;
    for (int64_t from = 0; from < count; from += BLOCK) {
        __m256i given = _mm256_loadu_si256((const void *)(bytes + from));
        __m256i control = _mm256_andnot_si256(
            _mm256_cmpeq_epi8(given, line_end),
            _mm256_cmpeq_epi8(_mm256_max_epu8(given, blank), blank));
        control = _mm256_andnot_si256(_mm256_cmpeq_epi8(given, blank), control);
        if (!_mm256_testz_si256(control, control)) {
            to += translate(bytes + from, BLOCK, table, is_kept, result + to);
            continue;
        }
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(given, 4), low);
        __m256i bit = _mm256_shuffle_epi8(bits, high);
        __m256i found = _mm256_and_si256(_mm256_shuffle_epi8(deleted, given), bit);
        uint32_t kept = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(found, bit));
        __m256i capital = _mm256_and_si256(_mm256_cmpgt_epi8(given, below), _mm256_cmpgt_epi8(above, given));
        given = _mm256_or_si256(given, _mm256_and_si256(capital, fold));
        if (kept == UINT32_MAX) {
            _mm256_storeu_si256((void *)(result + to), given);
            to += BLOCK;
            continue;
        }
        uint64_t groups[4];
        _mm256_storeu_si256((void *)groups, given);
        for (int group = 0; group < 4; group++, kept >>= 8) {
            __m128i from_where = _mm_loadl_epi64((const void *)(sources + (kept & 255)));
            __m128i some = _mm_shuffle_epi8(_mm_loadl_epi64((const void *)(groups + group)), from_where);
            _mm_storel_epi64((void *)(result + to), some);
            to += __builtin_popcount(kept & 255);
        }
    }
    return to;
}
#endif

/* Replaces each byte by that of a table, or leaves it out where it is deleted; `ends` move with what
   stands before them. Returns the number of bytes that are left. */
EXPORT int64_t sdtext_translated(
    const uint8_t *bytes, int64_t size, const uint8_t *table, int64_t letters,
    const uint8_t *deleted, int64_t many, int64_t *ends, int64_t pieces, uint8_t *result)
{
    uint8_t is_kept[LETTERS];
    if (letters != LETTERS)
        return BAD;
    memset(is_kept, 1, LETTERS);
    while (many--)
        is_kept[deleted[many]] = 0;
#if defined(__x86_64__)
    Rules rules;
    bool by_rules = instruction_set != PLAIN && size >= BLOCK * LETTERS && are_rules(table, is_kept, &rules);
#endif
    int64_t from = 0, to = 0;
    for (int64_t piece = 0; piece <= pieces; piece++) {
        int64_t end = piece < pieces ? ends[piece] : size;
        if (end < from || end > size)
            return BAD;
#if defined(__x86_64__)
        if (by_rules) {
            int64_t blocks = (end - from) / BLOCK * BLOCK;
            to += translate_by_rules(bytes + from, blocks, table, is_kept, &rules, result + to);
            from += blocks;
        }
#endif
        to += translate(bytes + from, end - from, table, is_kept, result + to);
        from = end;
        if (piece < pieces)
            ends[piece] = to;
    }
    return to;
}
