"""One file: which reader is for it, its text, and its clean text in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import monotonic

from sdtext.errors import TextlessError, UnreadableError
from sdtext.io.content import Content
from sdtext.model import Document, Heading, OffsetMap, PartSpec, Problem
from sdtext.parts.catalogue import build, find, names_of, options_of
from sdtext.parts.readers import Reader
from sdtext.reading.archive_paths import container_of, content_at
from sdtext.reading.options import Reading
from sdtext.reading.sandbox.pool import Extraction, ProcessLimits, extract
from sdtext.text.hyphens import joined, joined_with_map
from sdtext.text.language import sample_of
from sdtext.text.normal_form import clean, clean_with_map

PLAIN = "text"
_COMMAND = "command"
_OTHER_KINDS = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"Rar!", "a RAR archive, which sdtext does not unpack; unpack it by hand"),
    (b"\x89PNG\r\n", "a picture, not text"),
    (b"\xff\xd8\xff", "a picture, not text"),
    (b"GIF8", "a picture, not text"),
    (b"\x7fELF", "a program, not text"),
    (b"SQLite format 3\x00", "a database, not text"),
)
_LEAST_SECONDS = 0.001
_LITTLE = 20  # visible characters; where an engine finds fewer, the next may find more


class Source:
    """One file on its way to text. All that is asked of it raises UnreadableError."""

    def __init__(self, content: Content, reading: Reading) -> None:
        self.content = content
        self.reading = reading
        self._extraction: Extraction | None = None
        self._headings: list[Heading] = []
        self._problems: list[Problem] = []

    @classmethod
    def at(cls, path: str | Path, reading: Reading | None = None) -> Source:
        """The file at `path`."""
        reading = reading or Reading()
        return cls(content_at(path, reading.max_bytes, reading.limits), reading)

    @cached_property
    def name(self) -> str:
        """The name of the reader for it: plain text where no other recognises it.

        A `command` that is to read files reads them all.
        """
        content = self.content
        if not content.head:
            raise UnreadableError(f"{content.name}: is empty")
        if any(one.name == _COMMAND for one in self.reading.readers):
            return _COMMAND
        special = (name for name in names_of("readers") if name != PLAIN)
        name = next((name for name in special if find("readers", name).recognises(content)), PLAIN)
        if name == PLAIN:
            self._refuse_other_kinds()
        return name

    def _refuse_other_kinds(self) -> None:
        """UnreadableError for what is known to hold no text of its own."""
        content = self.content
        if container := container_of(content):
            raise UnreadableError(
                f"{content.name}: is a {find('containers', container).called}; name a file in it "
                f"as {content.name}!NAME"
            )
        for begin, kind in _OTHER_KINDS:
            if content.head.startswith(begin):
                raise UnreadableError(f"{content.name}: is {kind}")

    @cached_property
    def reader(self) -> Reader:
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
        if self._extraction is None and self._is_isolated:
            alternatives = self.reader.alternatives()
            readers = [(_spec(self.name, one), one.sees_pictures) for one in alternatives]
            self._extraction = _best(self.content, readers, self.reading.limits)
        return self._extraction

    @property
    def _is_isolated(self) -> bool:
        above = self.reader.isolated_above
        return self.reader.isolated or (above is not None and self.content.is_longer(above))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was left out of the text, known once it is read."""
        found = self.extraction.problems if self.extraction else self._problems
        return tuple(replace(one, path=str(self.content.path)) for one in found)

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted the text, with their versions."""
        return self.extraction.libraries if self.extraction else ()

    def metadata(self) -> dict[str, str]:
        """How the text was had."""
        found = {"reader": self.name}
        if encoding := self.reader.encoding_of(self.content):
            found["encoding"] = encoding
        if self.libraries:
            found["engine"] = ", ".join(" ".join(one).rstrip() for one in self.libraries)
        return found

    def blocks(self) -> Iterator[str]:
        """The text in blocks, as it was decoded or extracted; more than white space."""
        blank = True
        length = 0
        self._headings.clear()
        self._problems.clear()
        extraction = self.extraction
        for block in self.reader(self.content) if extraction is None else extraction.blocks:
            if isinstance(block, Heading):
                self._headings.append(replace(block, offset=length))
                continue
            if isinstance(block, Problem):
                self._problems.append(block)
                continue
            blank = blank and (not block or block.isspace())
            length += len(block)
            yield block
        if blank:
            raise TextlessError(f"{self.content.name}: holds no text")

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings that the format marks, known once the text is read."""
        return self.extraction.headings if self.extraction else tuple(self._headings)

    @property
    def sample(self) -> str:
        """The words at its beginning, by which its language is told."""
        return sample_of(self.clean_pieces(" \n"))

    def clean_pieces(self, boundaries: str) -> Iterator[str]:
        r"""The clean text in pieces, cut at `boundaries`: "\n", or " \n" for blanks too.

        Memory does not grow with the length of the text, unless a sandboxed process extracts it.
        """
        for piece in self._pieces(boundaries):
            yield clean(joined(piece) if self.reader.paginated else piece, self.reader.normal_form)

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
        return Document(
            text,
            *self._cleaned(text),
            str(self.content.path),
            self.metadata(),
            self.problems,
            self.headings,
            self.reader.line_paragraphs,
        )

    def _pieces(self, boundaries: str) -> Iterator[str]:
        # A word that a page's end parts must not be cut apart; such texts are at hand as a whole.
        if self.reader.paginated:
            return iter(["".join(self.blocks())])
        return cut_at(self.blocks(), boundaries)

    def _cleaned(self, text: str) -> tuple[str, OffsetMap | None]:
        if not self.reader.paginated:
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


def _spec(name: str, reader: Reader) -> PartSpec:
    return PartSpec.of(name, **options_of(reader))


def _best(
    content: Content, readers: Sequence[tuple[PartSpec, bool]], limits: ProcessLimits
) -> Extraction:
    """What the first of `readers` that finds text makes of `content`, and why not the others.

    After one has said that there is no text, only those that see pictures are asked.
    """
    found: list[Extraction] = []
    errors: list[UnreadableError] = []
    end = monotonic() + limits.seconds
    for place, (reader, sees) in enumerate(readers, 1):
        if errors and isinstance(errors[0], TextlessError) and not sees:
            continue
        # The time is that of all; the last may take all that is left, one before it half of that.
        left = max(_LEAST_SECONDS, end - monotonic())
        seconds = left if place == len(readers) else left / 2
        try:
            extraction = extract(reader, content, limits, seconds)
        except UnreadableError as error:
            first = sees or isinstance(error, TextlessError)  # what tells the most
            errors.insert(0 if first else len(errors), error)
            continue
        found.append(extraction)
        if _visible(extraction) == _LITTLE:
            break
    best = max(found, key=_visible, default=None)
    if errors and (best is None or not _visible(best)):
        raise errors[0]
    assert best is not None  # noqa: S101 (there is a reader, and it either found or raised)
    told = (
        Problem("warning", "other-engine", f"{error}; another engine reads it")
        for error in errors
        if not isinstance(error, TextlessError)
    )
    return replace(best, problems=(*told, *best.problems))


def _visible(extraction: Extraction) -> int:
    """How many characters can be seen; no more than `_LITTLE` are counted."""
    characters = (char for block in extraction.blocks for char in block if not char.isspace())
    return sum(1 for _ in islice(characters, _LITTLE))
