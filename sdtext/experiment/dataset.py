"""The documents of an experiment: texts, and their terms by each group of tokenizers."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from io import StringIO
from itertools import count
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import FormatError, UnreadableError, counted, shown
from sdtext.experiment.plan import ExperimentPlan, TokenizerGroup
from sdtext.fingerprinting.build_dictionary import DocumentTotals
from sdtext.io.decompressed_content import Content
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem, RecipeSpec
from sdtext.model.dictionary import SAMPLE
from sdtext.model.displayed_results import ShortFields, shorten_tuples
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Amount,
    Run,
    batched,
    nothing_left,
    process_document,
    run_batches,
)
from sdtext.reading.read_document import DocumentPieces, Source
from sdtext.reading.walk import documents_in, sampled
from sdtext.text.document import Document

LEAST_DOCUMENTS = 3
"""The documents of which a dictionary, made without a fold, can have normalized IDF."""


Libraries = tuple[tuple[str, str], ...]
"""Libraries with their versions."""
_MAX_BYTES = 64 << 20
_COLUMNS = (("left", "right"), ("copy", "original"))
"""The names of the columns of a pair; the second are those of Mangle."""

_BESIDE = ("related", "lenders")
"""Further columns of the list that Mangle prints."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupTerms(ShortFields):
    """The terms of all documents by one group of tokenizers, or the hashes of their shingles.

    `vocabulary` is in code-point order, or in that of numbers; each row has the places of a
    document's terms in it. `milliseconds` is the processor time for a document in the mean.
    """

    vocabulary: Sequence[str] | NDArray[np.uint64]
    rows: Ragged
    milliseconds: float = 0.0

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

    @classmethod
    def of_shingles(cls, documents: Sequence[NDArray[np.uint64]]) -> GroupTerms:
        """The shingles of documents, each given by the hashes of its distinct shingles.

        >>> terms = GroupTerms.of_shingles([np.array([3, 8], "u8"), np.array([8], "u8")])
        >>> terms.vocabulary.tolist(), [row.tolist() for row in terms.rows]
        ([3, 8], [[0, 1], [1]])
        """
        rows = Ragged.of(documents)
        vocabulary, places = np.unique(rows.values, return_inverse=True)
        return cls(vocabulary, Ragged(places.astype(np.int64).ravel(), rows.offsets))

    def of_document(self, place: int) -> list[str]:
        """The terms of the document at a place."""
        return [str(self.vocabulary[term]) for term in self.rows[place].tolist()]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each term in the vocabulary."""
        return {str(term): place for place, term in enumerate(self.vocabulary)}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(ShortFields):
    """The documents of a plan: their names, their texts and their terms by each group.

    `related` has the pairs of documents that a CSV file states, as places, and `lent` those of a
    copy and a document that lent text to it. `files` are all files, those without a document, too.
    `libraries` are for each document those that extracted its text. The last `held` documents are
    those in memory.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    terms: tuple[GroupTerms, ...]
    related: tuple[tuple[int, int], ...] = ()
    files: tuple[Path, ...] = ()
    libraries: tuple[Libraries, ...] = ()
    lent: tuple[tuple[int, int], ...] = ()
    held: int = 0

    def __post_init__(self) -> None:
        shorten_tuples(self, "terms")

    def totals(self, group: int, sample: Amount) -> DocumentTotals:
        """The document frequencies of a sample, as `create_dictionary` draws and counts it."""
        files = sampled(self.files, sample.of(len(self.files)))
        drift = set(map(str, sampled(files, SAMPLE)))
        in_files = len(self.names) - self.held
        places = {name: place for place, name in enumerate(self.names[:in_files])}
        totals = DocumentTotals()
        for name in map(str, files):
            if (place := places.get(name)) is not None:
                self._count(totals, group, place, is_sample=name in drift)
        for place in range(in_files, len(self.names)):
            is_sample = len(drift) + place - in_files < SAMPLE
            self._count(totals, group, place, is_sample=is_sample)
        return totals

    def _count(self, totals: DocumentTotals, group: int, place: int, *, is_sample: bool) -> None:
        """Count the terms of the document at a place."""
        terms = self.terms[group].of_document(place)
        totals.frequencies.update(terms)
        totals.documents += 1
        totals.engines.update(self.libraries[place])
        totals.samples += ["\n".join(terms)] if is_sample and terms else []

    @cached_property
    def equal_texts(self) -> Mapping[int, frozenset[int]]:
        """For each document those with the same text, itself included, as places."""
        places: dict[str, list[int]] = {}
        for place, text in enumerate(self.texts):
            places.setdefault(text, []).append(place)
        return {place: frozenset(row) for row in places.values() for place in row}

    def unlisted(self, place: int) -> set[int]:
        """The documents equal to one or to a partner of it, though the file has no such pair."""
        partners = self._related[place]
        equal = set().union(*(self.equal_texts[item] for item in {place, *partners}))
        return equal - partners - {place}

    def sharing(self, place: int) -> set[int]:
        """The documents that may share text with one, though the file does not relate them.

        They are partners of its partners, lenders to it, and what it or a partner lent text to.
        """
        partners = self._related[place] | self._related_to[place]
        family = {place, *partners}
        for item in partners:
            family |= self._related[item] | self._related_to[item]
        copies = set().union(*(self._lent_to[item] for item in {place, *partners}))
        return (family | copies | self._lenders[place]) - self._related[place] - {place}

    @cached_property
    def _related(self) -> Mapping[int, set[int]]:
        return _grouped(self.related)

    @cached_property
    def _related_to(self) -> Mapping[int, set[int]]:
        return _grouped((right, left) for left, right in self.related)

    @cached_property
    def _lenders(self) -> Mapping[int, set[int]]:
        return _grouped(self.lent)

    @cached_property
    def _lent_to(self) -> Mapping[int, set[int]]:
        return _grouped((lender, copy) for copy, lender in self.lent)

    def digest(self) -> str:
        """SHA-256 of the texts and of the pairs, in hexadecimal; names change no result."""
        digest = sha256()
        for text in self.texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(repr((self.related, self.lent) if self.lent else self.related).encode())
        return digest.hexdigest()


