"""The reader of Word files (DOCX)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sdtext.errors import UnreadableError
from sdtext.readers.archive import Archive, opened
from sdtext.readers.package import Target, parsed, related, types

if TYPE_CHECKING:
    from sdtext.readers.content import Content

_KIND = "Word file"
_USUAL = "word/document.xml"
# The first header of an entry in the folder: 30 bytes, then its name.
_BEGUN = re.compile(rb"PK\x03\x04.{26}word/", re.DOTALL)
_MAIN_TYPE = re.compile(
    r"application/vnd\.(openxmlformats-officedocument\.wordprocessingml|ms-word)\..*\bmain\+xml"
)
_TYPES = "[Content_Types].xml"
_MAIN_TYPE_BEGUN = re.compile(rb"(wordprocessingml|ms-word)\.[\w.-]*main\+xml")
_FURTHER = ("footnotes", "endnotes", "header", "footer")
# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)
_COMPATIBILITY = ("{http://schemas.openxmlformats.org/markup-compatibility/2006}",)


@dataclass(frozen=True)
class Docx:
    r"""The text of a Word file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then footnotes,
    endnotes, headers and footers, each once, in the order in which the file lists them. Inserted
    text is read, deleted text, comments and the codes of fields are not.

    >>> from sdtext.readers.content import Content
    >>> "".join(Docx()(Content("tests/samples/documents/letter.docx"))).splitlines()[:2]
    ['Harbour Office', 'Dear Ms Lund,']
    """

    normal_form: ClassVar[str] = "NFC"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a Word document.

        Its directory tells, or the beginning of its list of types: more is not read here, but in
        the process in which a file is taken apart. A damaged archive is one if it begins as those
        of Word files do, so that it is refused as what it is.
        """
        if not content.head.startswith(b"PK\x03\x04"):
            return False
        try:
            with opened(content, _KIND) as archive:
                if any(name.startswith("word/") for name in archive.names):
                    return True
                blocks = archive.blocks(_TYPES) if _TYPES in archive.names else iter([b""])
                return _MAIN_TYPE_BEGUN.search(next(blocks, b"")) is not None
        except UnreadableError:
            return _BEGUN.search(content.head) is not None

    def __call__(self, content: Content) -> Iterator[str]:
        with opened(content, _KIND) as archive:
            main = _main_part(archive)
            if not main:
                raise archive.damaged("it has no main part")
            for part in dict.fromkeys([main, *_further_parts(archive, main)]):
                yield from parsed(archive, part, _Story())


def _main_part(archive: Archive) -> str:
    """The name of the part that holds the body of a Word document; "" if there is none."""
    for _, part in related(archive, "", ("officeDocument",)):
        if any(map(_MAIN_TYPE.fullmatch, types(archive, part))):
            return part
    return _USUAL if _USUAL in archive.names else ""


def _further_parts(archive: Archive, main: str) -> list[str]:
    """The notes, headers and footers, kind by kind."""
    found = sorted(related(archive, main, _FURTHER), key=lambda each: _FURTHER.index(each[0]))
    return [part for _, part in found]


@dataclass(slots=True)
class _Paragraph:
    pieces: list[str] = field(default_factory=list)
    end: str = "\n"


