"""The documents of an experiment: texts, and their terms by each group of tokenizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import count
from pathlib import Path

import numpy as np

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import counted, shown
from sdtext.experiment.pairs_file import PairsFile
from sdtext.experiment.plan import ExperimentPlan, TokenizerGroup
from sdtext.fingerprinting.build_dictionary import DocumentTotals
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.model.drift import SAMPLE
from sdtext.reading.document_pieces import DocumentPieces
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Amount,
    Run,
    batched,
    nothing_left,
    process_document,
    run_batches,
)
from sdtext.reading.read_document import Source
from sdtext.reading.walk import documents_in, sampled
from sdtext.text.document import Document

LEAST_DOCUMENTS = 3
"""The documents of which a dictionary, made without a fold, can have normalized IDF."""


Libraries = tuple[tuple[str, str], ...]
"""Libraries with their versions."""


@dataclass(frozen=True, eq=False)
class GroupTerms:
    """The terms of all documents by one group of tokenizers.

    `vocabulary` is in code-point order; each row has the places of a document's terms in it.
    """

    vocabulary: tuple[str, ...]
    rows: Ragged

    @classmethod
    def of(cls, documents: Sequence[Sequence[str]]) -> GroupTerms:
        """The terms of documents, each given by its distinct terms.

        >>> terms = GroupTerms.of([["to", "be"], ["be"]])
        >>> terms.vocabulary, [row.tolist() for row in terms.rows]
        (('be', 'to'), [[0, 1], [0]])
        """
        vocabulary = tuple(sorted({term for terms in documents for term in terms}))
        places = {term: place for place, term in enumerate(vocabulary)}
        rows = [np.sort(np.array([places[term] for term in terms], "i8")) for terms in documents]
        return cls(vocabulary, Ragged.of(rows, "int64"))

    def of_document(self, place: int) -> list[str]:
        """The terms of the document at a place."""
        return [self.vocabulary[term] for term in self.rows[place].tolist()]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each term in the vocabulary."""
        return {term: place for place, term in enumerate(self.vocabulary)}


@dataclass(frozen=True, eq=False)
class Dataset:
    """The documents of a plan: their names, their texts and their terms by each group.

    `related` has the pairs of documents that a CSV file states, as places. `files` are all files,
    those without a document, too. `libraries` are for each document those that extracted its text.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    terms: tuple[GroupTerms, ...]
    related: tuple[tuple[int, int], ...] = ()
    files: tuple[Path, ...] = ()
    libraries: tuple[Libraries, ...] = ()

    def totals(self, group: int, sample: Amount) -> DocumentTotals:
        """The document frequencies of a sample, as `create_dictionary` draws and counts it."""
        files = sampled(self.files, sample.of(len(self.files)))
        drift = set(map(str, sampled(files, SAMPLE)))
        places = {name: place for place, name in enumerate(self.names)}
        totals = DocumentTotals()
        for name in map(str, files):
            if (place := places.get(name)) is not None:
                terms = self.terms[group].of_document(place)
                totals.frequencies.update(terms)
                totals.documents += 1
                totals.engines.update(self.libraries[place])
                totals.samples += ["\n".join(terms)] if name in drift and terms else []
        return totals

    @cached_property
    def equal_texts(self) -> Mapping[int, frozenset[int]]:
        """For each document those with the same text, itself included, as places."""
        places: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            places.setdefault(text, []).append(place)
        return {place: frozenset(row) for row in places.values() for place in row}

    def unlisted(self, place: int) -> set[int]:
        """The documents equal to one or to a partner of it, though the file has no such pair."""
        partners = {right for left, right in self.related if left == place}
        equal = set().union(*(self.equal_texts[item] for item in {place, *partners}))
        return equal - partners - {place}

    def digest(self) -> str:
        """SHA-256 of the texts and of the pairs, in hexadecimal; names change no result."""
        digest = sha256()
        for text in self.texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(repr(self.related).encode())
        return digest.hexdigest()


def distinct_terms(chain: Chain, document: Document) -> set[str]:
    """The distinct terms of a document, as its fingerprint has them.

    >>> sorted(distinct_terms(Chain.of("english"), Document.of("The bees dance.")))
    ['bee', 'danc']
    """
    pieces = DocumentPieces(document)
    chain = chain.suited_to(pieces.sample) if chain.is_automatic else chain
    return chain.distinct(pieces.clean_pieces(chain.tokenizer.cuts))


def load_dataset(plan: ExperimentPlan, run: Run | None = None) -> Dataset:
    """Read the documents of a plan, each once, and tokenise each once by every group.

    Raises UnreadableError if too few can be read for a dictionary without a fold; FormatError for
    a CSV file of pairs that names other documents.
    """
    run = run or Run()
    pairs = PairsFile.read(plan.pairs) if plan.pairs else None
    files = list(documents_in(plan.paths, run.reading, run.note))
    work = _ReadTerms(plan.groups, run.reading)
    read = _ReadBatch([[] for _ in plan.groups])
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        read.add(batch)
    names = read.names
    least = next(
        number
        for number in count(LEAST_DOCUMENTS)
        if number - -(-number // plan.folds) >= LEAST_DOCUMENTS
    )
    if len(names) < least:
        where = "" if run.problems else f"{', '.join(map(shown, plan.paths))}: "
        what = f"{where}{counted(len(names), 'document')} could be read; "
        what += f"an experiment of {plan.folds} folds needs {least}"
        raise nothing_left(run, what)
    related = pairs.places(names, plan.paths) if pairs else ()
    groups = [[rows.split("\n") if rows else [] for rows in group] for group in read.terms]
    terms = tuple(map(GroupTerms.of, groups))
    return Dataset(
        tuple(names), tuple(read.texts), terms, related, tuple(files), tuple(read.libraries)
    )


@dataclass
class _ReadBatch:
    """Names and texts of a batch, and by each group the terms of each, joined by line feeds."""

    terms: list[list[str]]
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    libraries: list[Libraries] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def add(self, batch: _ReadBatch) -> None:
        """Add the documents of a further batch."""
        self.names += batch.names
        self.texts += batch.texts
        self.libraries += batch.libraries
        for rows, further in zip(self.terms, batch.terms, strict=True):
            rows.extend(further)


@dataclass(frozen=True)
class _ReadTerms:
    """Reads a batch of documents and tokenises each by every group."""

    groups: tuple[TokenizerGroup, ...]
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _ReadBatch:
        batch = _ReadBatch([[] for _ in self.groups])
        for path in files:
            result = process_document(path, self.reading, self._read)
            if isinstance(result, Problem):
                batch.problems.append(result)
                continue
            document, libraries, rows = result
            batch.names.append(str(path))
            batch.texts.append(document.text)
            batch.libraries.append(libraries)
            batch.problems += document.problems
            for group, terms in zip(batch.terms, rows, strict=True):
                group.append("\n".join(terms))
        return batch

    def _read(self, source: Source) -> tuple[Document, Libraries, list[set[str]]]:
        document = source.document()
        terms = [distinct_terms(chain, document) for chain in self._chains]
        return document, source.libraries, terms

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(group.recipe) for group in self.groups]
