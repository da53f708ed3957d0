"""A tiny writer of PDF files: the same bytes for the same text, for tests alone."""

import shutil
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from sdtext.model import PartSpec
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.document import Document

# A font of no known name, lest an engine takes its own measures or glyphs for granted.
_FONT = (
    b"<</Type /Font /Subtype /Type1 /BaseFont /Sample /FirstChar 0 /LastChar 255 /Widths [%s]"
    b" /FontDescriptor 5 0 R /ToUnicode 4 0 R>>"
)
_DESCRIPTOR = (
    b"<</Type /FontDescriptor /FontName /Sample /Flags 33 /FontBBox [0 -200 600 800]"
    b" /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 600 /StemV 50>>"
)
_PAGE = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Resources %s /Contents %d 0 R>>"


@dataclass(frozen=True)
class Stream:
    """A stream with its dictionary; `packed` by Flate."""

    data: bytes
    entries: bytes = b""
    packed: bool = False

    def written(self) -> bytes:
        """The object as it stands in a file."""
        data = zlib.compress(self.data) if self.packed else self.data
        entries = self.entries + (b" /Filter /FlateDecode" if self.packed else b"")
        return b"<<%s /Length %d>>\nstream\n%s\nendstream" % (entries, len(data), data)


def assembled(objects: Sequence[bytes | Stream]) -> bytes:
    """The file of these objects, numbered from 1; the first is the catalog."""
    file, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, first in enumerate(objects, 1):
        places.append(len(file))
        body = first if isinstance(first, bytes) else first.written()
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    xref, size = len(file), len(objects) + 1
    file += b"xref\n0 %d\n0000000000 65535 f \n" % size
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, xref)
    return bytes(file)


def pdf(pages: Sequence[str], *, packed: bool = False) -> bytes:
    """A file with these pages, line by line; up to 128 characters beyond ASCII."""
    codes = _codes("".join(pages))
    contents = [Stream(shown(page, codes), packed=packed) for page in pages]
    return bare(contents, Stream(to_unicode_map(codes), packed=packed))


def bare(
    contents: Sequence[Stream],
    to_unicode: Stream | None = None,
    others: Sequence[bytes | Stream] = (),
    catalog: bytes = b"",
) -> bytes:
    """A file with a page for each of `contents`, and further entries of its catalog.

    `others` are further objects, numbered from 6; the first is called X on every page.
    """
    first = 6 + len(others)
    pages = range(first, first + 2 * len(contents), 2)
    kids = b" ".join(b"%d 0 R" % place for place in pages)
    objects: list[bytes | Stream] = [
        b"<</Type /Catalog /Pages 2 0 R%s>>" % catalog,
        b"<</Type /Pages /Kids [%s] /Count %d>>" % (kids, len(contents)),
        _FONT % b" ".join([b"600"] * 256), to_unicode or Stream(to_unicode_map({})), _DESCRIPTOR,
        *others,
    ]  # fmt: skip
    x_object = b" /XObject <</X 6 0 R>>" if others else b""
    for place, content in zip(pages, contents, strict=True):
        resources = b"<</Font <</F 3 0 R>>%s>>" % x_object
        objects += [_PAGE % (resources, place + 1), content]
    return assembled(objects)


def shown(text: str, codes: Mapping[str, int] | None = None) -> bytes:
    """The operators that show `text` line by line, 14 points apart, from the top of a page."""
    codes = codes or {}
    lines = [bytes(codes.get(char, ord(char)) for char in line) for line in text.split("\n")]
    moves = b" 0 -14 Td\n".join(b"(%s) Tj" % _escaped(line) for line in lines)
    return b"BT /F 10 Tf 72 800 Td\n%s\nET" % moves


def scan() -> bytes:
    picture = Stream(
        b"\x00\xff\x00\xff",
        b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8"
        b" /ColorSpace /DeviceGray",
    )
    return bare([Stream(b"q 500 0 0 700 50 50 cm /X Do Q")], others=[picture])


def _codes(text: str) -> dict[str, int]:
    """A code for each character: its own in ASCII, else the next from 128 on."""
    others = sorted({char for char in text if not char.isascii()})
    return {char: 128 + place for place, char in enumerate(others)}


def _escaped(line: bytes) -> bytes:
    return b"".join(b"\\%03o" % byte if byte in b"()\\\r\n" else bytes([byte]) for byte in line)


def to_unicode_map(codes: Mapping[str, int]) -> bytes:
    """The map from codes to characters, for text that is copied (PDF 1.7, 9.10.3)."""
    own = {chr(code): code for code in range(32, 127)}
    rows = [
        b"<%02X> <%s>" % (code, char.encode("utf-16-be").hex().encode("ascii"))
        for char, code in {**own, **codes}.items()
    ]
    return (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        b"/CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange\n"
        + b"".join(
            b"%d beginbfchar\n%s\nendbfchar\n" % (len(some), b"\n".join(some))
            for some in (rows[:100], rows[100:200], rows[200:])
            if some
        )
        + b"endcmap CMapName currentdict /CMap defineresource pop end end\n"
    )


needs_poppler = pytest.mark.skipif(
    not shutil.which("pdftotext"), reason="poppler's pdftotext is not installed"
)
ENGINES = ["pypdfium2", "pdfminer", pytest.param("pdftotext", marks=needs_poppler)]
LIBRARIES = {
    "pypdfium2": f"pypdfium2 {version('pypdfium2')}",
    "pdfminer": f"pdfminer.six {version('pdfminer.six')}",
    "pdftotext": "poppler ",
}
ENCRYPTED = Path(__file__).parents[2] / "samples" / "encrypted"
LOCKED = (ENCRYPTED / "locked.pdf").read_bytes()
"""An encrypted file that opens with a password alone."""
TWO = pdf(["The first page has words\nin two lines", "and the second one more"])
WORDS = "The first page has words in two lines and the second one more"


def document(path: Path, data: bytes, engine: str = "", **options: Any) -> Document:
    path.write_bytes(data)
    spec = PartSpec.of("pdf", engine=engine, **options)
    return read(path, reading=Reading(readers=(spec,) if engine else ()))


def words_of(actual: Document) -> str:
    return " ".join(actual.clean.split())
