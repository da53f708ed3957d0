"""Text objects of a PDF page that its readers do not see.

These are the objects outside of the page, of a size below one point, in text render mode 3 or fully
transparent, white on white ground, in a layer that is off (optional content, PDF 1.7, 8.11), and
behind something opaque, such as an image or a rectangle. Invisible text on an image, and text
behind images that cover most of a page, are excepted: they are the text layer of a scan. So is the
rest of a line that runs off the page.

Text in layers and behind other objects is not seen if the page is painted the same without it.

PDFium is asked for the properties of all objects of a page. Its functions are called without
pypdfium2's typed pointers, with arguments that ctypes need not convert, and without the release of
Python's lock.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from contextlib import closing
from ctypes import (
    PYFUNCTYPE,
    byref,
    c_float,
    c_int,
    c_uint,
    c_ulong,
    c_void_p,
    cast,
    create_string_buffer,
)
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, repeat
from math import hypot, isnan, sqrt
from struct import unpack_from
from typing import Any, NamedTuple

from sdtext.parts.readers.hidden_text import WHITE, is_indistinct

_LAYER = "OC".encode("utf-16-le")
_GROUND = 245  # gray that white text does not stand out from
_SMALLEST = 1.0  # points
_COVERED = 0.5  # of the page, by images: a scan
_LEAST_COVER = 2.0, 0.5  # points of the width of a text, part of its height
_EDGE = 0.2  # of the height of a text, where traces of it may be seen
_TRACE = 2  # of 255
_LOW = 3  # dots, the height of a sign that has no edge
_MOST_LAYERS = 16  # of a page that are painted apart
_INVISIBLE = 3  # text render mode (PDF 1.7, 9.3.6)
_FILLED = (0, 4)  # modes that paint the inside of glyphs, and not their outline
_BLANK = 15.0  # points, the most between words of a line
_MAX_DEPTH = 8  # of forms in forms
_MOST_DOTS = 4_000_000  # of a page that is rendered
_MOST_PAIRS = 1_000_000  # of a text and a shape on a page that are compared


class Box(NamedTuple):
    """A rectangle, in points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """The area, 0 for an empty box."""
        left, bottom, right, top = self
        return (right - left) * (top - bottom) if right > left and top > bottom else 0.0

    def overlap(self, other: Box) -> Box:
        """What the two have in common; an empty box if nothing.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3)).area
        1
        """
        left, bottom = max(self.left, other.left), max(self.bottom, other.bottom)
        return Box(left, bottom, min(self.right, other.right), min(self.top, other.top))


Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)


class _Object(NamedTuple):
    """An object of a page: its address as an argument, its type, its box on the page."""

    address: int
    given: Any
    type: int
    box: Box
    to_page: Matrix
    form: int = 0
    """The address of the outermost form that it stands in, if any."""


@dataclass
class Unseen:
    """Text objects that are not seen, by address, and those of which some characters may not be.

    For each of the latter there is a function that says whether nothing is seen in a box; it takes
    a number of dots around the box, too.
    """

    objects: set[int] = field(default_factory=set)
    parts: dict[int, Callable[..., bool]] = field(default_factory=dict)


@cache
def pdfium_function(name: str, result: Any = c_int) -> Callable[..., Any]:
    """A function of PDFium that takes pointers as `pdfium_argument` and `byref` make them."""
    from pypdfium2 import raw

    return PYFUNCTYPE(result)(_address(getattr(raw, name)))


_given: Callable[[int], Any] = c_void_p.from_param


def _address(pointer: Any) -> int:
    return cast(pointer, c_void_p).value or 0


def pdfium_argument(pointer: Any) -> Any:
    """The argument for one of pypdfium2's pointers."""
    return _given(_address(pointer))


def text_object(text_page: Any) -> Callable[[int], int | None]:
    """A function from the index of a character to the address of its text object, if any."""
    function = pdfium_function("FPDFText_GetTextObject", c_void_p)
    given = pdfium_argument(text_page.raw)
    return lambda index: function(given, index)


def blanks_on(page: Any, known: Set[int | None]) -> list[tuple[float, float]]:
    """The origins of blank text objects, which the text of the page leaves out.

    `known` are the addresses of those that it has.
    """
    from pypdfium2 import raw

    others = map(_given, set(_objects(pdfium_argument(page.raw), "Page")) - known)
    type_of = pdfium_function("FPDFPageObj_GetType")
    blanks = [
        given
        for given in others
        if type_of(given) == raw.FPDF_PAGEOBJ_TEXT and not _box(given).area
    ]
    return [_matrix(given)[4:] for given in blanks]


