"""Readers: from the content of a file to its text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar, TypeAlias, cast

from sdtext.errors import OptionError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.file_signatures import FileFormat
from sdtext.parts.readers.hidden_text import DROP, KEEP
from sdtext.text.encoding import Encoding, check_encoding

Block: TypeAlias = str | Heading | QuotationMark
MAX_TITLE = 1000
"""Characters of the longest title; what is longer is text that was only marked as one."""


class Reader(FileFormat):
    """A format of files: how to recognise one and how to extract its text.

    A reader is a frozen dataclass whose fields are its options. It must have `called`,
    `recognises` and `__call__`; the other members have defaults.
    """

    normal_form: ClassVar[str] = "NFC"
    """The Unicode normal form for the extracted text."""
    isolated: ClassVar[bool] = False
    """Whether files are read in a separate process with limits on time and memory.

    True for every format whose parser is more than a few lines of our own code.
    """
    isolated_above: ClassVar[int | None] = None
    """The size in bytes above which files are read in a separate process, if any."""
    line_paragraphs: ClassVar[bool] = False
    """Whether each line of the text is a paragraph; otherwise blank lines separate paragraphs."""

    def __post_init__(self) -> None:
        name, hidden = type(self).__name__.lower(), getattr(self, "hidden", KEEP)
        OptionError.unless_in((KEEP, DROP), name, "hidden", hidden)
        if encoding := getattr(self, "encoding", ""):
            check_encoding(encoding)

    @abstractmethod
    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        """Yield the text in blocks, headings and problems. Raises only UnreadableError.

        A `Heading` comes right before the text of its title, a `QuotationMark` before and behind
        that of a quotation, a `Problem` reports what was left out of the text. A form feed ends a
        page (slide, sheet).
        """

    def kept_text(self, content: Content) -> str | None:  # noqa: ARG002 (others override it)
        """The text of a short file where it is clear at little cost that all of it stays as it is.

        It is what `__call__` gives, without a problem, and neither disguised nor to be cleaned.
        """
        return None

    @property
    def paginated(self) -> bool:
        """Whether lines end where the page ends them, so that words may be hyphenated there."""
        return False

    @property
    def sees_pictures(self) -> bool:
        """Whether it may find text where other engines have reported that there is none."""
        return False

    def alternatives(self) -> Sequence[Reader]:
        """The reader with each of its engines, in the order in which they are tried."""
        return (self,)

    def libraries(self) -> Sequence[tuple[str, str]]:
        """Names and versions of the packages and programs that extract the text."""
        return ()

    def encoding_of(self, content: Content) -> Encoding | None:  # noqa: ARG002 (others override it)
        """The character encoding of `content`; None where the format has none to choose."""
        return None


def partly_read(content: Content, what: str) -> Problem:
    """The warning that `content` is read in part, with the reason."""
    return Problem.at("warning", "partly-read", content.name, what)


class ParagraphReader(Reader):
    """A reader in a separate process whose text has a line for each paragraph."""

    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True


def insert_heading(blocks: list[Block], start: int, level: int) -> None:
    r"""Put a heading before the blocks from `start` on, if their text can be a title.

    >>> blocks = ["One.\n", "The  bees", "\n"]
    >>> insert_heading(blocks, 1, 2)
    >>> blocks[1]
    Heading(level=2, title='The bees', offset=0)
    """
    text = "".join(block for block in blocks[start:] if isinstance(block, str))
    if len(text) <= MAX_TITLE and (title := " ".join(text.split())):
        blocks.insert(start, Heading(level, title))


def joined(blocks: list[Block]) -> list[Block]:
    r"""The blocks, adjacent texts as one.

    >>> joined(["One.", "\n", Heading(1, "Two"), "Two"])
    ['One.\n', Heading(level=1, title='Two', offset=0), 'Two']
    """
    result: list[Block] = []
    for kind, run in groupby(blocks, type):
        same = [*run]
        result += ["".join(cast("list[str]", same))] if kind is str else same
    return result
