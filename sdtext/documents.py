"""One file: which reader is for it, its text, and its clean text in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from sdtext.errors import UnreadableError
from sdtext.model import Document, PartSpec
from sdtext.parts import build, find, names_of
from sdtext.readers.content import MAX_BYTES, Content
from sdtext.readers.encoding import check_encoding
from sdtext.readers.normal import clean, clean_with_map

_PLAIN = "text"
_OTHER_KINDS = (
    (b"%PDF-", "a PDF file, which this version of sdtext does not read yet"),
    (b"PK\x03\x04", "a zip archive or office document, which sdtext does not read yet"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"{\\rtf", "an RTF file, which this version of sdtext does not read yet"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, which sdtext does not read yet"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which this version of sdtext does not read yet"),
    (b"\x89PNG\r\n", "a picture, not text"),
    (b"\xff\xd8\xff", "a picture, not text"),
    (b"GIF8", "a picture, not text"),
    (b"\x7fELF", "a program, not text"),
    (b"SQLite format 3\x00", "a database, not text"),
)


@dataclass(frozen=True)
class Reading:
    """How files are read: in the `encoding` named or found out, unpacked to `max_bytes`."""

    encoding: str = ""
    max_bytes: int = MAX_BYTES

    def __post_init__(self) -> None:
        if self.encoding:
            check_encoding(self.encoding)


def read(path: str | Path, reading: Reading | None = None) -> Document:
    """The document in the file at `path`. Raises UnreadableError.

    >>> read("LICENSE").metadata["reader"]
    'text'
    """
    reading = reading or Reading()
    content = Content(path, reading.max_bytes)
    name, reader = _reader(content, reading)
    text = "".join(_blocks(content, reader))
    cleaned, back = clean_with_map(text, reader.normal_form)
    metadata = {"reader": name}
    if hasattr(reader, "encoding_of"):
        metadata["encoding"] = reader.encoding_of(content)
    return Document(text, cleaned, back, str(path), metadata)


def blocks(path: str | Path, reading: Reading | None = None) -> Iterator[str]:
    """The text of a file in blocks, as it was decoded or extracted. Raises UnreadableError."""
    reading = reading or Reading()
    content = Content(path, reading.max_bytes)
    yield from _blocks(content, _reader(content, reading)[1])


def documents(
    path: str | Path, boundaries: str, reading: Reading | None = None
) -> Iterator[tuple[int, Document]]:
    """A file as a row of short documents cut at `boundaries`, each with its place in the text.

    Memory does not grow with the length of the text. Raises UnreadableError.
    """
    reading = reading or Reading()
    content = Content(path, reading.max_bytes)
    _, reader = _reader(content, reading)
    place = 0
    for piece in cut_at(_blocks(content, reader), boundaries):
        yield place, Document(piece, *clean_with_map(piece, reader.normal_form), str(path))
        place += len(piece)


def clean_pieces(content: Content, boundaries: str, reading: Reading) -> Iterator[str]:
    r"""The clean text of a file in pieces, cut at `boundaries`: "\n", or " \n" for blanks too.

    Memory does not grow with the length of the text. Raises UnreadableError.
    """
    _, reader = _reader(content, reading)
    for piece in cut_at(_blocks(content, reader), boundaries):
        yield clean(piece, reader.normal_form)


def cut_at(blocks: Iterable[str], boundaries: str) -> Iterator[str]:
    r"""The text in `blocks` in other pieces, each but the last ending at a boundary.

    >>> list(cut_at(["one\ntw", "o th", "ree\n"], "\n"))
    ['one\n', 'two three\n']
    """
    held: list[str] = []
    for block in filter(None, blocks):
        if held:
            last = held.pop()
            end = max(last.rfind(boundary) for boundary in boundaries) + 1
            if end:
                yield "".join([*held, last[:end]])
                held = []
            held.append(last[end:])
        held.append(block)
    if rest := "".join(held):
        yield rest


def _reader(content: Content, reading: Reading) -> tuple[str, Any]:
    """The reader for the content, and its name before it: plain text where no other knows it."""
    head = content.head
    if not head:
        raise UnreadableError(f"{content.name}: is empty")
    special = (name for name in names_of("readers") if name != _PLAIN)
    name = next((name for name in special if find("readers", name).recognises(content)), _PLAIN)
    if name == _PLAIN:
        for begin, kind in _OTHER_KINDS:
            if head.startswith(begin):
                raise UnreadableError(f"{content.name}: is {kind}")
    return name, _built(name, reading.encoding)


@cache
def _built(name: str, encoding: str) -> Any:
    """The reader; `encoding` is for those that take one."""
    takes = any(field.name == "encoding" for field in fields(find("readers", name)))
    return build("readers", PartSpec.of(name, encoding=encoding) if takes else PartSpec(name))


def _blocks(content: Content, reader: Any) -> Iterator[str]:
    """What the reader gives, which must be more than white space."""
    blank = True
    for block in reader(content):
        blank = blank and (not block or block.isspace())
        yield block
    if blank:
        raise UnreadableError(f"{content.name}: holds no text")
