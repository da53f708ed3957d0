"""Text objects of a PDF page that its readers do not see.

These are the objects outside of the page, of a size below one point, in text render mode 3 or fully
transparent, white on white ground, and behind an opaque image. Invisible text on an image, and text
behind images that cover most of a page, are excepted: they are the text layer of a scan. So is the
rest of a line that runs off the page.

PDFium is asked for the properties of all objects of a page, and few pages need more than that.
Therefore its functions are called without pypdfium2's typed pointers, with arguments that ctypes
need not convert, and without the release of Python's lock: that takes a sixth of the time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from ctypes import (
    PYFUNCTYPE,
    addressof,
    byref,
    c_float,
    c_int,
    c_uint,
    c_void_p,
    cast,
    memset,
    string_at,
)
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, compress, islice, repeat
from math import hypot, inf, sqrt
from operator import mul
from struct import iter_unpack, unpack_from
from typing import Any, NamedTuple, TypeVar

from sdtext.parts.readers.hidden_text import WHITE, is_indistinct

_GREEN = 247  # of 255, in a colour that does not stand out from white
_OPAQUE = 250  # of 255
_GROUND = 245  # gray that white text does not stand out from
_SMALLEST = 1.0  # points
_COVERED = 0.5  # of the page, by images: a scan
_INVISIBLE = 3  # text render mode (PDF 1.7, 9.3.6)
_FILLED = (0, 4)  # modes that paint the inside of glyphs, and not their outline
_BLANK = 15.0  # points, the most between words of a line
_MAX_DEPTH = 8  # of forms in forms
_MOST_DOTS = 4_000_000  # of a page that is rendered
_BATCH = 512  # objects
_MOST_PAIRS = 1_000_000  # of images and other objects that are compared quickly


class Box(NamedTuple):
    """A rectangle, in points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """The area, 0 for an empty box."""
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)

    def overlap(self, other: Box) -> Box:
        """What the two have in common; an empty box if nothing.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3)).area
        1
        """
        low, high = map(max, self[:2], other[:2]), map(min, self[2:], other[2:])
        return Box(*low, *high)

    def holds(self, other: Box) -> bool:
        """Whether the other stands in it, but for half a point."""
        return (
            self.left - 0.5 <= other.left
            and self.bottom - 0.5 <= other.bottom
            and self.right + 0.5 >= other.right
            and self.top + 0.5 >= other.top
        )

    def holds_any(self, sides: Sides, count: int) -> bool:
        """Whether one of the first `count` boxes of these sides stands in it, as in `holds`."""
        left, bottom, right, top = (islice(each, count) for each in sides)
        low_x, low_y, high_x, high_y = (
            *(self.left - 0.5, self.bottom - 0.5),
            *(self.right + 0.5, self.top + 0.5),
        )
        return any(
            low_x <= start and end <= high_x and low_y <= foot and head <= high_y
            for start, foot, end, head in zip(left, bottom, right, top, strict=True)
        )

    def holds_middle(self, other: Box) -> bool:
        """Whether the middle of the other stands in it."""
        x, y = (other.left + other.right) / 2, (other.bottom + other.top) / 2
        return self.left <= x <= self.right and self.bottom <= y <= self.top


Sides = tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]
"""Of boxes: their left, bottom, right and top ends."""
_NO_SIDES: Sides = ((), (), (), ())
Matrix = tuple[float, float, float, float, float, float]
Value = TypeVar("Value")
_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


@dataclass(frozen=True, slots=True)
class _Object:
    """An object of a page: its address as an argument, its type, its box on the page."""

    address: int
    given: Any
    type: int
    box: Box
    to_page: Matrix


@cache
def _function(name: str, result: Any = c_int) -> Callable[..., Any]:
    """A function of PDFium that takes pointers as `_given` and `byref` make them."""
    from pypdfium2 import raw

    return PYFUNCTYPE(result)(_address(getattr(raw, name)))


_given: Callable[[int], Any] = c_void_p.from_param


def _address(pointer: Any) -> int:
    return cast(pointer, c_void_p).value or 0


