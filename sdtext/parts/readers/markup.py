"""Readers of markup: HTML pages, EPUB books, and XML files of any vocabulary.

Elements of a page that a browser does not show are recognised by their own styles or by simple
rules.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from math import inf
from posixpath import dirname, join, normpath
from typing import Any, ClassVar
from urllib.parse import unquote
from xml.parsers import expat

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import MIMETYPE, Archive, Beginnings, damage, opened
from sdtext.model import Problem, QuotationMark
from sdtext.parts.readers import (
    MAX_TITLE,
    Block,
    ParagraphReader,
    Reader,
    insert_heading,
    joined,
    partly_read,
)
from sdtext.parts.readers.hidden_text import (
    KEEP,
    SMALLEST,
    WHITE,
    Color,
    HiddenText,
    hex_color,
    is_indistinct,
    points_of,
)
from sdtext.parts.readers.xml_packages import Package, elements
from sdtext.text.encoding import Encoding, check_encoding, decoded, find_encoding, named_encoding
from sdtext.wording import counted

_FAR = 700.0  # points beyond the page's edge
_SMALL = 0.75  # points: one pixel
_FAINT = 0.02  # opacity
_ZERO = re.compile(r"0+\.?0*|\.0+")
_NUMBER = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(%?)")
_CLIP = re.compile(r"rect\((?:(?:0|1px|0px),?){4}\)")
_CLIP_PATH = re.compile(r"inset\((?:100|[5-9]\d)(?:\.\d*)?%.*|circle\(0.*")
_TRANSFORM = re.compile(r".*(?:scale\(0(?:,0)?\)|translate(?:x|y|3d)?\((?:0(?:px)?,)?-\d{4,}px).*")
_RGB = re.compile(r"rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,(\d*\.?\d+)(%?))?\)")
_SHORT_HEX = re.compile("#[0-9a-f]{4}")
# The basic colours of CSS, and the light ones that text could have for hiding.
_NAMES = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        black=000000 silver=c0c0c0 gray=808080 white=ffffff maroon=800000 red=ff0000 purple=800080
        fuchsia=ff00ff green=008000 lime=00ff00 olive=808000 yellow=ffff00 navy=000080 blue=0000ff
        teal=008080 aqua=00ffff snow=fffafa ivory=fffff0 floralwhite=fffaf0 ghostwhite=f8f8ff
        mintcream=f5fffa azure=f0ffff honeydew=f0fff0 lightyellow=ffffe0 seashell=fff5ee
        aliceblue=f0f8ff whitesmoke=f5f5f5
        """,
    )
)
_NO_GROUNDS = {"", "none", "transparent", "inherit", "initial", "unset", "0", "00"}
_GROUND = re.compile(r"background[\w-]*\s*:([^;{}]*)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PART = re.compile(r"[^{}]+|[{}]")
_SELECTOR = re.compile(r"\s*(?:[\w-]*([.#][\w-]+)|([a-z][\w-]*))\s*", re.IGNORECASE)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "wbr"}
)
_OWN = frozenset({"style", "hidden", "bgcolor", "background", "color"})  # attributes
_MAX_RULES = 1 << 20  # characters of the rules of a page that are looked at
_BEGIN_OF_PAGE = re.compile(  # html, head and body may be left out (HTML, 13.1.2.4)
    rb"\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html|head|body|sami)\b"
    rb"|\s*(?><!--.*?-->\s*)*+<(?:base\b|link\s[^>]*\brel=|meta\s|title>)",
    re.IGNORECASE | re.DOTALL,
)
_DECLARED_IN_PAGE = re.compile(
    rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE
)
_HIDDEN = frozenset(
    {"head", "script", "style", "template", "noscript", "svg", "annotation", "annotation-xml"}
)
_BREAKS = frozenset(
    """
    address article aside blockquote body br button caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li
    listing main menu nav ol option p plaintext pre search section summary table tbody td textarea
    tfoot th thead tr ul xmp
    """.split()  # noqa: SIM905 (a list of names, not of strings)
)
# What browsers take these names for, since pages mean it (WHATWG Encoding Standard).
_MEANT_AS_WINDOWS = {"iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"}
_SPACES = re.compile("[ \n\t\r\f]+")
_TITLES = {f"h{level}": level for level in range(1, 7)}
_QUOTATION = "blockquote"
# How to say a word, which is printed small above it, and the parentheses for where it is not.
_READINGS = frozenset({"rt", "rp", "rtc"})
_BASE = "rb"
_DRAWING, _LABELS = "svg", frozenset({"text", "foreignobject"})  # read within what is not
_FORMULA = "math"
_SPECIAL = _HIDDEN | _READINGS | _TITLES.keys() | _LABELS | {_BASE, _QUOTATION, "pre", _FORMULA}
_SHOW_NO_VALUE = {"checkbox", "color", "file", "hidden", "image", "password", "radio", "range"}


