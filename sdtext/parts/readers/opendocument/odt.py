"""The reader of OpenDocument files (ODT, ODP, ODS; ISO/IEC 26300)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.content import Content
from sdtext.io.zip_archive import Archive, damage, opened
from sdtext.parts.readers import Reader
from sdtext.parts.readers.office.package import ZIPPED, fed, mimetype, parsed
from sdtext.parts.readers.office.titled import Block
from sdtext.parts.readers.opendocument.open_story import BODY, MARGINS, OpenStory
from sdtext.parts.readers.opendocument.open_styles import OpenStyles

_KIND = "OpenDocument file"
_CONTENT = "content.xml"
_STYLES = "styles.xml"
_MANIFEST = "META-INF/manifest.xml"
_TYPE = re.compile(
    r"application/vnd\.oasis\.opendocument\.(?:text|presentation|spreadsheet|graphics)(?![a-z])"
)
# The first tag of a file that is one XML document, with the name space of such tags in it.
_FLAT = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,2000}>\s*)*<(?:\w+:)?document\s[^>]*"
    rb"urn:oasis:names:tc:opendocument:xmlns:office:1\.0"
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[?!\w]")


@dataclass(frozen=True)
class Odt(Reader):
    r"""The text of an OpenDocument file (text, presentation, sheets), a line for each paragraph.

    A text has the pages that its styles begin and those that it had when it was saved. Each slide
    and each sheet is a page; of a sheet, each row is a line, its cells parted by tabs.
    Notes and the text of boxes follow the paragraph that holds them, headers and footers of a
    text come last. Deleted text and comments are left out. Headings are those of the text, the
    titles of slides and the names of sheets. The form in one XML file (FODT) is read, too.

    >>> from sdtext.io.content import Content
    >>> blocks = list(Odt()(Content("tests/samples/documents/harbour.odt")))
    >>> blocks[0], blocks[1][:35]
    (Heading(level=1, title='The harbour', offset=0), 'The harbour\nThe harbour has nine be')
    """

    called: ClassVar[str] = _KIND
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file says that it is one: in its type, its manifest or its first tag."""
        if not content.head.startswith(ZIPPED):
            return _FLAT.match(content.head.removeprefix(b"\xef\xbb\xbf")) is not None
        try:
            with opened(content, _KIND) as archive:
                return _TYPE.search(_said_type(archive)) is not None
        except UnreadableError:
            return _TYPE.search(content.head[:200].decode("latin-1")) is not None

    def __call__(self, content: Content) -> Iterator[Block]:
        if content.head.startswith(ZIPPED):
            with opened(content, _KIND) as archive:
                yield from _zipped(archive)
            return
        body = OpenStory(BODY)
        yield from _flat(content, body)
        if body.is_text:
            yield from _flat(content, OpenStory(MARGINS))


def _said_type(archive: Archive) -> str:
    """What the archive says that it is; its manifest, where no entry is for that alone."""
    if "mimetype" in archive.names or _MANIFEST not in archive.names:
        return mimetype(archive)
    return next(archive.blocks(_MANIFEST), b"").decode("latin-1")


def _zipped(archive: Archive) -> Iterator[Block]:
    if _is_encrypted(archive):
        raise archive.locked()
    margins = _Margins(archive)
    body = OpenStory(BODY, lambda: margins.styles)
    if _CONTENT in archive.names:
        yield from chain.from_iterable(parsed(archive, _CONTENT, body))
    elif _STYLES not in archive.names:  # a template may hold styles alone
        raise archive.damaged("it has no main part")
    if body.is_text:
        yield from margins.blocks


class _Margins:
    """What stands apart from the body: headers, footers and styles; read when asked for."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    @property
    def blocks(self) -> list[Block]:
        """The text of headers and footers."""
        return self._read[0]

    @property
    def styles(self) -> OpenStyles:
        """The styles that have names."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[list[Block], OpenStyles]:
        story = OpenStory(MARGINS)
        found = (
            parsed(self._archive, _STYLES, story) if _STYLES in self._archive.names else iter([])
        )
        return list(chain.from_iterable(found)), story.styles


def _flat(content: Content, story: OpenStory) -> Iterator[Block]:
    found = fed(content.blocks(), story, lambda why: damage(content, _KIND, why))
    return chain.from_iterable(found)


def _is_encrypted(archive: Archive) -> bool:
    """Whether the content is encrypted: as one whole package, or each file for itself.

    The manifest is not parsed, for those of old files have a document type.
    """
    if "encrypted-package" in archive.names:
        return True
    if not {_CONTENT, _MANIFEST} <= set(archive.names):
        return False
    if _XML.match(next(archive.blocks(_CONTENT), b"")):
        return False
    return b"encryption-data" in b"".join(archive.blocks(_MANIFEST))
