"""XML parts of office documents: parsers, styles, and where the pages of a text end.

A large part is parsed element by element, so that memory does not grow with it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sdtext.errors import UnreadableError
from sdtext.formats.hardened_xml import SAFE
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, Beginnings
from sdtext.model import Heading
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers import MAX_TITLE, Block, ParagraphReader, joined

if TYPE_CHECKING:
    from lxml.etree import XMLSyntaxError
    from lxml.etree import _Element as Element

Damaged = Callable[[str], UnreadableError]
_DOCTYPE, _TYPED = b"<!DOCTYPE", "has a document type, which can do harm"
# The limits of libxml2, and its code for them.
_TOO_LARGE, _LIMIT = "its elements stand over 256 deep, or a text in it has over 10 MB", 114


class Package(ParagraphReader):
    """A reader of documents that are a zip archive of XML files."""

    @classmethod
    def recognises(cls, content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold such a document.

        The archive's directory decides, or the beginning of a file in it; the rest is parsed in the
        sandboxed process only. A damaged archive counts if it begins like such a document, so that
        the error names its kind.
        """
        if not content.head.startswith(ZIPPED):
            return False
        try:
            return cls._is_in(Beginnings(content, cls.called))
        except UnreadableError:
            return cls._seems_begun(content.head)

    @classmethod
    @abstractmethod
    def _is_in(cls, archive: Beginnings) -> bool:
        """Whether the archive seems to hold such a document. May raise UnreadableError."""

    @classmethod
    @abstractmethod
    def _seems_begun(cls, head: bytes) -> bool:
        """Whether a damaged archive with these first bytes was such a document."""


def children(
    blocks: Iterable[bytes], bodies: Iterable[str], damaged: Damaged
) -> Iterator[tuple[Element, Element | None]]:
    """Yield each element of an XML file with a tag of `bodies` and each of its children, in order.

    None follows the last child. Each child stands in memory as a whole, at 14 bytes for each byte
    of its XML; a table of a Word file is one. They are freed in groups, which takes long for one
    with many elements of its own: who has read it clears it. A body in another is a part of it.
    If the file cannot be parsed, or has a document type, the error that `damaged` returns for the
    reason is raised.
    """
    from lxml import etree

    bodies = {*bodies}
    parser = etree.XMLPullParser(("start",), tag=[*bodies], **SAFE)
    begin = b""
    waiting: list[Element] = []
    try:
        for block in chain(blocks, [b""]):
            begin = begin or block
            if block:
                parser.feed(block)
            else:
                refuse_doctype(parser.close(), damaged)
            for _, body in parser.read_events():
                if not any(each.tag in bodies for each in body.iterancestors()):
                    refuse_doctype(body, damaged)
                    waiting.append(body)
            while waiting:
                body, is_whole = waiting[0], len(waiting) > 1 or not block
                ready = max(0, len(body) - (not is_whole))  # the last may go on
                for child in islice(body, ready):
                    yield body, child
                del body[:ready]
                if not is_whole:
                    break
                yield waiting.pop(0), None
    except etree.XMLSyntaxError as error:
        raise damaged(_reason(error, begin)) from error


def children_in(
    archive: Archive, part: str, bodies: Iterable[str]
) -> Iterator[tuple[Element, Element | None]]:
    """The same of a part of a package."""
    return children(archive.blocks(part), bodies, lambda why: archive.damaged(f"{part}: {why}"))


def _reason(error: XMLSyntaxError, begin: bytes) -> str:
    if _DOCTYPE in begin:
        return _TYPED
    return _TOO_LARGE if error.code == _LIMIT else str(error.msg)


def refuse_doctype(element: Element, damaged: Damaged) -> None:
    """Raise the error that `damaged` returns if the file has a document type."""
    if element.getroottree().docinfo.doctype:
        raise damaged(_TYPED)


def root_of(data: bytes) -> Element:
    """The root of a short part. Raises UnreadableError with the reason."""
    from lxml import etree

    try:
        root: Element = etree.fromstring(data, etree.XMLParser(**SAFE))
    except etree.XMLSyntaxError as error:
        raise UnreadableError(_reason(error, data)) from error
    refuse_doctype(root, UnreadableError)
    return root


T = TypeVar("T")


def parsed(archive: Archive, part: str, parse: Callable[[bytes], T]) -> T | None:
    """What `parse` makes of a short part; None if there is no such part. Raises UnreadableError."""
    if part not in archive.names:
        return None
    data = b"".join(archive.blocks(part))
    try:
        return parse(data)
    except UnreadableError as error:
        raise archive.damaged(f"{part}: {error.what}") from error


