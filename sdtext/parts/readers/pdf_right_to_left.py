"""The logical order of lines with right-to-left letters on PDF pages, by where the glyphs stand.

PDF draws glyphs in any order, and PDFium puts them into a logical order by guesses: words that are
drawn from left to right come out reversed, marks and full stops at the ends of lines, and blanks
within words. Here the glyphs of a line are sorted in its direction, runs of the other direction are
turned back, brackets are mirrored (UAX #9), and blanks stand where there is room for one. The
letters of one glyph, a ligature, come in either order; their shapes beside one another tell which.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from math import inf

Span = tuple[int, int]
Point = tuple[float, float]


@dataclass(frozen=True)
class _Characters:
    """Characters of a page in columns, to which blanks are added behind those of the text."""

    chars: list[str]
    places: list[int]
    """In the text."""
    x: list[float]
    y: list[float]
    rights: list[float]
    marks: frozenset[str]

    def add_blank(self, before: int, x: float) -> int:
        """The number of a new blank at `x`; it stands before another character."""
        self.chars.append(" ")
        self.places.append(self.places[before])
        self.x.append(x)
        return len(self.x) - 1

    def text(self, numbers: Iterable[int]) -> str:
        return "".join(map(self.chars.__getitem__, numbers))


_RUN = re.compile("[\u0620-\u08ff]{2,}")
_LETTERS = "\u0590-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # no digits
_LETTER = re.compile(f"[{_LETTERS}]")
_OTHER_LETTER = re.compile(rf"[^\W\d_{_LETTERS}]")
_WITHIN_LEFT_TO_RIGHT = re.compile(rf"[{_LETTERS}](?:[\W\d_{_LETTERS}]*[{_LETTERS}])?")
_WITHIN_RIGHT_TO_LEFT = re.compile(rf"[^\W_{_LETTERS}](?:[^{_LETTERS}]*[^\W_{_LETTERS}])?")
_NUMBER = re.compile(r"\d+(?:[.,:/+\u066b\u066c-]\d+)*")
_MIRRORED = str.maketrans("()[]{}«»‹›", ")(][}{»«›‹")
_BRACKET = re.compile("[][(){}«»‹›]")
_LINE = re.compile(r"[^\r\n]+")
_ROOM, _MORE_ROOM = 0.1, 0.2  # for a blank where PDFium has one and has none; sizes of the font
_SLOPE = 2  # sizes of the font that the letters of a line are above one another at most


def has_right_to_left(text: str) -> bool:
    """Whether a text has letters that are written from right to left."""
    return not text.isascii() and _LETTER.search(text) is not None


def in_logical_order(
    text: str, points: Sequence[Point], rights: Sequence[float], size: Callable[[int], float]
) -> tuple[str, list[int]]:
    """`text` with such lines in logical order; for each of its characters the place before.

    `points` are the origins of the glyphs of its characters, `rights` their right edges, and `size`
    gives the size of the font of the character at a place.
    """
    page = _Characters(
        list(text),
        list(range(len(text))),
        [x for x, _ in points],
        [y for _, y in points],
        list(rights),
        frozenset(char for char in set(text) if unicodedata.category(char) == "Mn"),
    )
    lines = [match.span() for match in _LINE.finditer(text)]
    ordered: list[int] = []
    done = 0
    for begin, end in _whole_lines(text, lines, page, size):
        letter = _LETTER.search(text, begin, end)
        high = size(letter.start()) if letter else 0.0
        heights = [page.y[place] for place in range(begin, end) if not text[place].isspace()]
        if letter and max(heights) - min(heights) <= _SLOPE * high:
            ordered += range(done, begin)
            ordered += _logical(page, begin, end, high)
            done = end
    ordered += range(done, len(text))
    order = [page.places[number] for number in ordered]
    joined = page.text(ordered)
    return in_reading_order(joined, [points[place] for place in order]), order


def _whole_lines(
    text: str, lines: Sequence[Span], page: _Characters, size: Callable[[int], float]
) -> Iterator[Span]:
    """The ranges of lines; adjacent ones that are no half line apart are one.

    PDFium divides a line where marks, or letters with marks, stand higher or lower.
    """
    begin = end = -1
    height, joins = inf, False
    for start, stop in lines:
        ((own, _),) = Counter(page.y[start:stop]).most_common(1)
        joined = _is_right_to_left(text[start:stop])
        # What PDFium adds, such as blanks, has no size of its own.
        is_near = joined and abs(own - height) < max(size(start), size((start + stop) // 2)) / 2
        if not (is_near and joins):
            if end > 0:
                yield begin, end
            begin, height = start, own
        end, joins = stop, joined
    if end > 0:
        yield begin, end


def _is_right_to_left(line: str) -> bool:
    return len(_LETTER.findall(line)) >= len(_OTHER_LETTER.findall(line))


def _logical(page: _Characters, begin: int, end: int, size: float) -> list[int]:
    """The characters of a line in logical order."""
    backwards = _is_right_to_left(page.text(range(begin, end)))
    ordered = _with_blanks(page, begin, end, size)
    at = page.x.__getitem__
    if not backwards:
        ordered.sort(key=at)
    text = page.text(ordered)
    for run in (_WITHIN_RIGHT_TO_LEFT if backwards else _WITHIN_LEFT_TO_RIGHT).finditer(text):
        spans = [run.span()]
        if not backwards:
            start, stop = run.span()
            ordered[start:stop] = sorted(ordered[start:stop], key=at, reverse=True)
            text = page.text(ordered)
        if not backwards or not _OTHER_LETTER.search(run[0]):
            spans = [number.span() for number in _NUMBER.finditer(text, *run.span())]
        for start, stop in spans:
            ordered[start:stop] = sorted(ordered[start:stop], key=at)
    if backwards:
        for bracket in _BRACKET.finditer(text):
            page.chars[ordered[bracket.start()]] = bracket[0].translate(_MIRRORED)
    return ordered


def _with_blanks(page: _Characters, begin: int, end: int, size: float) -> list[int]:
    """A line from right to left, with blanks where there is room for one."""
    starts, ends, glyphs = _glyphs(page, begin, end)
    if not glyphs:
        return [*range(begin, end)]
    room = [start - before for start, before in zip(starts[1:], ends, strict=False)]
    known = set()
    for number in range(begin, end):
        if page.chars[number].isspace():  # at the origin of a glyph, a blank is on either side
            blank = page.x[number]
            first, last = bisect_left(starts, blank) - 1, bisect(starts, blank)
            gaps = range(max(first, 0), min(last, len(room)))
            known.add(max(gaps, key=room.__getitem__, default=-1))
    ordered = glyphs[-1]
    for gap in range(len(room) - 1, -1, -1):
        if room[gap] > (_ROOM if gap in known else _MORE_ROOM) * size:
            ordered.append(page.add_blank(glyphs[gap][0], (starts[gap] + starts[gap + 1]) / 2))
        ordered += glyphs[gap]
    return ordered


def _glyphs(
    page: _Characters, begin: int, end: int
) -> tuple[list[float], list[float], list[list[int]]]:
    """The origins, the right edges and the characters of the glyphs of a line, left to right.

    Marks stand behind the letters that they are on.
    """
    x, rights = page.x, page.rights
    seen = [number for number in range(begin, end) if not page.chars[number].isspace()]
    letters = [number for number in seen if page.chars[number] not in page.marks]
    letters.sort(key=rights.__getitem__, reverse=True)
    letters.sort(key=x.__getitem__)
    glyphs: list[list[int]] = []
    starts: list[float] = []
    ends: list[float] = []
    for number in letters:
        if starts and starts[-1] == x[number]:
            glyphs[-1].append(number)
        else:
            glyphs.append([number])
            starts.append(x[number])
            ends.append(rights[number])
    for number in seen if glyphs and len(seen) > len(letters) else ():
        if page.chars[number] not in page.marks:
            continue
        glyph = bisect(starts, x[number]) - 1
        if glyph >= 0 and starts[glyph] == x[number]:
            ends[glyph] = max(ends[glyph], rights[number])
        else:
            glyph = max(0, bisect(starts, (x[number] + rights[number]) / 2) - 1)
        glyphs[glyph].append(number)
        x[number] = starts[glyph]
    return starts, ends, glyphs


def in_reading_order(text: str, glyphs: Sequence[object]) -> str:
    r"""`text`, given with the glyph of each letter, with those of each ligature in reading order.

    Letters that could be joined in either order are reversed where the other ligatures of the
    text are.

    >>> in_reading_order("ا" + "أل" + "رض", [1, 2, 2, 3, 4])
    'الأرض'
    """
    spans = _ligatures(text, glyphs)
    # Those of several letters, not of one with its marks.
    ligatures = [(start, stop) for start, stop in spans if len(_bases(text[start:stop])) > 1]
    verdicts = [_is_reversed(text[start:stop]) for start, stop in ligatures]
    mostly = verdicts.count(True) > verdicts.count(False)
    letters = list(text)
    for (start, stop), verdict in zip(ligatures, verdicts, strict=True):
        if mostly if verdict is None else verdict:
            letters[start:stop] = reversed(letters[start:stop])
    return "".join(letters)


def _ligatures(text: str, glyphs: Sequence[object]) -> Iterator[tuple[int, int]]:
    """The half-open ranges of Arabic characters that are one glyph each."""
    runs = (range(*match.span()) for match in _RUN.finditer(text))
    letters = [*chain.from_iterable(runs)]
    start = stop = -1
    for first, last in pairwise(letters):
        if glyphs[first] != glyphs[last] or last > first + 1:
            continue
        if last > stop:
            yield start, stop
            start = first
        stop = last + 1
    yield start, stop


def _is_reversed(letters: str) -> bool | None:
    """Whether these letters of a ligature are in the wrong order; None if they do not tell."""
    backwards = letters[::-1]
    if letters in _phrases() or backwards in _phrases():
        return backwards in _phrases()
    right, reverse = _joined(letters), _joined(backwards)
    return None if right == reverse else reverse


def _joined(letters: str) -> bool:
    """Whether every letter but the last joins the next; marks do not count."""
    import regex  # knows the joining types of Unicode (ArabicShaping.txt)

    joins = r"[\p{Joining_Type=Dual_Joining}\p{Joining_Type=Join_Causing}]*"
    return regex.fullmatch(joins, "".join(_bases(letters)[:-1])) is not None


def _bases(letters: str) -> list[str]:
    return [letter for letter in letters if unicodedata.category(letter) != "Mn"]


@cache
def _phrases() -> frozenset[str]:
    """The words and phrases that Unicode has as one character, such as the name of God."""
    return frozenset(unicodedata.normalize("NFKC", chr(code)) for code in range(0xFDF0, 0xFDFC))