class HiddenElements:
    """Follows the tags of a page; within an element that is not shown, `depth` is above 0.

    >>> elements = HiddenElements()
    >>> elements.rules(".x { display: none }")
    >>> elements.start("p", {"class": "a x"}), elements.start("b", {}), elements.depth
    (None, None, 2)
    >>> elements.end("b"), elements.depth, elements.end("p"), elements.depth
    (None, 1, None, 0)
    """

    def __init__(self) -> None:
        self.depth: int = 0
        self.is_search = False  # whether it is a field for searches, which scripts show
        # The tags, classes and ids that a rule hides, as that of KaTeX, which draws formulas twice.
        self._names = {".katex-mathml"}
        self._names_on_white = self._names.copy()  # these, and those of white text
        self._length = 0
        self._has_grounds = False  # one that is not white may make white text visible

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """Follow a start tag, in small letters, with its attributes."""
        if tag in _VOID:
            self._has_grounds = self._has_grounds or tag == "link"
        elif self.depth:
            self.depth += 1
        else:
            self.depth = self.hides(tag, attrib)
            self.is_search = "search" in (tag, attrib.get("role"))

    def end(self, tag: str) -> None:
        """Follow an end tag; those of elements without content are ignored."""
        if self.depth and tag not in _VOID:
            self.depth -= 1

    def rules(self, sheet: str) -> None:
        """Add the rules of a style sheet: those for one tag, class or id, outside of conditions."""
        self._length += len(sheet)
        if self._length > _MAX_RULES:
            return
        sheet = _COMMENT.sub("", sheet)
        self._has_grounds = self._has_grounds or "@import" in sheet or _has_ground(sheet)
        for selectors, style in _rules(sheet):
            declarations = _declarations(style)
            if _hides(declarations, grounds=True):
                self._names |= _named(selectors)
            elif "color" in declarations and _hides(declarations, grounds=False):
                self._names_on_white |= {name for name in _named(selectors) if name[0] in ".#"}
        self._names_on_white |= self._names

    def hides(self, tag: str, attrib: Mapping[str, str]) -> bool:
        """Whether an element is not shown."""
        if not _OWN.isdisjoint(attrib) and self._hides_itself(tag, attrib):
            return True
        names = self._names if self._has_grounds else self._names_on_white
        if not names:
            return False
        selectors = [tag, *(f".{name}" for name in attrib.get("class", "").lower().split())]
        if "id" in attrib:
            selectors.append(f"#{attrib['id'].lower()}")
        return not names.isdisjoint(selectors)

    def _hides_itself(self, tag: str, attrib: Mapping[str, str]) -> bool:
        style = attrib.get("style", "")
        if tag == "font":
            style = f"color:{attrib.get('color', '')};{style}"
        ground = f"background:{attrib['bgcolor']};{style}" if "bgcolor" in attrib else style
        if "background" in attrib or (ground and _has_ground(ground)):
            self._has_grounds = True
        if "hidden" in attrib or not style:
            return "hidden" in attrib
        return _style_hides(style, grounds=self._has_grounds)


@lru_cache(1000)  # pages repeat their styles
def _style_hides(style: str, *, grounds: bool) -> bool:
    return _hides(_declarations(style), grounds=grounds)


