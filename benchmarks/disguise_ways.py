"""Disguises: texts that look like the original to a reader alone.

Letters of other alphabets, invisible characters, marks, and blanks within words. `disguises` of
`sdtext.text` undoes them where a document is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_CYRILLIC = str.maketrans("aceopxyijsABCEHKMOPTXYIJS", "асеорхуіјѕАВСЕНКМОРТХУІЈЅ")
_ARMENIAN = str.maketrans("dghjlnoquOLSU", "ժցհյլոօգսՕԼՏՍ")
_STROKED = str.maketrans("oldthbiOLDTHBI", "øłđŧħƀɨØŁĐŦĦɃƗ")
_GREEK = str.maketrans("oABEHIKMNOPTXYZ", "οΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")


def _between(mark: str) -> Callable[[str], str]:
    """Puts `mark` between all letters of a word."""
    return lambda text: "".join(
        char + mark if char.isalpha() and after.isalpha() else char
        for char, after in zip(text, text[1:] + " ", strict=True)
    )


def _behind(marks: str) -> Callable[[str], str]:
    """Puts `marks` behind each letter."""
    return lambda text: "".join(char + marks * char.isalpha() for char in text)


def _every_second(mark: str) -> Callable[[str], str]:
    """Puts `mark` on every second letter."""

    def marked(text: str) -> str:
        places = range(len(text))
        return "".join(
            char + mark * (char.isalpha() and place % 2 == 0)
            for place, char in zip(places, text, strict=True)
        )

    return marked


def _third_words(space: str) -> Callable[[str], str]:
    """Puts `space` between the letters of every third word."""
    third = re.compile(r"(\w+\W+\w+\W+)(\w+)")
    return lambda text: third.sub(lambda match: match[1] + space.join(match[2]), text)


def _letters(capital: int, small: int) -> Callable[[str], str]:
    """Writes letters in another form, whose alphabets begin at these code points."""

    def written(char: str) -> str:
        if not (char.isascii() and char.isalpha()):
            return char
        first, start = ("A", capital) if char.isupper() else ("a", small)
        return chr(start + ord(char) - ord(first))

    return lambda text: "".join(map(written, text))


def _some_letters(text: str) -> str:
    """Every third letter as a Cyrillic one, if one looks like it."""
    return "".join(
        char.translate(_CYRILLIC) if place % 3 == 0 else char for place, char in enumerate(text)
    )


def _backwards(text: str) -> str:
    """Each line backwards, behind an override of the writing direction."""
    return "\n".join(f"\u202e{line[::-1]}\u202c" if line else "" for line in text.split("\n"))


DISGUISES: Mapping[str, Callable[[str], str]] = {
    "homoglyphs-cyrillic": lambda text: text.translate(_CYRILLIC),
    "homoglyphs-greek": lambda text: text.translate(_GREEK),
    "homoglyphs-some": _some_letters,
    "zero-width-spaces": _between("\u200b"),
    "word-joiners": _between("\u2060"),
    "zero-width-non-joiners": _between("\u200c"),
    "soft-hyphens": _between("\u00ad"),
    "bidi-marks": _between("\u200e"),
    "written-backwards": _backwards,
    "combining-strokes": _behind("\u0336"),
    "piled-marks": _behind("\u0301\u0323\u0334\u0315\u0316\u0357"),
    "bold-mathematical-letters": _letters(0x1D400, 0x1D41A),
    "italic-mathematical-letters": _letters(0x1D468, 0x1D482),
    "full-width-letters": _letters(0xFF21, 0xFF41),
    "letters-in-circles": _letters(0x24B6, 0x24D0),
    "hair-spaces-in-words": _between("\u200a"),
    "thin-spaces-in-words": _between("\u2009"),
    "no-break-spaces-in-words": _between("\xa0"),
    "tabs-in-words": _between("\t"),
    "line-separators-in-words": _between("\u2028"),
    "backspaces-in-words": _between("\b"),
    "other-control-characters-in-words": _between("\x81"),
    "blanks-in-words": " ".join,
    "dots-below-every-second-letter": _every_second("\u0323"),
    "accents-on-every-second-letter": _every_second("\u0301"),
    "letters-with-strokes": lambda text: text.translate(_STROKED),
    "homoglyphs-armenian": lambda text: text.translate(_ARMENIAN),
}
"""Functions that disguise an English text, each by its name."""

AMBIGUOUS: Mapping[str, Callable[[str], str]] = {
    "blanks-in-every-third-word": _third_words(" "),
    "blanks-between-all-letters": lambda text: " ".join(text.replace(" ", "")),
}
"""Disguises that hide where some or all words end: not all words can be separated again."""

WAYS: Mapping[str, Callable[[str], str]] = {**DISGUISES, **AMBIGUOUS}
"""All of them."""
