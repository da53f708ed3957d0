"""XML parts of office documents, and their text: paragraphs, boxes, tables and pages.

A part is parsed without a tree, so that memory does not grow with it. Each format has two tables
that map the names of elements to what their start and end tags do.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, Beginnings
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers import ParagraphReader
from sdtext.parts.readers.heading_collector import Block, TitledText
from sdtext.parts.readers.hidden_text import Appearance, CachedAppearance

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

Handler = Callable[..., None]
Table = Mapping[str, Handler | tuple[Handler | None, Handler]]
"""What the start tag of an element does, or its start tag and its end tag, by its name."""
Value = TypeVar("Value")
SEEN = CachedAppearance(Appearance())
_DOCTYPE = "has a document type, which can do harm"
_SAFE: Any = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}


class Target:
    """The members of every target of `parsed`; each adds `taken` and its events."""

    def doctype(self, *_: str | None) -> None:
        """A document type; it is refused before anything in it is read."""
        raise _DoctypeError

    def close(self) -> None:
        """The end of the part."""


class _DoctypeError(Exception):
    """A document type declaration, which no part of a package may have."""


def parsed(archive: Archive, part: str, target: Any) -> Iterator[Any]:
    """Parse a part with `target` and yield what it has taken, item by item. UnreadableError."""
    return fed(archive.blocks(part), target, lambda why: archive.damaged(f"{part}: {why}"))


def fed(
    blocks: Iterable[bytes], target: Any, damaged: Callable[[str], UnreadableError]
) -> Iterator[Any]:
    """Parse an XML file with `target` and yield what it has taken, item by item.

    If it cannot be parsed, the error that `damaged` returns for the reason is raised.
    """
    from lxml import etree

    parser = etree.XMLParser(target=target, **_SAFE)
    try:
        for block in blocks:
            parser.feed(block)
            yield from target.taken()
        parser.close()
    except etree.XMLSyntaxError as error:
        raise damaged(str(error.msg)) from error
    except _DoctypeError as error:
        raise damaged(_DOCTYPE) from error
    yield from target.taken()


def tree(data: bytes, damaged: Callable[[str], UnreadableError]) -> Element:
    """The tree of a short XML file. If it cannot be parsed, the error of `damaged` is raised."""
    from lxml import etree

    try:
        root: Element = etree.fromstring(data, etree.XMLParser(**_SAFE))
    except etree.XMLSyntaxError as error:
        raise damaged(str(error.msg)) from error
    if root.getroottree().docinfo.doctype:
        raise damaged(_DOCTYPE)
    return root


def elements(archive: Archive, part: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Tag and attributes of each element of a short part; none if there is no such part."""
    if part in archive.names:
        data = b"".join(archive.blocks(part))
        root = tree(data, lambda why: archive.damaged(f"{part}: {why}"))
        for each in root.iter("*"):
            yield str(each.tag), each.attrib  # type: ignore[misc]


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


class OpenParagraph:
    """A paragraph that is open; it is a heading where `level` is not 0."""

    __slots__ = ("end", "level", "pieces")

    def __init__(self, level: int = 0) -> None:
        self.pieces: list[str] = []
        self.end = "\n"
        self.level = level


class Vocabulary(NamedTuple):
    """What start tags and what end tags do, by the names of the elements."""

    begin: Mapping[str, Handler]
    finish: Mapping[str, Handler]

    @classmethod
    def of(cls, *tables: Table) -> Vocabulary:
        """The vocabulary of some tables; of two rows for an element the latter counts."""
        rows = {name: row for table in tables for name, row in table.items()}
        pairs = {name: row if isinstance(row, tuple) else (row, None) for name, row in rows.items()}
        begin = {name: pair[0] for name, pair in pairs.items() if pair[0]}
        return cls(begin, {name: pair[1] for name, pair in pairs.items() if pair[1]})


