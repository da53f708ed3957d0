"""The documents of an experiment: texts, and their terms by each group of tokenizers."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from io import StringIO
from pathlib import Path

import numpy as np

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import FormatError, UnreadableError, counted, shown
from sdtext.experiment.plan import ExperimentPlan, TokenizerGroup
from sdtext.io.decompressed_content import Content
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.reading.document_pieces import DocumentPieces
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, batched, nothing_left, process_document, run_batches
from sdtext.reading.read_document import Source
from sdtext.reading.walk import documents_in
from sdtext.text.document import Document

_LEAST = 3  # documents of which a dictionary can have normalized IDF
_MAX_BYTES = 64 << 20  # of a CSV file


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

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each term in the vocabulary."""
        return {term: place for place, term in enumerate(self.vocabulary)}


@dataclass(frozen=True, eq=False)
class Dataset:
    """The documents of a plan: their names, their texts and their terms by each group.

    `related` has the pairs of documents that a CSV file states, as places.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    terms: tuple[GroupTerms, ...]
    related: tuple[tuple[int, int], ...] = ()

    def digest(self) -> str:
        """SHA-256 of the names and texts, in hexadecimal."""
        digest = sha256()
        for name, text in zip(self.names, self.texts, strict=True):
            for part in (name, text):
                data = part.encode("utf-8", "surrogatepass")
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

    Raises UnreadableError if fewer than 3 can be read; FormatError for a CSV file of pairs that
    names other documents.
    """
    run = run or Run()
    files = list(documents_in(plan.paths, run.reading, run.note))
    work = _ReadTerms(plan.groups, run.reading)
    names: list[str] = []
    texts: list[str] = []
    terms: list[list[list[str]]] = [[] for _ in plan.groups]
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        names += batch.names
        texts += batch.texts
        for rows, group in zip(terms, batch.terms, strict=True):
            rows += [joined.split("\n") if joined else [] for joined in group]
    if len(names) < _LEAST:
        where = ", ".join(map(shown, plan.paths))
        what = f"{where}: {counted(len(names), 'document')} could be read; an experiment needs 3"
        raise nothing_left(run, what)
    related = _pairs(plan.pairs, names, plan.paths) if plan.pairs else ()
    return Dataset(tuple(names), tuple(texts), tuple(map(GroupTerms.of, terms)), related)


@dataclass
class _ReadBatch:
    """Names and texts of a batch, and by each group the terms of each, joined by line feeds."""

    terms: list[list[str]]
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


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
            document, rows = result
            batch.names.append(str(path))
            batch.texts.append(document.text)
            batch.problems += document.problems
            for group, terms in zip(batch.terms, rows, strict=True):
                group.append("\n".join(terms))
        return batch

    def _read(self, source: Source) -> tuple[Document, list[set[str]]]:
        document = source.document()
        return document, [distinct_terms(chain, document) for chain in self._chains]

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(group.recipe) for group in self.groups]


def _pairs(
    path: Path, names: Sequence[str], folders: Sequence[Path]
) -> tuple[tuple[int, int], ...]:
    """The pairs of documents in a CSV file, as places."""
    places = {name: place for place, name in enumerate(names)}
    pairs = []
    for line, row in _csv_rows(path):
        if len(row) < 2:
            raise FormatError("has one column; it needs two names", file=path, place=f"line {line}")
        pair = [_place(name, places, folders) for name in row[:2]]
        for name, place in zip(row, pair, strict=False):
            if place is None:
                what = f"names {shown(name)}, which is not among the documents of the dataset"
                raise FormatError(what, file=path, place=f"line {line}")
        left, right = pair
        if left is not None and right is not None and left != right:
            pairs.append((left, right))
    if not pairs:
        raise FormatError("holds no pair of documents", file=path)
    return tuple(dict.fromkeys(pairs))


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file after its head, each with the number of its line."""
    data = Content(path, _MAX_BYTES).whole()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("is not UTF-8", file=path) from error
    reader = csv.reader(StringIO(text, newline=""))
    for place, row in enumerate(reader):
        is_head = place == 0 and [name.strip().lower() for name in row[:2]] == ["left", "right"]
        if row and not is_head:
            yield reader.line_num, row


def _place(name: str, places: Mapping[str, int], folders: Sequence[Path]) -> int | None:
    """The place of the document that a CSV file names: by its path, or below a folder."""
    candidates = [name, *(str(folder / name) for folder in folders)]
    return next((places[item] for item in candidates if item in places), None)
