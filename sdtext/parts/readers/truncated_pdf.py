"""A truncated PDF file, completed by what was at its end: its catalog and its list of pages."""

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from os import SEEK_END
from typing import BinaryIO

_END = 2048  # bytes that say where the table of objects is
_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s{1,9}\d{1,5}\s{1,9}obj\b")
_PAGE = re.compile(rb"/Type\s{0,9}/Page(?![A-Za-z])")
_PACKED = re.compile(rb"/Type\s{0,9}/ObjStm\b")
_FIRST = re.compile(rb"/First\s{1,9}(\d{1,9})")
_MOST = 1 << 26  # bytes out of one stream of objects
_MOST_PAGES = 100_000


def is_truncated(file: BinaryIO) -> bool:
    """Whether a file lacks its end. It is read from its begin afterwards.

    >>> with open("tests/samples/documents/draft.pdf", "rb") as file:
    ...     is_truncated(file)
    False
    """
    file.seek(max(0, file.seek(0, SEEK_END) - _END))
    end = file.read()
    file.seek(0)
    return b"startxref" not in end and b"%%EOF" not in end


def completed(data: bytes) -> bytes:
    """A truncated file with a catalog of the pages that are left; the file itself if none is.

    An object that is cut is left out. Those in streams of objects are written out, since nothing
    lists them any more.
    """
    places = [match.start() for match in _OBJECT.finditer(data)]
    end = len(data) if not places or data.find(b"endobj", places[-1]) >= 0 else places[-1]
    pages: list[int] = []
    loose: dict[int, bytes] = {}
    for start, stop in pairwise([*(place for place in places if place < end), end]):
        number, body = _numbered(data[start:stop])
        head, _, stream = body.partition(b"stream")
        if _PACKED.search(head):
            loose.update(_unpacked(head, stream))
        elif _PAGE.search(head):
            pages.append(number)
    pages += [number for number, body in loose.items() if _PAGE.search(body)]
    if not pages or b"/Encrypt" in data:
        return data
    kids = b" ".join(b"%d 0 R" % number for number in dict.fromkeys(pages[:_MOST_PAGES]))
    free = 1 + max(0, *loose, *(_numbered(data[place : place + 20])[0] for place in places))
    loose[free] = b"<</Type /Catalog /Pages %d 0 R>>" % (free + 1)
    loose[free + 1] = b"<</Type /Pages /Kids [%s] /Count %d>>" % (kids, kids.count(b"R"))
    written = b"".join(b"\n%d 0 obj\n%s\nendobj" % each for each in loose.items())
    trailer = b"\ntrailer\n<</Root %d 0 R /Size %d>>\nstartxref\n0\n%%%%EOF\n" % (free, free + 2)
    return data[:end] + written + trailer


def _numbered(data: bytes) -> tuple[int, bytes]:
    """The number of the object with which the data begins, and what follows."""
    number, _, rest = data.partition(b"obj")
    return int(number.split()[0]), rest


def _unpacked(head: bytes, stream: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects in a stream of objects (ISO 32000-2, 7.5.7), with their numbers."""
    with suppress(zlib.error, ValueError):
        data = stream.lstrip(b"\r\n")
        if b"FlateDecode" in head:
            data = zlib.decompressobj().decompress(data, _MOST)
        first = _FIRST.search(head)
        start = int(first[1]) if first else 0
        numbers = [int(number) for number in data[:start].split()]
        places = [start + place for place in numbers[1::2]]
        for number, (begin, end) in zip(numbers[::2], pairwise([*places, len(data)]), strict=False):
            yield number, data[begin:end]
