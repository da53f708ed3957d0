"""Joins words and runs that are divided at line ends.

Dehyphenation is for formats with pages. Engines replace the hyphen of a divided word by a mark
(PDFium by U+FFFE, of which a soft hyphen is made, poppler by U+0002) or leave it. If it is left and
a lowercase letter follows, the hyphen and the line end are removed; otherwise the hyphen belongs to
the word, and only the line end is removed.

Scripts without blanks between words are Chinese and Japanese, and Thai, Lao, Khmer and Burmese with
their relatives. A line may end anywhere in a run of them, also within a word. A single line end
between two letters of these scripts, with the blanks around it, separates no words. An empty line
ends a paragraph, and so does a line feed before an indent of ideographic spaces.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from unicodedata import combining

from sdtext.model import OffsetMap
from sdtext.text.normal_form import Change, with_changes

_DIVIDED = re.compile(
    # One class of first characters is searched for several times as fast as alternatives are.
    r"[\ufffe\x02\xad\-\u2010\u2011(](?:"
    r"(?<=[\ufffe\x02\xad])(?P<mark>(?:[ \t\xa0]*(?:\r?\n|\f)\s*)?)"
    r"|(?<=[-\u2010\u2011])(?P<hyphen>[ \t\xa0]*(?:\r?\n|\f)\s*)"
    r"|(?<=\()(?P<glyph>cid:\d{1,9}\)))"  # pdfminer's text for an unknown glyph
)
_MARK = re.compile(r"\ufffe(?=\s*(\S?))")
COMPLEX = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u1950-\u19c9\u19de\u19df\u1a20-\u1a7e\u1aa0-\u1aad"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaadf\U00011700-\U0001172b\U0001173a\U0001173b\U0001173f-\U00011746"
)
"""Letters and marks of scripts of which only a dictionary can find the words.

