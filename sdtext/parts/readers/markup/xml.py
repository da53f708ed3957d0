"""Reader of XML files of any vocabulary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.entities import html5
from typing import ClassVar
from xml.parsers import expat

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.text.encoding import Encoding, decoded, find_encoding

_DEPTH = 10_000
_NAME = rb"[A-Za-z_:\x80-\xff][\w:.\x80-\xff-]*"
# Atomic and possessive, lest many comments be taken together in all the ways there are.
_COMMENTS = rb"(?>\s*<!--.*?-->|\s*<\?.*?\?>)*+\s*"
_DECLARED = re.compile(rb"<\?xml\s")
_DOCTYPE = re.compile(_COMMENTS + rb"<!DOCTYPE\s+(?!(?i:html)\b)" + _NAME, re.DOTALL)
_ATTRIBUTE = rb"\s+" + _NAME + rb"""\s*=\s*(?:"[^"<]*"|'[^'<]*')"""
_TAG = re.compile(_COMMENTS + rb"<" + _NAME + rb"((?:" + _ATTRIBUTE + rb")*+)\s*/?>", re.DOTALL)
_SPACES_NAMED = re.compile(rb"\sxmlns(?::\w+)?\s*=")
_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})["']""")
_DECLARATION = re.compile(r"\s*<\?xml\s[^>]*\?>")
_SPACE = re.compile(r"[ \t\n\r]+")
# Empty elements between words that stand for the end of a line, in pages, TEI and OpenDocument.
_ENDS = frozenset({"br", "lb", "cb", "pb", "break", "line-break"})
# Elements with text that nobody reads, by the outermost element.
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "svg": frozenset({"style", "script", "metadata"}),
    "html": frozenset({"style", "script"}),
    "FictionBook": frozenset({"binary", "stylesheet"}),
    "wordDocument": frozenset({"binData", "docOleData"}),
    "package": frozenset({"binaryData"}),
    "document": frozenset({"binary-data"}),
}


