"""Reader that runs a program of the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import BytesContent, Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.external_programs import run, unpacked
from sdtext.text.encoding import decoded, find_encoding

_PLACE = "{}"


@dataclass(frozen=True)
class Command(Reader):
    """The output of a program for a file: `argv` is its command line, {} the path of the file.

    It is started without a shell. The path is absolute; a compressed file, a member of an archive
    and the standard input are copied first. The output is decoded as plain text is: as UTF-8, or
    in the detected encoding.

    >>> from sdtext.io.decompressed_content import Content
    >>> "".join(Command(argv=("head", "-n2", "{}"))(Content("LICENSE"))).strip()
    'Apache License'
    """

    argv: tuple[str, ...]
    called: ClassVar[str] = "file for a program"
    isolated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not any(_PLACE in word for word in self.argv[1:]):
            wanted = "a program and its words, one of them with {} for the path of the file"
            raise OptionError.of("command", "argv", self.argv, wanted)
        if not self.argv[0] or any("\0" in word for word in self.argv):
            wanted = "words that a program can be given, the first of them its name"
            raise OptionError.of("command", "argv", self.argv, wanted)

    @staticmethod
    def recognises(content: Content) -> bool:  # noqa: ARG004 (the form of all readers)
        """False: the reader must be named explicitly."""
        return False

    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The program's name; its version is unknown."""
        return ((os.path.basename(self.argv[0]), ""),)  # noqa: PTH119 (a word, not a path)

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        with unpacked(content) as path:
            words = [word.replace(_PLACE, str(path)) for word in self.argv[1:]]
            ended = run([self.argv[0], *words], content)
        if ended.code:
            program = self.libraries()[0][0]
            raise UnreadableError(f"{program} cannot read it: {ended.why()}", file=content.name)
        written = BytesContent("", content.max_bytes, content.name, data=ended.output)
        encoding = find_encoding(written)
        yield from encoding.problems(content)
        yield from decoded(written, encoding.name, encoding.errors)
