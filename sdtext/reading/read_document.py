"""One file: the reader for it, its text, its clean text in pieces, and its units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from re import Pattern
from time import monotonic
from unicodedata import category

from sdtext.errors import OptionError, TextlessError, UnreadableError
from sdtext.io.decompressed_content import DAMAGE, Content
from sdtext.model import Heading, PartSpec, Problem, QuotationMark, Span
from sdtext.model.record_formats import format_of
from sdtext.model.texts import quotations_between
from sdtext.parts.readers import Reader
from sdtext.parts.readers.hidden_text import KEEP
from sdtext.parts.registry import build, find, options_of, parse
from sdtext.parts.units import Unit
from sdtext.reading.archive_members import content_at, expanded_files, holds_files
from sdtext.reading.main_process_limits import ProcessLimits, within_limits
from sdtext.reading.options import Reading
from sdtext.reading.recognise_file import PLAIN, READ_AS_RECORDS, name_of_reader
from sdtext.reading.sandbox.pool import Extraction, extract
from sdtext.text.cut_text import cut_at
from sdtext.text.disguises import Undisguised, Undone, problems_of, undisguised
from sdtext.text.document import Document
from sdtext.text.garbled import garbled
from sdtext.text.language import sample_of
from sdtext.text.line_joins import dehyphenated_with_map
from sdtext.wording import shown

BEGINNING = 5000
"""The number of characters at the beginning of a text by which its language is checked."""
_SHORTEST_BLOCK = 1 << 15  # characters
_LEAST_SECONDS = 0.001
_LITTLE = 20  # visible characters; where an engine finds fewer, the next may find more


class Source:
    """A file, at a path or open already, and the reader that makes text of it.

    All members raise UnreadableError.
    """

    def __init__(self, file: str | Path | Content, reading: Reading | None = None) -> None:
        self.reading = reading or Reading()
        if not isinstance(file, Content):
            file = content_at(file, self.reading.max_bytes, self.reading.limits)
        elif file.data is not None:
            file = replace(file)  # what is cached of it does not outlive the source
        self.content = file
        self._extraction: Extraction | None = None
        self._headings: list[Heading] = []
        self._quotations: list[QuotationMark] = []
        self._problems: list[Problem] = []
        self._undone: dict[str, Undone] = {}
        self.beginning = ""  # of the text, at most `BEGINNING` characters, once it is read

    @property
    def path(self) -> Path:
        """The path of the file; of one in an archive, path!name."""
        path = self.content.path
        return path if isinstance(path, Path) else Path(path)

    @cached_property
    def name(self) -> str:
        """The name of its reader: plain text if no other reader recognises it.

        A reader `command` that is asked for reads every file.
        """
        name = name_of_reader(self.content, self.reading)
        if name == PLAIN:
            self.content.notes[DAMAGE] = ""
        return name

    @cached_property
    def reader(self) -> Reader:
        """Its reader, with the options."""
        return _reader(self.name, self.reading)

    @property
    def extraction(self) -> Extraction | None:
        """The extraction by a sandboxed process; None if the reader needs none."""
        # Before Python 3.12 a cached_property would let only one thread at a time read.
        reader, above = self.reader, self.reader.isolated_above
        is_isolated = reader.isolated or (above is not None and self.content.is_longer(above))
        if self._extraction is None and is_isolated:
            self._extraction = _best(self.name, reader, self.content, self.reading.limits)
        return self._extraction

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, such as what is missing from the text; known once it is read."""
        path, own = str(self.content.path), self._problems
        if (format_of(path) or path == "-") and self.name == PLAIN:
            from sdtext.reading.records.record_files import records_in_content

            if records_in_content(self.content, self.reading)[0]:
                what = f"is a file of records, read here as one document; {READ_AS_RECORDS}"
                own = [*own, Problem.at("warning", "records", self.content.name, what)]
        return (
            *(replace(problem, path=path) for problem in own),
            *problems_of(self._undone.values(), path),
        )

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The libraries that extracted the text, with their versions."""
        return self.extraction.libraries if self.extraction else ()

    def metadata(self) -> dict[str, str]:
        """The reader, the encoding and the engine that gave the text."""
        metadata = {"reader": self.name}
        if encoding := self.reader.encoding_of(self.content):
            metadata["encoding"] = encoding.name
            if encoding.detected:
                metadata["certainty"] = "doubtful" if encoding.rival else "likely"
        if self.extraction and self.extraction.libraries:
            engines = (" ".join(library).rstrip() for library in self.extraction.libraries)
            metadata["engine"] = ", ".join(engines)
        return metadata

    def blocks(self) -> Iterator[str]:
        """The text in blocks, as decoded or extracted. TextlessError for white space alone.

        Short pieces are joined: what is done for each block costs time.
        """
        is_blank, length, done = True, 0, 0
        waiting: list[str] = []
        for kept in (self._headings, self._quotations, self._problems):
            kept.clear()
        self.beginning = ""
        for block in self._pieces():
            if isinstance(block, Heading):
                self._headings.append(replace(block, offset=length))
            elif isinstance(block, QuotationMark):
                self._quotations.append(replace(block, offset=length))
            elif isinstance(block, Problem):
                self._problems.append(block)
            else:
                is_blank = is_blank and (not block or block.isspace())
                if length < BEGINNING:
                    self.beginning += block[: BEGINNING - length]
                length += len(block)
                waiting.append(block)
                if length - done >= _SHORTEST_BLOCK:
                    yield "".join(waiting)
                    waiting, done = [], length
        if waiting:
            yield "".join(waiting)
        if is_blank:
            raise TextlessError("holds no text", file=self.content.name)
        if what := self.content.notes.get(DAMAGE):
            what = f"{what}; what stands before the damage is read"
            self._problems.append(Problem.at("error", "partly-read", self.content.name, what))
        if why := garbled(self.beginning):
            remedy = "ocr reads its pages" if self.reader.paginated else "get a new copy of it"
            what = f"its text seems to be garbled: {why}; {remedy}"
            self._problems.append(Problem.at("warning", "garbled", self.content.name, what))

    def _pieces(self) -> Iterable[str | Heading | QuotationMark | Problem]:
        """What the reader yields."""
        if self.extraction:
            return self.extraction.pieces
        return self.reader(self.content) if self._kept is None else [self._kept]

    @cached_property
    def _kept(self) -> str | None:
        """The text, where it is clear at little cost that each step keeps it."""
        return self.reader.kept_text(self.content)

    def _undisguised(self, text: str) -> Undisguised:
        """A text of the document, or a piece of it, without disguises."""
        if self.reader.paginated:
            return undisguised(*dehyphenated_with_map(text))
        is_kept = text is self._kept
        return Undisguised(text, None, (), is_clean=True) if is_kept else undisguised(text)

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
            yield piece.clean(self.reader.normal_form)

    def documents(self, boundaries: str | Pattern[str]) -> Iterator[tuple[int, Document]]:
        """The text as a series of short documents cut at `boundaries`, each with its offset.

        Memory grows as with `clean_pieces`.
        """
        place = 0
        for text, piece in self._undisguised_pieces(boundaries):
            cleaned, path = piece.clean_with_map(self.reader.normal_form), str(self.content.path)
            lines = self.reader.line_paragraphs
            yield place, Document(text, *cleaned, path, line_paragraphs=lines)
            place += len(text)

    def document(self) -> Document:
        """The whole document."""
        text = "".join(self.blocks())
        plain = self._undisguised(text)
        self._undone = {step.step: step for step in plain.undone}
        return Document(
            text,
            *plain.clean_with_map(self.reader.normal_form),
            str(self.content.path),
            self.metadata(),
            self.problems,
            tuple(self._headings),
            self.reader.line_paragraphs,
            quotations_between(self._quotations) if self._quotations else (),
        )

    def _undisguised_pieces(
        self, boundaries: str | Pattern[str]
    ) -> Iterator[tuple[str, Undisguised]]:
        """The text in pieces, each as it was read and without disguises."""
        undone: dict[str, Undone] = {}
        place = 0
        # A word may continue on the next page, so paginated texts are not cut.
        blocks = self.blocks()
        for text in ["".join(blocks)] if self.reader.paginated else cut_at(blocks, boundaries):
            piece = self._undisguised(text)
            for step in piece.undone:
                first = undone.get(step.step, Undone(step.step, 0, place + step.start))
                undone[step.step] = replace(first, count=first.count + step.count)
            yield text, piece
            place += len(text)
        self._undone = undone


def read(path: str | Path | Document, *, reading: Reading | None = None) -> Document:
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
    reading = reading or Reading()
    with within_limits(reading.limits, shown(path)):
        return Source(path, reading).document()


def text_of_files(
    path: str | Path, reading: Reading, note: Callable[[Problem], None]
) -> Iterator[str]:
    """The text of the file at `path` in blocks; of an archive, a mailbox or a mail those in it.

    The text of each of these ends with a line end; one that cannot be read is noted. Raises
    UnreadableError if that is the file itself, and there are no others in it.
    """
    failed: UnreadableError | None = None
    has_members = False
    for content in expanded_files([path], reading, note):
        is_member, end = Path(content.path) != Path(path), "\n"
        has_members = has_members or is_member
        try:
            source = Source(content, reading)
            with within_limits(reading.limits, content.name):
                for block in source.blocks():
                    yield block
                    end = block[-1:] or end
            for problem in source.problems:
                note(problem)
        except UnreadableError as error:
            if is_member:
                note(Problem.of(error, content.path))
            else:
                failed = error
        if is_member and end != "\n":
            yield "\n"
    if failed and not has_members:
        raise failed
    if failed:
        note(problem_with(content_at(path, reading.max_bytes, reading.limits), failed, reading))


def problem_with(content: Content, error: UnreadableError, reading: Reading) -> Problem:
    """The problem that a file cannot be read: a warning if only the files in it hold text."""
    problem = Problem.of(error, content.path)
    if isinstance(error, TextlessError) and holds_files(content, reading.limits):
        return replace(problem, severity="warning")
    return problem


def units(
    document: str | Path | Document, unit: str = "paragraph", *, reading: Reading | None = None
) -> list[Span]:
    """The units of a document in order, as half-open ranges of its text, with their titles.

    `unit` is `document`, `page`, `chapter`, `paragraph` or `sentence`, optionally with options, as
    in "sentence(length=150)". The document is a `Document` or the path of its file, and `reading`
    says how to read it. Raises OptionError and UnreadableError.

    >>> document = Document.of("Bees dance. They show the way.")
    >>> [document.text[span.start : span.end] for span in units(document, "sentence")]
    ['Bees dance.', 'They show the way.']
    """
    spec = parse(unit)
    if spec.name == "segment":
        raise OptionError("segment: divides terms, not text")
    divide: Unit = build("units", spec)
    return list(divide(read(document, reading=reading)))


@lru_cache(64)
def _reader(name: str, reading: Reading) -> Reader:
    """The reader called `name` with the options of `reading`."""
    options = {spec.name: dict(spec.options) for spec in reading.readers}.get(name, {})
    known = {item.name for item in fields(find("readers", name))}
    if "encoding" in known and reading.encoding:
        options["encoding"] = reading.encoding
    if "hidden" in known and reading.hidden != KEEP:
        options["hidden"] = reading.hidden
    part: Reader = build("readers", PartSpec.of(name, **options))
    return part


def _best(name: str, reader: Reader, content: Content, limits: ProcessLimits) -> Extraction:
    """The extraction by the first engine of a reader that finds text, with the others' errors.

    Once an engine has found no text, or garbled text, only those that see pictures follow.
    """
    extractions: list[tuple[int, Extraction]] = []  # with the visible characters
    errors: list[UnreadableError] = []
    end = monotonic() + limits.seconds
    engines = reader.alternatives()
    for place, engine in enumerate(engines, 1):
        if errors and isinstance(errors[0], TextlessError) and not engine.sees_pictures:
            continue
        # The time limit is for all: the last gets all that is left, each before it half of that.
        left = max(_LEAST_SECONDS, end - monotonic())
        seconds = left if place == len(engines) else left / 2
        spec = PartSpec.of(name, **options_of(engine))
        try:
            extraction = extract(spec, content, limits, seconds)
        except UnreadableError as error:
            first = engine.sees_pictures or isinstance(error, TextlessError)
            errors.insert(0 if first else len(errors), error)  # the most informative first
            continue
        texts = (piece for piece in extraction.pieces if isinstance(piece, str))
        if engines[-1].sees_pictures and place < len(engines) and garbled(next(texts, "")):
            errors.insert(0, TextlessError("its text seems to be garbled", file=content.name))
            continue
        visible = _visible(extraction)
        extractions.append((visible, extraction))
        # Where text is hidden, another engine may not see the difference.
        if visible == _LITTLE or any(p.category == "hidden-text" for p in extraction.problems):
            break
    visible, best = max(extractions, key=lambda each: each[0], default=(0, Extraction()))
    if errors and not visible:
        raise errors[0]
    warnings = (
        Problem.at("warning", "other-engine", error.file, f"{error.what}; another engine reads it")
        for error in errors
        if not isinstance(error, TextlessError)
    )
    return replace(best, pieces=[*warnings, *best.pieces])


def _visible(extraction: Extraction) -> int:
    """The number of visible characters, counted up to `_LITTLE`; bidi marks are not visible."""
    characters = (
        char
        for piece in extraction.pieces
        if isinstance(piece, str)
        for char in piece
        if not (char.isspace() or category(char) == "Cf")
    )
    return sum(1 for _ in islice(characters, _LITTLE))


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


TextPieces = Source | DocumentPieces
"""The text of a document in pieces."""
