"""Reader of Word files (DOCX): their styles, their text paragraph by paragraph, their parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, opened
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import Block
from sdtext.parts.readers.hidden_text import (
    KEEP,
    WHITE,
    Appearance,
    CachedAppearance,
    Color,
    HiddenText,
    check_hidden,
    hex_color,
    points_of,
)
from sdtext.parts.readers.office.ooxml_text import (
    BEGIN,
    FINISH,
    SEEN,
    Handlers,
    OpenParagraph,
    PagedStory,
    Style,
    attribute,
    inherited,
    named,
    sign,
)
from sdtext.parts.readers.office.package import Kind, parsed, related, tree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_VALUE = WORD[0] + "val"
_OFF = {"0", "false", "off"}


class ParagraphStyle(NamedTuple):
    """How text appears, the level in the outline (0 if none), whether each begins a page."""

    appearance: CachedAppearance
    level: int
    begins_page: bool


def value_of(attrib: Mapping[str, str]) -> str:
    """The attribute `val`, "" if there is none.

    >>> value_of({"{http://example.org}val": "3"})
    '3'
    """
    if len(attrib) == 1 and _VALUE in attrib:  # as nearly always
        return attrib[_VALUE]
    return attribute(attrib, "val")


class WordStyles:
    """Properties of styles, read when first needed.

    Level and page are those of the few styles that documents name; how text appears depends on all
    that a style inherits, and on the defaults of the document.
    """

    def __init__(self, archive: Archive, parts: Sequence[str]) -> None:
        self._archive = archive
        self._parts = parts
        self.on_white, self.on_any = (
            CachedAppearance(Appearance()),
            CachedAppearance(Appearance(ground=None)),
        )
        self._paragraphs: dict[tuple[bool, str], ParagraphStyle] = {}

    def of_paragraph(self, on_white: bool, style: str = "") -> ParagraphStyle:  # noqa: FBT001 (often called)
        """The style of paragraphs, on white or on any ground."""
        known = self._paragraphs.get((on_white, style))
        return known or self._of_paragraph(on_white, style)

    def _of_paragraph(self, on_white: bool, style: str) -> ParagraphStyle:  # noqa: FBT001 (as above)
        own = self._of(style)
        says = own or self._of(self._styles.default)
        ground = self.on_white if on_white else self.on_any
        # The name of a style alone is the key of a run.
        cached = ground.then(("paragraph", style), lambda around: _appearance(around, says))
        level, begins_page = own.get("level", 0), bool(own.get("page", False))
        known = self._paragraphs[on_white, style] = ParagraphStyle(cached, level, begins_page)
        return known

    def of_run(self, cached: CachedAppearance, style: str) -> CachedAppearance:
        """The appearance of a run of the style in a paragraph of that appearance."""
        says = self._of(style)
        own = {name: says[name] for name in says if name != "paper"}

        def appearance(around: Appearance) -> Appearance:
            # Of two styles that hide text, one undoes the other (ISO/IEC 29500-1, 17.7.3).
            is_hidden = around.is_hidden != bool(says.get("vanish", False))
            return _appearance(around, own)._replace(is_hidden=is_hidden)

        return cached.then(style, appearance)

    def _of(self, style: str) -> Mapping[str, int]:
        return self._styles.properties.get(style, {})

    @cached_property
    def _styles(self) -> _Styles:
        packed = tuple(self._archive.packed(part, _MOST_REMEMBERED) for part in self._parts)
        if known := _RECENT_STYLES.pop(packed, None):
            _RECENT_STYLES[packed] = known
            return known
        styles = _Styles()
        for part in self._parts:
            styles.add(self._archive, part)
        if None not in packed and len(packed) <= _MOST_PARTS:
            _RECENT_STYLES[packed] = styles
            if len(_RECENT_STYLES) > _REMEMBERED:
                del _RECENT_STYLES[next(iter(_RECENT_STYLES))]
        return styles


def level_of(value: str) -> int:
    """The level of a heading, from 1; the file counts from 0, and 9 stands for none.

    >>> level_of("0"), level_of("9")
    (1, 0)
    """
    return int(value) + 1 if value in tuple("012345678") else 0


def is_on(value: str) -> bool:
    """Whether a property that is there is on, as it is unless it says otherwise.

    >>> is_on(""), is_on("false")
    (True, False)
    """
    return value not in _OFF


_DEFAULTS = " "  # no style has this id
_PROPERTIES = (
    *("name", "basedOn", "pPr", "rPr", "outlineLvl", "pageBreakBefore"),
    *("vanish", "color", "sz", "shd", "highlight"),
)
_TAGS = [space + name for space in WORD for name in _PROPERTIES]
# Colours are numbers: 0xRRGGBB, or one of these.
_AUTOMATIC, _UNKNOWN = -1, -2
_HIGHLIGHTS = {
    "black": 0,
    "blue": 0xFF,
    "cyan": 0xFFFF,
    "green": 0xFF00,
    "magenta": 0xFF00FF,
    "red": 0xFF0000,
    "yellow": 0xFFFF00,
    "white": 0xFFFFFF,
    "darkBlue": 0x80,
    "darkCyan": 0x8080,
    "darkGreen": 0x8000,
    "darkMagenta": 0x800080,
    "darkRed": 0x800000,
    "darkYellow": 0x808000,
    "darkGray": 0x808080,
    "lightGray": 0xC0C0C0,
    "none": _AUTOMATIC,
}


class _Styles:
    """The styles in a part by their ids, and the id of that of paragraphs that name none."""

    def __init__(self) -> None:
        self._own: dict[str, Style[int]] = {_DEFAULTS: Style[int]()}
        self._ground = "ground"
        self.default = _DEFAULTS

    @cached_property
    def properties(self) -> Mapping[str, Mapping[str, int]]:
        """The properties of each style with inherited ones."""
        return inherited(self._own)

    def add(self, archive: Archive, part: str) -> None:
        """Add the styles in a part, without what they inherit."""
        for each in tree(archive, part):
            if style := self._begin(each):
                for element in each.iter(*_TAGS):
                    name, attrib = str(element.tag).rpartition("}")[2], _attributes(element)
                    self._say(style, name, attrib)

    def _begin(self, element: Element) -> Style[int] | None:
        """The style that an element holds; the first element has the defaults."""
        name, attrib = str(element.tag).rpartition("}")[2], _attributes(element)
        if name == "docDefaults":
            return self._own[_DEFAULTS]
        kind, id_ = attribute(attrib, "type") or "paragraph", attribute(attrib, "styleId")
        # What a style of tables or numbers has, may be for some of their places alone.
        if name != "style" or kind not in ("paragraph", "character"):
            return None
        if kind == "paragraph" and attribute(attrib, "default") not in ("", *_OFF):
            self.default = id_
        style = self._own[id_] = Style[int](_DEFAULTS if kind == "paragraph" else "")
        return style

    def _say(self, style: Style[int], name: str, attrib: Mapping[str, str]) -> None:
        value = value_of(attrib)
        if name in ("pPr", "rPr"):
            self._ground = "paper" if name == "pPr" else "ground"
        elif name == "basedOn":
            style.parent = value
        elif name == "name":
            if match := _HEADING.fullmatch(value):
                style.says["level"] = int(match[1])
        elif name in ("shd", "highlight"):
            style.says[self._ground] = ground_of(attrib)
        else:
            key, number = _NUMBERS[name]
            style.says[key] = number(value)


# By what is packed: files of one template share styles, which can take longer than their text.
_RECENT_STYLES: dict[tuple[tuple[bytes, int, int, int, int] | None, ...], _Styles] = {}
_REMEMBERED = 4  # the last ones, of few parts (Word writes one), each of up to so many bytes:
_MOST_PARTS = 2
_MOST_REMEMBERED = 1 << 19


def _attributes(element: Element) -> Mapping[str, str]:
    return cast("Mapping[str, str]", element.attrib)


def _color_of(value: str, otherwise: int = _AUTOMATIC) -> int:
    color = hex_color(value)
    return otherwise if color is None else int.from_bytes(color, "big")


def _half_points_of(value: str) -> int:
    """A size in half-points, rounded up; 24 if it cannot be read."""
    if value.isascii() and value.isdigit() and len(value) < 9:
        return int(value)
    points = points_of(value)
    return 24 if points is None else ceil(2 * points)


def ground_of(attrib: Mapping[str, str]) -> int:
    """The colour of a shading or highlight, as a number.

    >>> ground_of({"val": "clear", "fill": "0000FF"}), ground_of({"val": "none"})
    (255, -1)
    """
    value = value_of(attrib)
    if value in _HIGHLIGHTS:
        return _HIGHLIGHTS[value]
    if value not in ("", "clear", "nil"):
        return _color_of(attribute(attrib, "color"), _UNKNOWN) if value == "solid" else _UNKNOWN
    has_theme = attribute(attrib, "themeFill") != ""
    return _color_of(attribute(attrib, "fill"), _UNKNOWN if has_theme else _AUTOMATIC)


# The key of a property, and its number by its value.
_NUMBERS: Mapping[str, tuple[str, Callable[[str], int]]] = {
    "outlineLvl": ("level", level_of),
    "pageBreakBefore": ("page", is_on),
    "vanish": ("vanish", is_on),
    "color": ("color", _color_of),
    "sz": ("size", _half_points_of),
}


def _rgb(number: int) -> Color | None:
    return (number >> 16, number >> 8 & 255, number & 255) if number >= 0 else None


def _appearance(around: Appearance, says: Mapping[str, int]) -> Appearance:
    """How text appears that has the properties, in what appears as given."""
    if "vanish" in says:
        around = around._replace(is_hidden=bool(says["vanish"]))
    if "color" in says:
        around = around._replace(color=_rgb(says["color"]))
    if "size" in says:
        around = around._replace(points=says["size"] / 2)
    for key in ("paper", "ground"):
        if says.get(key, _AUTOMATIC) != _AUTOMATIC:
            around = around._replace(ground=_rgb(says[key]))
    return around


def _on(cached: CachedAppearance, kind: str, ground: int) -> CachedAppearance:
    """The appearance on a ground of the kind, that of the paragraph or of the text itself."""
    return cached.then((kind, ground), lambda around: _appearance(around, {kind: ground}))


# How a section may begin within a page (ISO/IEC 29500-1, 17.18.77); all others begin one.
_WITHIN = ("continuous", "nextColumn")


class WordStory(PagedStory):
    """Parser target for a part with text; the body `flows`, headers and notes do not.

    The properties of a section are at its end, so paragraphs are held back until it is known how
    their section begins.
    """

    def __init__(self, styles: WordStyles, hidden: HiddenText, *, flows: bool) -> None:
        super().__init__(_BEGIN, _FINISH)
        self._hidden = hidden
        self._styles = styles
        self.flows = flows
        self._has_background = self._is_highlighted = False
        # How the paragraphs that are open appear, and for each run that is open what is around it.
        self._paragraphs: list[CachedAppearance] = []
        self._runs: list[CachedAppearance] = []
        self._in_properties = self._in_mark = self._in_section = False
        self._begins_page = self._ends_section = False
        self._section = ""
        self._known: list[Block] = []
        self._held: list[Block] | None = None
        # Whether nothing stands behind the end of the section yet.
        self._at_section = False

    def taken(self) -> list[Block]:
        """The paragraphs that have ended since the last call, and are not held back."""
        blocks = super().taken()
        if self._held is not None:
            self._held += blocks
            return []
        known, self._known = self._known, []
        return known + blocks

    def close(self) -> None:
        """The end of the part, and of its last section."""
        self._settle(begins_page=True)

    def keeps(self, text: str) -> bool:
        """Whether text that is not seen is to be read."""
        return self._hidden.keeps(text)

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        """A paragraph, which may have no properties."""
        self.open.append(OpenParagraph())
        cached = self._style_here("").appearance
        self._paragraphs.append(cached)
        if not self._runs:
            self.appearance = cached

    def _style_here(self, style: str) -> ParagraphStyle:
        """A style, on the page or on the ground of a cell or box, which have one of their own."""
        on_white = not (self._has_background or self.rows or len(self.open) > 1)
        return self._styles.of_paragraph(on_white, style)

    def finish_paragraph(self) -> None:
        """The paragraph's end."""
        paragraphs = self._paragraphs
        paragraphs.pop()
        if not self._runs:
            self.appearance = paragraphs[-1] if paragraphs else SEEN
        PagedStory.finish_paragraph(self)  # faster than by super(), as everywhere here

    def begin_run(self, _: Mapping[str, str]) -> None:
        self._is_highlighted = False
        self._runs.append(self.appearance)
        self.appearance = self._paragraphs[-1] if self._paragraphs else self._styles.on_any

    def finish_run(self) -> None:
        self.appearance = self._runs.pop()

    def set_style(self, attrib: Mapping[str, str]) -> None:
        """The character style of the run."""
        if self._runs:
            style = value_of(attrib)
            # Without a call, since most runs have a style.
            cached = self.appearance.derived.get(style)
            self.appearance = cached or self._styles.of_run(self.appearance, style)

    def _set(self, name: str, attrib: Mapping[str, str]) -> None:
        """A property of the run itself."""
        if self._runs:
            key, number = _NUMBERS[name]
            value = value_of(attrib)
            self.appearance = self.appearance.then(
                (name, value), lambda around: _appearance(around, {key: number(value)})
            )

    def set_vanish(self, attrib: Mapping[str, str]) -> None:
        self._set("vanish", attrib)

    def set_color(self, attrib: Mapping[str, str]) -> None:
        self._set("color", attrib)

    def set_size(self, attrib: Mapping[str, str]) -> None:
        self._set("sz", attrib)

    def set_highlight(self, attrib: Mapping[str, str]) -> None:
        """The colour behind the run, before which its shading is not seen."""
        self.set_ground(attrib)
        self._is_highlighted = ground_of(attrib) != _AUTOMATIC

    def set_ground(self, attrib: Mapping[str, str]) -> None:
        """The shading of the run, or of the paragraph in whose properties it stands."""
        ground = ground_of(attrib)
        if self._in_properties:
            if self._paragraphs and not self._in_mark:
                cached = self._paragraphs[-1] = _on(self._paragraphs[-1], "paper", ground)
                if not self._runs:
                    self.appearance = cached
        elif self._runs and not self._is_highlighted:
            self.appearance = _on(self.appearance, "ground", ground)

    def set_background(self, attrib: Mapping[str, str]) -> None:
        """The ground of all pages."""
        self._has_background = hex_color(attribute(attrib, "color")) != WHITE

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties, self._in_mark = True, False
        self._begin, self._finish = _BEGIN_IN_PROPERTIES, _FINISH_IN_PROPERTIES

    def begin_mark(self, _: Mapping[str, str]) -> None:
        """The properties of the mark that ends the paragraph."""
        self._in_mark = True

    def finish_mark(self) -> None:
        self._in_mark = False

    def finish_properties(self) -> None:
        self._in_properties = False
        self._begin, self._finish = _BEGIN, _FINISH
        if self._begins_page:
            self._begins_page = False
            self.begin_page()

    def begin_style(self, attrib: Mapping[str, str]) -> None:
        if self.open:
            style = self._style_here(value_of(attrib))
            self._paragraphs[-1] = style.appearance
            if not self._runs:
                self.appearance = style.appearance
            if self.flows:
                self.open[-1].level = style.level
                self._begins_page = style.begins_page

    def begin_level(self, attrib: Mapping[str, str]) -> None:
        if self.open:
            self.open[-1].level = level_of(value_of(attrib))

    def begin_page_before(self, attrib: Mapping[str, str]) -> None:
        self._begins_page = is_on(value_of(attrib))

    def add_break(self, attrib: Mapping[str, str]) -> None:
        """The end of a line, or of a page."""
        if attribute(attrib, "type") == "page":
            self.end_page()
        else:
            self.add("\n")

    def begin_deletion(self, _: Mapping[str, str]) -> None:
        """Deleted text; among a paragraph's properties, its end is what was deleted."""
        if self._in_properties and self.open:
            self.open[-1].end = ""
        self.leave_out()

    def begin_note(self, attrib: Mapping[str, str]) -> None:
        """A note, or one of the lines that separate notes from the body."""
        if attribute(attrib, "type") not in ("", "normal"):
            self.leave_out()

    def begin_section(self, _: Mapping[str, str]) -> None:
        """Properties of the section that ends with this paragraph."""
        self._in_section, self._section = True, ""

    def set_section(self, attrib: Mapping[str, str]) -> None:
        if self._in_section:
            self._section = value_of(attrib)

    def finish_section(self) -> None:
        self._in_section = False
        self._settle(begins_page=self._section not in _WITHIN)
        self._ends_section = self._in_properties and self.in_flow
        self.special_end = self.special_end or self._ends_section

    def finish_specially(self) -> None:
        """The end of a paragraph that may be the last or the first of a section."""
        super().finish_specially()
        self._at_section = False
        if self._ends_section:
            self._ends_section = False
            self._hold()

    def turn(self) -> None:
        """The page ends; then it does not matter whether the section begins one."""
        if self._at_section:
            self._settle(begins_page=False)
        super().turn()

    def _hold(self) -> None:
        """Hold back what follows until it is known how the section begins."""
        if not self.is_fresh:
            self._known = self.taken()
            self._held = []
            self._at_section = self.special_end = True

    def _settle(self, *, begins_page: bool) -> None:
        """Release held paragraphs; an empty section begins no page."""
        if self._held is not None:
            is_there = self.open or not self._at_section
            self._known += ["\f", *self._held] if begins_page and is_there else self._held
            self._held = None
            self._at_section = False


