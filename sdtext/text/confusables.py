"""Letters that are mistaken for Latin ones, and words in which scripts are mixed by them.

The table is reduced from Unicode's confusables.txt (Unicode Technical Standard 39, version 15.1;
© Unicode, Inc., Unicode License v3, https://www.unicode.org/license.txt): single letters of other
scripts written from left to right that look like one letter of the Latin alphabet. Letters that
serve as signs in formulas and gene names (γ, σ) are left out; four Armenian ones (l, L, j, d) are
added, which fonts draw like Latin ones.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

_TABLE = """
    AΑАᎪᗅꓮ𐊠𖽀 aαа BΒВᏴᗷꓐ𐊂𐊡𐌁 bЬᏏᑲᖯ CСᏟⲤꓚ𐊢𐌂𐐕𐔜 cсⲥꮯ𐐽 DᎠᗞᗪꓓ dԁᏧᑯꓒժ EΕЕᎬⴹꓰ𐊆𑢦𑢮 eеҽ FϜᖴꓝ𐊇𐊥𐔥𑢢𑣂 fք
    GԌᏀᏳꓖ gց HΗНᎻᕼⲎꓧ𐋏 hһհᏂ IΙІӀᛁⲒⵏꓲ𐊊𐌉𖼨 iιіӏᎥꙇꭵ𑣃 JͿЈᎫᒍꓙ jϳјյ KΚКᏦⲔꓗ𐔘 lլ LԼᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖 MΜϺМᎷᗰᛖⲘꓟ𐊰𐌑
    NΝⲚꓠ𐔓 nոռ OΟОՕⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵 oοоօჿⲟ𐐬𐓪𑣈𑣗 PΡРᏢᑭⲢꓑ𐊕 pρрⲣ Qⵕ qԛգզ RᎡᏒᖇꓣ𐒴𖼵 rⲅꮁ SЅՏᏕᏚꓢ𐊖𐐠𖼺 sѕꮪ𐑈𑣁
    TΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊 UՍᑌꓴ𐓎𑢸𖽂 uυս𐓶𑣘 VѴᏙᐯⴸꓦ𐔝𑢠𖼈 vνѵꮩ𑣀 WԜᎳᏔꓪ wѡԝաꮃ XΧХᚷⲬⵝꓫ𐊐𐊴𐌗𐔧 xхᕁᕽ YΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃 yуүყ𑣜
    ZΖᏃꓜ𑢩 zꮓ𑣄
"""
LATIN_FOR = {char: row[0] for row in _TABLE.split() for char in row[1:]}
"""The Latin letter for each letter that looks like it."""
# Letters with marks that are precomposed in Cyrillic, and Latin letters seen in place of others;
# the latter are letters of honest words as well and count only among words that are disguised.
LATIN_FOR |= dict(zip("ѐёїӓӧЀЁЇӒӦ", "èëïäöÈËÏÄÖ", strict=True))
LATIN_VARIANTS = dict(zip("ɑɡıꞵ", "agiß", strict=True))
# Without I, which stands for the palochka in languages of the Caucasus.
_CYRILLIC_FOR = dict(zip("aceopxyijsABCEHKMOPTXYJSë", "асеорхуіјѕАВСЕНКМОРТХУЈЅё", strict=True))
_GREEK_FOR = dict(zip("ovABEZHIKMNOPTYX", "ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", strict=True))

_LATIN = "A-Za-z\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u02af\u1e00-\u1eff"
_OTHERS = re.escape("".join(LATIN_FOR)) + "\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u1f00-\u1fff"
_MIXED = f"(?<=[{_LATIN}])[{_OTHERS}]|[{_OTHERS}](?=[{_LATIN}])"  # compiled when first used
_WORD = re.compile(r"(?:[^\W\d_]|[\u0300-\u036f\u0483-\u0487])+")
_REACH = 200
"""Characters around a disguised word in which words that are doubtful alone are taken for such."""
_SHORT = 4  # letters; in shorter words a Greek letter is a sign: "μm", "αt"


def confusable_letters(text: str) -> Iterator[tuple[int, str]]:
    """The places of letters of mixed words that stand for one script's, and what they look like.

    A word is disguised if each of its letters of other scripts looks like a Latin one and no other
    explanation is at hand: "iPhonе" among Russian words is a name with an ending, "μm" a unit.
    Near disguised words, words that are doubtful or wholly of such letters are replaced as well.
    In Cyrillic and Greek words the same is done for Latin letters.

    >>> list(confusable_letters("a раper of 5 μm"))
    [(2, 'p'), (3, 'a')]
    """
    for start, stop in _windows(text, (match.start() for match in re.finditer(_MIXED, text))):
        words = [_Word(match.start(), match[0]) for match in _WORD.finditer(text, start, stop)]
        latin = sum(bool(word.latin and not word.own) for word in words)
        if latin < sum(bool(word.own) for word in words):
            for script, table in (("Ѐ-ԯ", _CYRILLIC_FOR), ("Ͱ-Ͽ", _GREEK_FOR)):
                yield from _toward(words, re.compile(f"[{script}]"), table)
        elif any(map(_is_disguised_latin, words)):
            for word in words:
                is_variant = any(char in word.text for char in LATIN_VARIANTS)
                if not word.own and (word.foreign or is_variant):
                    yield from _replaced(word, LATIN_FOR | LATIN_VARIANTS)


def _windows(text: str, seeds: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Ranges of a text around the `seeds`, which end between words, without overlap."""
    begin = end = -1
    for seed in seeds:
        if seed < end - _REACH // 2:
            continue
        low, high = max(0, seed - _REACH), min(len(text), seed + _REACH)
        least, most = max(0, low - _REACH), high + _REACH  # within them it is widened to blanks
        before = max(text.rfind(" ", least, low), text.rfind("\n", least, low))
        after = [place for char in " \n" if (place := text.find(char, high, most)) >= 0]
        low, high = before + 1 or low, min(after, default=high)
        if low > end:
            if end > begin:
                yield begin, end
            begin = low
        end = high
    if end > begin:
        yield begin, end