def _runs_off(area: Box, before: _Object | None, box: Box) -> bool:
    """Whether text outside of the page is the rest of the line that the text before it begins."""
    if before is None or box.left <= area.right:
        return False
    _, bottom, right, top = before.box
    middle = (bottom + top) / 2
    return box.bottom - 5 < middle < box.top + 5 and -1 < box.left - right < _BLANK


def unseen_on(page: Any, covers: Sequence[Box]) -> Unseen:
    """The unseen objects on a page, on which something else is drawn in the boxes `covers`.

    The page may be rendered without its text from then on.
    """
    return _PaintedPage(page, covers).invisible()


_FOUR = (c_uint * 4)()  # numbers that PDFium writes, to be read at once
_PLACES = [byref(_FOUR, 4 * place) for place in range(4)]


def _colour(given: Any) -> tuple[int, int, int, int]:
    pdfium_function("FPDFPageObj_GetFillColor")(given, *_PLACES)
    return unpack_from("4I", _FOUR)


def _box(given: Any) -> Box:
    pdfium_function("FPDFPageObj_GetBounds")(given, *_PLACES)
    return Box(*unpack_from("4f", _FOUR))


def _fill(given: Any) -> int:
    """How a path is filled, 0 where it is no more than lines; 1 for what is no path."""
    is_path = pdfium_function("FPDFPath_GetDrawMode")(given, *_PLACES[:2])
    return _FOUR[0] if is_path else 1


class _TooManyPairsError(Exception):
    """More than `_MOST_PAIRS` of texts and shapes would be compared."""


def _may_cover(box: Box, text: Box, *, is_image: bool) -> bool:
    """Whether a shape may cover a text, or a part of it that is a word.

    An image on a part of a text is decoration.
    """
    width = min(text.right, box.right) - max(text.left, box.left)
    height = min(text.top, box.top) - max(text.bottom, box.bottom)
    wide, high = text.right - text.left, text.top - text.bottom
    if is_image:
        return width >= wide - 1 and height >= high - 1 and high > 0
    return width >= min(wide, _LEAST_COVER[0]) and height >= high * _LEAST_COVER[1] and high > 0


def _layers_of(given: Any) -> tuple[bytes, ...]:
    """The names of the layers among the marks around an object (BDC, PDF 1.7, 14.6)."""
    count = pdfium_function("FPDFPageObj_CountMarks")(given)
    if count <= 0:  # as of nearly all
        return ()
    get = pdfium_function("FPDFPageObj_GetMark", c_void_p)
    return tuple(
        _string("FPDFPageObjMark_GetParamStringValue", mark, b"Name")
        for mark in [get(given, place) for place in range(count)]
        if _string("FPDFPageObjMark_GetName", mark) == _LAYER
    )


def _string(function: str, mark: int, *key: bytes) -> bytes:
    """A short string of PDFium, in UTF-16."""
    length, buffer = c_uint(), create_string_buffer(200)
    pdfium_function(function)(_given(mark), *key, byref(buffer), c_ulong(200), byref(length))
    return buffer.raw[: max(0, length.value - 2)]


def _objects(given: Any, kind: str) -> list[int]:
    """The addresses of the objects on a page ("Page") or in a form ("FormObj")."""
    get = pdfium_function(f"FPDF{kind}_GetObject", c_void_p)
    return list(map(get, repeat(given), range(pdfium_function(f"FPDF{kind}_CountObjects")(given))))


def _matrix(given: Any) -> Matrix:
    from pypdfium2 import raw

    matrix = raw.FS_MATRIX()
    pdfium_function("FPDFPageObj_GetMatrix")(given, byref(matrix))
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
    pdfium_function("FPDFTextObj_GetFontSize")(given, byref(size))
    a, b, c, d, _, _ = _product(_matrix(given), to_page)
    return abs(size.value) * min(hypot(a, b), hypot(c, d))


_Shape = tuple[Box, int, int]
"""The box of an object, its place in the order of the page, and its type."""
_Middle = tuple[float, int, Box]
"""The height of the middle of a text, its place and its box."""


