"""Reader of HTML pages.

Elements that a browser does not show are recognised by their own styles or by simple rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import Block, TitledText
from sdtext.parts.readers.hidden_text import (
    KEEP,
    SMALLEST,
    WHITE,
    Color,
    HiddenText,
    check_hidden,
    hex_color,
    is_indistinct,
    points_of,
)
from sdtext.text.encoding import Encoding, decoded, find_encoding

_FAR = 700.0  # points beyond the page's edge
_SMALL = 0.75  # points: one pixel
_FAINT = 0.02  # opacity
_ZERO = re.compile(r"0*\.?0*")
_NUMBER = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(%?)")
_CLIP = re.compile(r"rect\((?:(?:0|1px|0px),?){4}\)")
_CLIP_PATH = re.compile(r"inset\((?:100|[5-9]\d)(?:\.\d*)?%.*|circle\(0.*")
_TRANSFORM = re.compile(r".*(?:scale\(0(?:,0)?\)|translate(?:x|y|3d)?\((?:0(?:px)?,)?-\d{4,}px).*")
_RGB = re.compile(r"rgba?\((\d{1,3}),(\d{1,3}),(\d{1,3})(?:,(\d*\.?\d+)(%?))?\)")
_SHORT_HEX = re.compile("#[0-9a-f]{4}")
# The basic colours of CSS, and the light ones that text could have for hiding.
_NAMES: Mapping[str, str] = {
    "black": "000000",
    "silver": "c0c0c0",
    "gray": "808080",
    "white": "ffffff",
    "maroon": "800000",
    "red": "ff0000",
    "purple": "800080",
    "fuchsia": "ff00ff",
    "green": "008000",
    "lime": "00ff00",
    "olive": "808000",
    "yellow": "ffff00",
    "navy": "000080",
    "blue": "0000ff",
    "teal": "008080",
    "aqua": "00ffff",
    "snow": "fffafa",
    "ivory": "fffff0",
    "floralwhite": "fffaf0",
    "ghostwhite": "f8f8ff",
    "mintcream": "f5fffa",
    "azure": "f0ffff",
    "honeydew": "f0fff0",
    "lightyellow": "ffffe0",
    "seashell": "fff5ee",
    "aliceblue": "f0f8ff",
    "whitesmoke": "f5f5f5",
}
_NO_GROUNDS = {"", "none", "transparent", "inherit", "initial", "unset", "0", "00"}
_GROUND = re.compile(r"background[\w-]*\s*:([^;{}]*)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_PART = re.compile(r"[^{}]+|[{}]")
_SELECTOR = re.compile(r"\s*(?:[\w-]*([.#][\w-]+)|([a-z][\w-]*))\s*", re.IGNORECASE)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "wbr"}
)
_OWN = frozenset({"style", "hidden", "bgcolor", "background", "color"})  # attributes
_MAX_STYLES = 1000
_MAX_RULES = 1 << 20  # characters of the rules of a page that are looked at
_BEGIN = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_DECLARED = re.compile(
    rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE
)
_HIDDEN = frozenset({"head", "script", "style", "template", "noscript", "svg", "math", "object"})
_BREAKS = frozenset(
    """
    address article aside blockquote body br caption center dd details dialog dir div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li
    listing main menu nav ol option p plaintext pre search section summary table tbody td tfoot
    th thead tr ul xmp
    """.split()  # noqa: SIM905 (a list of names, not of strings)
)
# What browsers take these names for, since pages mean it (WHATWG Encoding Standard).
_MEANT_AS_WINDOWS = {"iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"}
_OTHER_SPACES = "\n\t\r\f"
_SPACES = re.compile("  +")
_TITLES = {f"h{level}": level for level in range(1, 7)}
_QUOTATION = "blockquote"
_SPECIAL = _HIDDEN | _TITLES.keys() | {_QUOTATION, "pre"}


class HiddenElements:
    """Follows the tags of a page; `inside` is true within an element that is not shown.

    `tags` and `attributes` are those that matter: a start tag without any of them may be left out,
    unless it is inside.

    >>> elements = HiddenElements()
    >>> elements.rules(".x { display: none }")
    >>> elements.start("p", {"class": "a x"}), elements.start("b", {}), elements.inside
    (None, None, True)
    >>> elements.end("b"), elements.inside, elements.end("p"), elements.inside
    (None, True, None, False)
    """

    def __init__(self) -> None:
        self._depth: int = 0
        self.tags: set[str] = {"link"}
        self.attributes: set[str] = set(_OWN)
        self._names: set[str] = set()  # the tags, classes and ids that a rule hides
        self._names_on_white: set[str] = set()  # these, and those of white text
        self._length = 0
        self._known: dict[tuple[str, bool], bool] = {}
        self._has_grounds = False  # one that is not white may make white text visible

    @property
    def inside(self) -> bool:
        """Whether the text here is hidden."""
        return self._depth > 0

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if tag in _VOID:
            self._has_grounds = self._has_grounds or tag == "link"
        elif self._depth:
            self._depth += 1
        else:
            self._depth = self._is_hidden(tag, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if self._depth and tag not in _VOID:
            self._depth -= 1

    def rules(self, sheet: str) -> None:
        """Add the rules of a style sheet: those for one tag, class or id, outside of conditions."""
        self._length += len(sheet)
        if self._length > _MAX_RULES:
            return
        sheet = _COMMENT.sub("", sheet)
        self._has_grounds = self._has_grounds or "@import" in sheet or _has_ground(sheet)
        for selectors, style in _rules(sheet):
            declarations = _declarations(style)
            if _MATTERS.isdisjoint(declarations):
                continue
            if _hides(declarations, grounds=True):
                self._names |= _named(selectors)
            elif "color" in declarations and _hides(declarations, grounds=False):
                self._names_on_white |= {name for name in _named(selectors) if name[0] in ".#"}
        self._names_on_white |= self._names
        self.tags |= {name for name in self._names if name[0] not in ".#"}
        if self._names_on_white:
            self.attributes |= {"id", "class"}

    def _is_hidden(self, tag: str, attrib: Mapping[str, str]) -> bool:
        if not _OWN.isdisjoint(attrib) and self._hides_itself(tag, attrib):
            return True
        names = self._names if self._has_grounds else self._names_on_white
        return bool(names) and not names.isdisjoint(_selectors(tag, attrib))

    def _hides_itself(self, tag: str, attrib: Mapping[str, str]) -> bool:
        """Whether the element is hidden by its own attributes."""
        style = attrib.get("style", "")
        if tag == "font":
            style = f"color:{attrib.get('color', '')};{style}"
        ground = f"background:{attrib['bgcolor']};{style}" if "bgcolor" in attrib else style
        self._has_grounds = (
            self._has_grounds or "background" in attrib or (bool(ground) and _has_ground(ground))
        )
        return "hidden" in attrib or (bool(style) and self._hides(style))

    def _hides(self, style: str) -> bool:
        """Whether an element of this style is hidden; pages repeat their styles."""
        key = style, self._has_grounds
        if key not in self._known:
            if len(self._known) >= _MAX_STYLES:
                self._known.clear()
            self._known[key] = _hides(_declarations(style), grounds=self._has_grounds)
        return self._known[key]


def _named(selectors: str) -> set[str]:
    """The tags, classes and ids that the simple ones of these selectors select."""
    matches = map(_SELECTOR.fullmatch, selectors.split(","))
    return {(match[1] or match[2]).lower() for match in matches if match}


def _has_ground(style: str) -> bool:
    """Whether declarations name a background that is not white."""
    values = ("".join(value.lower().split()) for value in _GROUND.findall(style))
    return not all(_is_no_ground(value.removesuffix("!important")) for value in values)


def _is_no_ground(value: str) -> bool:
    return value in _NO_GROUNDS or _is_like(value, "white")


def _selectors(tag: str, attrib: Mapping[str, str]) -> list[str]:
    """The names by which a simple rule may select the element."""
    names = [tag]
    if "id" in attrib:
        names.append(f"#{attrib['id'].lower()}")
    if "class" in attrib:
        names += [f".{name}" for name in attrib["class"].lower().split()]
    return names


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
    """The values of a style by property, in lower case and without blanks."""
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {
        name.strip(): "".join(value.replace("!important", "").split()) for name, _, value in pairs
    }


def _hides(style: Mapping[str, str], *, grounds: bool) -> bool:
    """Whether text of this style is not seen; `grounds`: there may be any background."""
    if any(name in _HIDING and _HIDING[name](value) for name, value in style.items()):
        return True
    if _is_cut(style) or _is_outside(style):
        return True
    color = style.get("color", "")
    ground = style.get("background-color", style.get("background", ""))
    if ground in _NO_GROUNDS:
        return not grounds and _is_like(color, "white")
    return bool(color) and (color == ground or _is_like(color, ground))


def _is_faint(value: str) -> bool:
    match = _NUMBER.fullmatch(value)
    return match is not None and float(match[1]) / (100 if match[2] else 1) <= _FAINT


def _is_tiny(value: str) -> bool:
    points = points_of(value)
    return _ZERO.fullmatch(value) is not None or (points is not None and points <= SMALLEST)


def _is_clear(value: str) -> bool:
    color = _color_of(value)
    return color is not None and color[1] <= _FAINT


def _is_far(value: str) -> bool:
    """Whether it is a length so far to the left, or up, that no page reaches there."""
    points = points_of(value.removeprefix("-"))
    return value.startswith("-") and points is not None and points >= _FAR


_HIDING: Mapping[str, Callable[[str], object]] = {
    "display": "none".__eq__,
    "visibility": {"hidden", "collapse"}.__contains__,
    "opacity": _is_faint,
    "font-size": _is_tiny,
    "color": _is_clear,
    "clip-path": _CLIP_PATH.fullmatch,
    "transform": _TRANSFORM.fullmatch,
    "text-indent": _is_far,
    "margin-left": _is_far,
    "margin-top": _is_far,
}


# Without any of these properties `_hides` is false.
_MATTERS = _HIDING.keys() | {"overflow", "position"}


def _is_cut(style: Mapping[str, str]) -> bool:
    """Whether it is of no height or width, and shows nothing outside of that."""
    if style.get("position") in ("absolute", "fixed") and _CLIP.fullmatch(style.get("clip", "")):
        return True
    if style.get("overflow") not in ("hidden", "clip"):
        return False
    sides = (style.get(name, "") for name in ("height", "max-height", "width", "max-width"))
    return any(side and (_ZERO.fullmatch(side) or _is_small(side)) for side in sides)


def _is_small(side: str) -> bool:
    points = points_of(side)
    return not side.endswith("%") and points is not None and points <= _SMALL


def _is_outside(style: Mapping[str, str]) -> bool:
    """Whether it is moved out of the page."""
    if style.get("position") not in ("absolute", "fixed", "relative"):
        return False
    return any(_is_far(style.get(name, "")) for name in ("left", "right", "top", "bottom"))


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
    return (color, _opacity(value)) if color else None


def _opacity(value: str) -> float:
    """The opacity in the last two of eight digits, else 1."""
    last = value[7:] if value.startswith("#") else ""
    return int(last, 16) / 255 if re.fullmatch("[0-9a-f]{2}", last) else 1.0


def _is_like(color: str, ground: str) -> bool:
    """Whether text of the colour does not stand out from the ground."""
    text, paper = _color_of(color), _color_of(ground)
    return text is not None and paper is not None and is_indistinct(text[0], paper[0])


@dataclass(frozen=True)
class Html(Reader):
    r"""The text that a page shows: one line for each block (paragraph, cell, list item).

    Scripts, styles and the page's head are left out; white space is folded as a browser does.
    Headings are those that the page marks as such (h1 to h6), quotations likewise (blockquote).
    Text that a browser does not show (`display: none`, white on white, size 0, and the like) is
    reported. It follows the block it stands in; with `hidden="drop"` it is left out.

    >>> from sdtext.io.decompressed_content import Content
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

    def __post_init__(self) -> None:
        check_hidden("html", self.hidden)

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as a page does."""
        head = content.head
        plain = head.replace(b"\x00", b"") if b"\x00" in head else head
        return _BEGIN.match(plain.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe")) is not None

    def encoding_of(self, content: Content) -> Encoding:
        """The encoding by which `content` is read."""
        if self.encoding:
            return Encoding(self.encoding, named=True)
        match = _DECLARED.search(content.head)
        declared = match[1].decode("ascii").lower() if match else ""
        declared = "cp1252" if declared in _MEANT_AS_WINDOWS else declared
        return find_encoding(content, declared)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        hidden = HiddenText(self.hidden)
        page = _limited(content, decoded(content, encoding.name, encoding.errors))
        yield from page_text(page, content, hidden)
        yield from hidden.problems(content.name)


def page_text(
    page: Iterable[str], content: Content, hidden: HiddenText | None = None
) -> Iterator[Block]:
    """The text of a page given in blocks. Raises UnreadableError, which names `content`.

    Hidden text is noted in `hidden`.
    """
    from lxml import etree

    target: Any = _PageText(hidden or HiddenText())
    # The text is fed as UTF-8, whatever the page declares. Nothing is loaded from outside,
    # and the depth of a page costs nothing, since no tree is built.
    parser = etree.HTMLParser(target=target, encoding="utf-8", no_network=True, huge_tree=True)
    try:
        for block in page:
            parser.feed(block.encode("utf-8"))
            yield from target.taken()
        parser.close()
    except etree.LxmlError as error:
        raise UnreadableError("is not a readable HTML page", file=content.name) from error
    yield from target.taken()


def _limited(content: Content, blocks: Iterable[str]) -> Iterator[str]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > content.max_bytes:
            raise UnreadableError(
                f"is a page of more than {content.max_bytes:,} bytes; "
                "raise the limit with Reading(max_bytes=…) if you trust it",
                file=content.name,
            )
        yield block


class _PageText:
    """Parser target that collects a page into lines; white space is folded line by line."""

    def __init__(self, hidden: HiddenText) -> None:
        self._text = TitledText()
        self._elements = HiddenElements()
        self._tags, self._attributes = self._elements.tags, self._elements.attributes
        self._hidden_text = hidden
        self._in_style = self._concealed = False
        self._hidden = 0
        self._preformatted = 0
        self._quotations = 0
        self._line: list[str] = []
        self._last = "\n"

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        is_break = tag in _BREAKS
        if is_break and not self._concealed:
            self._break()
        if (
            self._concealed
            or (attrib and not self._attributes.isdisjoint(attrib))
            or tag in self._tags
        ):
            self._elements.start(tag, attrib)
            self._concealed = self._elements.inside
        if is_break:
            self._in_style = False
        if tag in _SPECIAL:
            self._start_special(tag)

    def _start_special(self, tag: str) -> None:
        self._in_style = tag == "style"
        if tag in _HIDDEN:
            self._flush()
            self._hidden += 1
        self._preformatted += tag == "pre"
        if tag == _QUOTATION:
            self._quote(1)
        if tag in _TITLES:
            self._text.begin_title(_TITLES[tag])

    def end(self, tag: str) -> None:
        """An end tag."""
        if self._concealed:
            self._elements.end(tag)
            self._concealed = self._elements.inside
        if tag in _BREAKS and not self._concealed:
            self._break()
        if tag in _SPECIAL:
            self._end_special(tag)

    def _end_special(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        self._preformatted = max(0, self._preformatted - (tag == "pre"))
        if tag == _QUOTATION:
            self._quote(-1)
        if tag in _TITLES:
            self._text.end_title()

    def _quote(self, step: int) -> None:
        """A quotation begins (1) or ends (-1); those within one are part of it."""
        before, self._quotations = self._quotations, max(0, self._quotations + step)
        if before != self._quotations and 0 in (before, self._quotations):
            self._text.mark_quotation(opens=step > 0)

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._hidden:
            if self._in_style:
                self._elements.rules(data)
        elif self._concealed:
            self._hidden_text.add(data)
        else:
            self._line.append(data)

    def close(self) -> None:
        """The end of the page."""
        self._break()

    def taken(self) -> list[Block]:
        """The text collected since the last call."""
        self._flush()
        return self._text.taken()

    def _break(self) -> None:
        if self._line:
            self._flush()
        if self._last != "\n":
            self._text.add("\n")
            self._last = "\n"
        if self._hidden_text.waiting and (hidden := self._hidden_text.taken()):
            self._add(hidden + "\n")

    def _flush(self) -> None:
        """The line so far."""
        if not self._line:
            return
        text = "".join(self._line)
        self._line.clear()
        if not self._preformatted:
            text = _folded(text)
            if self._last.isspace():
                text = text.lstrip(" ")
        self._add(text)

    def _add(self, text: str) -> None:
        if text:
            self._text.add(text)
            self._last = text[-1]


def _folded(text: str) -> str:
    """`text` with a blank for each run of white space, by few searches where it has none."""
    for space in _OTHER_SPACES:
        if space in text:
            text = text.replace(space, " ")
    return _SPACES.sub(" ", text) if "  " in text else text
