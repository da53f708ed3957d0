"""Paragraphs of a PDF page, by the places of its lines.

A PDF file marks no paragraphs. One ends

- with a line that is so short that the next word would have had room in it,
- before a line that is farther below than lines of a paragraph are, or of another size,
- before a line that is indented more than the one after it, which continues it,
- before an item of a list.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable
from ctypes import byref, c_double
from itertools import pairwise
from math import hypot, inf
from typing import Any, NamedTuple

from pypdfium2 import raw

from sdtext.parts.readers.pdf_invisible_text import pdfium_argument, pdfium_function
from sdtext.parts.readers.pdf_right_to_left import has_right_to_left

_SIZE = pdfium_function("FPDFText_GetFontSize", c_double)
_ORIGIN = pdfium_function("FPDFText_GetCharOrigin")
_BOX = pdfium_function("FPDFText_GetLooseCharBox")

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")
# What stays on one line: a word, or a letter of Chinese or Japanese with the brackets around it and
# the marks and small letters behind it, which begin no line.
_HAN = "\u2e80-\ua4cf\uf900-\ufaff\uff01-\uffef"
_BEHIND = (
    "\u3001\u3002\u300d\u300f\u3011\u3041\u3043\u3045\u3047\u3049\u3063\u3083\u3085\u3087\u30a1"
    "\u30a3\u30a5\u30a7\u30a9\u30c3\u30e3\u30e5\u30e7\u30fc\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
)
_FIRST_WORD = re.compile(f"[\u300c\u300e\u3010\uff08]*[{_HAN}][{_BEHIND}]*|[^\\s{_HAN}]+|\\S")
_ITEM = re.compile(r"(?:[^\w\s]|\(?(?:\w{1,3}|\d+(?:\.\d+)+)[.)])\s")  # a bullet, or a number
_DIVIDED = "\ufffe\xad-\u2010"  # at the end of a line, a word goes on
_GAP = 1.25  # times the distance of lines
_LARGEST_INDENT = 6  # em


class _Line(NamedTuple):
    """A line of a page: its place in the text, and on the page in points.

    `left` is where it begins: text from right to left is mirrored. `top` and `bottom` are the
    baselines of its first and last letter, since PDFium joins lines at hyphens. `size` is that of
    its font, in a unit of the page.
    """

    start: int
    end: int
    left: float
    right: float
    top: float
    bottom: float
    size: float


def with_paragraphs(text: str, text_page: Any, number_of: Callable[[int], int]) -> str:
    r"""The text of a page, with "\n\n" in place of "\r\n" at the ends of paragraphs.

    `number_of` gives the number that the page has for a character of the text.
    """
    page = _Page(text, text_page, number_of)
    pieces, place = [], 0
    for number, (line, following) in enumerate(pairwise(page.lines)):
        end = text.find("\r\n", line.end, following.start)
        if end < 0 or text[line.end - 1] in _DIVIDED:
            continue
        if page.begins_paragraph(number + 1) or page.is_short(line, following):
            pieces += [text[place:end], "\n\n"]
            place = end + 2
    return "".join([*pieces, text[place:]])


class _Page:
    """The lines of a page, and where they are."""

    def __init__(self, text: str, text_page: Any, number_of: Callable[[int], int]) -> None:
        self._text, self._number_of = text, number_of
        self._page = pdfium_argument(text_page.raw)
        self._x, self._y, self._box = c_double(), c_double(), raw.FS_RECTF()
        self._to_x, self._to_y, self._to_box = byref(self._x), byref(self._y), byref(self._box)
        self._leftwards = 0 if has_right_to_left(text) else -inf
        self.lines = [self._line(*match.span()) for match in _LINE.finditer(text)]
        if self._leftwards > 0:
            self.lines = [line._replace(left=-line.right, right=-line.left) for line in self.lines]
        matrix = raw.FS_MATRIX()
        raw.FPDFText_GetMatrix(text_page, 0, byref(matrix))
        self._points = hypot(matrix.c, matrix.d) or 1.0  # in the unit of the fonts' sizes
        steps = sorted(
            (above.bottom - line.top) / line.size
            for above, line in pairwise(self.lines)
            if above.size == line.size and above.bottom - line.top > self._points * line.size / 2
        )
        self._step = steps[len(steps) // 4] if steps else inf  # from line to line
        self._places = [(line.left, line.right, line.top) for line in self.lines]
        self._last_left = max((line.left for line in self.lines), default=0.0)
        self._rights = sorted(line.right for line in self.lines)

    def _line(self, start: int, end: int) -> _Line:
        first, last = self._number_of(start), self._number_of(end - 1)
        left, top = self._origin(first)
        bottom = self._origin(last)[1] if self._text.find("\ufffe", start, end) >= 0 else top
        last_left, right = self._sides(last)
        if self._leftwards > -inf:  # any letter may be the outermost, and stand higher or lower
            self._leftwards += 1 if left > last_left else -1
            numbers = [*map(self._number_of, range(start, end))]
            lefts, rights = zip(*map(self._sides, numbers), strict=True)
            left, right = min(lefts), max(rights)
            heights = Counter(self._origin(number)[1] for number in numbers)
            top = bottom = heights.most_common(1)[0][0]
        size = _SIZE(self._page, first) or 1.0
        return _Line(start, end, left, max(left, right), top, bottom, size)

    def _origin(self, number: int) -> tuple[float, float]:
        _ORIGIN(self._page, number, self._to_x, self._to_y)
        return self._x.value, self._y.value

    def _sides(self, number: int) -> tuple[float, float]:
        _BOX(self._page, number, self._to_box)
        return self._box.left, self._box.right

    def _sides_of_word(self, start: int) -> tuple[float, float]:
        end = _FIRST_WORD.match(self._text, start).end()  # type: ignore[union-attr]
        first, last = (self._sides(self._number_of(place)) for place in (start, end - 1))
        return min(first[0], last[0]), max(first[1], last[1])

    def begins_paragraph(self, number: int) -> bool:
        """Whether a line that is not the first begins a paragraph, by its place."""
        before, line, *after = self.lines[number - 1 : number + 2]
        em = self._points * line.size
        is_apart = before.bottom - line.top > _GAP * self._step * line.size
        if is_apart or abs(before.size - line.size) > line.size / 20:
            return True
        if self._is_item(line) and (before.left - line.left > em / 2 or self._is_item(before)):
            return True
        return any(
            third.top < line.bottom
            and em / 2 < line.left - third.left < _LARGEST_INDENT * em
            and not self._is_item(third)
            and not self.is_short(line, third)
            for third in after
        )

    def _is_item(self, line: _Line) -> bool:
        return _ITEM.match(self._text, line.start) is not None

    def is_short(self, line: _Line, following: _Line) -> bool:
        """Whether the first word of the following line would have had room in a line.

        Its column ends where most lines do, as a few may go over the edge, or before lines beside
        it.
        """
        em = self._points * line.size
        needed = line.right + em / 2
        if needed < self._rights[-1]:
            left, right = self._sides_of_word(following.start)
            needed += right - left
        if needed >= self._rights[-1]:
            return False
        if line.right < self._last_left and any(
            line.right < left and left - em <= needed and abs(top - line.bottom) < 3 * em
            for left, _, top in self._places
        ):
            return False
        rights = self._rights
        if line.right < self._last_left or line.left >= rights[0]:  # not one column
            sides = self._places
            rights = [right for left, right, _ in sides if left <= line.right and line.left < right]
            rights.sort()
        return len(rights) - bisect(rights, needed) > (len(rights) + 1) // 20
