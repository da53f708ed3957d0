"""Whether a text may be disguised, at little cost for the texts that are not.

The bytes of its UTF-8 show which of the steps of `disguises` may have something to undo.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from sdtext.text.confusables import LATIN_FOR
from sdtext.text.marked_letters import may_be_marked


class LazyPattern:
    """A regular expression that is compiled when it is first used: few texts need any."""

    finditer: Callable[..., Iterator[re.Match[Any]]]

    def __init__(self, pattern: str | bytes) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled expression, which is an attribute from then on."""
        method = getattr(re.compile(self._pattern), name)
        setattr(self, name, method)
        return method


# What a text is made of shows in its UTF-8, which is searched at a fraction of a nanosecond a byte.
_FOREIGN_BYTES = [bytes([byte]) for byte in range(0xCE, 0xD7)]  # of Greek, Cyrillic, Armenian
# Those that begin no character of `_SUSPECT` but three.
_HARMLESS_BYTES = bytes(
    byte
    for byte in range(0xF0)
    if byte not in (0xCA, 0xCB, 0xCC, 0xCD, 0xD2, 0xE1, 0xE2, 0xEA, 0xEF)
)
_HARMLESS_EXCEPTIONS = "\xad\u061c\u3164"
_MARKED_BYTES = [bytes([byte]) for byte in (0xC3, 0xC4, 0xC5, 0xC6, 0xC9, 0xE1)]


# Whether a byte begins a Latin letter, or one of Greek, Cyrillic or Armenian.
_KINDS = bytes(
    ord("L")
    if (byte < 0x80 and chr(byte).isalpha()) or 0xC3 <= byte <= 0xCB
    else ord("F" if 0xCD <= byte <= 0xD6 else ".")
    for byte in range(256)
)
_NOT_LATIN_BYTES = bytes(byte for byte in range(256) if _KINDS[byte] != ord("L"))
_CONTINUATIONS = bytes(range(0x80, 0xC0))
# Blanks and letters of one or two bytes, which are taken for one; and four letters apart.
_BLANKS_AND_LETTERS = bytes(
    byte if byte == 0x20 else kind if kind == ord(".") and byte != 0xCC else ord("L")
    for byte, kind in enumerate(_KINDS)
)
_LETTERS_APART = b" L L L L "
# The same with all characters beyond ASCII taken for letters, and words of five letters apart.
_BLANKS_AND_CHARACTERS = bytes(
    ord(" " if byte == 0x20 else "L" if chr(byte).isalpha() or byte > 0x7F else ".")
    for byte in range(256)
)
_WORDS_APART = LazyPattern(rb"L(?: L){4,}+")
# Three letters, of one or two bytes, with a space other than the blank before each: tabs and the
# like, no-break spaces and control characters, those of U+2000 on.
_LETTER = rb"(?:[A-Za-z]|[\xc3-\xd6][\x80-\xbf])"
_SPACES = b"\t\v\f\x1c\x1d\x1e\x1f"  # control characters that are spaces
_SPACES_BEYOND_ASCII = {
    b"\xc2": rb"([\x80-\xa0])",
    b"\xe2": rb"(\x80[\x80-\x85\x87-\x89\xa8\xa9\xaf]|\x81\x9f|\xa0\x80)",
}
_BYTES_OF_SPACES = {
    first: LazyPattern(first + rest) for first, rest in _SPACES_BEYOND_ASCII.items()
}
_BYTES_APART = {
    first: LazyPattern(first + rest + (_LETTER + first + again) * 3)
    for first, rest, again in (
        *((bytes([space]), b"", b"") for space in _SPACES),
        *((first, rest, rb"\1") for first, rest in _SPACES_BEYOND_ASCII.items()),
    )
}
_PRINTABLE = bytes(byte for byte in range(0x7F) if byte in b"\n\r" or byte > 0x1F)
_BEYOND_ASCII = bytes(range(0x80, 0x100))
# Letters and signs of Western and Central Europe, and bullets of symbol fonts, that no step takes
# for part of a disguise: none is in `_SUSPECT`, Greek, Cyrillic or Armenian, a space or a control
# character, or of those that `may_be_marked` looks for.
_HARMLESS = (
    "".join(
        char
        for char in map(chr, (*range(0xA1, 0x180), *range(0x2010, 0x2028), *range(0x2030, 0x203B)))
        if char not in "\xadØøĐđĦħŁłŦŧ"
    )
    + "\u20ac\u2190\u2191\u2192\u2193\u2212\u25a0\u25cf\ufffd"
    + "".join(map(chr, (*range(0xE000, 0xE100), *range(0xF000, 0xF100))))
)
# With these spaces, which matter between the letters of words alone.
_HARMLESS_OR_SPACES = frozenset(_HARMLESS + _SPACES.decode() + "\xa0")
SAFE = frozenset(_PRINTABLE.decode() + _HARMLESS + "\xa0")
"""Characters that normal form keeps, and that are no disguise unless they stand between letters."""

_HARMLESS_IN_BYTES = bytes(set("".join(_HARMLESS_OR_SPACES).encode("utf-8")))
_LONG_CONTROLS = "\x81\x8d\x8f\x90\x9d\u2028\u2029"  # the others, and separators of lines