class _PaintedPage:
    """The objects of a page in the order in which they are painted, those of forms among them."""

    def __init__(self, page: Any, covers: Sequence[Box]) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = page
        given, area = pdfium_argument(page.raw), (c_float * 4)()
        pdfium_function("FPDF_GetPageBoundingBox")(given, byref(area))
        left, top, right, bottom = area
        self._area = Box(left, bottom, right, top)
        self._objects = list(self._within(_objects(given, "Page"), _IDENTITY))
        self._texts = self._of_type(raw.FPDF_PAGEOBJ_TEXT)
        self._images = self._of_type(raw.FPDF_PAGEOBJ_IMAGE)
        covered = sum(self._area.overlap(image.box).area for _, image in self._images)
        self._is_scan = covered >= _COVERED * self._area.area
        self._annotations = [] if self._is_scan else covers
        self._size = 0, 0

    def invisible(self) -> Unseen:
        unseen = Unseen()
        white = []
        layers: dict[Hashable, list[_Object]] = {}
        before: _Object | None = None
        for place, text in self._texts:
            colour = _colour(text.given)
            if not text.box.area or _runs_off(self._area, before, text.box):
                before = before and text
            elif self._is_invisible(place, text, colour[3]):
                unseen.objects.add(text.address)
                before = None
            else:
                before = text
                # What it is painted with, apart from other text, unless it is sure to be seen.
                covered = "covered" if place in self._covered else None
                if layer := _layers_of(text.given) or text.form or covered:
                    layers.setdefault(layer if len(layers) < _MOST_LAYERS else "", []).append(text)
                elif is_indistinct(colour[:3], WHITE) and place not in self._on_ground:
                    mode = pdfium_function("FPDFTextObj_GetTextRenderMode")(text.given)
                    white += [text] if mode in _FILLED else []
        if not (white or layers):
            return unseen
        bare = self._painted([])
        grounds = ((text, self._dots(bare, text.box)) for text in white)
        unseen.objects |= {
            text.address for text, ground in grounds if ground.size and ground.min() >= _GROUND
        }
        for texts in layers.values():
            shown = abs(self._painted(texts) - bare) > _TRACE
            for text in texts:
                if self._is_blank(shown, text.box):
                    unseen.objects.add(text.address)
                else:
                    unseen.parts[text.address] = partial(self._is_blank, shown)
        return unseen

    def _is_blank(self, shown: Any, box: Box, off: int = 1) -> bool:
        """Whether nothing is seen in a box on the page, or `off` it, where it may be painted."""
        return self._area.overlap(box).area > 0 and not self._dots(shown, box, off).any()

    @cached_property
    def _covered(self) -> Set[int]:
        """The places of the texts that something is painted on.

        These and the next are all texts where too many are to be compared: the paint tells.
        """
        later = self._shapes() if not self._is_scan else ()
        paths = (
            (box, len(self._objects), self._raw.FPDF_PAGEOBJ_PATH) for box in self._annotations
        )
        shapes = ((each.box, at, each.type) for at, each in later if _fill(each.given))
        image = self._raw.FPDF_PAGEOBJ_IMAGE
        return self._places(
            place
            for (box, before, kind), (_, place, text) in self._near(chain(shapes, paths), 1.0)
            if place < before and _may_cover(box, text, is_image=kind == image)
        )

    @cached_property
    def _on_ground(self) -> Set[int]:
        """The places of the texts under which something is painted that may not be white."""
        grounds = ((at, each) for at, each in self._shapes() if not self._is_white_path(each))
        return self._upon((each.box, at, each.type) for at, each in grounds)

    @cached_property
    def _on_images(self) -> Set[int]:
        return self._upon((image.box, -1, image.type) for _, image in self._images)

    def _upon(self, shapes: Iterable[_Shape]) -> Set[int]:
        """The places of the texts whose middle stands in a shape, and that come after it."""
        return self._places(
            place
            for (box, before, _), (_, place, text) in self._near(shapes, 0.0)
            if place > before and box.left <= (text.left + text.right) / 2 <= box.right
        )

    def _near(self, shapes: Iterable[_Shape], points: float) -> Iterator[tuple[_Shape, _Middle]]:
        """Each shape with each text whose middle is as high as it, give or take some points.

        Raises _TooManyPairsError.
        """
        pairs = 0
        for shape in shapes:
            low = bisect_left(self._middles, (shape[0].bottom - points, -1))
            high = bisect_left(self._middles, (shape[0].top + points, len(self._objects)))
            pairs += max(0, high - low)
            if pairs > _MOST_PAIRS:
                raise _TooManyPairsError
            yield from zip(repeat(shape), self._middles[low:high])

    @cached_property
    def _middles(self) -> list[_Middle]:
        texts = ((place, text.box) for place, text in self._texts)
        middles = (((box.bottom + box.top) / 2, place, box) for place, box in texts)
        return sorted(each for each in middles if not isnan(each[0]))

    def _shapes(self) -> Iterator[tuple[int, _Object]]:
        text = self._raw.FPDF_PAGEOBJ_TEXT
        return ((place, each) for place, each in enumerate(self._objects) if each.type != text)

    def _places(self, found: Iterable[int]) -> Set[int]:
        try:
            return set(found)
        except _TooManyPairsError:
            return {place for place, _ in self._texts}

    def _of_type(self, kind: int) -> list[tuple[int, _Object]]:
        return [(place, each) for place, each in enumerate(self._objects) if each.type == kind]

    def _within(
        self, addresses: list[int], to_page: Matrix, depth: int = 1, form: int = 0
    ) -> Iterator[_Object]:
        type_of = pdfium_function("FPDFPageObj_GetType")
        for address in addresses:
            given = _given(address)
            kind = type_of(given)
            if kind != self._raw.FPDF_PAGEOBJ_FORM:
                box = _box(given)
                moved = box if to_page is _IDENTITY else _moved(box, to_page)
                yield _Object(address, given, kind, moved, to_page, form)
            elif depth < _MAX_DEPTH:
                inner = _product(_matrix(given), to_page)
                inside = _objects(given, "FormObj")
                yield from self._within(inside, inner, depth + 1, form or address)

    def _is_invisible(self, place: int, text: _Object, opacity: int) -> bool:
        left, bottom, right, top = text.box
        area = self._area
        if left >= area.right or right <= area.left or bottom >= area.top or top <= area.bottom:
            return True
        is_small = top - bottom < _SMALLEST or right - left < _SMALLEST
        if is_small and _size(text.given, text.to_page) < _SMALLEST:
            return True
        mode = pdfium_function("FPDFTextObj_GetTextRenderMode")(text.given)
        if mode != _INVISIBLE and (mode not in _FILLED or opacity):
            return False
        return place not in self._on_images

    def _is_white_path(self, each: _Object) -> bool:
        """Whether it paints no area but a white one; PDFium gives white for patterns, too."""
        if each.type != self._raw.FPDF_PAGEOBJ_PATH:
            return False
        return not _fill(each.given) or is_indistinct(_colour(each.given)[:3], WHITE)

    def _painted(self, texts: Sequence[_Object]) -> Any:
        """The gray of each dot of the page, as it is painted with no other text than this."""
        shown = {each.address for each in texts}
        for each in self._objects:
            if each.type == self._raw.FPDF_PAGEOBJ_TEXT:
                text = cast(each.address, self._raw.FPDF_PAGEOBJECT)
                self._raw.FPDFPageObj_SetIsActive(text, each.address in shown)
        dots = self._page.get_width() * self._page.get_height()
        scale = min(1.0, sqrt(_MOST_DOTS / max(dots, 1)))
        with closing(self._page.render(scale=scale, grayscale=True)) as bitmap:
            self._size = bitmap.width, bitmap.height
            return bitmap.to_numpy().squeeze().astype("int16")

    def _dots(self, dots: Any, box: Box, off: int = 0) -> Any:
        """Those in a box of the page, but for its upper and lower edge, and those `off` it."""
        edge = (box.top - box.bottom) * _EDGE
        xs, ys = [], []
        for x, y in ((box.left, box.bottom + edge), (box.right, box.top - edge)):
            place = c_int(), c_int()
            self._raw.FPDF_PageToDevice(self._page, 0, 0, *self._size, 0, x, y, *map(byref, place))
            xs.append(place[0].value)
            ys.append(place[1].value)
        up = off if max(ys) - min(ys) < _LOW else 0
        rows = slice(max(0, min(ys) - up), max(ys) + 1 + up)
        return dots[rows, max(0, min(xs) - off) : max(xs) + 1 + off]