# Hidden text (w:vanish) is read in its place, if it is not to be left out: Word finds and shows it
# to whoever asks. Styles of tables are not looked at. Soft hyphens (w:softHyphen) and symbols
# (w:sym) are not read: the one is seen only where a line happens to end, the other is a number in
# some font.
_BEGIN: Handlers = {
    **BEGIN,
    **named(
        WORD,
        {
            "t": WordStory.begin_text,
            "r": WordStory.begin_run,
            "rStyle": WordStory.set_style,
            "vanish": WordStory.set_vanish,
            "color": WordStory.set_color,
            "sz": WordStory.set_size,
            "shd": WordStory.set_ground,
            "highlight": WordStory.set_highlight,
            "background": WordStory.set_background,
            "rPrChange": WordStory.leave_out,
            "p": WordStory.begin_paragraph,
            "pPr": WordStory.begin_properties,
            "lastRenderedPageBreak": WordStory.begin_soft_page,
            "sectPr": WordStory.begin_section,
            "type": WordStory.set_section,
            "tr": WordStory.begin_row,
            "tc": WordStory.begin_cell,
            "tab": sign("\t"),
            "ptab": sign("\t"),
            "br": WordStory.add_break,
            "cr": sign("\n"),
            # Where a line may break is layout; the word is the one that has a hyphen.
            "noBreakHyphen": sign("-"),
            "del": WordStory.begin_deletion,
            "moveFrom": WordStory.begin_deletion,
            "footnote": WordStory.begin_note,
            "endnote": WordStory.begin_note,
            "tabs": WordStory.leave_out,  # the places of tabs, not tabs
            "pPrChange": WordStory.leave_out,
            "sectPrChange": WordStory.leave_out,
            "rt": WordStory.leave_out,  # how to say a word, printed small above it
        },
    ),
}
_FINISH: Handlers = {
    **FINISH,
    **named(
        WORD,
        {
            "t": WordStory.finish_text,
            "r": WordStory.finish_run,
            "p": WordStory.finish_paragraph,
            "pPr": WordStory.finish_properties,
            "sectPr": WordStory.finish_section,
            "tr": WordStory.finish_row,
        },
    ),
}
# The same among the properties of a paragraph, where those of runs do not count.
_OF_RUNS = {space + name for space in WORD for name in ("rStyle", "vanish", "color", "sz")}
_BEGIN_IN_PROPERTIES: Handlers = {
    **{name: handler for name, handler in _BEGIN.items() if name not in _OF_RUNS},
    **named(
        WORD,
        {
            "rPr": WordStory.begin_mark,
            "pStyle": WordStory.begin_style,
            "outlineLvl": WordStory.begin_level,
            "pageBreakBefore": WordStory.begin_page_before,
        },
    ),
}
_FINISH_IN_PROPERTIES: Handlers = {**_FINISH, **named(WORD, {"rPr": WordStory.finish_mark})}


