"""The same text in another layout, encoding or file format.

In a file of another format each line is a paragraph, and form feeds end pages. The writers know no
more than that. Their files have the same bytes for the same text on every machine.
"""

from __future__ import annotations

import html
import random
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, SplitText, check_choice
from sdtext.text.encoding import check_encoding
from sdtext.text.line_joins import joined_lines

_PARAGRAPH_END = re.compile(r"\s*\n[^\S\n]*\n\s*|\s*\f\s*")
_CASES: Mapping[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "title": str.title,
    "swap": str.swapcase,
}
_LINE_ENDS: Mapping[str, str] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_TYPED_LINE_END = re.compile(r"\r\n?|\n")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


@dataclass(frozen=True)
class Reflow(Mangler):
    r"""Break the lines of each paragraph anew, at most `width` characters long.

    Blank lines separate paragraphs. With `width` 0 the whole text is one line. A longer word has a
    line of its own.

    >>> Reflow(width=12)("Bees\ndance in\nhives.\n\nAnts dig.\n", random.Random(1), [])
    'Bees dance\nin hives.\n\nAnts dig.\n'
    """

    width: int = 60

    def __post_init__(self) -> None:
        if self.width < 0:
            raise OptionError.of("reflow", "width", self.width, "1 or more, or 0 for one line")

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        joined, _ = joined_lines(text)
        if not self.width:
            return "".join(_chunks(joined)).rstrip() + "\n"
        paragraphs = filter(None, map(str.strip, _PARAGRAPH_END.split(joined)))
        return "\n\n".join("\n".join(lines_of(text, self.width)) for text in paragraphs) + "\n"