def _named(selectors: str) -> set[str]:
    matches = map(_SELECTOR.fullmatch, selectors.split(","))
    return {(match[1] or match[2]).lower() for match in matches if match}


def _has_ground(style: str) -> bool:
    values = ("".join(value.lower().split()) for value in _GROUND.findall(style))
    plain = (value.removesuffix("!important") for value in values)
    return not all(value in _NO_GROUNDS or _is_like(value, "white") for value in plain)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """The selectors and the declarations of each rule that holds without a condition."""
    depth, before = 0, ""
    for match in _PART.finditer(sheet):
        part = match[0]
        if part == "{":
            depth += 1
        elif part == "}":
            depth = max(0, depth - 1)
            before = ""
        elif depth == 0:
            before = part
        elif depth == 1 and before and not before.lstrip().startswith("@"):
            yield before, part


def _declarations(style: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {
        name.strip(): "".join(value.replace("!important", "").split()) for name, _, value in pairs
    }


def _hides(style: Mapping[str, str], *, grounds: bool) -> bool:
    """Whether text of this style is not seen; `grounds`: there may be any background."""
    if any(name in _HIDING and _HIDING[name](value) for name, value in style.items()):
        return True
    position = style.get("position")
    if position in ("absolute", "fixed") and _CLIP.fullmatch(style.get("clip", "")):
        return True
    sides = (style.get(side, "") for side in ("height", "max-height", "width", "max-width"))
    if style.get("overflow") in ("hidden", "clip") and any(
        _size(side) <= _SMALL for side in sides if not side.endswith("%")
    ):
        return True
    if position in ("absolute", "fixed", "relative") and any(
        _is_far(style.get(side, "")) for side in ("left", "right", "top", "bottom")
    ):
        return True
    color = style.get("color", "")
    ground = style.get("background-color", style.get("background", ""))
    if ground in _NO_GROUNDS:
        return not grounds and _is_like(color, "white")
    return bool(color) and (color == ground or _is_like(color, ground))


def _size(value: str) -> float:
    """A length in points; infinity for other values."""
    points = 0.0 if _ZERO.fullmatch(value) else points_of(value)
    return inf if points is None else points


def _is_faint(value: str) -> bool:
    match = _NUMBER.fullmatch(value)
    return match is not None and float(match[1]) / (100 if match[2] else 1) <= _FAINT


def _is_far(value: str) -> bool:
    """Whether it is a length so far to the left, or up, that no page reaches there."""
    return value.startswith("-") and _FAR <= _size(value[1:]) < inf


_HIDING: Mapping[str, Callable[[str], object]] = {
    "display": "none".__eq__,
    "visibility": {"hidden", "collapse"}.__contains__,
    "opacity": _is_faint,
    "font-size": lambda value: _size(value) <= SMALLEST,
    "color": lambda value: (_color_of(value) or (WHITE, 1.0))[1] <= _FAINT,
    "clip-path": _CLIP_PATH.fullmatch,
    "transform": _TRANSFORM.fullmatch,
    "text-indent": _is_far,
    "margin-left": _is_far,
    "margin-top": _is_far,
}


def _color_of(value: str) -> tuple[Color, float] | None:
    """A colour and its opacity; None if it is written in a form that is not known."""
    if value == "transparent":
        return WHITE, 0.0
    if match := _RGB.fullmatch(value):
        red, green, blue = (min(255, int(each)) for each in match.groups()[:3])
        opacity = float(match[4] or 1) / (100 if match[5] else 1)
        return (red, green, blue), opacity
    digits = "".join(2 * digit for digit in value[1:]) if _SHORT_HEX.fullmatch(value) else ""
    value = f"#{digits}" if digits else value
    color = hex_color(_NAMES.get(value, value[:7] if value.startswith("#") else ""))
    if color is None:
        return None
    last = value[7:] if value.startswith("#") else ""  # of eight digits
    return color, int(last, 16) / 255 if re.fullmatch("[0-9a-f]{2}", last) else 1.0


def _is_like(color: str, ground: str) -> bool:
    text, paper = _color_of(color), _color_of(ground)
    return text is not None and paper is not None and is_indistinct(text[0], paper[0])


@dataclass(frozen=True)
class Html(Reader):
    r"""The text that a page shows: one line for each block (paragraph, cell, list item).

    Scripts, styles, the page's head, what is for browsers without scripts (noscript) and ruby
    readings (rt) are left out; white space is folded as a browser does.
    Headings are those that the page marks as such (h1 to h6), quotations likewise (blockquote).
    Text that a browser does not show (`display: none`, white on white, size 0, and the like) is
    reported. It follows the block it stands in; with `hidden="drop"` it is left out.

    >>> place = folder / "page.html"
    >>> place.write_text("<html><h1>Bees</h1><p>They  <b>dance</b>.<script>no()</script>")
    62
    >>> list(Html()(Content(place)))
    [Heading(level=1, title='Bees', offset=0), 'Bees\nThey dance.', '\n']
    """

    encoding: str = ""
    hidden: str = KEEP
    called: ClassVar[str] = "HTML page"
    line_paragraphs: ClassVar[bool] = True
    # A page can be built so that its parser takes time by the square of its length.
    isolated_above: ClassVar[int] = 1 << 18

    @staticmethod
    def recognises(content: Content) -> bool:
        head = content.head
        plain = head.replace(b"\x00", b"") if b"\x00" in head else head
        return (
            _BEGIN_OF_PAGE.match(plain.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe"))
            is not None
        )

    def encoding_of(self, content: Content) -> Encoding:
        if self.encoding:
            return named_encoding(content, self.encoding)
        match = _DECLARED_IN_PAGE.search(content.head)
        declared = match[1].decode("ascii").lower() if match else ""
        declared = "cp1252" if declared in _MEANT_AS_WINDOWS else declared
        return find_encoding(content, declared)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        hidden = HiddenText(self.hidden)
        page = decoded(content, encoding.name, encoding.errors)
        yield from page_text(page, content, hidden)
        yield from hidden.problems(content.name)


def page_text(
    page: Iterable[str], content: Content, hidden: HiddenText | None = None
) -> Iterator[Block]:
    """The text of a page given in blocks. Raises UnreadableError, which names `content`.

    Hidden text is noted in `hidden`.
    """
    from lxml import etree

    target = _PageText(hidden or HiddenText())
    parser = _parser_for(target)
    try:
        size = 0
        for block in page:
            size += len(block)
            content.check_size(size)
            parser.feed(block.encode("utf-8"))
            yield from target.take()
        parser.close()
    except etree.LxmlError as error:
        raise UnreadableError("is not a readable HTML page", file=content.name) from error
    yield from target.take()


def _parser_for(target: Any) -> Any:
    """A parser of a page that is fed as UTF-8, whatever the page declares.

    Nothing is loaded from outside, and the depth of a page costs nothing, since no tree is built.
    """
    from lxml import etree

    return etree.HTMLParser(target=target, encoding="utf-8", no_network=True, huge_tree=True)


class _PageText:
    """Parser target that collects a page into lines; white space is folded line by line."""

    def __init__(self, hidden: HiddenText) -> None:
        self._blocks: list[Block] = []
        self._title: tuple[int, int] | None = None  # where one is open, and its level
        self._elements = HiddenElements()
        self._hidden_text = hidden
        self._in_style = False
        self._hidden = self._drawings = 0
        self._around = 0  # what `_hidden` is around a label of a drawing
        self._preformatted = self._formulas = self._quotations = 0
        self._line: list[str] = []
        self._last = "\n"

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        is_break = tag in _BREAKS
        if is_break and not self._elements.depth:
            self._break()
        self._elements.start(tag, attrib)
        if is_break:
            self._in_style = False
        if tag == "iframe" and not self._hidden and (page := attrib.get("srcdoc")):
            self._read_frame(page)
        elif tag == "input" and attrib.get("type", "").lower() not in _SHOW_NO_VALUE:
            is_hidden = self._elements.depth or self._elements.hides(tag, attrib)
            if (value := attrib.get("value")) and not is_hidden:
                self.data(f" {value} ")
        elif tag in _SPECIAL:
            self._in_style = tag == "style"
            if tag in _HIDDEN:
                self._flush()
            self._hidden += tag in _HIDDEN or tag in _READINGS
            self._drawings += tag == _DRAWING
            if tag in _LABELS and 0 < self._drawings == self._hidden:
                self._break()
                self._around, self._hidden = self._hidden, 0
            if tag == _BASE:  # it ends a reading whose end tag is left out
                self._hidden = 0
            self._preformatted += tag == "pre"
            self._formulas += tag == _FORMULA
            if tag == _QUOTATION:
                self._quote(1)
            if tag in _TITLES:
                self._end_title()
                self._title = len(self._blocks), _TITLES[tag]

    def _read_frame(self, page: str) -> None:
        """Read the page that stands in an attribute of a frame, a block of this one."""
        frame = _PageText(self._hidden_text)
        parser = _parser_for(frame)
        parser.feed(page.encode("utf-8"))
        parser.close()
        if self._elements.depth:
            self._hidden_text.add("".join(map(str, frame.take())))
        else:
            self._break()
            self._blocks += frame.take()

    def end(self, tag: str) -> None:
        self._elements.end(tag)
        if tag in _BREAKS and not self._elements.depth:
            self._break()
        if self._formulas:
            self.data(" ")
        if tag in _SPECIAL:
            if tag in _HIDDEN or tag in _READINGS:
                self._hidden = max(0, self._hidden - 1)
            if tag in _LABELS and self._around:
                self._break()
                self._around, self._hidden = 0, self._around
            self._drawings = max(0, self._drawings - (tag == _DRAWING))
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
            self._formulas = max(0, self._formulas - (tag == _FORMULA))
            if tag == _QUOTATION:
                self._quote(-1)
            if tag in _TITLES:
                self._end_title()

    def _quote(self, step: int) -> None:
        """A quotation begins (1) or ends (-1); those within one are part of it."""
        before, self._quotations = self._quotations, max(0, self._quotations + step)
        if before != self._quotations and 0 in (before, self._quotations):
            self._end_title()
            self._blocks.append(QuotationMark(step > 0))

    def data(self, data: str) -> None:
        if self._hidden:
            if self._in_style:
                self._elements.rules(data)
        elif not self._elements.depth:
            self._line.append(data)
        elif not (self._formulas or self._elements.is_search):  # the formula is also drawn
            self._hidden_text.add(data)

    def close(self) -> None:
        self._break()

    def take(self) -> list[Block]:
        self._flush()
        if (
            self._title
            and sum(len(str(each)) for each in self._blocks[self._title[0] :]) <= MAX_TITLE
        ):
            return []
        self._title = None
        blocks, self._blocks = joined(self._blocks), []
        return blocks

    def _end_title(self) -> None:
        if self._title:
            insert_heading(self._blocks, *self._title)
            self._title = None

    def _break(self) -> None:
        if self._line:
            self._flush()
        if self._last != "\n":
            self._blocks.append("\n")
            self._last = "\n"
        if self._hidden_text.waiting and (hidden := self._hidden_text.take()):
            self._add(hidden + "\n")

    def _flush(self) -> None:
        if not self._line:
            return
        text = "".join(self._line)
        self._line.clear()
        if not self._preformatted:
            text = _SPACES.sub(" ", text)
            if self._last.isspace():
                text = text.lstrip(" ")
        self._add(text)

    def _add(self, text: str) -> None:
        if text:
            self._blocks.append(text)
            self._last = text[-1]


_EPUB_TYPE = b"application/epub+zip"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PACKAGE = "application/oebps-package+xml"
# Pages of EPUB 2 and 3, of what came before it, and of books for the blind.
_PAGE_OF_BOOK = re.compile(r"html|oeb1-document|dtbook|^$")
_DECLARED_IN_BOOK = re.compile(
    rb"""(?:\xef\xbb\xbf)?<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.-]{2,40})"""
)


@dataclass(frozen=True)
class Epub(Package):
    """The text of an EPUB book: its HTML pages in reading order (the spine).

    Pages outside of the spine, such as most tables of contents, are left out. Hidden text is read
    and reported as in HTML; `hidden="drop"` leaves it out.

    >>> blocks = list(Epub()(Content("tests/samples/documents/harbour.epub")))
    >>> [block.title for block in blocks if not isinstance(block, str)]
    ['The harbour', 'Berths', 'The lighthouse']
    """

    hidden: str = KEEP
    called: ClassVar[str] = "EPUB book"

    @classmethod
    def _is_in(cls, archive: Beginnings) -> bool:
        if MIMETYPE in archive.names:
            return archive.first(MIMETYPE).lstrip().startswith(_EPUB_TYPE)
        return _PACKAGE.encode() in archive.first(_CONTAINER)

    @classmethod
    def _seems_begun(cls, head: bytes) -> bool:
        return _EPUB_TYPE in head[:200]

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            pages = list(dict.fromkeys(_pages(archive)))
            present = [page for page in pages if page in archive.names]
            if not present:
                raise archive.damaged("none of its pages can be found")
            encrypted = {  # fonts are, in many books
                unquote(attrib.get("URI", ""))
                for tag, attrib in elements(archive, _ENCRYPTION)
                if tag.endswith("Reference")
            }
            if not encrypted.isdisjoint(present):
                what = "is protected against copying (DRM); get a copy without that from its source"
                raise UnreadableError(what, file=content.name)
            hidden = HiddenText(self.hidden)
            for page in present:
                data = b"".join(archive.blocks(page))
                yield from page_text([data.decode(_encoding(data), "replace")], content, hidden)
            yield from hidden.problems(content.name)
        if missing := len(pages) - len(present):
            yield partly_read(content, f"{counted(missing, 'page')} that it lists cannot be found")


def _pages(archive: Archive) -> Iterator[str]:
    packages = (
        attrib.get("full-path", "")
        for tag, attrib in elements(archive, _CONTAINER)
        if tag.endswith("}rootfile") and attrib.get("media-type", _PACKAGE) == _PACKAGE
    )
    package = next(packages, None)
    if package is None:
        raise archive.damaged("it does not say where its pages are listed")
    folder = dirname(package)
    pages: dict[str, str] = {}
    for tag, attrib in elements(archive, package):
        if tag.endswith("}item") and _PAGE_OF_BOOK.search(attrib.get("media-type", "")):
            place = unquote(attrib.get("href", "").partition("#")[0])
            pages[attrib.get("id", "")] = normpath(join(folder, place))
        elif tag.endswith("}itemref") and (page := pages.get(attrib.get("idref", ""))):
            yield page


def _encoding(head: bytes) -> str:
    """The encoding of a page: byte-order mark, declaration, else UTF-8."""
    if head.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        return "utf-16"
    declared = match[1].decode("ascii") if (match := _DECLARED_IN_BOOK.match(head)) else ""
    # A declaration that was found byte by byte is in none of two or four bytes a character.
    if not declared or re.match("(?i)u(tf|cs)", declared):
        return "utf-8-sig"
    try:
        return check_encoding(declared)
    except OptionError:
        return "utf-8-sig"


_DEPTH = 10_000
_NAME = rb"[A-Za-z_:\x80-\xff][\w:.\x80-\xff-]*"
# Atomic and possessive, lest many comments be taken together in all the ways there are.
_COMMENTS = rb"(?>\s*<!--.*?-->|\s*<\?.*?\?>)*+\s*"
_DECLARED_AS_XML = re.compile(rb"<\?xml\s")
_DOCTYPE = re.compile(_COMMENTS + rb"<!DOCTYPE\s+(?!(?i:html)\b)" + _NAME, re.DOTALL)
_ATTRIBUTE = rb"\s+" + _NAME + rb"""\s*=\s*(?:"[^"<]*"|'[^'<]*')"""
_TAG = re.compile(_COMMENTS + rb"<" + _NAME + rb"((?:" + _ATTRIBUTE + rb")*+)\s*/?>", re.DOTALL)
_SPACES_NAMED = re.compile(rb"\sxmlns(?::\w+)?\s*=")
_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})["']""")
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*\?>")
_SPACE = re.compile(r"[ \t\n\r]+")
# Empty elements between words that stand for the end of a line, in pages, TEI and OpenDocument.
_ENDS = frozenset({"br", "lb", "cb", "pb", "break", "line-break"})
# Of what stands in one place, what is not read: the spelling beside its correction, the short form
# beside the full one, what was replaced (TEI), how to say a word.
_BESIDE: Mapping[str, frozenset[str]] = {
    "choice": frozenset({"sic", "orig", "abbr"}),
    "subst": frozenset({"del"}),
    "ruby": _READINGS,
}
# Of several of these in one place, the first is read.
_FIRST_OF: Mapping[str, frozenset[str]] = {
    "choice": frozenset({"choice", "corr", "expan", "reg", "seg", "unclear"}),
    "app": frozenset({"lem", "rdg"}),
}
# Elements with text that nobody reads, by the outermost element.
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "svg": frozenset({"style", "script", "metadata"}),
    "html": frozenset({"style", "script"}),
    "FictionBook": frozenset({"binary", "stylesheet"}),
    "wordDocument": frozenset({"binData", "docOleData"}),
    "package": frozenset({"binaryData"}),
    "document": frozenset({"binary-data"}),
}


