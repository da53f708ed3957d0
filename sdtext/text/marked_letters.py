"""Marks and strokes on Latin letters that the language of a text does not write.

Dots under every second letter, or ø and đ in place of o and d, are read over by a person. Honest
texts in Vietnamese, Yoruba, Danish or romanised Sanskrit hold them in words that are written so.
Function words tell the two apart: "øf" and "tḥẹ" are words of no language, but are "of" and "the"
without marks and strokes. Where several such words stand close to one another, the marks and
strokes that they bear are taken off all letters around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

STROKED = dict(zip("øłđŧħƀɨØŁĐŦĦɃƗ", "oldthbiOLDTHBI", strict=True))
"""The plain letter for each letter with a stroke."""

# Frequent words without marks of which no other word of the language, and hardly a word of another
# one, differs in marks and strokes alone. "For" and "is" are no such words: Danish has "før",
# Turkish "iş".
_FUNCTION_WORDS = {
    "english": "about all and are because been but by could from had has have his how into it its "
    "more not of one only other our that the their there they this was were what when which who "
    "will with would",
    "german": "aber als auch auf aus bei das dass dem den der die durch ein eine einen ich ist mit "
    "nach nicht oder sich sind und von vor werden wie wird zum zur",
    "french": "avec ces cette comme dans est leur les mais nous par pas plus pour qui sont une",
    "spanish": "con del entre los muy para pero por sin sobre una",
    "italian": "che con dei del della delle gli nel nella non per sono una",
    "portuguese": "com das dos mais mas nas para pela pelo por seu sua uma",
    "dutch": "aan dat een het maar met niet ook van voor zijn",
    "swedish": "att av det efter eller inte jag med och som vi",
    "danish": "af at den der det eller fra han med og skal som til",
    "polish": "jest lub nie oraz przez tak tego",
    "czech": "ale jako jsou nebo pod podle pro",
    "indonesian": "dan dari dengan itu pada untuk yang",
}
_LEAST = 8
"""Function words of a language with marks or strokes that stand close to one another,"""
_DISTINCT = 4
"""as many distinct ones among them,"""
_DENSE = 100
"""and characters for each of them at most."""
_REACH = 300  # characters between two such words, and around them

_LETTERS = "A-Za-z\xc0-\u024f\u0268\u1e00-\u1eff"
_MARKS = "\u0300-\u036f"
_MARKED = f"[{_MARKS}\xc0-\u024f\u0268\u1e00-\u1eff]"  # compiled when first used
_ALL_MARKS = frozenset(map(chr, range(0x300, 0x370)))
_MANY = 4  # different marks: they are there at random, and so may be others


# Letters of which the texts of one language have one, the others in names, and a word in which
# that one stands for another letter.
RARE_LETTERS, _WORDS = "øłđŧħƀɨḍḥṇṭ", "øf ałł anđ ŧhe tħe ƀe ɨn anḍ tḥe iṇ ṭhe"
_RARE = dict(zip(RARE_LETTERS, _WORDS.split(), strict=True))


def may_be_marked(text: str) -> bool:
    """Whether letters with strokes or dots below may stand for others, at little cost."""
    rare = [letter for letter in _RARE if letter in text]
    return len(rare) > 1 or any(f" {_RARE[letter]} " in text for letter in rare)


def unmarked_letters(text: str) -> Iterator[tuple[int, str]]:
    r"""The places of letters with marks or strokes that no language has, and what they show.

    >>> text = "Ŧħey saw ŧħaŧ ŧħe river ħađ risen anđ ŧħaŧ ŧħe briđge was under iŧ, wiŧħ iŧs lamps."
    >>> list(unmarked_letters(text))[:3]
    [(0, 'T'), (1, 'h'), (9, 't')]
    """
    end = 0
    for start, stop, signs in sorted(_ranges(text)):
        for match in re.compile(_MARKED).finditer(text, max(start, end), stop):
            char = match[0]
            if (plain := signs.off(char)) != char:
                yield match.start(), plain
        end = max(end, stop)


class _Signs(NamedTuple):
    """What disguised words bear: these marks, and maybe strokes."""

    marks: frozenset[str]
    strokes: bool

    @classmethod
    def of(cls, words: Iterable[str]) -> _Signs:
        chars = frozenset("".join(normalize("NFD", word) for word in words))
        marks = chars & _ALL_MARKS
        return cls(_ALL_MARKS if len(marks) >= _MANY else marks, not chars.isdisjoint(STROKED))

    def off(self, char: str) -> str:
        """`char` without them."""
        if self.strokes and char in STROKED:
            return STROKED[char]
        parts = normalize("NFD", char)
        kept = "".join(part for part in parts if part not in self.marks)
        return normalize("NFC", kept) if kept != parts else char


def _ranges(text: str) -> Iterator[tuple[int, int, _Signs]]:
    """The ranges of a text in which marks and strokes are no part of words, and which."""
    for plain_words in _disguised(text):
        words = re.compile(
            f"(?<![{_LETTERS}{_MARKS}])(?:{'|'.join(plain_words)})(?![{_LETTERS}{_MARKS}])"
        )
        for group in _groups(words.finditer(text)):
            shown = {match[0] for match in group}
            if len({plain_words[word] for word in shown}) >= _DISTINCT:
                start, stop = group[0].start() - _REACH, group[-1].end() + _REACH
                yield max(0, start), stop, _Signs.of(shown)


def _disguised(text: str) -> Iterator[Mapping[str, str]]:
    """For each language the function words that bear marks or strokes, and without them."""
    plain_words = {}
    for word in set(re.findall(f"[{_LETTERS}{_MARKS}]+", text)):
        if word.isascii():
            continue
        kept = (char for char in normalize("NFD", word) if char not in _ALL_MARKS)
        plain = "".join(STROKED.get(char, char) for char in kept).lower()
        if plain != word.lower():
            plain_words[word] = plain
    for function_words in map(frozenset, map(str.split, _FUNCTION_WORDS.values())):
        disguised = {word: plain for word, plain in plain_words.items() if plain in function_words}
        if len(set(disguised.values())) >= _DISTINCT:
            yield disguised


def _groups(words: Iterable[re.Match[str]]) -> Iterator[Sequence[re.Match[str]]]:
    """Words that stand close to one another, if there are enough of them."""
    group: list[re.Match[str]] = []
    for word in words:
        if group and word.start() - group[-1].start() > _REACH:
            if _is_dense(group):
                yield group
            group = []
        group.append(word)
    if _is_dense(group):
        yield group


def _is_dense(group: Sequence[re.Match[str]]) -> bool:
    most = _DENSE * len(group)
    return len(group) >= _LEAST and group[-1].start() - group[0].start() <= most
