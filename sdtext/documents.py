"""One file: which reader is for it, its text, and its clean text in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.isolation import MAX_MEMORY, MAX_SECONDS, Limits, extract
from sdtext.model import Document, OffsetMap, PartSpec, Problem
from sdtext.parts import build, find, names_of
from sdtext.reader_process import Extraction
from sdtext.readers.content import MAX_BYTES, Content
from sdtext.readers.encoding import check_encoding
from sdtext.readers.hyphens import joined, joined_with_map
from sdtext.readers.normal import clean, clean_with_map

_PLAIN = "text"
_OTHER_KINDS = (
    (b"PK\x03\x04", "a zip archive or an office document of a kind that sdtext does not read yet"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"{\\rtf", "an RTF file, which this version of sdtext does not read yet"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Office file of the old kind or one with a password, which sdtext does not read",
    ),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which this version of sdtext does not read yet"),
    (b"\x89PNG\r\n", "a picture, not text"),
    (b"\xff\xd8\xff", "a picture, not text"),
    (b"GIF8", "a picture, not text"),
    (b"\x7fELF", "a program, not text"),
    (b"SQLite format 3\x00", "a database, not text"),
)
_LEAST_SECONDS = 0.001
_LITTLE = 20  # visible characters; where an engine finds fewer, the next may find more


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Plain text in the `encoding` named or found out; `readers` with options of their own take the
    place of the usual ones. What is packed unpacks to `max_bytes` at most; a reader that works
    in a process of its own gets `max_seconds` and `max_memory` (in bytes) for a file.
    """

    encoding: str = ""
    max_bytes: int = MAX_BYTES
    max_seconds: float = MAX_SECONDS
    max_memory: int = MAX_MEMORY
    readers: tuple[PartSpec, ...] = ()

    def __post_init__(self) -> None:
        if self.encoding:
            check_encoding(self.encoding)
        for name in ("max_bytes", "max_seconds", "max_memory"):
            if not 0 < getattr(self, name) < inf:
                raise OptionError.of("reading", name, getattr(self, name), "above 0, and finite")


class Source:
    """One file on its way to text. All that is asked of it raises UnreadableError."""

    def __init__(self, content: Content, reading: Reading) -> None:
        self.content = content
        self.reading = reading
        self._extraction: Extraction | None = None

    @classmethod
    def at(cls, path: str | Path, reading: Reading | None = None) -> Source:
        """The file at `path`."""
        reading = reading or Reading()
        return cls(Content(path, reading.max_bytes), reading)

    @cached_property
    def name(self) -> str:
        """The name of the reader for it: plain text where no other recognises it."""
        content = self.content
        if not content.head:
            raise UnreadableError(f"{content.name}: is empty")
        special = (name for name in names_of("readers") if name != _PLAIN)
        name = next((name for name in special if find("readers", name).recognises(content)), _PLAIN)
        if name == _PLAIN:
            for begin, kind in _OTHER_KINDS:
                if content.head.startswith(begin):
                    raise UnreadableError(f"{content.name}: is {kind}")
        return name

    @cached_property
    def reader(self) -> Any:
        """The reader for it, with its options."""
        given = next((one for one in self.reading.readers if one.name == self.name), None)
        spec = given or PartSpec(self.name)
        takes = any(field.name == "encoding" for field in fields(find("readers", self.name)))
        if takes and self.reading.encoding:
            spec = PartSpec.of(
                self.name, **{**dict(spec.options), "encoding": self.reading.encoding}
            )
        return build("readers", spec)

    @property
    def extraction(self) -> Extraction | None:
        """What a process of its own made of it; None where none is needed."""
        # Not a cached_property, which before Python 3.12 lets one thread at a time read.
        if self._extraction is None and getattr(self.reader, "isolated", False):
            alternatives = getattr(self.reader, "alternatives", lambda: (self.reader,))()
            readers = [_spec(self.name, one) for one in alternatives]
            limits = Limits(self.reading.max_seconds, self.reading.max_memory)
            self._extraction = _best(self.content, readers, limits)
        return self._extraction

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was left out of the text, known once it is read."""
        found = self.extraction.problems if self.extraction else ()
        return tuple(replace(one, path=str(self.content.path)) for one in found)

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted the text, with their versions."""
        return self.extraction.libraries if self.extraction else ()

    def metadata(self) -> dict[str, str]:
        """How the text was had."""
        found = {"reader": self.name}
        if hasattr(self.reader, "encoding_of"):
            found["encoding"] = self.reader.encoding_of(self.content)
        if self.libraries:
            found["engine"] = ", ".join(map(" ".join, self.libraries))
        return found

    def blocks(self) -> Iterator[str]:
        """The text in blocks, as it was decoded or extracted; more than white space."""
        blank = True
        extraction = self.extraction
        for block in self.reader(self.content) if extraction is None else extraction.blocks:
            blank = blank and (not block or block.isspace())
            yield block
        if blank:
            raise TextlessError(f"{self.content.name}: holds no text")

    def clean_pieces(self, boundaries: str) -> Iterator[str]:
        r"""The clean text in pieces, cut at `boundaries`: "\n", or " \n" for blanks too.

        Memory does not grow with the length of the text, but for what is read in isolation.
        """
        for piece in self._pieces(boundaries):
            yield clean(joined(piece) if self._paginated else piece, self.reader.normal_form)

    def documents(self, boundaries: str) -> Iterator[tuple[int, Document]]:
        """The text as a row of short documents cut at `boundaries`, each with its place in it.

        Memory grows as with `clean_pieces`.
        """
        place = 0
        for piece in self._pieces(boundaries):
            yield place, Document(piece, *self._cleaned(piece), str(self.content.path))
            place += len(piece)

    def document(self) -> Document:
        """All of it at once."""
        text = "".join(self.blocks())
        cleaned, back = self._cleaned(text)
        path = str(self.content.path)
        return Document(text, cleaned, back, path, self.metadata(), self.problems)

    def _pieces(self, boundaries: str) -> Iterator[str]:
        # A word that a page's end parts must not be cut apart; such texts are at hand as a whole.
        return (
            iter(["".join(self.blocks())]) if self._paginated else cut_at(self.blocks(), boundaries)
        )

    @property
    def _paginated(self) -> bool:
        return bool(getattr(self.reader, "paginated", False))

    def _cleaned(self, text: str) -> tuple[str, OffsetMap | None]:
        if not self._paginated:
            return clean_with_map(text, self.reader.normal_form)
        whole, to_text = joined_with_map(text)
        cleaned, to_whole = clean_with_map(whole, self.reader.normal_form)
        return cleaned, replace(to_whole, then=to_text) if to_whole else to_text