def _grouped(pairs: Iterable[tuple[int, int]]) -> Mapping[int, set[int]]:
    """For each first number of pairs the second ones."""
    groups: defaultdict[int, set[int]] = defaultdict(set)
    for first, second in pairs:
        groups[first].add(second)
    return groups


def distinct_terms(chain: Chain, document: Document) -> set[str]:
    """The distinct terms of a document, as its fingerprint has them.

    >>> sorted(distinct_terms(Chain.of("english"), Document.of("The bees dance.")))
    ['bee', 'danc']
    """
    pieces = DocumentPieces(document)
    chain = chain.suited_to(pieces.sample) if chain.is_automatic else chain
    return chain.distinct(pieces.clean_pieces(chain.tokenizer.cuts))


@dataclass(frozen=True)
class GroupEncoder:
    """Makes the distinct terms of a document by a group, or the hashes of its distinct shingles."""

    recipe: RecipeSpec

    def __call__(self, document: Document) -> Encoded:
        """The terms joined by line feeds, or the hashes in order."""
        if self.recipe.shingler:
            return self._encoder.sets_of([document.clean]).values
        return "\n".join(distinct_terms(self._chain, document))

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)


Encoded = str | NDArray[np.uint64]
"""What a group makes of a document, in a form that is fast to send to another process."""


def _terms_of_group(documents: Sequence[Encoded], seconds: float) -> GroupTerms:
    texts = [item for item in documents if isinstance(item, str)]
    if len(texts) == len(documents):
        terms = GroupTerms.of([text.split("\n") if text else [] for text in texts])
    else:
        terms = GroupTerms.of_shingles([item for item in documents if not isinstance(item, str)])
    return replace(terms, milliseconds=1000 * seconds / max(1, len(documents)))


