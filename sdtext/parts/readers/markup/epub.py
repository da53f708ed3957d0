"""Reader of EPUB books."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from typing import ClassVar
from urllib.parse import unquote

from sdtext.errors import OptionError, UnreadableError, counted
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, Beginnings, opened
from sdtext.model import Problem
from sdtext.parts.file_signatures import ZIPPED
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import Block
from sdtext.parts.readers.hidden_text import KEEP, HiddenText, check_hidden
from sdtext.parts.readers.markup.html import page_text
from sdtext.parts.readers.xml_story import elements, mimetype
from sdtext.text.encoding import check_encoding

_KIND = "EPUB book"
_TYPE = "application/epub+zip"
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PACKAGE = "application/oebps-package+xml"
# Pages of EPUB 2 and 3, of what came before it, and of books for the blind.
_PAGE = re.compile(r"html|oeb1-document|dtbook|^$")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.-]{2,40})""")


@dataclass(frozen=True)
class Epub(Reader):
    """The text of an EPUB book: its HTML pages in reading order (the spine).

    Pages outside of the spine, such as most tables of contents, are left out. Hidden text is read
    and reported as in HTML; `hidden="drop"` leaves it out.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Epub()(Content("tests/samples/documents/harbour.epub")))
    >>> [block.title for block in blocks if not isinstance(block, str)]
    ['The harbour', 'Berths', 'The lighthouse']
    """

    hidden: str = KEEP
    called: ClassVar[str] = _KIND
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_hidden("epub", self.hidden)

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive with the type of an EPUB book."""
        if not content.head.startswith(ZIPPED):
            return False
        try:
            archive = Beginnings(content, _KIND)
            if "mimetype" in archive.names:
                return mimetype(archive).startswith(_TYPE)
            blocks = archive.blocks(_CONTAINER) if _CONTAINER in archive.names else iter([b""])
            return _PACKAGE.encode() in next(blocks, b"")
        except UnreadableError:
            return _TYPE.encode() in content.head[:200]

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            pages = list(dict.fromkeys(_pages(archive)))
            present = [page for page in pages if page in archive.names]
            if not present:
                raise archive.damaged("none of its pages can be found")
            if not _encrypted(archive).isdisjoint(present):
                raise UnreadableError(
                    "is protected against copying (DRM); get a copy without that from its source",
                    file=content.name,
                )
            hidden = HiddenText(self.hidden)
            for page in present:
                yield from page_text(_decoded(archive.blocks(page)), content, hidden)
            yield from hidden.problems(content.name)
        if missing := len(pages) - len(present):
            message = f"{content.name}: {counted(missing, 'page')} that it lists cannot be found"
            yield Problem("warning", "partly-read", message)


def _pages(archive: Archive) -> Iterator[str]:
    """The names of the pages, in the order of the book."""
    package = _package(archive)
    folder = dirname(package)
    pages: dict[str, str] = {}
    for tag, attrib in elements(archive, package):
        if tag.endswith("}item") and _PAGE.search(attrib.get("media-type", "")):
            place = unquote(attrib.get("href", "").partition("#")[0])
            pages[attrib.get("id", "")] = normpath(join(folder, place))
        elif tag.endswith("}itemref") and (page := pages.get(attrib.get("idref", ""))):
            yield page


def _package(archive: Archive) -> str:
    """The name of the part that lists the pages."""
    for tag, attrib in elements(archive, _CONTAINER):
        if tag.endswith("}rootfile") and attrib.get("media-type", _PACKAGE) == _PACKAGE:
            return attrib.get("full-path", "")
    raise archive.damaged("it does not say where its pages are listed")


def _encrypted(archive: Archive) -> set[str]:
    """The names of all encrypted files; encrypted fonts are common and harmless."""
    references = (
        attrib for tag, attrib in elements(archive, _ENCRYPTION) if tag.endswith("Reference")
    )
    return {unquote(attrib.get("URI", "")) for attrib in references}


def _decoded(blocks: Iterable[bytes]) -> Iterator[str]:
    """Decode a page; bytes invalid in its encoding become U+FFFD."""
    decoder: codecs.IncrementalDecoder | None = None
    for block in blocks:
        decoder = decoder or codecs.getincrementaldecoder(_encoding(block))("replace")
        yield decoder.decode(block)
    if decoder:
        yield decoder.decode(b"", final=True)


def _encoding(head: bytes) -> str:
    """The encoding of a page: byte-order mark, declaration, else UTF-8."""
    if head.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        return "utf-16"
    declared = match[1].decode("ascii") if (match := _DECLARED.match(head)) else ""
    # A declaration that was found byte by byte is in none of two or four bytes a character.
    if not declared or re.match("(?i)u(tf|cs)", declared):
        return "utf-8-sig"
    try:
        return check_encoding(declared)
    except OptionError:
        return "utf-8-sig"
