"""Reader of RTF files (Rich Text Format 1.9.1), by striprtf.

striprtf skips notes, headers, boxes and equations, separates table cells by bars, knows no
double-byte character set unless both bytes are escaped, and trusts the numbers it is given. So the
source is rewritten first: control characters, which no text contains, mark where such parts begin
and end, and what striprtf cannot use is repaired or left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from sys import maxunicode
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers import ParagraphReader
from sdtext.parts.readers.heading_collector import MAX_TITLE
from sdtext.text.encoding import paired

BODY, BOX, NOTE, MARGIN = "\1\2\3\4"
"""The mark at the start of a separate text."""
END = "\5"
"""The mark at its end."""
CUT = "\x1e"
"""The mark that ends a paragraph if one is open: a cell, a section."""
LEVELS = "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19"
"""The marks of headings of levels 1 to 9, and the mark of a line that is none."""

_DEPTH = 10_000
_SIGNS_OF_A_FONT = range(0xF000, 0xF100)  # Word's numbers for those of symbol fonts
_TOKEN = re.compile(
    rb"(?P<star>\\\*[\r\n]*)?\\(?P<word>[A-Za-z]{1,32})(?P<number>-?[0-9]{1,10})? ?"
    rb"|\\'(?P<code>[0-9A-Fa-f]{2})"
    rb"|\\(?P<sign>[^A-Za-z])"
    rb"|(?P<brace>[{}])"
    rb"|(?P<text>[^\\{}\0-\x08\n-\x1f]+)",
    re.DOTALL,
)
# Names of styles are always English.
_HEADING = re.compile(
    rb"\{\\s([0-9]+)(?:[^{}]*\\[a-z]+-?[0-9]*)?\s*heading ([1-9])\b[^{}\\]*;\}", re.IGNORECASE
)


def _sign(character: str) -> bytes:
    r"""A character that no \u before it takes for its substitute."""
    return rb"{\uc0\u%d}" % ord(character)


_GROUP_END = b"}"
_STORY_END = b"}" + _sign(END) + b"}"
_DATA_END = b"}\n"  # that of pictures and the like: megabytes in hexadecimal digits
_STORIES: Mapping[bytes, str] = {
    b"footnote": NOTE,
    **dict.fromkeys((b"shptxt", b"dptxbxtext"), BOX),
    **dict.fromkeys((b"header", b"headerl", b"headerr", b"headerf"), MARGIN),
    **dict.fromkeys((b"footer", b"footerl", b"footerr", b"footerf"), MARGIN),
}
# striprtf searches for links from each field to the end of the file, and tells their targets.
_SHOWN = b"""
    do field object result shp shpgrp shpinst
    macc mbar mborderBox mbox md mdeg mden me meqArr mf mfName mfunc mgroupChr mlim mlimlow mlimupp
    mm mmath mmr mnary mnum moMath moMathPara mphant mr mrad msPre msSub msSubSup msSup msub msup