def _least_documents(plan: ExperimentPlan) -> int:
    """The least number of documents for a dictionary without a fold, and pairs within a fold."""
    least = 1 if plan.has_shingles or plan.pairs else plan.folds + 1
    return next(
        number
        for number in count(max(least, LEAST_DOCUMENTS))
        if number - -(-number // plan.folds) >= LEAST_DOCUMENTS
    )


def load_dataset(plan: ExperimentPlan, run: Run | None = None) -> Dataset:
    """Read the documents of a plan, each once, and tokenise each once by every group.

    Raises UnreadableError if too few can be read for a dictionary without a fold, or for two
    documents in a fold; FormatError for a CSV file of pairs that names other documents.
    """
    run = run or Run()
    pairs = PairsFile.read(plan.pairs) if plan.pairs else None
    files = list(documents_in(plan.paths, run.reading, run.note)) if plan.paths else []
    work = _ReadTerms(plan.groups, run.reading)
    read = _TermsBatch.of(len(plan.groups))
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        read.add(batch)
    held = work.held(plan.held)
    read.add(held)
    names = read.names
    if len(names) < (least := _least_documents(plan)):
        where = "" if run.problems or plan.held else f"{', '.join(map(shown, plan.paths))}: "
        what = f"{where}{counted(len(names), 'document')} could be read; "
        what += f"an experiment of {plan.folds} folds needs at least {least}"
        raise nothing_left(run, what)
    related = pairs.places(names, plan.paths) if pairs else ()
    lent = pairs.lending_places(names, plan.paths) if pairs else ()
    terms = tuple(map(_terms_of_group, read.terms, read.seconds))
    return Dataset(
        tuple(names),
        tuple(read.texts),
        terms,
        related,
        tuple(files),
        tuple(read.libraries),
        lent,
        len(held.names),
    )


@dataclass
class _TermsBatch:
    """Names and texts of a batch, and by each group the terms of each and the time they took."""

    terms: list[list[Encoded]]
    seconds: list[float]
    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    libraries: list[Libraries] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, groups: int) -> _TermsBatch:
        """A batch without documents."""
        return cls([[] for _ in range(groups)], [0.0] * groups)

    def add(self, batch: _TermsBatch) -> None:
        """Add the documents of a further batch."""
        self.names += batch.names
        self.texts += batch.texts
        self.libraries += batch.libraries
        self.problems += batch.problems
        for rows, further in zip(self.terms, batch.terms, strict=True):
            rows.extend(further)
        self.seconds = [*map(sum, zip(self.seconds, batch.seconds, strict=True))]


@dataclass(frozen=True)
class _ReadTerms:
    """Reads a batch of documents and tokenises each by every group."""

    groups: tuple[TokenizerGroup, ...]
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _TermsBatch:
        batch = _TermsBatch.of(len(self.groups))
        for path in files:
            result = process_document(path, self.reading, self._read)
            if isinstance(result, Problem):
                batch.problems.append(result)
                continue
            document, read = result
            read.names.append(str(path))
            read.problems += document.problems
            batch.add(read)
        return batch

    def held(self, documents: Sequence[Document]) -> _TermsBatch:
        """The batch of documents in memory. One without a name is called by its place."""
        batch = _TermsBatch.of(len(self.groups))
        for place, document in enumerate(documents):
            read = self._tokenised(document, DocumentPieces(document).libraries)
            read.names.append(document.source or str(place))
            batch.add(read)
        return batch

    def _read(self, source: Source) -> tuple[Document, _TermsBatch]:
        """A document, and a batch of this document alone, which has no name yet."""
        document = source.document()
        return document, self._tokenised(document, source.libraries)

    def _tokenised(self, document: Document, libraries: Libraries) -> _TermsBatch:
        terms, seconds = [], []
        for encode in self._encoders:
            start = process_time()
            terms.append([encode(document)])
            seconds.append(process_time() - start)
        return _TermsBatch(terms, seconds, texts=[document.text], libraries=[libraries])

    @cached_property
    def _encoders(self) -> list[GroupEncoder]:
        return [GroupEncoder(group.recipe) for group in self.groups]


class NamedPair(NamedTuple):
    """Two documents by their names, and the line of the file that names them."""

    left: str
    right: str
    line: int


