"""The reader of RTF files (Rich Text Format 1.9.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from sys import maxunicode
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from sdtext.errors import UnreadableError
from sdtext.model import Problem
from sdtext.readers.rtf_stories import Stories
from sdtext.readers.rtf_words import CHARSETS, CODE_PAGES, HIDDEN, SHOWN, SIGNS, STORIES, codec_of

if TYPE_CHECKING:
    from sdtext.model import Heading
    from sdtext.readers.content import Content

_KIND = "RTF file"
_DEPTH = 10_000
_LEVELS = 9  # of headings; the next number means that a paragraph is none
_SIGNS_OF_A_FONT = range(0xF000, 0xF100)  # Word's numbers for those of symbol fonts
_HEADING = re.compile(r"heading ([1-9])\b", re.IGNORECASE)
_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?[0-9]{1,10})? ?"  # a control word with its number
    rb"|\\'([0-9A-Fa-f]{2})"
    rb"|\\([^A-Za-z])"
    rb"|([{}])"
    rb"|([^\\{}\r\n\0]+)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Rtf:
    r"""The text of an RTF file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then notes, then
    headers and footers, each once. Inserted text is read; deleted text, comments, the codes of
    fields, the numbers of lists and pictures are not.

    >>> from sdtext.readers.content import Content
    >>> place = folder / "bees.rtf"
    >>> place.write_bytes(rb"{\rtf1\ansi Bees {\b dance}.\par\u8211? caf\'e9}")
    48
    >>> "".join(Rtf()(Content(place)))
    'Bees dance.\n– café\n'
    """

    called: ClassVar[str] = _KIND
    normal_form: ClassVar[str] = "NFC"
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as an RTF file does."""
        return content.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf")

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        reading = _Reading(content.name)
        reading.read(content.whole())
        yield from reading.stories.blocks()
        if not reading.ended:
            message = f"{content.name}: is a damaged {_KIND}: it breaks off before its end"
            yield Problem("warning", "partly-read", message)


class _Group(NamedTuple):
    """What holds until the group ends that it was said in."""

    story: str = "body"
    hidden: str = ""
    deleted: bool = False
    font: int | None = None
    fallback: int = 1  # bytes behind a \\u, for programs that do not know it
    level: int = 0  # of a heading; 0 for other paragraphs
    style: int = -1