def text_object(text_page: Any) -> Callable[[int], int | None]:
    """A function from the index of a character to the address of its text object, if any."""
    function = _function("FPDFText_GetTextObject", c_void_p)
    given = _given(_address(text_page.raw))
    return lambda index: function(given, index)


def origins(text_page: Any, indexes: Sequence[int]) -> list[bytes | None]:
    """The origins of these characters of a text page, as bytes; None where it is unknown."""
    return _four_numbers().origins(_given(_address(text_page.raw)), indexes)


def _runs_off(area: Box, before: Box | None, box: Box) -> bool:
    """Whether text outside of the page is the rest of the line that the text before it begins."""
    if before is None or box.left <= area.right:
        return False
    middle = (before.bottom + before.top) / 2
    return box.bottom - 5 < middle < box.top + 5 and -1 < box.left - before.right < _BLANK


class InvisibleText:
    """Finds the text objects that are not seen on the pages of one of pypdfium2's documents."""

    def __init__(self, pdf: Any) -> None:
        self._pdf = pdf
        self._four = _four_numbers()

    def may_be_on(self, page: Any) -> bool:
        """Whether there may be some on the page, by properties that are quickly read."""
        given = _given(addressof(page.raw.contents))
        return self._is_suspicious(_objects(given, "Page"), _visible_area(given))

    def objects(self, page: Any) -> set[int]:
        """Their addresses. The page may be rendered without its text from then on."""
        area = _visible_area(_given(addressof(page.raw.contents)))
        return _PaintedPage(self._pdf, page, area, self._four).invisible()

    def _is_suspicious(self, addresses: Sequence[int], area: Box) -> bool:
        """Whether some of the objects may be text that is not seen."""
        given = list(map(_given, addresses))
        modes = list(map(_function("FPDFTextObj_GetTextRenderMode"), given))
        texts: Sequence[Any] = given
        if -1 in modes:
            texts = [each for each, mode in zip(given, modes, strict=True) if mode >= 0]
        if _INVISIBLE in modes or self._four.may_be_white_or_clear(texts):
            return True
        if not texts:
            return self._have_covers(given, modes, _NO_SIDES)
        sides = self._four.bounds(texts)
        return self._are_misplaced(texts, sides, area) or (
            len(texts) < len(given) and self._have_covers(given, modes, sides)
        )

    def _have_covers(self, given: Sequence[Any], modes: Sequence[int], sides: Sides) -> bool:
        """Whether there are forms with more than drawings, or images on text before them."""
        from pypdfium2 import raw

        type_of = _function("FPDFPageObj_GetType")
        others = [place for place, mode in enumerate(modes) if mode < 0]
        types = [type_of(given[place]) for place in others]
        if {raw.FPDF_PAGEOBJ_FORM, raw.FPDF_PAGEOBJ_IMAGE}.isdisjoint(types):
            return False
        forms = map(raw.FPDF_PAGEOBJ_FORM.__eq__, types)
        if not all(_is_drawing(given[place]) for place in compress(others, forms)):
            return True
        # The number of texts before each image: all before it, but for those of other types.
        images = [
            (place, place - before)
            for before, (place, kind) in enumerate(zip(others, types, strict=True))
            if kind == raw.FPDF_PAGEOBJ_IMAGE
        ]
        if len(images) * len(given) > _MOST_PAIRS:
            return True
        return any(self._four.box(given[place]).holds_any(sides, texts) for place, texts in images)

    def _are_misplaced(self, texts: Sequence[Any], sides: Sides, area: Box) -> bool:
        left, bottom, right, top = sides
        if min(right) < area.left or min(top) < area.bottom or max(bottom) > area.top:
            return True
        if max(left) > area.right:
            boxes = [Box(*each) for each in zip(left, bottom, right, top, strict=True)]
            pairs = zip([None, *boxes], boxes, strict=False)
            if any(box.left > area.right and not _runs_off(area, last, box) for last, box in pairs):
                return True
        # Dots and dashes are as small as tiny letters, so their fonts are looked at. Blanks have no
        # height, and what has no area is not seen anyway.
        small = [
            each
            for each, start, foot, end, head in zip(texts, left, bottom, right, top, strict=True)
            if (head < foot + _SMALLEST or end < start + _SMALLEST) and head > foot and end > start
        ]
        return self._four.smallest_font(small) < _SMALLEST