def lines_of(text: str, width: int) -> Iterator[str]:
    """The words of a text in lines of at most `width` characters, or of a single word."""
    line = ""
    for chunk in _chunks(text):
        if line and len(line) + len(chunk.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += chunk
    yield line.rstrip()


def _chunks(text: str) -> Iterator[str]:
    """The words, each with a blank behind it if white space follows."""
    words = SplitText.of("words", text)
    for word, gap in zip(words.texts, words.gaps[1:], strict=True):
        yield f"{word} " if gap else word


@dataclass(frozen=True)
class Case(Mangler):
    """Write all letters as capitals, or as `to` says: `upper`, `lower`, `title` or `swap`.

    >>> Case(to="upper")("Bees dance.", random.Random(1), [])
    'BEES DANCE.'
    """

    to: str = "upper"

    def __post_init__(self) -> None:
        check_choice("case", "to", self.to, _CASES)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return _CASES[self.to](text)


@dataclass(frozen=True)
class EncodingChange(Mangler):
    r"""Write the text in the encoding `to`, with the line ends `lf`, `crlf` or `cr`.

    Characters that the encoding has not become question marks. UTF-16 and UTF-32 begin with a
    byte-order mark unless their name has a byte order, UTF-8 does as `utf-8-sig`.

    >>> mangler = EncodingChange(to="cp1252", line_ends="crlf")
    >>> mangler("Bienen tänzeln.\n蜂", random.Random(1), [])
    'Bienen tänzeln.\n?'
    >>> mangler.write("Bienen tänzeln.\n", random.Random(1))
    b'Bienen t\xe4nzeln.\r\n'
    """

    to: str = "utf-16"
    line_ends: str = "lf"

    def __post_init__(self) -> None:
        check_choice("encoding", "line_ends", self.line_ends, _LINE_ENDS)
        try:
            check_encoding(self.to)
        except OptionError as error:
            raise OptionError.of("encoding", "to", self.to, "the name of an encoding") from error

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return text.encode(self.to, "replace").decode(self.to, "replace")

    def write(self, text: str, draw: random.Random) -> bytes:
        ends = _LINE_ENDS[self.line_ends]
        return _TYPED_LINE_END.sub(lambda _: ends, text).encode(self.to, "replace")


def _as_txt(text: str) -> bytes:
    return _CONTROLS.sub(" ", text).encode()


def _paragraphs(text: str) -> Iterator[str]:
    """The lines of a text, for a format in which each is a paragraph."""
    return (_CONTROLS.sub(" ", line) for line in re.split(f"{_LINE_END.pattern}|\f", text))


def _as_html(text: str) -> bytes:
    lines = "\n".join(f"<p>{html.escape(line, quote=False)}</p>" for line in _paragraphs(text))
    head = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title></title></head><body>'
    return f"{head}\n{lines}\n</body></html>\n".encode()


def _zipped(entries: Mapping[str, str]) -> bytes:
    """A ZIP file whose first entry is not compressed if it is called "mimetype"."""
    output = BytesIO()
    with ZipFile(output, "w") as archive:
        for name, text in entries.items():
            packing = ZIP_STORED if name == "mimetype" else ZIP_DEFLATED
            archive.writestr(ZipInfo(name), text.encode(), packing)
    return output.getvalue()


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGES = "http://schemas.openxmlformats.org/package/2006"
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _as_docx(text: str) -> bytes:
    lines = "".join(
        f'<w:p><w:r><w:t xml:space="preserve">{html.escape(line, quote=False)}</w:t></w:r></w:p>'
        for line in _paragraphs(text)
    )
    types = (
        f'{_XML}<Types xmlns="{_PACKAGES}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}"/></Types>'
    )
    relations = (
        f'{_XML}<Relationships xmlns="{_PACKAGES}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}" Target="word/document.xml"/></Relationships>'
    )
    body = f'{_XML}<w:document xmlns:w="{_WORDS}"><w:body>{lines}</w:body></w:document>'
    return _zipped(
        {"[Content_Types].xml": types, "_rels/.rels": relations, "word/document.xml": body}
    )


_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_ODT = "application/vnd.oasis.opendocument.text"
_BLANKS = re.compile(r"^ | (?= )|\t")


def _as_odt(text: str) -> bytes:
    # Runs of blanks are elements of their own, since programs join them.
    lines = "".join(
        "<text:p>"
        + _BLANKS.sub(
            lambda match: "<text:tab/>" if match[0] == "\t" else "<text:s/>",
            html.escape(line, quote=False),
        )
        + "</text:p>"
        for line in _paragraphs(text)
    )
    content = (
        f'{_XML}<office:document-content office:version="1.2" xmlns:office="{_ODF}:office:1.0" '
        f'xmlns:text="{_ODF}:text:1.0"><office:body><office:text>{lines}</office:text>'
        "</office:body></office:document-content>"
    )
    manifest = (
        f'{_XML}<manifest:manifest manifest:version="1.2" '
        f'xmlns:manifest="{_ODF}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_ODT}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>"
    )
    return _zipped({"mimetype": _ODT, "META-INF/manifest.xml": manifest, "content.xml": content})


_RTF_SIGNS = re.compile(r"[\\{}\t]|[^\x00-\x7f]")


def _rtf_sign(match: re.Match[str]) -> str:
    if match[0] == "\t":
        return r"\tab "
    if match[0].isascii():
        return f"\\{match[0]}"
    pairs = match[0].encode("utf-16-le")
    units = (pairs[place : place + 2] for place in range(0, len(pairs), 2))
    return "".join(f"\\u{int.from_bytes(unit, 'little', signed=True)}?" for unit in units)


def _as_rtf(text: str) -> bytes:
    lines = "".join(f"{_RTF_SIGNS.sub(_rtf_sign, line)}\\par\n" for line in _paragraphs(text))
    head = r"{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0 Courier;}}\f0\fs20"
    return f"{head}\n{lines}}}\n".encode("ascii")


_COLUMNS, _LINES = 80, 56  # of an A4 page in letters of 10 points
_STREAM = b"<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream"
_MAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def
/CMapType 2 def 1 begincodespacerange <0000> <FFFF> endcodespacerange
%s
endcmap CMapName currentdict /CMap defineresource pop end end
"""
_ROWS = 100  # of a block of the map


@dataclass(frozen=True)
class _Font:
    """A font, and the code of each character of a text in it."""

    objects: Sequence[bytes]
    codes: Mapping[str, bytes]

    @classmethod
    def of(cls, text: str) -> _Font:
        """Courier for Western European text, else one that programs can read and none can draw."""
        signs = sorted(set(text))
        try:
            codes = {sign: sign.encode("cp1252") for sign in signs}
        except UnicodeEncodeError:
            return cls.without_shapes(signs)
        courier = b"<</Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding>>"
        return cls([courier], codes)

    @classmethod
    def without_shapes(cls, signs: Sequence[str]) -> _Font:
        """A font of numbered characters with a map from numbers to characters (PDF 1.7, 9.10.3)."""
        codes = {sign: number.to_bytes(2, "big") for number, sign in enumerate(signs, 1)}
        rows = [
            b"<%s> <%s>" % (code.hex().encode(), sign.encode("utf-16-be").hex().encode())
            for sign, code in codes.items()
        ]
        blocks = (rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS))
        rows_of_map = b"\n".join(
            b"%d beginbfchar\n%s\nendbfchar" % (len(block), b"\n".join(block)) for block in blocks
        )
        whole = b"<</Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H"
        part = b"<</Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 600 /FontDescriptor 6 0 R"
        system = b" /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>"
        shape = b"/Flags 4 /FontBBox [0 -200 600 800] /ItalicAngle 0 /Ascent 800 /Descent -200"
        return cls(
            [
                whole + b" /DescendantFonts [4 0 R] /ToUnicode 5 0 R>>",
                part + system,
                _stream(_MAP % rows_of_map),
                b"<</Type /FontDescriptor /FontName /X %s /CapHeight 700 /StemV 80>>" % shape,
            ],
            codes,
        )

    def shown(self, line: str) -> bytes:
        """The operator that shows a line."""
        return b"<%s> Tj" % b"".join(self.codes[sign] for sign in line).hex().encode()


def _stream(content: bytes) -> bytes:
    packed = zlib.compress(content)
    return _STREAM % (len(packed), packed)


_FROM_RIGHT = "\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT = re.compile(f"[{_FROM_RIGHT}]")
_LEFT_TO_RIGHT = re.compile(rf"[^\W{_FROM_RIGHT}](?:[\w.,:/-]*[^\W{_FROM_RIGHT}])?")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def _visual(line: str) -> str:
    """A line in the order of its letters on paper: of Arabic and Hebrew text, the last first.

    >>> _visual("עד 2024")
    '2024 דע'
    """
    if not _RIGHT_TO_LEFT.search(line):
        return line
    return _LEFT_TO_RIGHT.sub(lambda match: match[0][::-1], line)[::-1].translate(_MIRRORED)


def _pages(text: str) -> Iterator[list[str]]:
    """The lines of each page; longer ones than a page is wide are broken."""
    for page in text.split("\f"):
        lines = [
            _visual(part)
            for line in _LINE_END.split(page)
            for part in lines_of(_CONTROLS.sub(" ", line.expandtabs()), _COLUMNS)
        ]
        for start in range(0, len(lines), _LINES):
            yield lines[start : start + _LINES]


def _as_pdf(text: str) -> bytes:
    pages = list(_pages(text))
    font = _Font.of("".join(line for page in pages for line in page))
    first = 3 + len(font.objects)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [%s] /Count %d>>" % (kids, len(pages)),
        *font.objects,
    ]
    for number, page in enumerate(pages):
        lines = b" 0 -13 Td\n".join(map(font.shown, page))
        objects += [
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources <</Font <</F 3 0 R>>>>>>" % (first + 2 * number + 1),
            _stream(b"BT /F 10 Tf 57 785 Td\n%s\nET" % lines),
        ]
    return _pdf_of(objects)


def _pdf_of(objects: Sequence[bytes]) -> bytes:
    """The file of these objects, numbered from 1; the first is the catalog."""
    file, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table, size = len(file), len(objects) + 1
    file += b"xref\n0 %d\n0000000000 65535 f \n" % size
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, table)
    return bytes(file)


_WRITERS: Mapping[str, Callable[[str], bytes]] = {
    "txt": _as_txt,
    "html": _as_html,
    "docx": _as_docx,
    "odt": _as_odt,
    "rtf": _as_rtf,
    "pdf": _as_pdf,
}


@dataclass(frozen=True)
class FileFormat(Mangler):
    """Write the text as a file of the format `to`: `txt`, `html`, `docx`, `odt`, `rtf` or `pdf`.

    Each line is a paragraph, in a PDF file a line. PDF files of other than Western European text
    are read by programs, but no font in them draws the letters.

    >>> mangler = FileFormat(to="rtf")
    >>> mangler.suffix, mangler("Bees dance.", random.Random(1), [])
    ('.rtf', 'Bees dance.')
    """

    to: str = "html"

    def __post_init__(self) -> None:
        check_choice("format", "to", self.to, _WRITERS)

    @property
    def suffix(self) -> str:
        return f".{self.to}"

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        return text

    def write(self, text: str, draw: random.Random) -> bytes:
        return _WRITERS[self.to](text)