@dataclass(frozen=True)
class Xml(Reader):
    r"""The character data of an XML file, one line for each element.

    An element between words of text does not break the line. White space is folded; an empty line
    in the data ends a line. Attributes and comments are left out; no external entity is loaded.

    >>> from sdtext.io.decompressed_content import Content
    >>> place = folder / "bees.xml"
    >>> place.write_text("<?xml version='1.0'?><a><b>Bees <i>dance</i>.</b><c n='1'>So</c></a>")
    68
    >>> "".join(Xml()(Content(place)))
    'Bees dance.\nSo\n'
    """

    encoding: str = ""
    called: ClassVar[str] = "XML file"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as XML does: declared, or with a name space or a document type.

        A page of HTML does as well, and its reader is asked first.
        """
        head = content.head
        plain = head.replace(b"\x00", b"") if b"\x00" in head[:64] else head
        plain = plain.removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe").lstrip()
        if _DECLARED.match(plain) or _DOCTYPE.match(plain):
            return True
        tag = _TAG.match(plain)
        return tag is not None and _SPACES_NAMED.search(tag[1]) is not None

    def encoding_of(self, content: Content) -> Encoding:
        """The encoding by which `content` is read."""
        if self.encoding:
            return Encoding(self.encoding, named=True)
        match = _ENCODING.search(content.head)
        return find_encoding(content, match[1].decode("ascii") if match else "")

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        lines = _XmlLines(content)
        parser = _parser(lines)
        some = False
        try:
            for text in _whole(content, encoding):
                parser.Parse(text.encode("utf-8"), not text)
                taken = lines.taken()
                some = some or bool(taken)
                yield taken
        except expat.ExpatError as error:
            lines.end()
            rest = lines.taken()
            yield rest
            why = f"{expat.ErrorString(error.code)}, line {error.lineno}"
            if not (some or rest):
                raise UnreadableError(
                    f"is a damaged XML file ({why}); get a new copy from its source",
                    file=content.name,
                ) from error
            yield Problem(
                "warning",
                "partly-read",
                f"{content.name}: is a damaged XML file ({why}), read up to there",
            )


def _whole(content: Content, encoding: Encoding) -> Iterator[str]:
    """The file in blocks of text, then an empty one."""
    size = 0
    for text in decoded(content, encoding.name, encoding.errors):
        size += len(text)
        if size > content.max_bytes:
            raise UnreadableError(
                f"is an XML file of more than {content.max_bytes:,} characters; "
                "raise the limit with Reading(max_bytes=…) if you trust it",
                file=content.name,
            )
        if text:
            # What it declares is settled: it is read as text, and its entities as far as known.
            yield _DECLARATION.sub(_line_ends, text, count=1) if size == len(text) else text
    yield ""


def _line_ends(match: re.Match[str]) -> str:
    """As many line ends as there are, so that the lines keep their numbers."""
    return "\n" * match[0].count("\n")


def _parser(lines: _XmlLines) -> expat.XMLParserType:
    """A parser that reports events to `lines` and loads nothing from outside."""
    parser = expat.ParserCreate("utf-8")
    # As if there were a document type of which nothing is known: an entity that is declared
    # nowhere is passed on by its name then, and does not end the reading.
    parser.UseForeignDTD(True)  # noqa: FBT003 (its form)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.ExternalEntityRefHandler = lambda *_: 1
    parser.StartDoctypeDeclHandler = lines.doctype
    parser.SkippedEntityHandler = lines.entity
    parser.StartElementHandler = lines.start
    parser.EndElementHandler = lines.end_tag
    parser.CharacterDataHandler = lines.data
    return parser


class _XmlLines:
    """Parser target that collects a file into lines."""

    def __init__(self, content: Content) -> None:
        self._name = content.name
        self._pieces: list[str] = []
        self._run: list[str] = []  # text since the last tag
        self._last = "\n"
        self._blank = False  # whether white space stands before what comes next
        self._parted = False  # whether what comes next begins a line, unless it is text
        self._mixed: list[bool] = []  # for each open element, whether text was found right in it
        self._left_out: frozenset[str] = frozenset()
        self._silent = 0

    def doctype(self, _name: str, _system: str | None, _public: str | None, within: int) -> None:
        """A document type. One that only names a file is ignored, and the file is not read."""
        if within:
            raise UnreadableError(
                "has a document type with declarations of its own (between [ and "
                "]), which can do harm; remove them if you trust it",
                file=self._name,
            )

    def entity(self, name: str, is_parameter: int) -> None:
        """An entity that is not declared: HTML's are known everywhere, others stay as they are."""
        if not (is_parameter or self._silent):
            self._run.append(html5.get(f"{name};", f"&{name};"))

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """A start tag."""
        self._end_run()
        if len(self._mixed) == _DEPTH:
            raise UnreadableError(
                f"is an XML file with elements over {_DEPTH} deep, which only malicious files have",
                file=self._name,
            )
        local = name.rpartition(":")[2]
        if not self._mixed:
            self._left_out = _LEFT_OUT.get(local, frozenset())
        if self._silent or local in self._left_out:
            self._silent += 1
        elif self._parted or (local in _ENDS and attributes.get("break") != "no"):
            self._break()
        self._mixed.append(False)

    def end_tag(self, _name: str) -> None:
        """An end tag. It parts words, unless they stand in one element with text beside it."""
        self._end_run()
        self._mixed.pop()
        if self._silent:
            self._silent -= 1
        elif not self._mixed:
            self._break()
        elif not self._mixed[-1]:
            self._parted = True

    def data(self, data: str) -> None:
        """Text between tags."""
        if not self._silent:
            self._run.append(data)

    def end(self) -> None:
        """The end of the file."""
        if self._mixed:
            self._end_run()
        self._break()

    def taken(self) -> str:
        """The text collected since the last call."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def _end_run(self) -> None:
        """Classify the text that a tag ends: words, or space between elements."""
        text = "".join(self._run)
        self._run.clear()
        words = text.strip(" \t\n\r")
        if words:
            self._mixed[-1] = True
            self._parted = False
            self._add(text, words)
        elif text and self._mixed and self._mixed[-1]:
            self._blank = True

    def _add(self, text: str, words: str) -> None:
        if (self._blank or text[0] != words[0]) and self._last != "\n":
            self._pieces.append(" ")
        self._pieces.append(_SPACE.sub(_end_or_blank, words))
        self._last = words[-1]
        self._blank = text[-1] != words[-1]

    def _break(self) -> None:
        self._blank = self._parted = False
        if self._last != "\n":
            self._pieces.append("\n")
            self._last = "\n"


def _end_or_blank(match: re.Match[str]) -> str:
    """The replacement of white space within a text: a line end or a blank."""
    return "\n" if match[0].count("\n") > 1 else " "
