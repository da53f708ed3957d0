"""One file: the reader for it, its text, and its clean text in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from re import Pattern
from time import monotonic
from typing import Protocol
from unicodedata import category

from sdtext.errors import (
    TextlessError,
    UnreadableError,
    check_path,
    naming_arguments,
    shown,
)
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, OffsetMap, PartSpec, Problem, QuotationMark, Span
from sdtext.model.record_formats import format_of
from sdtext.model.texts import quotations_between
from sdtext.parts.readers import Reader
from sdtext.parts.readers.hidden_text import KEEP
from sdtext.parts.registry import build, find, options_of
from sdtext.reading.archive_members import content_at
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Reading, checked_reading
from sdtext.reading.recognise_file import PLAIN, READ_AS_RECORDS, name_of_reader
from sdtext.reading.sandbox.pool import Extraction, ProcessLimits, extract
from sdtext.text.cut_text import cut_at
from sdtext.text.disguises import Undisguised, Undone, problems_of, undisguised
from sdtext.text.document import Document
from sdtext.text.language import sample_of
from sdtext.text.line_joins import dehyphenated_with_map
from sdtext.text.normal_form import clean, clean_with_map

_STDIN = "-"
BEGINNING = 5000
"""The number of characters at the beginning of a text by which its language is checked."""
_SHORTEST_BLOCK = 1 << 15  # characters; what is done for each block costs time
_LEAST_SECONDS = 0.001
_LITTLE = 20  # visible characters; where an engine finds fewer, the next may find more


class Source:
    """A file and the reader that makes text of it. All members raise UnreadableError."""

    def __init__(self, content: Content, reading: Reading) -> None:
        self.content = content
        self.reading = reading
        self._extraction: Extraction | None = None
        self._headings: list[Heading] = []
        self._quotations: list[QuotationMark] = []
        self._problems: list[Problem] = []
        self._undone: dict[str, Undone] = {}
        self.beginning = ""  # of the text, at most `BEGINNING` characters, once it is read

    @classmethod
    def at(cls, file: str | Path | Content, reading: Reading | None = None) -> Source:
        """The file at a path, or one that is open already."""
        reading = reading or Reading()
        if isinstance(file, Content):
            return cls(file, reading)
        return cls(content_at(file, reading.max_bytes, reading.limits), reading)

    @property
    def path(self) -> Path:
        """The path of the file; of one in an archive, path!name."""
        return Path(self.content.path)

    @property
    def artefact(self) -> str:
        """The kind of sdtext's own file that it is, such as "fingerprint"; "" for other files."""
        return kind_of_own_file(self.content.head)

    @cached_property
    def name(self) -> str:
        """The name of its reader: plain text if no other reader recognises it.

        A reader `command` that is asked for reads every file.
        """
        return name_of_reader(self.content, self.reading)

    @cached_property
    def reader(self) -> Reader:
        """Its reader, with the options."""
        given = next((spec for spec in self.reading.readers if spec.name == self.name), None)
        spec = given or PartSpec(self.name)
        hidden = self.reading.hidden if self.reading.hidden != KEEP else ""
        options = {"encoding": self.reading.encoding, "hidden": hidden}
        taken = {
            field.name: options[field.name]
            for field in fields(find("readers", self.name))
            if options.get(field.name)
        }
        spec = PartSpec.of(self.name, **{**dict(spec.options), **taken})
        return build("readers", spec)

    @property
    def extraction(self) -> Extraction | None:
        """The extraction by a sandboxed process; None if the reader needs none."""
        # Before Python 3.12 a cached_property would let only one thread at a time read.
        if self._extraction is None and self._is_isolated:
            alternatives = self.reader.alternatives()
            readers = [(_spec(self.name, reader), reader.sees_pictures) for reader in alternatives]
            self._extraction = _best(self.content, readers, self.reading.limits)
        return self._extraction

    @property
    def _is_isolated(self) -> bool:
        above = self.reader.isolated_above
        return self.reader.isolated or (above is not None and self.content.is_longer(above))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, such as what is missing from the text; known once it is read."""
        path = str(self.content.path)
        problems = self.extraction.problems if self.extraction else self._problems
        disguises = problems_of(self._undone.values(), path)
        return (
            *(replace(problem, path=path) for problem in problems),
            *disguises,
            *self._many_records(),
        )

    def _many_records(self) -> Iterator[Problem]:
        """A warning if the file holds records, which are read here as one document."""
        content = self.content
        is_named = format_of(content.path) is not None or str(content.path) == _STDIN
        if self.name == PLAIN and (is_named or content.head.lstrip()[:1] == b"{"):
            from sdtext.reading.records import holds_rows

            if holds_rows(content, self.reading):
                what = f"is a file of records, read here as one document; {READ_AS_RECORDS}"
                what += "" if is_named else " and ends in .jsonl"
                message = f"{content.name}: {what}"
                yield Problem("warning", "records", message, str(content.path), what)

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted the text, with their versions."""
        return self.extraction.libraries if self.extraction else ()

    def metadata(self) -> dict[str, str]:
        """The reader, the encoding and the engine that gave the text."""
        metadata = {"reader": self.name}
        if encoding := self.reader.encoding_of(self.content):
            metadata["encoding"] = encoding.name
            if encoding.certainty:
                metadata["certainty"] = encoding.certainty
        if self.libraries:
            metadata["engine"] = ", ".join(" ".join(library).rstrip() for library in self.libraries)
        return metadata

    def blocks(self) -> Iterator[str]:
        """The text in blocks, as decoded or extracted. TextlessError for white space alone."""
        blank = True
        length = 0
        self._headings.clear()
        self._quotations.clear()
        self._problems.clear()
        self.beginning = ""
        extraction = self.extraction
        for block in self.reader(self.content) if extraction is None else extraction.blocks:
            if isinstance(block, Heading):
                self._headings.append(replace(block, offset=length))
                continue
            if isinstance(block, QuotationMark):
                self._quotations.append(replace(block, offset=length))
                continue
            if isinstance(block, Problem):
                self._problems.append(block)
                continue
            blank = blank and (not block or block.isspace())
            if length < BEGINNING:
                self.beginning += block[: BEGINNING - length]
            length += len(block)
            yield block
        if blank:
            raise TextlessError("holds no text", file=self.content.name)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings that the format marks, known once the text is read."""
        return self.extraction.headings if self.extraction else tuple(self._headings)

    @property
    def quotations(self) -> tuple[Span, ...]:
        """The quotations that the format marks, known once the text is read."""
        return quotations_between(
            self.extraction.quotations if self.extraction else self._quotations
        )

    @property
    def sample(self) -> str:
        """The words at its beginning, by which its language is detected."""
        return sample_of(self.clean_pieces(" \n"))

    def clean_pieces(self, boundaries: str | Pattern[str]) -> Iterator[str]:
        r"""The clean text in pieces, cut at `boundaries`: "\n", or " \n" for blanks too.

        The boundaries may also be a pattern, as for `cut_at`.
        Memory does not grow with the length of the text, unless a sandboxed process extracts it.
        """
        for _, piece in self._undisguised_pieces(boundaries):
            yield clean(piece.text, self.reader.normal_form)

    def documents(self, boundaries: str | Pattern[str]) -> Iterator[tuple[int, Document]]:
        """The text as a series of short documents cut at `boundaries`, each with its offset.

        Memory grows as with `clean_pieces`.
        """
        place = 0
        for text, piece in self._undisguised_pieces(boundaries):
            cleaned, offset_map = self._cleaned(piece)
            path, lines = str(self.content.path), self.reader.line_paragraphs
            yield place, Document(text, cleaned, offset_map, path, line_paragraphs=lines)
            place += len(text)

    def _undisguised_pieces(
        self, boundaries: str | Pattern[str]
    ) -> Iterator[tuple[str, Undisguised]]:
        """The text in pieces, each as it was read and without disguises."""
        undone: dict[str, Undone] = {}
        place = 0
        for text in self._pieces(boundaries):
            piece = self._undisguised(text)
            _add(undone, piece.undone, place)
            yield text, piece
            place += len(text)
        self._undone = undone

    def document(self) -> Document:
        """The whole document."""
        text = "".join(self.blocks())
        plain = self._undisguised(text)
        self._undone = {step.step: step for step in plain.undone}
        return Document(
            text,
            *self._cleaned(plain),
            str(self.content.path),
            self.metadata(),
            self.problems,
            self.headings,
            self.reader.line_paragraphs,
            self.quotations,
        )

    def _pieces(self, boundaries: str | Pattern[str]) -> Iterator[str]:
        # A word may continue on the next page, so paginated texts are not cut.
        if self.reader.paginated:
            return iter(["".join(self.blocks())])
        return cut_at(_joined(self.blocks()), boundaries)

    def _undisguised(self, text: str) -> Undisguised:
        if not self.reader.paginated:
            return undisguised(text)
        whole, to_text = dehyphenated_with_map(text)
        return undisguised(whole).within(to_text)

    def _cleaned(self, plain: Undisguised) -> tuple[str, OffsetMap | None]:
        cleaned, to_plain = clean_with_map(plain.text, self.reader.normal_form)
        return cleaned, to_plain.followed_by(plain.offset_map) if to_plain else plain.offset_map


def _add(undone: dict[str, Undone], further: Iterable[Undone], place: int) -> None:
    """Add what was undone in the piece of a text at `place`."""
    for step in further:
        first = undone.get(step.step, Undone(step.step, 0, place + step.start))
        undone[step.step] = replace(first, count=first.count + step.count)


@naming_arguments
def read(path: str | Path | Document, reading: Reading | None = None) -> Document:
    """The document in the file at `path`, read as `reading` says, within its limits.

    A Document is given back as it is.

    By default a file may take 60 seconds and 1 GB of memory: `Reading(max_seconds=…,
    max_memory=…)`. The reader of a format, such as PDF, runs in a process of its own, which is
    ended at the limits. What this process does is limited, too, but only on Linux and in the main
    thread. Raises UnreadableError.

    >>> read("LICENSE").metadata["reader"]
    'text'
    """
    if isinstance(path, Document):
        return path
    check_path("read", "path", path)
    reading = checked_reading("read", reading)
    with within_limits(reading.limits, shown(path)):
        return Source.at(path, reading).document()


def _joined(blocks: Iterable[str]) -> Iterator[str]:
    """The text in blocks of at least `_SHORTEST_BLOCK` characters, but for the last."""
    held: list[str] = []
    length = 0
    for block in blocks:
        held.append(block)
        length += len(block)
        if length >= _SHORTEST_BLOCK:
            yield "".join(held)
            held.clear()
            length = 0
    if held:
        yield "".join(held)


def _spec(name: str, reader: Reader) -> PartSpec:
    return PartSpec.of(name, **options_of(reader))


def _best(
    content: Content, readers: Sequence[tuple[PartSpec, bool]], limits: ProcessLimits
) -> Extraction:
    """The extraction by the first of `readers` that finds text, with the errors of the others.

    Once a reader has found no text, only readers that see pictures follow.
    """
    extractions: list[Extraction] = []
    errors: list[UnreadableError] = []
    end = monotonic() + limits.seconds
    for place, (reader, sees) in enumerate(readers, 1):
        if errors and isinstance(errors[0], TextlessError) and not sees:
            continue
        # The time limit is for all: the last gets all that is left, each before it half of that.
        left = max(_LEAST_SECONDS, end - monotonic())
        seconds = left if place == len(readers) else left / 2
        try:
            extraction = extract(reader, content, limits, seconds)
        except UnreadableError as error:
            first = sees or isinstance(error, TextlessError)  # the most informative error first
            errors.insert(0 if first else len(errors), error)
            continue
        extractions.append(extraction)
        if _visible(extraction) == _LITTLE or _tells_hidden_text(extraction):
            break
    best = max(extractions, key=_visible, default=None)
    if errors and (best is None or not _visible(best)):
        raise errors[0]
    assert best is not None  # noqa: S101 (there is a reader, which extracts or raises)
    warnings = (
        Problem("warning", "other-engine", f"{error}; another engine reads it")
        for error in errors
        if not isinstance(error, TextlessError)
    )
    return replace(best, problems=(*warnings, *best.problems))


def _tells_hidden_text(extraction: Extraction) -> bool:
    """Whether it lacks text because that is hidden: another engine may not see the difference."""
    return any(problem.category == "hidden-text" for problem in extraction.problems)


def _visible(extraction: Extraction) -> int:
    """The number of visible characters, counted up to `_LITTLE`; bidi marks are not visible."""
    characters = (
        char
        for block in extraction.blocks
        for char in block
        if not (char.isspace() or category(char) == "Cf")
    )
    return sum(1 for _ in islice(characters, _LITTLE))


class TextPieces(Protocol):
    """The text of a document in pieces: a Source, or a Document in memory."""

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]: ...

    @property
    def sample(self) -> str: ...

    @property
    def beginning(self) -> str: ...

    def clean_pieces(self, boundaries: str | Pattern[str], /) -> Iterator[str]: ...

    def documents(self, boundaries: str | Pattern[str], /) -> Iterator[tuple[int, Document]]: ...


@dataclass(frozen=True)
class DocumentPieces:
    r"""A Document as a single piece.

    >>> list(DocumentPieces(Document.of("Bees dance.")).clean_pieces("\\n"))
    ['Bees dance.']
    """

    document: Document

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted its text, with their versions."""
        engines = self.document.metadata.get("engine", "")
        pairs = [engine.rpartition(" ") for engine in engines.split(", ") if engine]
        return tuple((name, version) for name, _, version in pairs)

    @cached_property
    def sample(self) -> str:
        """A sample of the text, from which its language is recognised."""
        return sample_of([self.document.clean])

    @property
    def beginning(self) -> str:
        """The beginning of the text."""
        return self.document.clean[:BEGINNING]

    def clean_pieces(self, _boundaries: str | Pattern[str], /) -> Iterator[str]:
        """The clean text."""
        yield self.document.clean

    def documents(self, _boundaries: str | Pattern[str], /) -> Iterator[tuple[int, Document]]:
        """The document, which begins at offset 0."""
        yield 0, self.document