MANY_CONTROLS = 20
MANY_SPACED = 60  # letters: a heading may have fewer

# What a step may take out or replace: of the basic plane, and all beyond it. Few texts hold any.
_SUSPECT = LazyPattern(
    "[\xad\u0262\u026a\u0274\u0280\u028f\u0299\u029c\u029f\u02b0-\u02b8\u02e1-\u02e3"
    "\u0300-\u036f\u0488\u0489\u061c\u115f\u1160"
    "\u13a0-\u13ff\u1400-\u16ff\u1d00-\u1d6a\u2006\u200a-\u200f\u202a-\u202e\u2060-\u207f"
    "\u2090-\u209c\u20d0-\u20f0\u2102-\u2149\u249c-\u24e9\u2c80-\u2cff\u2d30-\u2d7f\u3164"
    "\ua4d0-\ua4ff\ua730\ua731\uab70-\uabbf\ufe00-\ufe0f\ufeff\uff21-\uff3a\uff41-\uff5a\uffa0]"
)
_ASTRAL = LazyPattern("[\U00010000-\U0010ffff]")


def is_plain(text: str) -> bool:
    r"""Whether it is clear at little cost that a text, or any part of it, has no disguise.

    >>> is_plain("Bees dance."), is_plain("B\u200bees dance.")
    (True, False)
    """
    return SuspectedText(text).is_plain


class SuspectedText:
    """What may be disguised in a text, found at little cost where nothing is."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._data = text.encode("utf-8", "surrogatepass")
        self._is_ascii = len(self._data) == len(text)
        self._rest = self._data.translate(None, _PRINTABLE)

    @property
    def is_plain(self) -> bool:
        """Whether it is clear without a look at each step that nothing is disguised."""
        if self._rest.strip(_HARMLESS_IN_BYTES):
            return False
        if not _HARMLESS_OR_SPACES.issuperset(self._rest.decode("utf-8", "surrogatepass")):
            return False
        return not (self.is_spaced or self.is_apart)

    @cached_property
    def _controls(self) -> bytes:
        """The control characters of ASCII."""
        return self._rest if self._is_ascii else self._rest.translate(None, _BEYOND_ASCII)

    @cached_property
    def suspects(self) -> str:
        """The distinct characters that a step may take out or replace."""
        if self._is_ascii:
            return ""
        begins = self._data.translate(None, _HARMLESS_BYTES)
        if not begins and not any(char in self._text for char in _HARMLESS_EXCEPTIONS):
            return ""
        suspects = set(_SUSPECT.findall(self._text))
        if begins.strip(bytes(range(0xF0))):
            suspects.update(_ASTRAL.findall(self._text))
        return "".join(suspects)

    @property
    def is_mixed(self) -> bool:
        """Whether letters that look the same may stand in words of another script."""
        if any(char in LATIN_FOR for char in self.suspects):
            return True
        if self._is_ascii or not any(byte in self._data for byte in _FOREIGN_BYTES):
            return False
        if not self._data.translate(None, _NOT_LATIN_BYTES):
            return False
        kinds = self._data.translate(_KINDS, _CONTINUATIONS)
        return b"LF" in kinds or b"FL" in kinds

    @property
    def is_marked(self) -> bool:
        """Whether Latin letters may bear marks or strokes that their language does not write."""
        if self._is_ascii:
            return False
        if any("\u0300" <= char <= "\u036f" for char in self.suspects):
            return True
        return any(lead in self._data for lead in _MARKED_BYTES) and may_be_marked(self._text)

    @property
    def has_controls(self) -> bool:
        """Whether there are many control characters, other than spaces, or separators of lines."""
        count = len(self._controls.translate(None, _SPACES))
        if not self._is_ascii:
            count += sum(self._text.count(char) for char in _LONG_CONTROLS if char in self._text)
        return count >= MANY_CONTROLS

    @property
    def is_overstruck(self) -> bool:
        """Whether letters may be struck twice."""
        return b"\b" in self._controls

    @cached_property
    def is_spaced(self) -> bool:
        """Whether blanks may stand between all letters of a word."""
        letters = self._data.translate(_BLANKS_AND_LETTERS, _CONTINUATIONS)
        return letters.rfind(_LETTERS_APART) >= 0  # faster here than `find`

    @property
    def is_apart(self) -> bool:
        """Whether a space other than the blank stands between the letters of words."""
        firsts = [bytes([byte]) for byte in set(self._controls).intersection(_SPACES)]
        if not self._is_ascii:
            firsts += [
                first for first, space in _BYTES_OF_SPACES.items() if space.search(self._rest)
            ]
        return any(_BYTES_APART[first].search(self._data) for first in firsts)

    @property
    def has_spaced_words(self) -> bool:
        """Whether blanks may stand between the letters of enough words."""
        letters = self._data.translate(_BLANKS_AND_CHARACTERS, _CONTINUATIONS)
        runs = (match.span() for match in _WORDS_APART.finditer(letters))
        return sum((stop - start) // 2 + 1 for start, stop in runs) >= MANY_SPACED
