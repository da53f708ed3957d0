"""Reader of Word files (DOCX): their styles, their text paragraph by paragraph, their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sdtext.io.unpacked_content import Content
from sdtext.io.zip_reader import Archive, opened
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.headings import Block
from sdtext.parts.readers.hidden_text import KEEP, HiddenText, check_hidden
from sdtext.parts.readers.office.ooxml_text import (
    BEGIN,
    FINISH,
    Handlers,
    PagedStory,
    attribute,
    named,
    sign,
)
from sdtext.parts.readers.office.package import Kind, attributes_in, parsed, related
from sdtext.parts.readers.office.style_inheritance import Style, inherited

# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_PROPERTIES = ("style", "name", "basedOn", "outlineLvl", "pageBreakBefore", "vanish")
_TAGS = [space + name for space in WORD for name in _PROPERTIES]
_SWITCHES = {"pageBreakBefore": "page", "vanish": "vanish"}
_OFF = {"0", "false", "off"}


class WordStyles:
    """Properties of styles, read when first needed.

    Most documents use few of the hundreds of styles that their file lists, many use none.
    """

    def __init__(self, archive: Archive, main: str) -> None:
        self._archive = archive
        self._main = main

    def level(self, style: str) -> int:
        """The level of the style in the outline, 0 if none."""
        return self._styles.get(style, {}).get("level", 0)

    def begins_page(self, style: str) -> bool:
        """Whether each paragraph of the style is the first of a page."""
        return bool(self._styles.get(style, {}).get("page", False))

    def hides(self, style: str) -> bool:
        """Whether text of the style is hidden."""
        return bool(self._styles.get(style, {}).get("vanish", False))

    @cached_property
    def _styles(self) -> Mapping[str, Mapping[str, int]]:
        styles: dict[str, Style[int]] = {}
        for _, part in related(self._archive, self._main, ("styles",)):
            _add_styles(styles, self._archive, part)
        return inherited(styles)


def level_of(value: str) -> int:
    """The level of a heading, from 1; the file counts from 0, and 9 stands for none.

    >>> level_of("0"), level_of("9")
    (1, 0)
    """
    return int(value) + 1 if value in tuple("012345678") else 0


def is_on(attrib: Mapping[str, str]) -> bool:
    """Whether a property that is there is on, as it is unless it says otherwise.

    >>> is_on({}), is_on({"val": "false"})
    (True, False)
    """
    return attribute(attrib, "val") not in _OFF


def _add_styles(styles: dict[str, Style[int]], archive: Archive, part: str) -> None:
    """Add the styles in a part by their ids, without what they inherit."""
    style = Style[int]()
    for tag, attrib in attributes_in(archive, part, _TAGS):
        name, value = tag.rpartition("}")[2], attribute(attrib, "val")
        if name == "style":
            style = styles[attribute(attrib, "styleId")] = Style[int]()
        elif name == "name" and (match := _HEADING.fullmatch(value)):
            style.says["level"] = int(match[1])
        elif name == "basedOn":
            style.parent = value
        elif name == "outlineLvl":
            style.says["level"] = level_of(value)
        elif name in _SWITCHES:
            style.says[_SWITCHES[name]] = is_on(attrib)


@dataclass(slots=True)
class _Run:
    """A run that is open: whether its text is hidden, white, or on a ground of some colour."""

    is_hidden: bool = False
    is_white: bool = False
    is_shaded: bool = False


# How a section may begin within a page (ISO/IEC 29500-1, 17.18.77); all others begin one.
_UNSEEN_SIZES = ("0", "1", "2")  # half-points
_WITHIN = ("continuous", "nextColumn")


class WordStory(PagedStory):
    """Parser target for a part with text; `styles` are those of the body.

    The properties of a section are at its end, so paragraphs are held back until it is known how
    their section begins.
    """

    def __init__(self, styles: WordStyles | None, hidden: HiddenText | None = None) -> None:
        super().__init__(_BEGIN, _FINISH)
        self._hidden = hidden or HiddenText()
        self._runs: list[_Run] = []
        self._has_background = self._is_shaded = self._is_hidden = False
        self._styles = styles
        self.flows = styles is not None
        self._in_properties = self._in_section = False
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

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._in_text and not self.left_out and self._is_unseen and not self._hidden.keeps(data):
            return
        super().data(data)

    @property
    def _is_unseen(self) -> bool:
        """Whether a reader does not see the text of the run that is open."""
        if not self._runs:
            return False
        run = self._runs[-1]
        # Cells and boxes have grounds of their own, by their styles and shapes.
        has_ground = self._has_background or self._is_shaded or run.is_shaded
        return run.is_hidden or (
            run.is_white and not has_ground and not self.rows and len(self.open) < 2
        )

    def begin_paragraph(self, attrib: Mapping[str, str]) -> None:
        """A paragraph, which may have no properties."""
        if not self.open:
            self._is_shaded = self._is_hidden = False
        super().begin_paragraph(attrib)

    def begin_run(self, _: Mapping[str, str]) -> None:
        self._runs.append(_Run(is_hidden=self._is_hidden and len(self.open) < 2))

    def finish_run(self) -> None:
        self._runs.pop()

    def set_style(self, attrib: Mapping[str, str]) -> None:
        """The character style of the run."""
        if self._runs and not self._in_properties and self._styles:
            self._runs[-1].is_hidden |= self._styles.hides(attribute(attrib, "val"))

    def set_vanish(self, attrib: Mapping[str, str]) -> None:
        if self._runs and not self._in_properties:
            self._runs[-1].is_hidden = is_on(attrib)

    def set_color(self, attrib: Mapping[str, str]) -> None:
        if self._runs and not self._in_properties:
            self._runs[-1].is_white = attribute(attrib, "val").upper() == "FFFFFF"

    def set_size(self, attrib: Mapping[str, str]) -> None:
        if self._runs and not self._in_properties:
            self._runs[-1].is_hidden |= attribute(attrib, "val") in _UNSEEN_SIZES

    def set_ground(self, _: Mapping[str, str]) -> None:
        if self._in_properties:
            self._is_shaded = True
        elif self._runs:
            self._runs[-1].is_shaded = True

    def set_background(self, _: Mapping[str, str]) -> None:
        self._has_background = True

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties = True
        self._is_shaded = self._is_hidden = False

    def finish_properties(self) -> None:
        self._in_properties = False
        if self._begins_page:
            self._begins_page = False
            self.begin_page()

    def begin_style(self, attrib: Mapping[str, str]) -> None:
        if self._in_properties and self.open and self._styles:
            style = attribute(attrib, "val")
            self.open[-1].level = self._styles.level(style)
            self._begins_page = self._styles.begins_page(style)
            self._is_hidden = self._styles.hides(style)

    def begin_level(self, attrib: Mapping[str, str]) -> None:
        if self._in_properties and self.open:
            self.open[-1].level = level_of(attribute(attrib, "val"))

    def begin_page_before(self, attrib: Mapping[str, str]) -> None:
        if self._in_properties:
            self._begins_page = is_on(attrib)

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
            self._section = attribute(attrib, "val")

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
# to whoever asks. Styles of tables, and the sizes and colours of styles, are not looked at. Soft
# hyphens (w:softHyphen) and symbols (w:sym) are not read: the one is seen only where a line happens
# to end, the other is a number in some font.
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
            "highlight": WordStory.set_ground,
            "background": WordStory.set_background,
            "rPrChange": WordStory.leave_out,
            "p": WordStory.begin_paragraph,
            "pPr": WordStory.begin_properties,
            "pStyle": WordStory.begin_style,
            "outlineLvl": WordStory.begin_level,
            "pageBreakBefore": WordStory.begin_page_before,
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
    them when it saved the file. Hidden text, white text on no ground, and text of one point or less
    is reported; it is read in its place, or left out with `hidden="drop"`.

    >>> from sdtext.io.unpacked_content import Content
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
            for part in dict.fromkeys([main, *_further_parts(archive, main)]):
                styles = WordStyles(archive, main) if part == main else None
                for blocks in parsed(archive, part, WordStory(styles, hidden)):
                    yield from blocks
        yield from hidden.problems(content.name)


def _further_parts(archive: Archive, main: str) -> list[str]:
    """The notes, headers and footers, kind by kind."""
    relations = sorted(related(archive, main, _FURTHER), key=lambda each: _FURTHER.index(each[0]))
    return [part for _, part in relations]
