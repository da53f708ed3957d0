"""Reader of RTF files (Rich Text Format 1.9.1).

Control characters, which no text contains, mark where notes, headers and boxes begin and end.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from sys import maxunicode
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers import MAX_TITLE, ParagraphReader, partly_read
from sdtext.text.encoding import paired
from sdtext.wording import counted

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


_STORIES: Mapping[bytes, str] = {
    b"footnote": NOTE,
    **dict.fromkeys((b"shptxt", b"dptxbxtext"), BOX),
    **dict.fromkeys((b"header", b"headerl", b"headerr", b"headerf"), MARGIN),
    **dict.fromkeys((b"footer", b"footerl", b"footerr", b"footerf"), MARGIN),
}

# Destinations whose text is read, though programs may leave out those with a star.
_SHOWN = frozenset({b"do", b"shpinst", b"moMath", b"moMathPara"})
# What no reader sees, also without a star; the properties of equations (mfPr) are left out, too.
_LEFT_OUT = frozenset(
    b"""
    annotation colortbl comment datastore doccomm filetbl fldinst fonttbl formfield generator info
    keycode listtext nonesttables nonshppict objdata pgdsctbl pict pntext rxe shprslt sn sp
    stylesheet sv tc themedata title txe upr xe
    """.split()
)
_SIGNS: Mapping[bytes, str] = {
    **dict.fromkeys((b"par", b"line", b"\n", b"\r"), "\n"),
    **dict.fromkeys((b"cell", b"nestcell", b"sect"), CUT),
    **dict.fromkeys((b"tab", b"\t"), "\t"),
    b"page": "\f",
    b"zwj": "\u200d",
    b"zwnj": "\u200c",
    b"~": "\u00a0",
    b"_": "-",  # the hyphen that is no place for a line's end
    b"emdash": "\u2014",
    b"endash": "\u2013",
    b"bullet": "\u2022",
    b"emspace": "\u2003",
    b"enspace": "\u2002",
    b"qmspace": "\u2005",
    b"lquote": "\u2018",
    b"rquote": "\u2019",
    b"ldblquote": "\u201c",
    b"rdblquote": "\u201d",
}
_CODE_PAGES = {b"ansi": "cp1252", b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
_CHARSETS = {
    int(number): page
    for number, page in re.findall(
        r"(\d+)=(\w+)",
        """
        0=cp1252 2=cp1252 77=mac_roman 78=cp932 79=cp949 80=gbk 81=cp950 128=cp932 129=cp949
        130=johab 134=gbk 136=cp950 161=cp1253 162=cp1254 163=cp1258 177=cp1255 178=cp1256
        186=cp1257 204=cp1251 222=cp874 238=cp1250 254=cp437 255=cp850
        """,
    )
}


@dataclass
class _Group:
    """What holds to the end of a group: the font, whether text is seen, what its end stands for."""

    font: int = 0
    substitutes: int = 1  # bytes behind a character by its number, for old programs
    is_left_out: bool = False
    is_deleted: bool = False
    end: str = ""


class _RtfText:
    """The text of an RTF source, with marks, token by token."""

    def __init__(self, name: str) -> None:
        self.pieces: list[str] = []
        self.is_whole = False
        self.damaged = 0  # places that are not in their code page
        self._name = name
        self._bytes = bytearray()  # of text that is not decoded yet
        self._skip = 0
        self._groups: list[_Group] = []
        self._is_begun = False  # whether the last token began a group
        self._codec = "cp1252"
        self._first_font = 0
        self._fonts: dict[int, str] = {}
        self._headings: dict[bytes, str] = {}

    def read(self, data: bytes) -> str:
        self._headings = {style: LEVELS[int(level) - 1] for style, level in _HEADING.findall(data)}
        place = data.find(b"{")
        while place >= 0 and (token := _TOKEN.search(data, place)):
            place = token.end()
            word, sign = token["word"] or b"", token["sign"]
            if word.startswith(b"bin"):  # binary data, which is skipped, or trays for paper
                place += max(0, int(token["number"] or 0)) if word == b"bin" else 0
                continue
            if token["brace"]:
                self._brace(token["brace"])
                if self.is_whole:
                    break
                continue
            if text := token["text"]:
                self._add_bytes(text)
            elif code := token["code"]:
                self._add_bytes(bytes([max(0x20, int(code, 16))]))
            elif sign and sign in b"\\{}":
                self._add_bytes(sign)
            elif sign:
                self._skip = 0
                self._groups[-1].is_left_out |= sign == b"*"
                self._add(_SIGNS.get(sign, ""))
            else:
                self._control(word, token["number"] or b"", has_star=bool(token["star"]))
            self._is_begun = False
        for group in reversed(self._groups):
            self._add(group.end)
        self._decode()
        return "".join(self.pieces)

    def _add_bytes(self, data: bytes) -> None:
        """Text, or a part of it that is skipped since a character by its number stands for it."""
        group = self._groups[-1]
        if not (group.is_left_out or group.is_deleted):
            self._bytes += data[self._skip :]
            self._skip = max(0, self._skip - len(data))

    def _add(self, text: str) -> None:
        group = self._groups[-1]
        if text and not (group.is_left_out or group.is_deleted):
            self._decode()
            self.pieces.append(text)

    def _decode(self) -> None:
        if self._bytes:
            font = self._groups[-1].font if self._groups else 0
            codec = self._fonts.get(font, self._codec)
            try:
                text = self._bytes.decode(codec)
            except UnicodeError:
                text = self._bytes.decode(codec, "replace")
                self.damaged += text.count("\ufffd")
            self.pieces.append(text)
            self._bytes.clear()

    def _brace(self, brace: bytes) -> None:
        self._skip = 0
        self._decode()
        if brace == b"}":
            self._add(self._groups[-1].end)
            self._groups.pop()
            self.is_whole = not self._groups
        elif len(self._groups) == _DEPTH:
            what = f"is a damaged RTF file (groups over {_DEPTH} deep)"
            raise UnreadableError(f"{what}; get a new copy from its source", file=self._name)
        else:
            outer = self._groups[-1] if self._groups else _Group()
            self._groups.append(replace(outer, end=""))
        self._is_begun = brace == b"{"

    def _control(self, word: bytes, number: bytes, *, has_star: bool) -> None:
        self._skip = 0
        self._decode()
        group = self._groups[-1]
        if word in _STORIES and self._is_begun:
            self._add(_STORIES[word])
            group.end = END
        elif word in _LEFT_OUT or (word.startswith(b"m") and word.endswith(b"Pr")):
            group.is_left_out = True
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif word == b"u":
            code = int(number or 0xF000)
            code = code if 0 <= code <= maxunicode else code % 0x10000
            self._add("" if code in _SIGNS_OF_A_FONT else chr(max(code, 0x20)))
            self._skip = group.substitutes
        elif word == b"outlinelevel":
            level = int(number or 0)
            self._add(LEVELS[level] if 0 <= level < len(LEVELS) else "")
        elif word == b"s":
            self._add(self._headings.get(number, ""))
        elif word in _FORMATS or word in _CODE_PAGES:
            self._read_format(word, int(number) if number else None)
        elif has_star and word not in _SHOWN:
            group.is_left_out = True

    def _read_format(self, word: bytes, number: int | None) -> None:
        """What holds from here on."""
        group = self._groups[-1]
        match word:
            case b"uc":
                group.substitutes = max(0, 1 if number is None else number)
            case b"deleted":
                group.is_deleted = number != 0
            case b"plain":
                group.is_deleted, group.font = False, self._first_font
            case b"f" | b"deff":
                group.font = number or 0
                self._first_font = group.font if word == b"deff" else self._first_font
            case b"fcharset":
                if charset := _CHARSETS.get(number or 0):
                    self._fonts[group.font] = charset
            case b"ansicpg":
                page = "mac_roman" if number == 10000 else f"cp{number}"
                with suppress(LookupError):
                    if b"a".decode(page) == "a":  # else EBCDIC, of which no RTF can be
                        self._codec = page
            case _:
                self._codec = _CODE_PAGES[word]


_FORMATS = frozenset({b"uc", b"deleted", b"plain", b"f", b"deff", b"fcharset", b"ansicpg"})


_KIND = "RTF file"
_COUNTED = {
    "embedded object": re.compile(rb"\\objdata\b"),
    "comment": re.compile(rb"\\annotation\b"),
    "drop-down field": re.compile(rb"\\fftype2\b"),
    "formula field": re.compile(rb"\bEQ\s{0,9}\\\\"),
}
_STORY = re.compile(f"([{BODY}{BOX}{NOTE}{MARGIN}{END}])")
_LINE_END = re.compile(f"[\n{CUT}]")
_LEVEL = re.compile(f"([{LEVELS}])+")
_CUT = re.compile(f"\n?[{LEVELS}]?[{CUT}{END}]+")


@dataclass(frozen=True)
class Rtf(ParagraphReader):
    r"""The text of an RTF file, a line for each paragraph, in the body and in tables.

    The body comes first, the text of a box behind the paragraph that holds it; then notes, then
    headers and footers, each once. Inserted text is read; deleted text, comments, the codes of
    fields, the numbers of lists and pictures are not.

    >>> place = folder / "bees.rtf"
    >>> place.write_bytes(rb"{\rtf1\ansi Bees {\b dance}.\par\u8211? caf\'e9}")
    48
    >>> "".join(Rtf()(Content(place)))
    'Bees dance.\n– café\n'
    """

    called: ClassVar[str] = _KIND

    @staticmethod
    def recognises(content: Content) -> bool:
        return content.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf")

    def __call__(self, content: Content) -> Iterator[str | Heading | Problem]:
        source = _RtfText(content.name)
        data = content.whole()
        # A cut ends what has begun.
        text = _CUT.sub("\n", _LEVEL.sub(r"\1", f"\n{_in_order(source.read(data))}{END}"))
        for marked in text[1:].split("\n")[:-1]:
            line = paired(_LEVEL.sub("", marked))
            level = LEVELS.index(match[1]) + 1 if (match := _LEVEL.search(marked)) else 0
            if 0 < level < len(LEVELS) and line.strip() and len(line) <= MAX_TITLE:
                yield Heading(level, " ".join(line.split()))
            yield line + "\n"
        if source.damaged:
            what = f"has {counted(source.damaged, 'damaged place')}, read as U+FFFD"
            what += "; get a new copy from its source"
            yield Problem.at("warning", "encoding", content.name, what)
        for noun, code in _COUNTED.items():
            if count := len(code.findall(data)):
                yield partly_read(content, f"{counted(count, noun)} left out")
        if not source.is_whole:
            yield partly_read(content, f"is a damaged {_KIND}: it is truncated")


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
