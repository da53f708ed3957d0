"""Fingerprint documents: one, or many files on all cores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from os import PathLike
from pathlib import Path
from typing import Any, overload

from sdtext._version import __version__
from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError, UnreadableError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.model import Fingerprint, PartSpec, Place, Problem, TokenDigest, Tokens, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.compressed_tokens import Digest
from sdtext.parts.registry import build
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    OTHER_FILES,
    Run,
    Unread,
    batched,
    path_of,
    process_document,
    run_batches,
)
from sdtext.reading.read_document import DocumentPieces, Source, TextPieces
from sdtext.reading.walk import documents_in
from sdtext.text.document import Document
from sdtext.wording import shown

Foreign = list[tuple[Path, str]]
"""Documents in another language than a dictionary, and in which."""


def each_once(given: OneOrMore) -> tuple[Dictionary, ...]:
    """The given dictionaries, each once. Raises OptionError if there is none."""
    known = {item.digest: item for item in dictionaries_of(given)}
    if not known:
        what = "no dictionary is given; name one of yours, or one that comes with sdtext"
        raise OptionError(f"{what}, such as 'english'", place="fingerprint")
    return (*known.values(),)


@overload
def fingerprint(  # type: ignore[overload-overlap] # a string is one path
    documents: Document | str | Path,
    dictionary: OneOrMore,
    *,
    segment: Segment | str | None = None,
    digest: Digest | None = None,
    run: Run | None = None,
) -> Fingerprint: ...


@overload
def fingerprint(
    documents: Iterable[Document | str | Path],
    dictionary: OneOrMore,
    *,
    segment: Segment | str | None = None,
    digest: Digest | None = None,
    run: Run | None = None,
) -> list[Fingerprint]: ...


def fingerprint(
    documents: Document | str | Path | Iterable[Document | str | Path],
    dictionary: OneOrMore,
    *,
    segment: Segment | str | None = None,
    digest: Digest | None = None,
    run: Run | None = None,
) -> Fingerprint | list[Fingerprint]:
    """Fingerprint a document, or the document in a file: one vector for each dictionary.

    Of a list of documents, files and folders, the result is a list: the documents in files, in the
    order of names in a folder, then those in memory. A file that cannot be read is a problem of the
    `run`, which also says how to read files, and how many processes share the work.

    `dictionary` is one or several, each given by its file, too. With `segment` ("1000/500":
    segments of 1,000 terms, a new one every 500) there is a vector for each segment; with `digest`
    also the terms in their order. Fingerprints keep their dictionaries for `score` and `compare`,
    and the path or name of the document in `document`; only `save` with `names` writes it. Raises
    UnreadableError for a file without text, OptionError if no dictionary is given.

    >>> dictionary = create_dictionary(samples, "english")
    >>> fingerprint(samples / "union.txt", dictionary).vectors[0].count > 100
    True
    >>> len(fingerprint([samples], dictionary))
    8
    """
    run = run or Run()
    known = each_once(dictionary)
    segments = Segment.parse(segment) if isinstance(segment, str) else segment
    if isinstance(documents, Document):
        one = _Fingerprinter(known, segments, digest)(DocumentPieces(documents))
        return replace(one, document=documents.source, with_dictionaries=known)
    if isinstance(documents, str | PathLike):
        name = str(documents)
        if os.path.isdir(documents):  # noqa: PTH112 (Path.is_dir raises for some names)
            raise UnreadableError("is a folder; name a file, or the folder in a list", file=name)
        with within_limits(run.reading.limits, shown(name)):
            one = _Fingerprinter(known, segments, digest)(Source(documents, run.reading))
        return replace(one, document=name, with_dictionaries=known)
    items = [*documents]
    paths = [item for item in items if not isinstance(item, Document)]
    held = [item for item in items if isinstance(item, Document)]
    files = [*documents_in(paths, run.reading, run.note)] if paths else []
    made = [(str(path), item) for path, item in fingerprints(files, known, run, segments, digest)]
    in_memory = fingerprints_of_documents(held, known, segments, digest)
    made += ((document.source, item) for document, item in zip(held, in_memory, strict=True))
    return [replace(item, document=name, with_dictionaries=known) for name, item in made]


@dataclass(frozen=True)
class _Fingerprinter:
    """Makes the fingerprint of a text over some dictionaries: by default one vector for each.

    With `segment`, a vector for each segment of the terms, and with `whole` also that of the
    document, before them; with `digest`, also the terms themselves in their order.
    """

    dictionaries: tuple[Dictionary, ...]
    segment: Segment | None = None
    digest: Digest | None = None
    whole: bool = False

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(dictionary.recipe) for dictionary in self.dictionaries]

    @cached_property
    def _vector(self) -> Any:
        return build("fingerprints", PartSpec("bitvector"))

    @cached_property
    def _fits(self) -> list[LanguageFit]:
        return [LanguageFit(dictionary) for dictionary in self.dictionaries]

    def misfits(self, beginning: str) -> list[str]:
        """How a text that begins like this is in another language than the dictionaries."""
        return [what for fit in self._fits if (what := fit.foreign(beginning))]

    @property
    def _whole(self) -> bool:
        return self.whole or not self.segment

    def __call__(self, text: TextPieces, departures: list[str] | None = None) -> Fingerprint:
        """The fingerprint of `text`; adds to `departures` how it differs from the dictionaries."""
        vectors: list[Vector] = []
        digests: list[TokenDigest] = []
        for own, dictionary in zip(self._chains, self.dictionaries, strict=True):
            chain = own.suited_to(text.sample) if own.is_automatic else own
            terms: set[str] = set()  # of digests and segments
            made: list[Vector] = []
            number = 0
            if self.digest:
                digests += self.digest(_in_order(text, chain, terms), dictionary)
                made += [self._vector(terms, dictionary)] if self._whole else []
            elif self._whole:
                pieces = text.clean_pieces(chain.tokenizer.cuts)
                places = chain.distinct_places(pieces, dictionary.places)
                made = [self._vector.of_places(places[places >= 0], dictionary)]
                number = len(places)
            made += self._of_segments(text, chain, dictionary, terms)
            vectors += [replace(vector, language=chain.language) for vector in made]
            expected, number = dictionary.expected, number or len(terms)
            if departures is not None and expected and number:
                if self._whole:
                    bits = made[0].count
                else:  # then the number of set bits says nothing
                    expected = replace(expected, bits=(0, inf))
                    bits = len(terms & dictionary.places.keys())
                if difference := expected.departure(number, bits):
                    name = shown(dictionary.name) or dictionary.guid
                    departures.append(
                        f"differs from the documents that dictionary {name} was made from: "
                        f"{difference}; scores may be misleading"
                    )
        return Fingerprint(
            self._vector.kind,
            tuple(vectors),
            tuple(dictionary.reference() for dictionary in self.dictionaries),
            digests=tuple(digests),
            libraries=text.libraries,
            sdtext_version=__version__,
        )

    def _of_segments(
        self, text: TextPieces, chain: Chain, dictionary: Dictionary, terms: set[str]
    ) -> Iterator[Vector]:
        """The vector of each segment; adds its terms to `terms`."""
        if not self.segment:
            return
        place: Place | None = None
        for segment, place in self.segment(_with_places(text, chain)):
            terms.update(segment)
            yield replace(self._vector(segment, dictionary), place=place)
        if place is None and not self._whole:
            yield self._vector((), dictionary)


def _in_order(text: TextPieces, chain: Chain, distinct: set[str]) -> Iterator[str]:
    """The terms of a text in their order; adds each to `distinct`."""
    for piece in text.clean_pieces(chain.tokenizer.cuts):
        for terms in chain.term_pieces(piece):
            distinct.update(terms)
            yield from terms


def _with_places(text: TextPieces, chain: Chain) -> Iterator[Tokens]:
    """The terms of a text in their order, with their offsets in the whole text."""
    for place, piece in text.documents(chain.tokenizer.cuts):
        for tokens in chain.token_pieces(piece):
            starts = [place + start for start in tokens.starts]
            yield Tokens(tokens.words, starts, [place + end for end in tokens.ends])


def _fingerprint_files(
    work: _Fingerprinter,
    reading: Reading,
    files: Sequence[Unread | Source],
    problems: list[Problem],
) -> list[tuple[Path, Fingerprint, list[str]]]:
    """Fingerprint a batch of files, and tell how each is in another language."""

    def made(source: Source) -> tuple[Fingerprint, list[str], Sequence[Problem]]:
        departures: list[str] = []
        fingerprint, misfits = work(source, departures), work.misfits(source.beginning)
        drift = (
            Problem.at("warning", "drift", source.path, what)
            for what in (() if misfits else departures)
        )
        return fingerprint, misfits, [*source.problems, *drift]

    rows = []
    for file in files:
        result = process_document(file, reading, made)
        if isinstance(result, Problem):
            if result.category in OTHER_FILES:  # the user named this file
                result = replace(result, severity="error")
            problems.append(result)
        else:
            problems += result[2]
            rows.append((path_of(file), *result[:2]))
    return rows


def fingerprints_of_documents(
    documents: Iterable[Document],
    dictionaries: Sequence[Dictionary],
    segment: Segment | None = None,
    digest: Digest | None = None,
    *,
    whole: bool = False,
) -> Iterator[Fingerprint]:
    """The fingerprint of each document in memory; each distinct word is filtered once for all."""
    work = _Fingerprinter(tuple(dictionaries), segment, digest, whole)
    return (work(DocumentPieces(document)) for document in documents)


def fingerprints(
    files: Sequence[Unread | Source],
    dictionaries: Sequence[Dictionary],
    run: Run,
    segment: Segment | None = None,
    digest: Digest | None = None,
    *,
    whole: bool = False,
    foreign: Foreign | None = None,
) -> Iterator[tuple[Path, Fingerprint]]:
    """The fingerprints of `files` in their order, without the unreadable ones.

    A `Source` is a file that this process has read; then no other process works. Documents in
    another language than a dictionary are added to `foreign`; without it there are warnings of
    them.
    """
    one = _Fingerprinter(tuple(dictionaries), segment, digest, whole)
    work = partial(_fingerprint_files, one, run.reading)
    if any(isinstance(file, Source) for file in files):
        run = replace(run, jobs=1)
    misfits: Foreign = [] if foreign is None else foreign
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        for path, item, how in batch:
            misfits += [(path, what) for what in how]
            yield path, item
    if foreign is None:
        for problem in in_other_languages(misfits):
            run.note(problem)