class _Reading:
    """A file on its way, token by token, into stories."""

    def __init__(self, name: str) -> None:
        self.stories = Stories()
        self.ended = False
        self._name = name
        self._group = _Group()
        self._groups: list[_Group] = []
        self._starred = False
        self._skip = 0
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._first_font: int | None = None
        self._levels: dict[int, int] = {}  # of the styles of headings, by number
        self._bytes = bytearray()

    def read(self, data: bytes) -> None:
        """Read the whole file."""
        place = 0
        while place < len(data) and not self.ended:
            place = self._read_on(data, place)
        self._flush()

    def _read_on(self, data: bytes, place: int) -> int:
        """Read up to the end, or to binary data; where to go on."""
        for match in _TOKEN.finditer(data, place):
            word, number, code, sign, brace, text = match.groups()
            if text or code:
                self._add_bytes(text or bytes.fromhex(code.decode("ascii")))
            elif brace:
                self._flush()
                self._brace(brace)
                if self.ended:
                    break
            elif word == b"bin":
                return match.end() + max(0, int(number or 0))
            else:
                self._control(word or sign, int(number or 0), given=bool(number))
        return len(data)

    def _brace(self, brace: bytes) -> None:
        self._starred, self._skip = False, 0
        if brace == b"{":
            if len(self._groups) == _DEPTH:
                raise UnreadableError(
                    f"{self._name}: is a damaged {_KIND} (groups over {_DEPTH} deep); "
                    "get it anew from its source"
                )
            self._groups.append(self._group)
            return
        before = self._groups.pop() if self._groups else self._group
        if self._group.story == "style":
            self._end_style()
        if before.story != self._group.story:
            self.stories.end(self._group.story)
        self._group = before
        self.ended = not self._groups

    def _control(self, word: bytes, number: int, *, given: bool) -> None:
        """A control word, or a sign behind a backslash."""
        self._flush()
        self._skip = 0
        starred, self._starred = self._starred, word == b"*"
        if act := _ACTS.get(word):
            act(self, number if given else _USUAL.get(word, 0))
        elif word in SIGNS:
            self._add(SIGNS[word])
        elif word in STORIES:
            self._begin(STORIES[word])
        elif word in HIDDEN or (starred and word not in SHOWN) or _is_mathematical_form(word):
            self._group = self._group._replace(hidden="all")

    def _begin(self, story: str) -> None:
        if not self._group.hidden:
            self.stories.end_begun(story)  # where it stands in one of its own kind
            self._group = self._group._replace(story=story, level=0)

    def _add_bytes(self, data: bytes) -> None:
        """Bytes in the code page that holds; one character's may come in several pieces."""
        self._starred = False
        if self._skip:
            skip = self._skip
            self._skip = max(0, skip - len(data))
            data = data[skip:]
        if not (self._group.hidden or self._group.deleted):
            self._bytes += data

    def _flush(self) -> None:
        """Decode the bytes gathered so far."""
        if self._bytes:
            font = self._first_font if self._group.font is None else self._group.font
            codec = self._codec if font is None else self._fonts.get(font, self._codec)
            text = (
                self._bytes.decode("ascii", "ignore")
                if codec == "symbol"
                else self._bytes.decode(codec, "replace")
            )
            self._bytes.clear()
            self._add(text)

    def _add(self, text: str) -> None:
        if not (self._group.hidden or self._group.deleted):
            self.stories.add(self._group.story, text)

    def end_paragraph(self, _: int) -> None:
        if not (self._group.hidden or self._group.deleted):
            self.stories.end_line(self._group.story, self._group.level)

    def end_begun(self, _: int) -> None:
        """What ends a paragraph only where one has begun: a cell, a page."""
        if not self._group.hidden:
            self.stories.end_begun(self._group.story, self._group.level)

    def add_code_point(self, number: int) -> None:
        """A character by its number, which is signed and may be half a pair."""
        code = number if 0 <= number <= maxunicode else number % 0x10000
        if code not in _SIGNS_OF_A_FONT:
            self._add(chr(code))
        self._skip = self._group.fallback

    def set_fallback(self, number: int) -> None:
        self._group = self._group._replace(fallback=max(0, number))

    def set_level(self, number: int) -> None:
        self._group = self._group._replace(level=number + 1 if 0 <= number < _LEVELS else 0)

    def set_style(self, number: int) -> None:
        self._group = self._group._replace(style=number, level=self._levels.get(number, 0))

    def _end_style(self) -> None:
        """Note what a style says of its paragraphs, or its name does, which is always English."""
        if named := _HEADING.match(self.stories.style_name()):
            self._levels[self._group.style] = int(named[1])
        if self._group.level:
            self._levels[self._group.style] = self._group.level

    def reset_paragraph(self, _: int) -> None:
        self._group = self._group._replace(level=0, style=-1)

    def reset_characters(self, _: int) -> None:
        self._group = self._group._replace(font=None, deleted=False)

    def set_deleted(self, number: int) -> None:
        self._group = self._group._replace(deleted=bool(number))

    def set_font(self, number: int) -> None:
        self._group = self._group._replace(font=number)

    def set_first_font(self, number: int) -> None:
        self._first_font = number

    def set_charset(self, number: int) -> None:
        """The character set of the font that the table of fonts is about."""
        if self._group.font is not None and number in CHARSETS:
            self._fonts[self._group.font] = CHARSETS[number]

    def set_code_page(self, number: int) -> None:
        self._codec = codec_of(number) or self._codec

    def begin_alternatives(self, _: int) -> None:
        """The same text twice: for old programs, then in Unicode."""
        if not self._group.hidden:
            self._group = self._group._replace(hidden="alternative")

    def begin_alternative(self, _: int) -> None:
        if self._group.hidden == "alternative":
            self._group = self._group._replace(hidden="")


def _code_page(name: str) -> Callable[[_Reading, int], None]:
    def set_codec(reading: _Reading, _: int) -> None:
        reading._codec = name  # noqa: SLF001 (its own table)

    return set_codec


def _is_mathematical_form(word: bytes) -> bool:
    """Whether a word begins the properties of a part of an equation."""
    return word[:1] == b"m" and word[-2:] == b"Pr"


_USUAL = {b"uc": 1, b"deleted": 1}
_ACTS: Mapping[bytes, Callable[[_Reading, int], None]] = {
    b"par": _Reading.end_paragraph,
    b"\n": _Reading.end_paragraph,
    b"\r": _Reading.end_paragraph,
    **dict.fromkeys((b"cell", b"nestcell", b"sect", b"page"), _Reading.end_begun),
    b"u": _Reading.add_code_point,
    b"uc": _Reading.set_fallback,
    b"outlinelevel": _Reading.set_level,
    b"s": _Reading.set_style,
    b"pard": _Reading.reset_paragraph,
    b"plain": _Reading.reset_characters,
    b"deleted": _Reading.set_deleted,
    b"f": _Reading.set_font,
    b"deff": _Reading.set_first_font,
    b"fcharset": _Reading.set_charset,
    b"ansicpg": _Reading.set_code_page,
    b"upr": _Reading.begin_alternatives,
    b"ud": _Reading.begin_alternative,
    **{word: _code_page(name) for word, name in CODE_PAGES.items()},
}
