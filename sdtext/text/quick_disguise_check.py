"""Whether a text may be disguised, at little cost for the texts that are not.

Signs, in one pass over a text, show which of the steps of `disguises` may have something to undo.
"""

import re
from functools import cache, cached_property

from sdtext.kernels.c_library import KERNELS
from sdtext.text.confusables import LATIN_FOR
from sdtext.text.lazy_patterns import LazyPattern
from sdtext.text.marked_letters import RARE_LETTERS, may_be_marked

CONTROLS = "\0-\x08\x0e-\x1b\x7f\x81\x8d\x8f\x90\x9d\u2028\u2029"
"""Control characters that stand for nothing, and separators of lines, as members of a class."""
OTHER_SPACES = "\t\v\f\x1c-\x1f\x80-\xa0\u2000-\u2005\u2007-\u2009\u2028\u2029\u202f\u205f\u2800"
"""Spaces other than the blank, and control characters that are some, as members of a class."""

# What a step may take out or replace: of the basic plane, and all beyond it. Few texts hold any.
_SUSPECTS = (
    "\xad\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u02b0-\u02b8\u02e1-\u02e3"
    "\u0300-\u036f\u0488\u0489\u061c\u115f\u1160"
    "\u13a0-\u13ff\u1400-\u16ff\u1d00-\u1d6a\u2006\u200a-\u200f\u202a-\u202e\u2060-\u207f"
    "\u2090-\u209c\u20d0-\u20f0\u2102-\u2149\u249c-\u24e9\u2c80-\u2cff\u2d30-\u2d7f\u3164"
    "\ua4d0-\ua4ff\ua730\ua731\uab70-\uabbf\ufe00-\ufe0f\ufeff\uff21-\uff3a\uff41-\uff5a\uffa0"
    "\U00010000-\U0010ffff"
)
# What normal form may change, alone or beside others: all but characters of many texts that have
# one form, combine with none, and are no control characters.
_UNSTABLE_ONES = (
    "\0-\t\v\f\x0e-\x1f\x7f-\x9f\u0300-\u03ff\u0483-\u0489\u0530-\u200f\u2028-\u202f\u205f-\u209f"
    "\u20c0-\u218f\u2200-\u259f\u2600-\u3040\u3097-\u30a0\u30fb-\u33ff\u4dc0-\u4dff\ua000-\uabff"
    "\ud7a4-\ufffc\ufffe-\U0010ffff"
)
# The classes of characters, a bit for each as in C; the first four, and foreign letters, are signs.
_SUSPECT, _CONTROL, _RARE, _UNSTABLE, _SPACE, _LATIN, _FOREIGN, _MARK = (
    1 << bit for bit in range(8)
)
_CLASSES = {
    _SUSPECT: _SUSPECTS,
    _CONTROL: CONTROLS,
    _RARE: RARE_LETTERS,
    _UNSTABLE: _UNSTABLE_ONES,
    _SPACE: f" {OTHER_SPACES}",
    _LATIN: "A-Za-z\xc0-\u02ff",
    _FOREIGN: "\u0340-\u05bf",  # Greek, Cyrillic and Armenian, and marks
    _MARK: "\u0300-\u033f",
}
_LETTERS = _CLASSES[_LATIN] + _CLASSES[_FOREIGN] + _CLASSES[_MARK]
# A Latin letter beside another one; three letters, each with the same space before and behind it;
# the same of four and blanks.
_MIXED, APART, SPACED = 1 << 8, 1 << 9, 1 << 10
_SIGNS = {
    **{
        sign: LazyPattern(f"[{_CLASSES[sign]}]")
        for sign in (_SUSPECT, _CONTROL, _RARE, _UNSTABLE, _FOREIGN)
    },
    _MIXED: LazyPattern("[{0}][{1}]|[{1}][{0}]".format(_CLASSES[_LATIN], _CLASSES[_FOREIGN])),
    APART: LazyPattern(rf"([{OTHER_SPACES}])(?:[{_LETTERS}]\1){{3}}"),
    SPACED: LazyPattern(f" (?:[{_LETTERS}] ){{4}}"),
}
# Words of five letters apart, with all characters beyond ASCII taken for letters.
_WORDS_APART = LazyPattern("[A-Za-z\x80-\U0010ffff](?: [A-Za-z\x80-\U0010ffff]){4,}+")

MANY_CONTROLS = 20
MANY_SPACED = 60  # letters: a heading may have fewer


@cache
def _class_table() -> bytes:
    """The bits of each code point of the basic plane, and of all beyond it."""
    table = bytearray((1 << 16) + 1)
    for bit, members in _CLASSES.items():
        with_bit = bytes(known | bit for known in range(256))
        for first, last in re.findall("(.)(?:-(.))?", members, re.DOTALL):
            points = slice(ord(first), min(ord(last or first), 1 << 16) + 1)
            table[points] = table[points].translate(with_bit)
    return bytes(table)


def signs_of(text: str, data: bytes = b"") -> int:
    """The signs that a text has; `data` is the text in UTF-8, if that is at hand."""
    if "character_signs" in KERNELS:
        data = data or text.encode("utf-8", "surrogatepass")
        signs: int = KERNELS["character_signs"](data, _class_table())
        return signs
    return sum(sign for sign, pattern in _SIGNS.items() if pattern.search(text))


def is_clean(text: str, data: bytes) -> bool:
    r"""Whether it is clear at little cost that a text is no disguise, and in normal form NFC.

    `data` is the text in UTF-8. One with control characters but line ends is not clean.

    >>> is_clean("Bees dance.", b"Bees dance."), is_clean("\a", b"\a")
    (True, False)
    """
    return not signs_of(text, data) & ~_FOREIGN


class SuspectedText:
    """What may be disguised in a text, found at little cost where nothing is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._signs = signs_of(text)
        # Whether it is clear without a look at each step that nothing is disguised, and that
        # `clean` keeps the text, too.
        self.is_plain = not self._signs & ~(_FOREIGN | _UNSTABLE)
        self.is_clean = not self._signs & ~_FOREIGN

    @cached_property
    def suspects(self) -> str:
        """The distinct characters that a step may take out or replace."""
        return "".join({*_SIGNS[_SUSPECT].findall(self.text)} if self._signs & _SUSPECT else ())

    @property
    def is_mixed(self) -> bool:
        """Whether letters that look the same may stand in words of another script."""
        if any(char in LATIN_FOR for char in self.suspects):
            return True
        return bool(self._signs & _MIXED)

    @property
    def is_marked(self) -> bool:
        """Whether Latin letters may bear marks or strokes that their language does not write."""
        if any("\u0300" <= char <= "\u036f" for char in self.suspects):
            return True
        return bool(self._signs & _RARE) and may_be_marked(self.text)

    @property
    def has_controls(self) -> bool:
        """Whether there are many control characters, other than spaces, or separators of lines."""
        if not self._signs & _CONTROL:
            return False
        return len(_SIGNS[_CONTROL].findall(self.text)) >= MANY_CONTROLS

    @property
    def is_overstruck(self) -> bool:
        """Whether letters may be struck twice."""
        return bool(self._signs & _CONTROL) and "\b" in self.text

    def has(self, sign: int) -> bool:
        """Whether it has a sign, such as `APART`."""
        return bool(self._signs & sign)

    @property
    def has_spaced_words(self) -> bool:
        """Whether blanks may stand between the letters of enough words."""
        runs = (match.span() for match in _WORDS_APART.finditer(self.text))
        return sum((stop - start) // 2 + 1 for start, stop in runs) >= MANY_SPACED