""".split()
_FIXED: Mapping[bytes, bytes] = {
    **dict.fromkeys((*_SHOWN, b"row", b"-"), b""),
    **dict.fromkeys((b"listtext", b"nonshppict", b"pgdsctbl"), rb"\*"),
    **dict.fromkeys((b"cell", b"nestcell", b"sect"), _sign(CUT)),
    **dict.fromkeys((b"\n", b"\r"), rb"\par "),
    b"page": _sign("\f"),
    b"zwj": _sign("\u200d"),
    b"zwnj": _sign("\u200c"),
    b"\t": rb"\tab ",
    b"_": rb"\'2d",  # the hyphen that is no place for a line's end
    **{sign: rb"\'%02x" % ord(sign) for sign in (b"\\", b"{", b"}")},
    **{sign: b"\\" + sign for sign in (b"*", b"~")},
}
_CODE_PAGES = {b"ansi": "cp1252", b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
# The old Macintosh's, which striprtf takes for others; -1: the code page is that of the file.
_CHARSETS = {**dict.fromkeys(range(82, 90), -1), 78: 128, 79: 129, 80: 134, 81: 136}


class PreparedSource:
    """Rewriter of an RTF source, token by token, to a form that striprtf reads without loss."""

    def __init__(self, name: str) -> None:
        self.codec = "cp1252"
        self.ended = False
        self._name = name
        self._out = bytearray()
        self._ends: list[bytes] = []
        self._font = 0
        self._first_font = b""
        self._fonts: dict[int, int] = {}
        self._headings: dict[bytes, bytes] = {}

    def prepared(self, data: bytes) -> str:
        styles = _HEADING.findall(data)
        self._headings = {style: _sign(LEVELS[int(level) - 1]) for style, level in styles}
        for token in _tokens(data):
            if text := token["text"]:
                self._out += self._text(text) if self._ends[-1] != _DATA_END else b""
            elif code := token["code"]:
                self._out += rb"\'" + max(code, b"20")
            elif brace := token["brace"]:
                self._out += self._brace(brace)
                if self.ended:
                    break
            else:
                self._out += self._control(token)
        fonts = b"".join(rb"\f%d\fcharset%d A;" % each for each in self._fonts.items())
        self._out += b"".join(reversed(self._ends))
        return (rb"{{\fonttbl%s}%s}" % (fonts, self._out)).decode("ascii")

    def _text(self, text: bytes) -> bytes:
        """Text unchanged, or hexadecimal escapes if it may hold double-byte characters."""
        if text.isascii() and self._out[-4:-2] != rb"\'":
            return text
        return ("'" + text.hex("'")).replace("'", r"\'").encode("ascii")

    def _brace(self, brace: bytes) -> bytes:
        if brace == b"}":
            end = self._ends.pop()
            self.ended = not self._ends
            return end
        if len(self._ends) == _DEPTH:
            raise UnreadableError(
                f"is a damaged RTF file (groups over {_DEPTH} deep); get a new copy "
                "from its source",
                file=self._name,
            )
        self._ends.append(_GROUP_END)
        return brace

    def _control(self, token: re.Match[bytes]) -> bytes:
        if sign := token["sign"]:
            return _FIXED.get(sign, b"")
        word, number = token["word"], token["number"] or b""
        if word in _STORIES and self._out.endswith(b"{"):
            self._ends[-1] = _STORY_END
            return _sign(_STORIES[word]) + rb"{\pard "
        if word in _CODE_PAGES:
            self.codec = _CODE_PAGES[word]
        if act := _ACTS.get(word):
            return act(self, number)
        return _FIXED.get(word, (token["star"] or b"") + b"\\" + word + number + b" ")

    def code_point(self, number: bytes) -> bytes:
        r"""A character by its number, which is signed; \u alone has substitutes to skip."""
        code = int(number or 0xF000)
        code = code if 0 <= code <= maxunicode else code % 0x10000
        return rb"\u " if code in _SIGNS_OF_A_FONT else rb"\u%d " % max(code, 0x20)

    def fallback(self, number: bytes) -> bytes:
        return rb"\uc%d " % max(0, int(number or 1))

    def level(self, number: bytes) -> bytes:
        level = int(number or 0)
        return _sign(LEVELS[level]) if 0 <= level < len(LEVELS) else b""

    def style(self, number: bytes) -> bytes:
        return self._headings.get(number, b"")

    def deleted(self, number: bytes) -> bytes:
        """A group of its own for deleted text, which need not be one."""
        is_open = self._ends[-1] not in (_GROUP_END, _STORY_END, _DATA_END)
        if is_open == (number != b"0"):
            return b""
        self._ends[-1] = self._ends[-1][1:] if is_open else b"}" + self._ends[-1]
        return b"}" if is_open else rb"{\*"

    def data(self, _: bytes) -> bytes:
        if self._ends[-1] == _GROUP_END:
            self._ends[-1] = _DATA_END
        return rb"\*"

    def plain(self, _: bytes) -> bytes:
        return self.deleted(b"0") + rb"\f" + self._first_font + b" "

    def font(self, number: bytes) -> bytes:
        self._font = int(number or 0)
        return rb"\f" + number + b" "

    def first_font(self, number: bytes) -> bytes:
        self._first_font = number
        return self.font(number)

    def charset(self, number: bytes) -> bytes:
        known = _CHARSETS.get(int(number or 0), int(number or 0))
        if known >= 0:
            self._fonts[self._font] = known
        return b""

    def code_page(self, number: bytes) -> bytes:
        page = "mac_roman" if number == b"10000" else f"cp{number.decode('ascii')}"
        with suppress(LookupError):
            if b"a".decode(page) == "a":  # else EBCDIC, of which no RTF can be
                self.codec = page
        return b""


_ACTS: Mapping[bytes, Callable[[PreparedSource, bytes], bytes]] = {
    b"u": PreparedSource.code_point,
    b"uc": PreparedSource.fallback,
    b"outlinelevel": PreparedSource.level,
    b"s": PreparedSource.style,
    b"deleted": PreparedSource.deleted,
    b"plain": PreparedSource.plain,
    b"f": PreparedSource.font,
    b"deff": PreparedSource.first_font,
    b"fcharset": PreparedSource.charset,
    b"ansicpg": PreparedSource.code_page,
    **dict.fromkeys((b"pict", b"objdata", b"themedata", b"datastore"), PreparedSource.data),
}


def _tokens(data: bytes) -> Iterator[re.Match[bytes]]:
    """The tokens; binary data is skipped."""
    place = data.find(b"{")
    while place >= 0 and (token := _TOKEN.search(data, place)):
        place = token.end()
        word = token["word"] or b""
        if word == b"bin":
            place += max(0, int(token["number"] or 0))
        elif not word.startswith(b"bin"):  # trays for paper, which striprtf takes for data
            yield token


_KIND = "RTF file"
_STORY = re.compile(f"([{BODY}{BOX}{NOTE}{MARGIN}{END}])")
_LINE_END = re.compile(f"[\n{CUT}]")
_LEVEL = re.compile(f"([{LEVELS}])+")
_CUT = re.compile(f"\n?[{LEVELS}]?[{CUT}{END}]+")
_version = cache(version)


@dataclass(frozen=True)
class Rtf(ParagraphReader):
    r"""The text of an RTF file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then notes, then
    headers and footers, each once. Inserted text is read; deleted text, comments, the codes of
    fields, the numbers of lists and pictures are not.

    >>> from sdtext.io.decompressed_content import Content
    >>> place = folder / "bees.rtf"
    >>> place.write_bytes(rb"{\rtf1\ansi Bees {\b dance}.\par\u8211? caf\'e9}")
    48
    >>> "".join(Rtf()(Content(place)))
    'Bees dance.\n– café\n'
    """

    called: ClassVar[str] = _KIND

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins as an RTF file does."""
        return content.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf")

    @staticmethod
    def libraries() -> tuple[tuple[str, str], ...]:
        """The library that does the work, with its version."""
        return (("striprtf", _version("striprtf")),)

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        from striprtf.striprtf import rtf_to_text

        source = PreparedSource(content.name)
        prepared = source.prepared(content.whole())
        text = rtf_to_text(prepared, source.codec, errors="replace")  # type: ignore[no-untyped-call]
        yield from _lines(_in_order(text))
        if not source.ended:
            what = f"is a damaged {_KIND}: it is truncated"
            yield Problem.at("warning", "partly-read", content.name, what)