@dataclass(frozen=True)
class PairsFile:
    """The pairs of the file at `path`; `lent` has copies with documents that lent text to them."""

    path: Path
    pairs: tuple[NamedPair, ...]
    lent: tuple[NamedPair, ...] = ()

    @classmethod
    def read(cls, path: Path) -> PairsFile:
        r"""Read a file with two columns, or with more and a head that names the columns.

        Rows whose column `related` is "false" are left out, but for their column `lenders`, a list
        in JSON. Raises UnreadableError, FormatError.

        >>> place = folder / "pairs.csv"
        >>> place.write_text("copy,original,related\na1,a,true\nb1,b,false\n")
        43
        >>> PairsFile.read(place).pairs
        (NamedPair(left='a1', right='a', line=2),)
        """
        data = Content(path, _MAX_BYTES).whole()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UnreadableError("is not UTF-8", file=path) from error
        rows = tuple(_rows(text, path))
        pairs = tuple(row.pair for row in rows if row.related)
        if not any(left != right for left, right, _ in pairs):
            raise FormatError("holds no pair of documents", file=path)
        lent = (
            NamedPair(row.pair.left, name, row.pair.line) for row in rows for name in row.lenders
        )
        return cls(path, pairs, tuple(lent))

    def places(self, names: Sequence[str], folders: Sequence[Path]) -> tuple[tuple[int, int], ...]:
        """The pairs as places in `names`, each once. Raises FormatError for other documents.

        Names in the file are paths, or paths in a folder of the dataset or in that of the file.
        """
        place_of = self._places(names, folders)
        for pair in self.pairs:
            for name in (pair.left, pair.right):
                if place_of(name) is None:
                    what = f"names {shown(name)}, which is not among the documents of the dataset"
                    raise FormatError(what, file=self.path, place=f"line {pair.line}")
        return _distinct(self.pairs, place_of)

    def lending_places(
        self, names: Sequence[str], folders: Sequence[Path]
    ) -> tuple[tuple[int, int], ...]:
        """The copies and their lenders as places in `names`, without other documents."""
        return _distinct(self.lent, self._places(names, folders))

    def _places(self, names: Sequence[str], folders: Sequence[Path]) -> Callable[[str], int | None]:
        """What gives the place of a document that the file names."""
        known = {Path(name).resolve(): place for place, name in enumerate(names)}
        parents = (Path(), *folders, self.path.parent)

        def place_of(name: str) -> int | None:
            try:
                paths = [(parent / name).resolve() for parent in parents]
            except ValueError:  # no file can have such a name
                return None
            return next((known[path] for path in paths if path in known), None)

        return cache(place_of)


def _distinct(
    pairs: Iterable[NamedPair], place_of: Callable[[str], int | None]
) -> tuple[tuple[int, int], ...]:
    """The pairs of two known documents as places, each once."""
    places = ((place_of(pair.left), place_of(pair.right)) for pair in pairs)
    known = ((left, right) for left, right in places if left is not None and right is not None)
    return tuple(dict.fromkeys((left, right) for left, right in known if left != right))


@dataclass(frozen=True)
class _LabelledPair:
    """A pair of the file, and whether its documents are related."""

    pair: NamedPair
    related: bool
    lenders: Sequence[str]


def _rows(text: str, path: Path) -> Iterator[_LabelledPair]:
    reader = csv.reader(StringIO(text, newline=""))
    rows = [(row, reader.line_num) for row in reader if row]
    head = [name.strip().lower() for name in rows[0][0]] if rows else []
    columns = next((columns for columns in _COLUMNS if set(columns) <= set(head)), None)
    left, right = map(head.index, columns) if columns else (0, 1)
    related, lenders = (
        head.index(name) if columns and name in head else len(head) for name in _BESIDE
    )
    for row, line in rows[1:] if columns else rows:
        if len(row) <= max(left, right):
            what = "has one column; it needs two names"
            raise FormatError(what, file=path, place=f"line {line}")
        is_related = row[related : related + 1] != ["false"]
        listed = _names("".join(row[lenders : lenders + 1]))
        yield _LabelledPair(NamedPair(row[left], row[right], line), is_related, listed)


def _names(cell: str) -> list[str]:
    """The names in a cell, which are a list in JSON; none where it is something else."""
    try:
        names = json.loads(cell)
    except (ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
