"""Fingerprints of documents: of one, and of many files on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, Protocol

from sdtext.analysis.chain import Chain
from sdtext.errors import OptionError, shown
from sdtext.fingerprinting.load_and_save import dictionaries_of
from sdtext.model import (
    Document,
    Fingerprint,
    PartSpec,
    Place,
    Problem,
    TokenDigest,
    Tokens,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from sdtext.parts.catalogue import build
from sdtext.parts.fingerprints.digest import Digest
from sdtext.parts.units.segment import Segment
from sdtext.reading.batches import Run, batched, process_document, run_batches
from sdtext.reading.options import Reading
from sdtext.reading.source import Source
from sdtext.text.language import sample_of


@dataclass(frozen=True)
class Making:
    """What is made of a document, for each dictionary: one vector, and nothing else.

    With `segment` a vector for each segment of its terms, and with `whole` that of the document,
    too, before them; with `digest` the terms themselves in their order.
    """

    segment: Segment | None = None
    digest: Digest | None = None
    whole: bool = False


_PLAIN = Making()


class _Text(Protocol):
    """A document's text in pieces: a Source, or a Document at hand."""

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]: ...

    @property
    def sample(self) -> str: ...

    def clean_pieces(self, boundaries: str, /) -> Iterator[str]: ...

    def documents(self, boundaries: str, /) -> Iterator[tuple[int, Document]]: ...


@dataclass(frozen=True)
class _AtHand:
    """A Document as one piece."""

    document: Document

    @property
    def libraries(self) -> tuple[tuple[str, str], ...]:
        engines = self.document.metadata.get("engine", "")
        pairs = [engine.rpartition(" ") for engine in engines.split(", ") if engine]
        return tuple((name, version) for name, _, version in pairs)

    @cached_property
    def sample(self) -> str:
        return sample_of([self.document.clean])

    def clean_pieces(self, _boundaries: str, /) -> Iterator[str]:
        yield self.document.clean

    def documents(self, _boundaries: str, /) -> Iterator[tuple[int, Document]]:
        yield 0, self.document


def fingerprint(
    document: Document | str | Path,
    *dictionaries: Dictionary | str | Path,
    segment: Segment | str | None = None,
    digest: Digest | None = None,
    reading: Reading | None = None,
) -> Fingerprint:
    """The fingerprint of a document, or of the one in a file: a vector for each dictionary.

    Dictionaries, too, may be named by their files. With `segment` (as "1000/500": 1,000 terms,
    the next from the 500th on) there is a vector for each segment; with `digest` the terms in
    their order, too. `reading` says how a file is read. Raises UnreadableError for a file
    without text, OptionError where no dictionary is given.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> fingerprint(samples / "union.txt", dictionary).vectors[0].count > 100
    True
    """
    if not dictionaries:
        raise OptionError("a fingerprint needs a dictionary; none is given")
    known = {one.digest: one for one in dictionaries_of(dictionaries)}.values()
    text = _AtHand(document) if isinstance(document, Document) else Source.at(document, reading)
    segments = Segment.parse(segment) if isinstance(segment, str) else segment
    return _Maker(tuple(known), Making(segments, digest))(text)