def _in_order(text: str) -> str:
    """Boxes behind their paragraphs, notes behind the body, then each margin once."""
    stories: dict[str, list[str]] = {BODY: [], BOX: [], NOTE: [], MARGIN: []}
    body, boxes, open_stories = stories[BODY], stories[BOX], [BODY]
    for piece in _STORY.split(text):
        if piece in stories:
            open_stories.append(piece)
            continue
        stories[open_stories[-1]].append(piece)
        if piece == END:
            open_stories.pop()
        elif boxes and open_stories == [BODY] and (match := _LINE_END.search(piece)):
            body[-1:] = [piece[: match.end()], *boxes, piece[match.end() :]]
            boxes.clear()
    margins = dict.fromkeys("".join(stories[MARGIN]).split(END))
    return END.join("".join(each) for each in (body, boxes, stories[NOTE], margins))


def _lines(text: str) -> Iterator[str | Heading]:
    """Each line, right behind a heading if it is one; a cut ends what has begun."""
    whole = _CUT.sub("\n", _LEVEL.sub(r"\1", f"\n{text}{END}"))
    for marked in whole[1:].split("\n")[:-1]:
        line = paired(_LEVEL.sub("", marked))
        level = LEVELS.index(match[1]) + 1 if (match := _LEVEL.search(marked)) else 0
        if 0 < level < len(LEVELS) and line.strip() and len(line) <= MAX_TITLE:
            yield Heading(level, " ".join(line.split()))
        yield line + "\n"
