"""The same text in other bytes: another encoding, other line ends."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdtext.errors import OptionError
from sdtext.parts.manglers import Mangler, check_choice
from sdtext.text.encoding import check_encoding

_LINE_ENDS: Mapping[str, str] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
_LINE_END = re.compile(r"\r\n?|\n")


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
