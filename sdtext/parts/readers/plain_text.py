"""Reader of plain text."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from sdtext.errors import NotTextError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.text_structure import has_structure, without_structure
from sdtext.text.encoding import Encoding, decoded, find_encoding, is_binary, named_encoding
from sdtext.text.quick_disguise_check import is_clean


@dataclass(frozen=True)
class PlainText(Reader):
    """Plain text in any encoding: named, marked, UTF-8, or detected.

    What is structure, not words, is left out: cues of subtitles, targets of Markdown links, TeX
    commands, and what stands before each line of a log or chat.

    >>> "".join(PlainText()(Content("LICENSE"))).split()[:2]
    ['Apache', 'License']
    """

    encoding: str = ""
    called: ClassVar[str] = "plain text"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is not empty; this reader is asked last."""
        return bool(content.head)

    def encoding_of(self, content: Content) -> Encoding:
        return named_encoding(content, self.encoding) if self.encoding else find_encoding(content)

    def kept_text(self, content: Content) -> str | None:
        """The text of a short file in UTF-8 without structure, control characters and disguises."""
        data = content.short
        if self.encoding or data is None or b"~{" in data:  # with which letters begin in HZ
            return None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        return text if is_clean(text, data) and not has_structure(text) else None

    def __call__(self, content: Content) -> Iterator[str | Problem]:
        encoding = self.encoding_of(content)
        yield from encoding.problems(content)
        blocks = decoded(content, encoding.name, encoding.errors)
        first = next(blocks, "")
        if is_binary(first):
            raise NotTextError("is binary data, not text", file=content.name)
        included: list[str] = []
        yield from without_structure(chain([first], blocks), included=included)
        if included:
            more = f" and {len(included) - 1} more" if len(included) > 1 else ""
            what = f"the text that it includes from {included[0]:.100}{more} is left out"
            yield Problem.at("warning", "partly-read", content.name, what)
