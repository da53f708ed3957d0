"""Container for tar archives (POSIX.1-2017 pax, GNU long names)."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from tarfile import TarError, TarInfo
from typing import ClassVar

from sdtext.errors import SdtextError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import MAX_ENTRIES
from sdtext.model import Problem
from sdtext.parts.containers import (
    Container,
    LeftOut,
    Member,
    Names,
    Salvaged,
    damaged,
    is_fork,
    partly_read,
    too_many_members,
)

_BLOCK = 512
_STEP = 1 << 16
_CODING = ("utf-8", "surrogateescape")
_HOLES = "a sparse file, which is not supported; pack it without --sparse"
_BLANK: type[TarError] = tarfile.EOFHeaderError  # type: ignore[attr-defined]  # undocumented


@dataclass(frozen=True)
class Tar(Container):
    """The files in a tar archive, which may itself be compressed.

    Folders, links, devices and macOS metadata are left out, sparse files with a warning. After a
    damaged header, other than the first, it continues at the next valid one.

    >>> from sdtext.io.decompressed_content import Content
    >>> letters = Content("tests/samples/containers/letters.tar.gz")
    >>> [(member.name, b"".join(member.blocks)[:10]) for member in Tar().members(letters)]
    [('letters/may.txt', b'Dear Anna,'), ('letters/june.txt', b'Dear Karl,')]
    """

    called: ClassVar[str] = "tar archive"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins with a header that has the magic of tar or a valid checksum."""
        head = content.head[:_BLOCK]
        return len(head) == _BLOCK and (head[257:262] == b"ustar" or _is_header(head))

    def members(self, content: Content) -> Iterator[Member | Problem]:
        """The files in the archive, in its order."""
        names, left_out = Names(), LeftOut()
        walk = _Walk(content)
        for count, header in enumerate(filter(_is_text, walk.headers())):
            if count == MAX_ENTRIES:
                raise too_many_members(content)
            name = names.given(_text(header.name))
            if header.issparse():
                left_out.add(name, _HOLES)
                continue
            blocks = Salvaged(walk.data(header.size), (EOFError,))
            yield Member(name, blocks)
            blocks.pass_over()
            yield from blocks.problem(content, name)
        yield from left_out.problems(content)
        yield from walk.problems()


class _Walk:
    """A walk through an archive from header to header."""

    def __init__(self, content: Content) -> None:
        self._content = content
        # Where blocks stand that are no headers, though one is due.
        self._lost: list[int] = []
        self._cut_off = False
        try:
            self._archive = tarfile.open(  # noqa: SIM115 (it has nothing to close)
                fileobj=content.file(), mode="r|", bufsize=_STEP, encoding=_CODING[0]
            )
        except (SdtextError, MemoryError):
            raise
        except Exception as error:  # what tarfile raises, it does not say
            raise damaged(content, Tar.called, str(error)) from error
        self._stream = self._archive.fileobj

    def headers(self) -> Iterator[TarInfo]:
        """Yield the header of each entry; unread `data` after it is skipped."""
        first = self._archive.next()
        for header in chain([first] if first else [], self._further()):
            if header.size < 0:
                self._lost.append(header.offset)
                continue
            yield header
            # Not by its `next`, which takes very long where a size is far beyond the end.
            rest = self._archive.offset - self._stream.tell()
            Salvaged(self.data(rest), (EOFError,)).pass_over()

    def data(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes; EOFError where there are fewer."""
        while size > 0:
            block = self._stream.read(min(size, _STEP))
            if not block:
                raise EOFError("it is truncated")
            size -= len(block)
            yield block

    def problems(self) -> Iterator[Problem]:
        """Problems with damaged headers and a missing end."""
        if self._lost:
            what = f"is damaged at byte {self._lost[0]}; that part is skipped"
            yield partly_read(self._content, what)
        if self._cut_off:
            yield partly_read(self._content, "is truncated; read up to its end")

    def _further(self) -> Iterator[TarInfo]:
        """Yield the headers after the first, up to the end: two blocks of zeros."""
        blank = 0
        while blank < 2:
            place = self._stream.tell()
            try:
                # Its `next` takes a damaged header for the end of the archive.
                header = TarInfo.fromtarfile(self._archive)
            except _BLANK:
                blank += 1
            except (SdtextError, MemoryError):
                raise
            except Exception:  # as above
                if self._stream.tell() == place:  # nothing was left to be read
                    self._cut_off = not blank
                    return
                self._lost.append(place)
                blank = 0
            else:
                blank = 0
                yield header


def _is_header(block: bytes) -> bool:
    try:
        return bool(TarInfo.frombuf(block, *_CODING))
    except (TarError, ValueError):
        return False


def _is_text(header: TarInfo) -> bool:
    """Whether it may be a document: a regular file without macOS metadata."""
    return header.isreg() and not is_fork(header.name)


def _text(name: str) -> str:
    """Decode a name: UTF-8, otherwise Latin-1."""
    raw = name.encode(*_CODING)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