@dataclass(frozen=True)
class _Maker:
    """Makes the fingerprint of a text over some dictionaries."""

    dictionaries: tuple[Dictionary, ...]
    making: Making

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(dictionary.recipe) for dictionary in self.dictionaries]

    @cached_property
    def _vector(self) -> Any:
        return build("fingerprints", PartSpec("bitvector"))

    @property
    def _whole(self) -> bool:
        return self.making.whole or not self.making.segment

    def __call__(self, text: _Text, departures: list[str] | None = None) -> Fingerprint:
        """The fingerprint of `text`; how it departs from what is usual is added to `departures`."""
        vectors: list[Vector] = []
        digests: list[TokenDigest] = []
        for chain, dictionary in zip(self._suited(text), self.dictionaries, strict=True):
            terms: set[str] = set()
            if self.making.digest:
                digests += self.making.digest(_in_order(text, chain, terms), dictionary)
            elif self._whole:
                terms = chain.distinct(text.clean_pieces(chain.tokenizer.boundaries))
            made = self._vectors(text, chain, dictionary, terms)
            vectors += [replace(one, language=chain.language) for one in made]
            if departures is not None:
                departures += _departure(terms, dictionary, whole=self._whole)
        return Fingerprint(
            self._vector.kind,
            tuple(vectors),
            tuple(one.reference() for one in self.dictionaries),
            digests=tuple(digests),
            libraries=text.libraries,
        )

    def _suited(self, text: _Text) -> list[Chain]:
        """The chain of each dictionary, as it is for that text."""
        return [
            chain.suited_to(text.sample) if chain.is_automatic else chain for chain in self._chains
        ]

    def _vectors(
        self, text: _Text, chain: Chain, dictionary: Dictionary, terms: set[str]
    ) -> Iterator[Vector]:
        """The vector of `terms`, which are all of the text, or that of each segment.

        The terms of the segments are added to `terms`.
        """
        if self._whole:
            yield self._vector(terms, dictionary)
        if not self.making.segment:
            return
        place: Place | None = None
        for found, place in self.making.segment(_with_places(text, chain)):
            terms.update(found)
            yield replace(self._vector(found, dictionary), place=place)
        if place is None and not self._whole:
            yield self._vector((), dictionary)


def _departure(terms: set[str], dictionary: Dictionary, *, whole: bool) -> Iterator[str]:
    """How a document of these terms departs from those that the dictionary was made from.

    Where its segments alone get vectors, the number of bits of the whole does not matter.
    """
    expected = dictionary.expected
    if expected and terms:
        bits = len(terms & dictionary.places.keys())
        expected = expected if whole else replace(expected, bits=(0, inf))
        if said := expected.departure(len(terms), bits):
            name = shown(dictionary.name) or dictionary.guid
            yield (
                f"is unlike the documents that dictionary {name} was made from: {said}; scores "
                "may mislead"
            )


def _in_order(text: _Text, chain: Chain, distinct: set[str]) -> Iterator[str]:
    """The terms of a text in its order; adds each to `distinct`."""
    for piece in text.clean_pieces(chain.tokenizer.boundaries):
        terms = chain.terms(piece)
        distinct.update(terms)
        yield from terms


def _with_places(text: _Text, chain: Chain) -> Iterator[Tokens]:
    """The terms of a text in its order, with their places in the whole of it."""
    for place, piece in text.documents(chain.tokenizer.boundaries):
        tokens = chain.tokens(piece)
        starts = [place + start for start in tokens.starts]
        yield Tokens(tokens.words, starts, [place + end for end in tokens.ends])


@dataclass
class _FingerprintBatch:
    """The fingerprints of a batch of files, with their paths, and the problems."""

    rows: list[tuple[Path, Fingerprint]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Fingerprinting:
    """Fingerprints a batch of files."""

    maker: _Maker
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _FingerprintBatch:
        batch = _FingerprintBatch()
        for path in files:
            fingerprint, problems = self._fingerprint(path)
            batch.problems += problems
            if fingerprint:
                batch.rows.append((path, fingerprint))
        return batch

    def _fingerprint(self, path: Path) -> tuple[Fingerprint | None, list[Problem]]:
        departures: list[str] = []
        problems: list[Problem] = []

        def made(source: Source) -> Fingerprint:
            fingerprint = self.maker(source, departures)
            problems.extend(source.problems)
            return fingerprint

        result = process_document(path, self.reading, made)
        if isinstance(result, Problem):
            return None, [replace(result, severity="error")]  # it was asked for by name
        told = (f"{shown(path)}: {one}" for one in departures)
        drift = [Problem("warning", "drift", message, str(path)) for message in told]
        return result, [*problems, *drift]


def fingerprints(
    files: Sequence[Path],
    dictionaries: Sequence[Dictionary],
    run: Run,
    making: Making = _PLAIN,
) -> Iterator[tuple[Path, Fingerprint]]:
    """The fingerprints of `files`, in their order, without those that cannot be read."""
    work = _Fingerprinting(_Maker(tuple(dictionaries), making), run.reading)
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        yield from batch.rows