A class of characters for a pattern. Unicode's line breaking class SA: Thai, Lao, Khmer, Burmese,
Tai and Ahom.
"""
HAN_AND_KANA = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
"""Han, marks of repetition, Kana of both widths: a class of characters for a pattern."""
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"
"""Syllables and letters: a class of characters for a pattern."""
_LETTERS = COMPLEX + HAN_AND_KANA
_BLANKS = " \t\xa0"
# What normal form neither removes nor turns into such a letter: ASCII, and common punctuation.
DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks of the direction of text (UAX #9), which PDF files do without."""
OPTIONAL_MARKS = (
    "\u02bc\u034f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u06e7\u06e8\u06ea-\u06ed\u0730-\u074a\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff"
    "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
"""Marks of Hebrew, Arabic and Syriac, one that joins others, the apostrophe of Ukrainian, and what
selects a variant of a letter: a class of characters for a pattern.
"""
# Also accents, tatweel, Korean vowels and finals, marks of voiced Kana, and what has no width. In
# no spelling has a letter more than eight of them.
_BEHIND = (
    f"{DIRECTIONS}{OPTIONAL_MARKS}\xad\u0300-\u036f\u0640\u1160-\u11ff\u200b-\u200d\u2060\u3099"
    "\u309a\ufeff"
)
_BEHIND_LETTERS = rf"(?<=[^\s{_BEHIND}])[{_BEHIND}]{{1,8}}+(?![{_BEHIND}])|[{DIRECTIONS}]++"
# OCR has them between single characters; others are signs between words.
_BETWEEN_HAN = rf"(?<=[{_BLANKS}][{HAN_AND_KANA}])[{_BLANKS}]++(?=[{HAN_AND_KANA}]\W)"
_NOT_ON_ONE_LINE = re.compile(
    rf"[ \t\xa0]*+[\n\r\x85\u2028\u2029\f]\s*+|({_BEHIND_LETTERS})|({_BETWEEN_HAN})"
)
_OTHER = (
    r"[!-~\u2018-\u201d\u2026\u3001\u3002\u3008-\u3011\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]"
)


def dehyphenated_with_map(text: str) -> tuple[str, OffsetMap | None]:
    r"""`text` with divided words joined and its offset map, None if nothing is joined.

    >>> words, offset_map = dehyphenated_with_map("an exam-\nple here")
    >>> words, offset_map.start(3), offset_map.end(10)
    ('an example here', 3, 12)
    """
    return with_changes(text, _divisions(text))


def _divisions(text: str) -> Iterator[Change]:
    """What is removed where words are divided."""
    for match in _DIVIDED.finditer(text):
        start, end = match.span()
        if match.lastgroup == "glyph":
            yield start, end, ""
        elif (after := text[end : end + 1]).isalpha() and _ends_in_letter(text, start):
            kept = match.lastgroup == "hyphen" and not after.islower()
            yield start + kept, end, ""


def with_hyphens(text: str, *, soft: bool) -> str:
    r"""`text` with hyphens for PDFium's U+FFFE; within words, these are `soft` if asked for.

    >>> with_hyphens("exam\ufffeple, exam\ufffe\r\nple, 1914\ufffe18", soft=True)
    'exam\xadple, exam\xad\r\nple, 1914-18'
    """

    def hyphen(match: re.Match[str]) -> str:
        is_within = not match[1] or match[1].isalpha()  # else at the end of a page
        return "\xad" if soft and is_within and _ends_in_letter(text, match.start()) else "-"

    return _MARK.sub(hyphen, text) if "\ufffe" in text else text


def _ends_in_letter(text: str, end: int) -> bool:
    """Whether a letter, perhaps with combining marks, precedes `end`."""
    place = end - 1
    while place > 0 and combining(text[place]):
        place -= 1
    return place >= 0 and text[place].isalpha()


def joined_lines(
    text: str, *, lines: bool = True, blanks: str = ""
) -> tuple[str, OffsetMap | None]:
    r"""`text` without these line ends, and its offset map, None if there are none.

    Without those and the `blanks` between two letters of this class, too.

    >>> text, offset_map = joined_lines("我在北\n  京,\nin\n2024")
    >>> text, offset_map.start(2), offset_map.end(4)
    ('我在北京,\nin\n2024', 2, 7)
    >>> joined_lines("标题\n\n我在北京\n\u3000\u3000他")[1] is None
    True
    >>> joined_lines("我 在 北 京 in 2024", blanks=HAN_AND_KANA)[0]
    '我在北京 in 2024'
    """
    if text.isascii() or not (lines or blanks):
        return text, None
    return with_changes(text, _separators(text, *_separator(lines, blanks)))


def on_one_line(text: str) -> tuple[str, OffsetMap | None]:
    r"""`text` with its line ends as blanks, or as nothing in scripts without blanks.

    It has nothing that another spelling of the same words lacks: marks of direction, points and
    accents, soft hyphens, blanks between Chinese letters. The offset map is None if no length
    changes.

    >>> text, offset_map = on_one_line("我在北京，\r\n他在\n这里 in\r\n  2024")
    >>> text, offset_map.start(5), offset_map.end(9)
    ('我在北京，他在这里 in 2024', 7, 12)
    >>> on_one_line("שָׁלוֹם")[0]
    'שלום'
    """
    changes = []
    for match in _NOT_ON_ONE_LINE.finditer(text):
        start, end = match.span()
        before, behind = text[start - 1 : start], text[end : end + 1]
        if match[1]:  # it belongs to the letter before it
            letter = before.strip()
            changes.append((start - len(letter), end, letter))
            continue
        blank = "" if match[2] or all(map(_unspaced().match, (before, behind))) else " "
        if end - start != len(blank):
            changes.append((start, end, blank))
    return with_changes(text, changes)


def _separators(text: str, separator: re.Pattern[str], letter: re.Pattern[str]) -> Iterator[Change]:
    for match in separator.finditer(text):
        start = match.start()
        while start and text[start - 1] in _BLANKS:
            start -= 1
        if start and letter.match(text, start - 1):
            yield start, match.end(), ""


@cache
def _separator(lines: bool, blanks: str) -> tuple[re.Pattern[str], re.Pattern[str]]:  # noqa: FBT001
    """Patterns of a line end or of blanks between letters, which take milliseconds to compile.

    The second is of the letters.
    """
    ends, spaces = "\n\r\u2028" * lines, f"{_BLANKS}\u3000" * bool(blanks)
    letters = _LETTERS + HANGUL * (HANGUL in blanks)
    line_end = rf"(?<=[{letters}{_BLANKS}][{ends}])(?:(?<=\r)\n)?+[{_BLANKS}]*+(?=[{letters}])"
    blank = rf"(?<=[{blanks}][{spaces}])[{spaces}]*+(?=[{blanks}])"
    kinds = "|".join([line_end] * lines + [blank] * bool(blanks))
    return re.compile(f"[{ends}{spaces}](?:{kinds})"), re.compile(f"[{letters}]")


@cache
def letter_of_unspaced() -> re.Pattern[str]:
    """A pattern of a letter of a script without blanks between words."""
    return re.compile(f"[{_LETTERS}]")


@cache
def _unspaced() -> re.Pattern[str]:
    """A pattern of these letters, and of Chinese and Japanese punctuation."""
    return re.compile(rf"[{_LETTERS}\u3000-\u303f\uff00-\uff65]")


@cache
def outside_of_runs() -> Any:
    """The last blank or line feed of a text behind which it may be cut before lines are joined.

    A pattern, to be searched for. On one side of what it matches stands a character that is no
    letter of these scripts, in normal form, too.
    """
    import regex

    return regex.compile(rf"(?r)(?<={_OTHER})[ \n]|[ \n](?={_OTHER})")