def elements(archive: Archive, part: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Tag and attributes of each element of a short part; none if there is no such part."""
    root = parsed(archive, part, root_of)
    for each in root.iter("*") if root is not None else ():
        yield str(each.tag), each.attrib  # type: ignore[misc]


def named(spaces: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """The local name of each element by its full name, in each of the name spaces."""
    names = [*names]
    return {f"{space}{name}": name for space in spaces for name in names}


def attribute(attrib: Any, name: str) -> str:
    """The value of the attribute of that name in whatever name space, "" if there is none.

    >>> attribute({"{http://example.org}val": "3"}, "val")
    '3'
    """
    ending = "}" + name
    for key in attrib:  # most elements have one or two
        if key == name or key.endswith(ending):
            return str(attrib[key])
    return ""


class Paragraph(NamedTuple):
    """A line of text; it is a heading where `level` is not 0."""

    text: str
    level: int = 0

    def blocks(self) -> Iterator[Block]:
        """The text, behind a heading if it is one."""
        if self.level and len(self.text) <= MAX_TITLE and (title := " ".join(self.text.split())):
            yield Heading(self.level, title)
        yield self.text


SOFT = "\0"
"""A soft break in the text of a paragraph; no XML file can have this character."""
_BREAKS_FIRST = re.compile(f"[{SOFT}\f]*")
_BREAKS_AFTER_LINE = re.compile(f"\n({SOFT}+)")
_NONE, _IS_HARD, _IS_SOFT = range(3)


class Pages:
    """The paragraphs of a text with a form feed at the end of each page but the last.

    A break is hard where the document asks for it, and soft where a page was full when it was
    saved. Adjacent hard and soft breaks count once; one before the first paragraph does not count.
    A soft break inside a line takes effect after the line, because the sentence continues. So each
    line belongs to the page on which it begins, and pages keep their numbers.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._fresh = _IS_HARD  # what began the page on which nothing stands yet
        self._carried = 0  # breaks in a paragraph that goes on in the next one
        # Of the table in which the next paragraph stands.
        self._rows = self._cell = self._row_breaks = self._cell_breaks = 0

    @property
    def is_fresh(self) -> bool:
        """Whether nothing stands on the page yet."""
        return self._fresh != _NONE

    @property
    def are_in_table(self) -> bool:
        """Whether the next paragraph stands in a table."""
        return self._rows > 0

    def begin_row(self) -> None:
        """A row of a table, perhaps of one in another."""
        self._rows += 1
        if self._rows == 1:
            self._cell = self._row_breaks = 0

    def begin_cell(self) -> None:
        """A cell of the row; those of tables within it do not count."""
        if self._rows == 1:
            self._cell += 1
            self._cell_breaks = 0

    def end_row(self) -> None:
        """The end of the row that was begun last."""
        self._rows -= 1

    def begin(self) -> None:
        """A hard break before what comes; in a row, the first cell has it for all."""
        if self._rows and self._cell > 1:
            return
        if not self._fresh:
            self.blocks.append("\f")
        self._fresh = _IS_HARD

    def soft(self) -> None:
        """A soft break between two paragraphs."""
        if self._counts() and self._fresh != _IS_HARD:
            self.blocks.append("\f")
            self._fresh = _IS_SOFT

    def _counts(self) -> bool:
        """Whether a soft break counts: of cells side by side, the first has it for all."""
        if not self._rows:
            return True
        self._cell_breaks += 1
        counts = self._cell_breaks > self._row_breaks
        self._row_breaks = max(self._row_breaks, self._cell_breaks)
        return counts

    def add(self, text: str, level: int, boxed: Iterable[Paragraph] = (), end: str = "\n") -> None:
        """A paragraph with its breaks, and those in its boxes and notes, which have none."""
        waiting = self._carried
        if not (self._carried or SOFT in text or "\f" in text):  # as nearly always
            self._fresh = _NONE
            if level:
                self.blocks += Paragraph(text + end, level).blocks()
            else:
                self.blocks.append(text + end)
        else:
            if self._rows:
                text = "".join(sign for sign in text if sign != SOFT or self._counts())
            first = _BREAKS_FIRST.match(text)[0]  # type: ignore[index]
            for sign in first:
                if sign == "\f" or self._fresh != _IS_HARD:
                    self.blocks.append("\f")
                    self._fresh = _IS_HARD if sign == "\f" else _IS_SOFT
            rest = re.sub(f"\f{SOFT}+", "\f", text[len(first) :])
            if rest or not first.endswith("\f"):
                self._fresh = _IS_HARD if rest.endswith("\f") else _NONE
            lines = []
            for line in re.split("(?<=[\n\f])", _BREAKS_AFTER_LINE.sub(r"\1\n", rest)):
                waiting += line.count(SOFT)
                lines.append(line.replace(SOFT, ""))
                if line.endswith(("\n", "\f")):
                    lines.append("\f" * waiting)
                    waiting = 0
            self.blocks += Paragraph("".join(lines) + end, level).blocks()
        for each in boxed:
            self.blocks += each.blocks()
        if waiting and end:
            self.blocks.append("\f" * waiting)
            waiting = 0
        self._carried = waiting

    def take(self) -> list[Block]:
        """The blocks since the last call, text between two headings as one."""
        blocks, self.blocks = joined(self.blocks), []
        return blocks
