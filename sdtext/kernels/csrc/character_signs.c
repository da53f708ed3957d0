/* Which signs of a disguise a text has, as sdtext/text/quick_disguise_check.py defines them: classes
   of its characters, Latin letters beside others, single letters between equal spaces. Blocks of
   ASCII that have none are passed over; the rest is read character by character. */
#include "kernels.h"

enum {
    SPACE = 16, LATIN = 32, FOREIGN = 64, MARK = 128, /* of characters; lower ones and FOREIGN are signs, too */
    MIXED = 256, APART = 512, SPACED = 1024,          /* of texts */
    BLOCK = 64, BEYOND = 0x10000, CLASSES = BEYOND + 1, /* the last one is that of all above */
};

/* Whether a block has but printable ASCII and line ends, and no two characters in a row that stand
   between blanks. Four bytes before it are read. */
static inline bool is_clear(const uint8_t *bytes)
{
    unsigned char other = 0;
    for (int place = 0; place < BLOCK; place++) {
        unsigned char byte = bytes[place], is_line_end = (byte == '\n') | (byte == '\r');
        other |= ((byte < ' ') | (byte > '~')) & !is_line_end;
        other |= (byte == ' ') & (bytes[place - 1] != ' ') & (bytes[place - 2] == ' ') &
                 (bytes[place - 4] == ' ');
    }
    return !other;
}

/* `classes` has the bits of each code point. The signs are the lower bits of all characters, FOREIGN,
   MIXED, APART and SPACED. */
EXPORT int64_t sdtext_character_signs(
    const uint8_t *bytes, int64_t size, const uint8_t *classes, int64_t count)
{
    int64_t signs = 0, run = 0; /* of letters that stand between equal spaces, so far */
    uint32_t last = 0, before = 0, class = 0;
    if (count != CLASSES)
        return BAD;
    for (int64_t at = 0, next = 4; at < size;) {
        if (at >= next && size - at >= BLOCK && last < 0x80 && before < 0x80 && run < 2) {
            next = at + BLOCK;
            if (is_clear(bytes + at)) {
                at = next;
                before = bytes[at - 2];
                last = bytes[at - 1];
                class = classes[last];
                const uint8_t *blank = bytes + at - (last == ' ' ? 1 : 2);
                run = blank[0] == ' ' && blank[-2] == ' ' && classes[blank[-1]] & LATIN;
                continue;
            }
        }
        uint32_t point = bytes[at++];
        int more = point < 0xC0 ? 0 : point < 0xE0 ? 1 : point < 0xF0 ? 2 : 3;
        if (more > size - at)
            return BAD;
        point &= more ? 0x3F >> more : 0x7F;
        for (; more; more--)
            point = point << 6 | (bytes[at++] & 0x3F);
        const uint32_t here = classes[point < BEYOND ? point : BEYOND];
        signs |= here & ((SPACE - 1) | FOREIGN);
        if ((here & LATIN && class & FOREIGN) || (here & FOREIGN && class & LATIN))
            signs |= MIXED;
        if (here & SPACE) {
            const bool is_blank = point == ' ', is_letter = class & (LATIN | FOREIGN | MARK);
            run = is_letter && before == point ? run + 1 : 0;
            if (run >= (is_blank ? 4 : 3))
                signs |= is_blank ? SPACED : APART;
        }
        before = last;
        last = point;
        class = here;
    }
    return signs;
}
