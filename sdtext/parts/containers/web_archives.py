"""Containers of web pages: WARC (ISO 28500) and the older ARC by warcio, and WACZ."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any, ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import BLOCK, Content
from sdtext.io.zip_reader import Beginnings
from sdtext.model import Problem
from sdtext.parts.containers import Container, Member, Salvaged, members_of
from sdtext.parts.containers.archives import Zip
from sdtext.parts.readers import partly_read

_BEGIN = (b"WARC/", b"filedesc://")
_KINDS = ("response", "resource", "conversion")  # of records that hold a file
_NO_TEXT = ("image/", "video/", "audio/", "font/", "text/css", "application/font")
_FOLDER, _LIST = "archive/", "datapackage.json"


@dataclass(frozen=True)
class Warc(Container):
    """The pages in a web archive (WARC or ARC), each by its address without the scheme.

    Answers of a server that are no page, pictures, sounds, styles and programs are left out.

    >>> Warc.called
    'web archive'
    """

    called: ClassVar[str] = "web archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        return content.head.startswith(_BEGIN)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        try:
            from warcio.archiveiterator import ArchiveIterator
            from warcio.bufferedreaders import BufferedReader
            from warcio.exceptions import ArchiveLoadFailed
        except ImportError as error:
            what = "is a web archive (WARC), which needs more: pip install 'sdtext[formats]'"
            raise UnreadableError(what, file=content.name) from error
        damage = (ArchiveLoadFailed, EOFError, zlib.error)
        ends: list[Problem] = []
        if find_spec("brotli"):
            BufferedReader.DECOMPRESSORS["br"] = _Brotli
        records = ArchiveIterator(content.file(), arc2warc=True)

        def pages() -> Iterator[tuple[str, Salvaged | str]]:
            try:
                for record in records:
                    if record.rec_type in _KINDS:
                        address = str(record.rec_headers.get_header("WARC-Target-URI") or "unnamed")
                        name = address.strip("<>").partition("://")[2] or address
                        name += "index.html" * name.endswith("/")
                        yield name, _reason_against(record) or Salvaged(_blocks(record), damage)
                if records.next_line:  # it begins a record, and there is none
                    ends.append(partly_read(content, "is truncated; its last record is not read"))
            except (MemoryError, UnreadableError):
                raise
            except Exception as error:  # the package checks little of what a record says
                why = f"is damaged ({type(error).__name__}); it is read up to the damage"
                ends.append(partly_read(content, why))

        yield from members_of(content, pages())
        yield from ends


def _blocks(record: Any) -> Iterator[bytes]:
    """The content of a record. Raises EOFError where it ends too early."""
    stream = record.content_stream()
    yield from iter(partial(stream.read, BLOCK), b"")
    is_cut = not record.raw_stream.read(1) and getattr(record.raw_stream, "limit", False)
    compressed = getattr(stream, "decompressor", None)
    if (
        is_cut
        or (compressed and not compressed.eof)
        or record.rec_headers.get_header("WARC-Truncated")
    ):
        raise EOFError("it is truncated")


class _Brotli:
    """Brotli as warcio expects it; its own does not work with the package of today."""

    unused_data = b""

    def __init__(self) -> None:
        from brotli import Decompressor

        self._content = Decompressor()
        self.decompress = self._content.process

    @property
    def eof(self) -> bool:
        return bool(self._content.is_finished())


def _reason_against(record: Any) -> str:
    """Why a record is left out; "" for a page."""
    answer = record.http_headers
    if answer and not str(answer.get_statuscode()).startswith("2"):
        return "no answer with a page"
    said = answer.get_header("Content-Type") if answer else record.content_type
    kind = str(said or "").strip().lower()
    is_text = not kind.startswith(_NO_TEXT) and "javascript" not in kind
    return "" if is_text else "pictures, sounds, styles and programs"


@dataclass(frozen=True)
class Wacz(Zip):
    """The web archives in a WACZ file, without its indexes.

    >>> Wacz.called
    'web archive (WACZ)'
    """

    called: ClassVar[str] = "web archive (WACZ)"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is a zip archive with a list of its files and a folder of web archives."""
        if not Zip.recognises(content):
            return False
        try:
            names = Beginnings(content, Wacz.called).names
        except UnreadableError:
            return False
        return _LIST in names and any(name.startswith(_FOLDER) for name in names)

    def members(self, content: Content) -> Iterator[Member | Problem]:
        for member in super().members(content):
            if isinstance(member, Problem) or member.name.startswith(_FOLDER):
                yield member