class _FourNumbers:
    """Numbers of up to `_BATCH` objects, which PDFium writes into one buffer: four of each.

    Of half as many objects it holds the seven that give the size of a font.
    """

    def __init__(self) -> None:
        self._buffer = (c_uint * (4 * _BATCH))()
        self._places = [byref(self._buffer, 4 * place) for place in range(4 * _BATCH)]
        self._fourths = [self._places[first::4] for first in range(4)]

    def may_be_white_or_clear(self, given: Sequence[Any]) -> bool:
        """Whether one has little green missing, as nearly white has, or no opacity."""
        function, last = _function("FPDFPageObj_GetFillColor"), repeat(self._places[-1])
        for batch in _batches(given):
            green, opacity = self._places[: len(batch)], self._places[len(batch) : 2 * len(batch)]
            deque(map(function, batch, last, green, last, opacity), 0)
            numbers = unpack_from(f"{2 * len(batch)}I", self._buffer)
            if max(numbers[: len(batch)]) >= _GREEN or not min(numbers[len(batch) :]):
                return True
        return False

    def bounds(self, given: Sequence[Any]) -> Sides:
        numbers: list[float] = []
        for batch in _batches(given):
            deque(map(_function("FPDFPageObj_GetBounds"), batch, *self._fourths), 0)
            numbers += unpack_from(f"{4 * len(batch)}f", self._buffer)
        return numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4]

    def smallest_font(self, given: Sequence[Any]) -> float:
        """The smallest size of a font, as `_size` has it without a further matrix."""
        least = inf
        for batch in _batches(given, _BATCH // 2):
            count = len(batch)
            memset(self._buffer, 0, 4 * 7 * count)  # what PDFium does not know stays 0
            matrices = self._places[count : 7 * count : 6]
            deque(map(_function("FPDFTextObj_GetFontSize"), batch, self._places[:count]), 0)
            deque(map(_function("FPDFPageObj_GetMatrix"), batch, matrices), 0)
            numbers = unpack_from(f"{7 * count}f", self._buffer)
            a, b, c, d = (numbers[count + place :: 6] for place in range(4))
            scales = map(min, map(hypot, a, b), map(hypot, c, d))
            least = min(least, *map(mul, map(abs, numbers[:count]), scales))
        return least

    def origins(self, text_page: Any, indexes: Sequence[int]) -> list[bytes | None]:
        """The two numbers, of double length, of the origin of each character."""
        function = partial(_function("FPDFText_GetCharOrigin"), text_page)
        found: list[bytes | None] = []
        for batch in _batches(indexes):
            known = list(map(function, batch, self._fourths[0], self._fourths[2]))
            numbers = islice(iter_unpack("16s", self._buffer), len(batch))
            found += [
                place if each else None for each, (place,) in zip(known, numbers, strict=True)
            ]
        return found

    def colour(self, given: Any) -> tuple[int, ...]:
        _function("FPDFPageObj_GetFillColor")(given, *self._places[:4])
        return unpack_from("4I", self._buffer)

    def box(self, given: Any) -> Box:
        _function("FPDFPageObj_GetBounds")(given, *self._places[:4])
        return Box(*unpack_from("4f", self._buffer))


@cache
def _four_numbers() -> _FourNumbers:
    return _FourNumbers()


def _batches(given: Sequence[Value], most: int = _BATCH) -> Iterator[Sequence[Value]]:
    return (given[start : start + most] for start in range(0, len(given), most))


def _is_drawing(form: Any) -> bool:
    from pypdfium2 import raw

    type_of = _function("FPDFPageObj_GetType")
    return {type_of(_given(each)) for each in _objects(form, "FormObj")} <= {raw.FPDF_PAGEOBJ_PATH}


def _objects(given: Any, kind: str) -> list[int]:
    """The addresses of the objects on a page ("Page") or in a form ("FormObj")."""
    get = _function(f"FPDF{kind}_GetObject", c_void_p)
    return list(map(get, repeat(given), range(_function(f"FPDF{kind}_CountObjects")(given))))


def _visible_area(given: Any) -> Box:
    area = (c_float * 4)()  # left, top, right, bottom
    _function("FPDF_GetPageBoundingBox")(given, byref(area))
    left, top, right, bottom = area
    return Box(left, bottom, right, top)


def _matrix(given: Any) -> Matrix:
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    _function("FPDFPageObj_GetMatrix")(given, byref(matrix))
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _product(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that applies one after the other (PDF 1.7, 8.3.4).

    >>> _product((2, 0, 0, 2, 0, 0), (1, 0, 0, 1, 5, 6))
    (2, 0, 0, 2, 5, 6)
    """
    (a, b, c, d, e, f), (p, q, r, s, t, u) = first, then
    return (
        *(a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s),
        *(e * p + f * r + t, e * q + f * s + u),
    )


def _moved(box: Box, matrix: Matrix) -> Box:
    a, b, c, d, e, f = matrix
    corners = [(x, y) for x in (box.left, box.right) for y in (box.bottom, box.top)]
    across = [a * x + c * y + e for x, y in corners]
    up = [b * x + d * y + f for x, y in corners]
    return Box(min(across), min(up), max(across), max(up))


def _size(given: Any, to_page: Matrix) -> float:
    """The size of the font on the page, the lesser of its width and height."""
    size = c_float()
    _function("FPDFTextObj_GetFontSize")(given, byref(size))
    a, b, c, d, _, _ = _product(_matrix(given), to_page)
    return abs(size.value) * min(hypot(a, b), hypot(c, d))


class _PaintedPage:
    """The objects of a page in the order in which they are painted, those of forms among them."""

    def __init__(self, pdf: Any, page: Any, area: Box, four: _FourNumbers) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._pdf = pdf
        self._page = page
        self._area = area
        self._four = four
        self._objects = list(self._within(_objects(_given(_address(page.raw)), "Page"), _IDENTITY))
        self._images = self._of_type(raw.FPDF_PAGEOBJ_IMAGE)
        self._opaque: dict[int, bool] = {}
        covered = sum(area.overlap(image.box).area for _, image in self._images)
        self._is_scan = covered >= _COVERED * area.area

    def invisible(self) -> set[int]:
        unseen: set[int] = set()
        white = []
        before: _Object | None = None
        for place, text in self._of_type(self._raw.FPDF_PAGEOBJ_TEXT):
            if not text.box.area or _runs_off(self._area, before.box if before else None, text.box):
                before = before and text
            elif self._is_invisible(text) or self._is_behind_image(place):
                unseen.add(text.address)
                before = None
            else:
                before = text
                if self._is_white(text.given) and not self._has_ground(place):
                    white.append(text)
        return unseen | (self._without_contrast(white) if white else set())

    def _of_type(self, kind: int) -> list[tuple[int, _Object]]:
        return [(place, each) for place, each in enumerate(self._objects) if each.type == kind]

    def _within(self, addresses: list[int], to_page: Matrix, depth: int = 1) -> Iterator[_Object]:
        type_of = _function("FPDFPageObj_GetType")
        for address in addresses:
            given = _given(address)
            kind = type_of(given)
            if kind != self._raw.FPDF_PAGEOBJ_FORM:
                box = self._four.box(given)
                moved = box if to_page is _IDENTITY else _moved(box, to_page)
                yield _Object(address, given, kind, moved, to_page)
            elif depth < _MAX_DEPTH:
                inner = _product(_matrix(given), to_page)
                yield from self._within(_objects(given, "FormObj"), inner, depth + 1)

    def _is_invisible(self, text: _Object) -> bool:
        if not self._area.overlap(text.box).area:
            return True
        is_small = min(text.box.top - text.box.bottom, text.box.right - text.box.left) < _SMALLEST
        if is_small and _size(text.given, text.to_page) < _SMALLEST:
            return True
        mode = _function("FPDFTextObj_GetTextRenderMode")(text.given)
        if mode != _INVISIBLE and (mode not in _FILLED or self._four.colour(text.given)[3]):
            return False
        return not any(image.box.holds_middle(text.box) for _, image in self._images)

    def _is_white(self, given: Any) -> bool:
        if not self._is_like_white(given):
            return False
        return _function("FPDFTextObj_GetTextRenderMode")(given) in _FILLED

    def _has_ground(self, place: int) -> bool:
        """Whether something that may not be white is painted under a text object."""
        text = self._objects[place]
        return any(
            each.type != self._raw.FPDF_PAGEOBJ_TEXT
            and each.box.holds_middle(text.box)
            and not self._is_white_path(each)
            for each in self._objects[:place]
        )

    def _is_white_path(self, each: _Object) -> bool:
        """Whether it paints no area but a white one; PDFium gives white for patterns, too."""
        if each.type != self._raw.FPDF_PAGEOBJ_PATH:
            return False
        fill, stroke = c_int(), c_int()
        _function("FPDFPath_GetDrawMode")(each.given, byref(fill), byref(stroke))
        return not fill.value or self._is_like_white(each.given)

    def _is_like_white(self, given: Any) -> bool:
        red, green, blue, _ = self._four.colour(given)
        return is_indistinct((red, green, blue), WHITE)

    def _is_behind_image(self, place: int) -> bool:
        box = self._objects[place].box
        return not self._is_scan and any(
            later > place and image.box.holds(box) and self._is_opaque(image.address)
            for later, image in self._images
        )

    def _is_opaque(self, address: int) -> bool:
        if address not in self._opaque:
            self._opaque[address] = self._hides(address)
        return self._opaque[address]

    def _hides(self, address: int) -> bool:
        """Whether nothing behind the image is seen, all over its box."""
        raw = self._raw
        image = cast(address, raw.FPDF_PAGEOBJECT)
        if raw.FPDFPageObj_HasTransparency(image):
            return False
        bitmap = raw.FPDFImageObj_GetRenderedBitmap(self._pdf, self._page, image)
        if not bitmap:
            return False
        try:
            if raw.FPDFBitmap_GetFormat(bitmap) != raw.FPDFBitmap_BGRA:
                return True
            size = raw.FPDFBitmap_GetStride(bitmap) * raw.FPDFBitmap_GetHeight(bitmap)
            start = _address(raw.FPDFBitmap_GetBuffer(bitmap))
            return min(string_at(start, size)[3::4], default=0) >= _OPAQUE
        finally:
            raw.FPDFBitmap_Destroy(bitmap)

    def _without_contrast(self, texts: Sequence[_Object]) -> set[int]:
        """Those of the white texts whose ground is white, as the page is painted without text."""
        for each in self._objects:
            if each.type == self._raw.FPDF_PAGEOBJ_TEXT:
                text = cast(each.address, self._raw.FPDF_PAGEOBJECT)
                self._raw.FPDFPageObj_SetIsActive(text, 0)
        dots = self._page.get_width() * self._page.get_height()
        scale = min(1.0, sqrt(_MOST_DOTS / max(dots, 1)))
        with closing(self._page.render(scale=scale, grayscale=True)) as bitmap:
            return {each.address for each in texts if self._ground(bitmap, each.box) >= _GROUND}

    def _ground(self, bitmap: Any, box: Box) -> int:
        """The darkest gray in a box of the page, as it is rendered."""
        xs, ys = zip(*(self._dot(bitmap, *corner) for corner in (box[:2], box[2:])), strict=True)
        rows = range(max(0, min(ys)), min(bitmap.height - 1, max(ys)) + 1)
        left, right = max(0, min(xs)), max(xs) + 1
        dots = memoryview(bitmap.buffer).cast("B")
        starts = (row * bitmap.stride for row in rows)
        lines = (dots[start + left : start + min(right, bitmap.width)] for start in starts)
        return min(chain.from_iterable(lines), default=0)

    def _dot(self, bitmap: Any, x: float, y: float) -> tuple[int, int]:
        column, row = c_int(), c_int()
        self._raw.FPDF_PageToDevice(
            self._page, 0, 0, bitmap.width, bitmap.height, 0, x, y, byref(column), byref(row)
        )
        return column.value, row.value