class _Word:
    """A word of a window: its letters by script."""

    __slots__ = ("foreign", "latin", "own", "start", "text")

    def __init__(self, start: int, text: str) -> None:
        self.start = start
        self.text = text
        self.latin = sum(_is_latin(char) for char in text)
        self.foreign = sum(char in LATIN_FOR for char in text)  # that look like Latin letters
        letters = sum(map(str.isalpha, text))
        self.own = letters - self.latin - self.foreign  # that do not


def _is_disguised_latin(word: _Word) -> bool:
    """Whether letters of other scripts stand in a Latin word without a good reason."""
    if not word.latin or not word.foreign or word.own or len(word.text) < 3:
        return False
    foreign = [place for place, char in enumerate(word.text) if char in LATIN_FOR]
    return any(not _is_sign(word, place) for place in foreign)


def _is_sign(word: _Word, place: int) -> bool:
    """Whether a Greek letter may be a sign: not inside of a long word of small Latin letters."""
    char = word.text[place]
    if not "α" <= char <= "ω" or char == "ο":
        return False
    around = word.text[place - 1 : place] + word.text[place + 1 : place + 2]
    return len(word.text) < _SHORT or len(around) < 2 or not around.islower()


def _toward(
    words: list[_Word], script: re.Pattern[str], table: dict[str, str]
) -> Iterator[tuple[int, str]]:
    """The Latin letters in words of another script, the letters of which match `script`."""
    mixed = [
        word
        for word in words
        if word.latin and all(char in table for char in word.text if _is_latin(char))
    ]
    if not any(_is_disguised(word, script) for word in mixed):
        return
    for word in mixed:
        if word.own and script.search(word.text):
            yield from _replaced(word, table)


def _is_disguised(word: _Word, script: re.Pattern[str]) -> bool:
    """Whether Latin letters stand in the midst of a word, and are no name with an ending."""
    if not word.own or len(script.findall(word.text)) <= max(2, word.latin):
        return False
    scripts = [_is_latin(char) for char in word.text if char.isalpha()]
    if sum(left is not right for left, right in pairwise(scripts)) > 1:
        return True
    if _is_latin(word.text[0]):
        return word.latin == 1 and (word.text[0].isupper() or word.text[1].islower())
    return not word.text[-1].isupper()


def _replaced(word: _Word, table: dict[str, str]) -> Iterator[tuple[int, str]]:
    for place, char in enumerate(word.text, word.start):
        if char in table:
            yield place, table[char]


def _is_latin(char: str) -> bool:
    return (char < "\u02b0" and char.isalpha()) or "\u1e00" <= char <= "\u1eff"