class _Story(Target):
    """What the parser tells of a part with text, gathered into paragraphs."""

    def __init__(self) -> None:
        self._done: list[str] = []
        self._open: list[_Paragraph] = []
        self._boxed: list[str] = []
        # How many elements are open in the outermost one that is left out, itself included.
        self._left_out = 0
        self._in_text = self._in_properties = False
        self._texts = 0
        self._alternatives: list[int] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        if self._left_out:
            self._left_out += 1
        elif begin := _BEGIN.get(tag):
            begin(self, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        if self._left_out:
            self._left_out -= 1
        elif finish := _FINISH.get(tag):
            finish(self)

    def data(self, data: str) -> None:
        """Text between tags."""
        if self._in_text and not self._left_out:
            self._texts += 1
            # A line end in the file is a blank to Word, which has elements for real ones.
            self.add(data.replace("\n", " ") if "\n" in data else data)

    def taken(self) -> str:
        """The text of the paragraphs that have ended since the last call."""
        text = "".join(self._done)
        self._done.clear()
        return text

    def add(self, text: str) -> None:
        """Text of the innermost paragraph."""
        (self._open[-1].pieces if self._open else self._done).append(text)

    def leave_out(self, _: Mapping[str, str]) -> None:
        """An element whose content is not part of the text."""
        self._left_out = 1

    def begin_text(self, _: Mapping[str, str]) -> None:
        self._in_text = True

    def finish_text(self) -> None:
        self._in_text = False

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        self._open.append(_Paragraph())

    def finish_paragraph(self) -> None:
        paragraph = self._open.pop()
        line = "".join(paragraph.pieces) + paragraph.end
        if self._open:  # in a box, which must not cut a sentence of the paragraph that holds it
            self._boxed.append(line)
        else:
            self._done += [line, *self._boxed]
            self._boxed.clear()

    def begin_properties(self, _: Mapping[str, str]) -> None:
        self._in_properties = True

    def finish_properties(self) -> None:
        self._in_properties = False

    def begin_deletion(self, _: Mapping[str, str]) -> None:
        """Deleted text; among a paragraph's properties, its end is what was deleted."""
        if self._in_properties and self._open:
            self._open[-1].end = ""
        self._left_out = 1

    def begin_note(self, attrib: Mapping[str, str]) -> None:
        """A note, or one of the lines that separate notes from the body."""
        kinds = [attrib[name + "type"] for name in _WORD if name + "type" in attrib]
        self._left_out = int(kinds not in ([], ["normal"]))

    def begin_alternatives(self, _: Mapping[str, str]) -> None:
        self._alternatives.append(self._texts)

    def begin_alternative(self, _: Mapping[str, str]) -> None:
        """The same content in another form, left out if text was found in a form before it."""
        if self._alternatives and self._texts > self._alternatives[-1]:
            self._left_out = 1

    def finish_alternatives(self) -> None:
        self._alternatives.pop()


def _sign(text: str) -> Callable[[_Story, Mapping[str, str]], None]:
    return lambda story, _: story.add(text)


def _named(
    spaces: tuple[str, ...], table: Mapping[str, Callable[..., None]]
) -> dict[str, Callable[..., None]]:
    """The table with every element's name in each of the name spaces."""
    names = ((space, name) for space in spaces for name in table)
    return {space + name: table[name] for space, name in names}


# Hidden text (w:vanish) is read: Word finds and shows it to whoever asks, and most of it is
# hidden by a style, which only the styles would tell. Soft hyphens (w:softHyphen) and symbols
# (w:sym) are not: the one is seen only where a line happens to end, the other is a number in
# some font.
_BEGIN: Mapping[str, Callable[..., None]] = {
    **_named(
        _WORD,
        {
            "t": _Story.begin_text,
            "p": _Story.begin_paragraph,
            "pPr": _Story.begin_properties,
            "tab": _sign("\t"),
            "ptab": _sign("\t"),
            "br": _sign("\n"),
            "cr": _sign("\n"),
            # Where a line may break is layout; the word is the one that has a hyphen.
            "noBreakHyphen": _sign("-"),
            "del": _Story.begin_deletion,
            "moveFrom": _Story.begin_deletion,
            "footnote": _Story.begin_note,
            "endnote": _Story.begin_note,
            "tabs": _Story.leave_out,  # the places of tabs, not tabs
            "pPrChange": _Story.leave_out,
            "rt": _Story.leave_out,  # how to say a word, printed small above it
        },
    ),
    **_named(_MATH, {"t": _Story.begin_text}),
    **_named(
        _COMPATIBILITY,
        {
            "AlternateContent": _Story.begin_alternatives,
            "Choice": _Story.begin_alternative,
            "Fallback": _Story.begin_alternative,
        },
    ),
}
_FINISH: Mapping[str, Callable[..., None]] = {
    **_named(
        _WORD,
        {
            "t": _Story.finish_text,
            "p": _Story.finish_paragraph,
            "pPr": _Story.finish_properties,
        },
    ),
    **_named(_MATH, {"t": _Story.finish_text}),
    **_named(_COMPATIBILITY, {"AlternateContent": _Story.finish_alternatives}),
}
