"""The same words in another layout or other bytes: lines, capitals, encoding, line ends."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, check_choice
from sdtext.parts.manglers.pieces import SplitText
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
_LINE_END = re.compile(r"\r\n?|\n")


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
        return _LINE_END.sub(lambda _: ends, text).encode(self.to, "replace")
