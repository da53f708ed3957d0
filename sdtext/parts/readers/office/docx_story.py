"""The text of a part of a Word file, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Mapping

from sdtext.parts.readers.office.docx_styles import WORD, WordStyles, is_on, level_of
from sdtext.parts.readers.office.paged import PagedStory
from sdtext.parts.readers.office.story import BEGIN, FINISH, Handlers, attribute, named, sign
from sdtext.parts.readers.office.titled import Block

# How a section may begin within a page (ISO/IEC 29500-1, 17.18.77); all others begin one.
_WITHIN = ("continuous", "nextColumn")


class WordStory(PagedStory):
    """What the parser tells of a part with text; `styles` are those of the body.

    How a section begins stands at its own end. So what follows the end of another is held back
    until that is known.
    """

    def __init__(self, styles: WordStyles | None) -> None:
        super().__init__(_BEGIN, _FINISH)
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

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties = True

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
        """What is said of the section that ends with this paragraph."""
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
        """Nothing goes on before it is known how the section begins, unless it begins a page."""
        if not self.is_fresh:
            self._known = self.taken()
            self._held = []
            self._at_section = self.special_end = True

    def _settle(self, *, begins_page: bool) -> None:
        """It is known now; a section that is empty begins none."""
        if self._held is not None:
            is_there = self.open or not self._at_section
            self._known += ["\f", *self._held] if begins_page and is_there else self._held
            self._held = None
            self._at_section = False


# Hidden text (w:vanish) is read: Word finds and shows it to whoever asks, and most of it is
# hidden by a style, which only the styles would tell. Soft hyphens (w:softHyphen) and symbols
# (w:sym) are not: the one is seen only where a line happens to end, the other is a number in
# some font.
_BEGIN: Handlers = {
    **BEGIN,
    **named(
        WORD,
        {
            "t": WordStory.begin_text,
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
            "p": WordStory.finish_paragraph,
            "pPr": WordStory.finish_properties,
            "sectPr": WordStory.finish_section,
            "tr": WordStory.finish_row,
        },
    ),
}