class Story(Target):
    """Parser target for a part with text.

    The vocabulary says what the tags do. Text counts after `begin_text`, inside the innermost
    paragraph.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._begin, self._finish = vocabulary
        self.text = TitledText()
        self.open: list[OpenParagraph] = []
        self.boxed: list[OpenParagraph] = []
        # The number of open elements from the outermost that is left out on, 0 if none is.
        self.left_out = 0
        self.appearance = SEEN  # of the text here
        self._in_text = False
        self._texts = 0
        self._alternatives: list[int] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        if self.left_out:
            self.left_out += 1
        elif tag in self._begin:  # faster than `get`, since most are in neither
            self._begin[tag](self, attrib)

    def end(self, tag: str) -> None:
        if self.left_out:
            self.left_out -= 1
        elif tag in self._finish:
            self._finish[tag](self)

    def data(self, data: str) -> None:
        if not self._in_text or self.left_out:
            return
        if self.appearance.is_unseen and not self.keeps(data):
            return
        self._texts += 1
        # A line end in the file is a blank to the programs, which have elements for real ones.
        self.add(data.replace("\n", " ") if "\n" in data else data)

    def keeps(self, _text: str) -> bool:
        return True

    def taken(self) -> list[Block]:
        return self.text.taken()

    def add(self, text: str) -> None:
        if self.open:
            self.open[-1].pieces.append(text)
        else:
            self.text.add(text)

    def leave_out(self, _: Mapping[str, str] | None = None) -> None:
        self.left_out = 1

    def begin_text(self, _: Mapping[str, str]) -> None:
        self._in_text = True

    def finish_text(self) -> None:
        self._in_text = False

    def begin_paragraph(self, _: Mapping[str, str]) -> None:
        self.open.append(OpenParagraph())

    def finish_paragraph(self) -> None:
        """The paragraph's end. One in a box must not cut a sentence of the one that holds it."""
        paragraph = self.open.pop()
        if self.open:
            self.boxed.append(paragraph)
        elif not (paragraph.level or self.boxed):  # as nearly always
            self.text.add("".join(paragraph.pieces) + paragraph.end)
        else:
            for each in (paragraph, *self.boxed):
                if each.level:
                    self.text.begin_title(each.level)
                self.text.add("".join(each.pieces) + each.end)
                self.text.end_title()
            self.boxed.clear()

    def begin_alternatives(self, _: Mapping[str, str]) -> None:
        self._alternatives.append(self._texts)

    def begin_alternative(self, _: Mapping[str, str]) -> None:
        """One of the forms, left out if text was found in one before it."""
        if self._alternatives and self._texts > self._alternatives[-1]:
            self.leave_out()

    def finish_alternatives(self) -> None:
        self._alternatives.pop()


def sign(text: str) -> Callable[[Story, Mapping[str, str]], None]:
    """The handler of an element that stands for one or two characters."""
    return lambda story, _: story.add(text)


def sets(name: str, *, value: bool) -> Callable[..., None]:
    """The handler of an element that sets an attribute of the story."""
    return lambda story, *_: setattr(story, name, value)


def named(spaces: tuple[str, ...], table: Table) -> Table:
    """The table with every element's name in each of the name spaces."""
    return {space + name: handler for space in spaces for name, handler in table.items()}


def attribute(attrib: Mapping[str, str], name: str) -> str:
    """The value of the attribute of that name in whatever name space, "" if there is none.

    >>> attribute({"{http://example.org}val": "3"}, "val")
    '3'
    """
    ending = "}" + name
    for key in attrib:  # most elements have one or two
        if key == name or key.endswith(ending):
            return attrib[key]
    return ""


# What began the page on which nothing stands yet.
_HARD, _SOFT = "hard", "soft"
# A soft break among the pieces of a paragraph; no XML file can have this character.
_MARK = "\0"
_ENDS = re.compile("([\n\f])")


