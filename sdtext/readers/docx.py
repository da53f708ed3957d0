"""The reader of Word files (DOCX)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from sdtext.readers.archive import Archive, opened
from sdtext.readers.package import Kind, parsed, related, told
from sdtext.readers.story import BEGIN, FINISH, Handlers, Story, attribute, named, sign
from sdtext.readers.titled import Block

if TYPE_CHECKING:
    from sdtext.readers.content import Content

_KIND = Kind(
    "Word file",
    "word/document.xml",
    r"application/vnd\.(openxmlformats-officedocument\.wordprocessingml|ms-word)\.[\w.-]*\bmain\+xml",
)
_FURTHER = ("footnotes", "endnotes", "header", "footer")
# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
# The styles of headings have these names in files of any language, which shows others to people.
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


@dataclass(frozen=True)
class Docx:
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then footnotes,
    endnotes, headers and footers, each once, in the order in which the file lists them. Inserted
    text is read, deleted text, comments and the codes of fields are not. Headings are the
    paragraphs that have a level in the outline, mostly by their style.

    >>> from sdtext.readers.content import Content
    >>> blocks = list(Docx()(Content("tests/samples/documents/letter.docx")))
    >>> "".join(block for block in blocks if isinstance(block, str)).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    called: ClassVar[str] = _KIND.called
    normal_form: ClassVar[str] = "NFC"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a Word document."""
        return _KIND.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block]:
        with opened(content, self.called) as archive:
            main = _KIND.main(archive)
            for part in dict.fromkeys([main, *_further_parts(archive, main)]):
                outline = _Outline(archive, main) if part == main else None
                for blocks in parsed(archive, part, _Story(outline)):
                    yield from blocks


def _further_parts(archive: Archive, main: str) -> list[str]:
    """The notes, headers and footers, kind by kind."""
    found = sorted(related(archive, main, _FURTHER), key=lambda each: _FURTHER.index(each[0]))
    return [part for _, part in found]


_STYLE_TAGS = [
    space + name for space in _WORD for name in ("style", "name", "basedOn", "outlineLvl")
]


class _Outline:
    """The level of each style in the outline, 0 if none; styles are read when one is asked for.

    Most documents use few of the hundreds of styles that their file lists, many use none.
    """

    def __init__(self, archive: Archive, main: str) -> None:
        self._archive = archive
        self._main = main

    def __getitem__(self, style: str) -> int:
        return self._levels.get(style, 0)

    @cached_property
    def _levels(self) -> Mapping[str, int]:
        styles: dict[str, _Style] = {}
        for _, part in related(self._archive, self._main, ("styles",)):
            _add_styles(styles, self._archive, part)
        return _inherited(styles)


@dataclass(slots=True)
class _Style:
    based_on: str = ""
    level: int | None = None


def _add_styles(styles: dict[str, _Style], archive: Archive, part: str) -> None:
    """Add the styles in a part by their ids, with what each says itself."""
    style = _Style()
    for tag, attrib in told(archive, part, _STYLE_TAGS):
        name, value = tag.rpartition("}")[2], attribute(attrib, "val")
        if name == "style":
            style = styles[attribute(attrib, "styleId")] = _Style()
        elif name == "name" and (found := _HEADING.fullmatch(value)):
            style.level = int(found[1])
        elif name == "basedOn":
            style.based_on = value
        elif name == "outlineLvl":
            style.level = _level(value)


def _inherited(styles: Mapping[str, _Style]) -> dict[str, int]:
    """The level of each style, its own or that of the next style it is based on."""
    levels = {key: one.level for key, one in styles.items() if one.level is not None}
    for key in styles:
        way = []
        one = key
        while one in styles and one not in levels:
            levels[one] = 0  # lest a circle is gone round for ever
            way.append(one)
            one = styles[one].based_on
        levels.update(dict.fromkeys(way, levels.get(one, 0)))
    return levels


def _level(value: str) -> int:
    """The level of a heading, from 1; the file counts from 0, and 9 stands for none."""
    return int(value) + 1 if value in tuple("012345678") else 0


class _Story(Story):
    """What the parser tells of a part with text."""

    def __init__(self, outline: _Outline | None) -> None:
        super().__init__(_BEGIN, _FINISH)
        self._outline = outline
        self._in_properties = False

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties = True

    def finish_properties(self) -> None:
        self._in_properties = False

    def begin_style(self, attrib: Mapping[str, str]) -> None:
        if self._in_properties and self.open and self._outline:
            self.open[-1].level = self._outline[attribute(attrib, "val")]

    def begin_level(self, attrib: Mapping[str, str]) -> None:
        if self._in_properties and self.open:
            self.open[-1].level = _level(attribute(attrib, "val"))

    def add_break(self, attrib: Mapping[str, str]) -> None:
        """The end of a line, or of a page."""
        self.add("\f" if attribute(attrib, "type") == "page" else "\n")

    def begin_deletion(self, _: Mapping[str, str]) -> None:
        """Deleted text; among a paragraph's properties, its end is what was deleted."""
        if self._in_properties and self.open:
            self.open[-1].end = ""
        self.leave_out()

    def begin_note(self, attrib: Mapping[str, str]) -> None:
        """A note, or one of the lines that separate notes from the body."""
        if attribute(attrib, "type") not in ("", "normal"):
            self.leave_out()


# Hidden text (w:vanish) is read: Word finds and shows it to whoever asks, and most of it is
# hidden by a style, which only the styles would tell. Soft hyphens (w:softHyphen) and symbols
# (w:sym) are not: the one is seen only where a line happens to end, the other is a number in
# some font.
_BEGIN: Handlers = {
    **BEGIN,
    **named(
        _WORD,
        {
            "t": _Story.begin_text,
            "p": _Story.begin_paragraph,
            "pPr": _Story.begin_properties,
            "pStyle": _Story.begin_style,
            "outlineLvl": _Story.begin_level,
            "tab": sign("\t"),
            "ptab": sign("\t"),
            "br": _Story.add_break,
            "cr": sign("\n"),
            # Where a line may break is layout; the word is the one that has a hyphen.
            "noBreakHyphen": sign("-"),
            "del": _Story.begin_deletion,
            "moveFrom": _Story.begin_deletion,
            "footnote": _Story.begin_note,
            "endnote": _Story.begin_note,
            "tabs": _Story.leave_out,  # the places of tabs, not tabs
            "pPrChange": _Story.leave_out,
            "rt": _Story.leave_out,  # how to say a word, printed small above it
        },
    ),
}
_FINISH: Handlers = {
    **FINISH,
    **named(
        _WORD,
        {
            "t": _Story.finish_text,
            "p": _Story.finish_paragraph,
            "pPr": _Story.finish_properties,
        },
    ),
}