def read(path: str | Path, reading: Reading | None = None) -> Document:
    """The document in the file at `path`. Raises UnreadableError.

    >>> read("LICENSE").metadata["reader"]
    'text'
    """
    return Source.at(path, reading).document()


def cut_at(blocks: Iterable[str], boundaries: str) -> Iterator[str]:
    r"""The text in `blocks` in other pieces, each but the last ending at a boundary.

    >>> list(cut_at(["one\ntw", "o th", "ree\n"], "\n"))
    ['one\n', 'two three\n']
    """
    held: list[str] = []
    for block in filter(None, blocks):
        if held:
            last = held.pop()
            end = max(last.rfind(boundary) for boundary in boundaries) + 1
            if end:
                yield "".join([*held, last[:end]])
                held = []
            held.append(last[end:])
        held.append(block)
    if rest := "".join(held):
        yield rest


def _spec(name: str, reader: Any) -> PartSpec:
    return PartSpec.of(
        name, **{field.name: getattr(reader, field.name) for field in fields(reader)}
    )


def _best(content: Content, readers: Sequence[PartSpec], limits: Limits) -> Extraction:
    """What the first of `readers` that finds text makes of `content`, and why not the others."""
    found: list[Extraction] = []
    errors: list[UnreadableError] = []
    end = monotonic() + limits.seconds
    for place, reader in enumerate(readers, 1):
        # The time is that of all; the last may take all that is left, one before it half of that.
        left = max(_LEAST_SECONDS, end - monotonic())
        seconds = left if place == len(readers) else left / 2
        try:
            extraction = extract(reader, content, limits, seconds)
        except TextlessError as error:
            errors.insert(0, error)  # the others would find none either
            break
        except UnreadableError as error:
            errors.append(error)
            continue
        found.append(extraction)
        if _visible(extraction) == _LITTLE:
            break
    best = max(found, key=_visible, default=None)
    if errors and (best is None or not _visible(best)):
        raise errors[0]
    assert best is not None  # noqa: S101 (there is a reader, and it either found or raised)
    told = (
        Problem("warning", "other-engine", f"{error}; another engine reads it") for error in errors
    )
    return replace(best, problems=(*told, *best.problems))


def _visible(extraction: Extraction) -> int:
    """How many characters can be seen; no more than `_LITTLE` are counted."""
    characters = (char for block in extraction.blocks for char in block if not char.isspace())
    return sum(1 for _ in islice(characters, _LITTLE))