class PagedStory(Story):
    """A story whose text stands on pages; a form feed ends each but the last.

    A break is hard where the document asks for it, and soft where a page was full when it was
    saved. Adjacent hard and soft breaks count once; one before the first paragraph does not count.

    A soft break inside a line takes effect after the line, because the sentence continues. So each
    line belongs to the page on which it begins, and pages keep their numbers.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        # Whether there are pages, and what comes stands in no box beside their paragraphs.
        self.flows = True
        # Whether the end of the paragraph on the page asks for more than a line end.
        self.special_end = False
        self.rows = 0
        self._fresh = _HARD
        self._parted = False
        self._carried = self._cell = 0
        self._row_breaks = self._cell_breaks = 0

    @property
    def in_flow(self) -> bool:
        """Whether what comes stands on the pages themselves, not in a box, a note or a margin."""
        return self.flows and len(self.open) < 2

    @property
    def is_fresh(self) -> bool:
        return bool(self._fresh)

    def begin_page(self) -> None:
        """A hard break before what has just begun; in a row, the first cell has it for all."""
        if not self.in_flow or self._cell > 1:
            return
        if not self._fresh:
            self.turn()
        self._fresh = _HARD

    def end_page(self) -> None:
        """A hard break right here, whatever comes before it: two of them leave a page empty."""
        if not self.in_flow:
            self.add("\n")
            return
        self.special_end = self._parted = bool(self.open)
        if self.open and self.open[-1].pieces:
            self.add("\f")
        else:  # lest it is part of a title
            self.text.add("\f")
            self._fresh = _HARD

    def begin_soft_page(self, _: Mapping[str, str]) -> None:
        """A soft break; of cells side by side in a row, the first has it for all."""
        if not self.in_flow:
            return
        if self.rows:
            self._cell_breaks += 1
            if self._cell_breaks <= self._row_breaks:
                return
            self._row_breaks = self._cell_breaks
        pieces = self.open[-1].pieces if self.open else []
        if not pieces and self._fresh != _HARD:
            self.turn()
            self._fresh = _SOFT
        elif pieces and pieces[-1] != "\f":
            # Before the last piece, for that may be the end of the line.
            pieces.insert(-1, _MARK)
            self.special_end = True

    def turn(self) -> None:
        """The page ends before the paragraph that is open, or here if none is."""
        self.text.add("\f")

    def begin_row(self, _: Mapping[str, str]) -> None:
        self.rows += 1
        if self.rows == 1:
            self._cell = self._row_breaks = 0

    def begin_cell(self, _: Mapping[str, str]) -> None:
        if self.rows == 1:
            self._cell += 1
            self._cell_breaks = 0

    def finish_row(self) -> None:
        self.rows -= 1
        if not self.rows:
            self._cell = 0

    def finish_paragraph(self) -> None:
        if self.flows and len(self.open) == 1:
            self._fresh = ""
            if self.special_end:
                self.special_end = False
                self.finish_specially()
                return
        Story.finish_paragraph(self)  # faster than by super()

    def finish_specially(self) -> None:
        """The end of a paragraph with breaks in it, behind which a page may end, too."""
        paragraph = self.open[-1]
        if self._parted and (not paragraph.pieces or paragraph.pieces[-1] == "\f"):
            self._fresh = _HARD
        self._parted = False
        # Pages that end within the paragraph end behind their lines.
        parts = [*_ENDS.split("".join(paragraph.pieces)), ""]
        pieces, waiting = [], self._carried
        for line, end in zip(parts[::2], parts[1::2], strict=True):
            waiting += line.count(_MARK)
            pieces += [line.replace(_MARK, ""), end]
            if end:
                pieces.append("\f" * waiting)
                waiting = 0
        paragraph.pieces = pieces
        # A paragraph whose end was deleted goes on in the next one.
        self._carried = 0 if paragraph.end else waiting
        self.special_end = self._carried > 0
        Story.finish_paragraph(self)
        self.text.add("\f" * (waiting - self._carried))


@dataclass(slots=True)
class Style(Generic[Value]):
    """The own properties of a style, and the key of its parent."""

    parent: str = ""
    says: dict[str, Value] = field(default_factory=dict)


def inherited(styles: Mapping[str, Style[Value]]) -> dict[str, dict[str, Value]]:
    """The properties of each style with inherited ones, by its key.

    >>> inherited({"title": Style("text", {"level": 1}), "text": Style(says={"page": 0})})
    {'title': {'page': 0, 'level': 1}, 'text': {'page': 0}}
    """
    resolved: dict[str, dict[str, Value]] = {}
    for key in styles:
        path = []
        current = key
        while current in styles and current not in resolved:
            resolved[current] = {}  # lest a circle is gone round for ever
            path.append(current)
            current = styles[current].parent
        for each in reversed(path):
            style = styles[each]
            resolved[each] = {**resolved.get(style.parent, {}), **style.says}
    return resolved