@dataclass(frozen=True)
class Xml(ParagraphReader):
    r"""The character data of an XML file, one line for each element.

    An element between words of text does not break the line. White space is folded; an empty line
    in the data ends a line. Attributes and comments are left out, and so are, of a choice (TEI),
    the original spelling and the short form; no external entity is loaded.

    >>> place = folder / "bees.xml"
    >>> place.write_text("<?xml version='1.0'?><a><b>Bees <i>dance</i>.</b><c n='1'>So</c></a>")
    68
    >>> "".join(Xml()(Content(place)))
    'Bees dance.\nSo\n'
    """

    encoding: str = ""
    called: ClassVar[str] = "XML file"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as XML does: declared, or with a name space or a document type.

        A page of HTML does as well, and its reader is asked first.
        """
        head = content.head
        plain = head.replace(b"\x00", b"") if b"\x00" in head[:64] else head
        plain = plain.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe").lstrip()
        if _DECLARED_AS_XML.match(plain) or _DOCTYPE.match(plain):
            return True
        tag = _TAG.match(plain)
        return tag is not None and _SPACES_NAMED.search(tag[1]) is not None

    def encoding_of(self, content: Content) -> Encoding:
        if self.encoding:
            return named_encoding(content, self.encoding)
        match = _ENCODING.search(content.head)
        return find_encoding(content, match[1].decode("ascii") if match else "")

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        lines = _XmlLines(content)
        parser = expat.ParserCreate("utf-8")
        # As if there were a document type of which nothing is known: an entity that is declared
        # nowhere is passed on by its name then, and does not end the reading.
        parser.UseForeignDTD(True)  # noqa: FBT003 (its form)
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.ExternalEntityRefHandler = lambda *_: 1  # nothing is loaded from outside
        parser.StartDoctypeDeclHandler = lines.doctype
        parser.SkippedEntityHandler = lines.entity
        parser.StartElementHandler = lines.start
        parser.EndElementHandler = lines.end_tag
        parser.CharacterDataHandler = lines.data
        is_begun = False
        try:
            size = 0
            for text in decoded(content, encoding.name, encoding.errors):
                # What it declares is settled: it is read as text, and its entities as far as known.
                # Its line ends stay, so that lines keep their numbers.
                plain = text
                if not size:
                    plain = _DECLARATION.sub(lambda it: "\n" * it[0].count("\n"), text, count=1)
                size += len(text)
                content.check_size(size)
                parser.Parse(plain.encode("utf-8"), False)  # noqa: FBT003 (its form)
                taken = lines.take()
                is_begun = is_begun or bool(taken)
                yield taken
            parser.Parse(b"", True)  # noqa: FBT003 (as above)
            yield lines.take()
        except expat.ExpatError as error:
            lines.end()
            rest = lines.take()
            yield rest
            why = f"{expat.ErrorString(error.code)}, line {error.lineno}"
            if not (is_begun or rest):
                raise damage(content, self.called, why) from error
            yield partly_read(content, f"is a damaged XML file ({why}), read up to there")


class _XmlLines:
    def __init__(self, content: Content) -> None:
        self._name = content.name
        self._pieces: list[str] = []
        self._run: list[str] = []  # text since the last tag
        self._last = "\n"
        self._blank = False  # whether white space stands before what comes next
        self._parted = False  # whether what comes next begins a line, unless it is text
        self._mixed: list[bool] = []  # for each open element, whether text was found right in it
        self._has_form: list[bool] = []  # whether one of `_FIRST_OF` was
        self._open: list[str] = []  # their names
        self._left_out: frozenset[str] = frozenset()
        self._silent = 0

    def doctype(self, _name: str, _system: str | None, _public: str | None, within: int) -> None:
        """A document type. One that only names a file is ignored, and the file is not read."""
        if within:
            what = (
                "has a document type with declarations of its own, which can do harm; remove them"
            )
            raise UnreadableError(what, file=self._name)

    def entity(self, name: str, is_parameter: int) -> None:
        """An entity that is not declared: HTML's are known everywhere, others stay as they are."""
        if not (is_parameter or self._silent):
            self._run.append(html5.get(f"{name};", f"&{name};"))

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._end_run()
        if len(self._mixed) == _DEPTH:
            raise UnreadableError(
                f"is an XML file with elements over {_DEPTH} deep, which only malicious files have",
                file=self._name,
            )
        local = name.rpartition(":")[2]
        if not self._mixed:
            self._left_out = _LEFT_OUT.get(local, frozenset())
        outer = self._open[-1] if self._open else ""
        is_form = local in _FIRST_OF.get(outer, ())
        is_other = local in _BESIDE.get(outer, ()) or (is_form and self._has_form[-1])
        if self._silent or local in self._left_out or is_other:
            self._silent += 1
        elif self._parted or (local in _ENDS and attributes.get("break") != "no"):
            self._break()
        if is_form:
            self._has_form[-1] = True
        self._mixed.append(False)
        self._has_form.append(False)
        self._open.append(local)

    def end_tag(self, _name: str) -> None:
        """An end tag. It parts words, unless they stand in one element with text beside it."""
        self._end_run()
        self._mixed.pop()
        self._has_form.pop()
        self._open.pop()
        if self._silent:
            self._silent -= 1
        elif not self._mixed:
            self._break()
        elif not self._mixed[-1] and not (self._has_form[-1] or self._open[-1] in _BESIDE):
            self._parted = True

    def data(self, data: str) -> None:
        if not self._silent:
            self._run.append(data)

    def end(self) -> None:
        if self._mixed:
            self._end_run()
        self._break()

    def take(self) -> str:
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def _end_run(self) -> None:
        """Classify the text that a tag ends: words, or space between elements."""
        text = "".join(self._run)
        self._run.clear()
        words = text.strip(" \t\n\r")
        if words:
            self._mixed[-1] = True
            self._parted = False
            if (self._blank or text[0] != words[0]) and self._last != "\n":
                self._pieces.append(" ")
            words = _SPACE.sub(lambda it: "\n" if it[0].count("\n") > 1 else " ", words)
            self._pieces.append(words)
            self._last = words[-1]
            self._blank = text[-1] != words[-1]
        elif text and self._mixed and self._mixed[-1]:
            self._blank = True

    def _break(self) -> None:
        self._blank = self._parted = False
        if self._last != "\n":
            self._pieces.append("\n")
            self._last = "\n"