_KIND = Kind(
    "Word file",
    "word/document.xml",
    r"application/vnd\.(openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.-]*\bmain\+xml",
)
_FURTHER = ("footnotes", "endnotes", "header", "footer")


@dataclass(frozen=True)
class Docx(Reader):
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, with the text of a box after the paragraph that holds it; then footnotes,
    endnotes, headers and footers, each once, in the order in which the file lists them. Inserted
    text is read; deleted text, comments and field codes are not. Headings are the paragraphs with
    an outline level, mostly by their style. Pages begin at explicit breaks, and where Word began
    them when it saved the file. Hidden text, text of the colour of its ground, and text of one
    point or less is reported; it is read in its place, or left out with `hidden="drop"`.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Docx()(Content("tests/samples/documents/letter.docx")))
    >>> "".join(block for block in blocks if isinstance(block, str)).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    hidden: str = KEEP
    called: ClassVar[str] = _KIND.called
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_hidden("docx", self.hidden)

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a Word document."""
        return _KIND.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        hidden = HiddenText(self.hidden)
        with opened(content, self.called) as archive:
            main = _KIND.main(archive)
            beside = related(archive, main, ("styles", *_FURTHER))
            styles = WordStyles(archive, [part for kind, part in beside if kind == "styles"])
            for part in dict.fromkeys([main, *_further_parts(beside)]):
                story = WordStory(styles, hidden, flows=part == main)
                for blocks in parsed(archive, part, story):
                    yield from blocks
        yield from hidden.problems(content.name)


def _further_parts(beside: Sequence[tuple[str, str]]) -> list[str]:
    """The notes, headers and footers, kind by kind."""
    further = [(kind, part) for kind, part in beside if kind in _FURTHER]
    return [part for _, part in sorted(further, key=lambda each: _FURTHER.index(each[0]))]
