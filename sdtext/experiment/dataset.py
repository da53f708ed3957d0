"""The documents of an experiment: texts, and their terms by each group of tokenizers."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from io import StringIO
from itertools import count, islice
from pathlib import Path
from time import process_time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import FormatError, UnreadableError
from sdtext.experiment.plan import ExperimentPlan
from sdtext.io.decompressed_content import Content
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.parallel_run import Amount, Run, nothing_left, read_each
from sdtext.reading.walk import documents_in
from sdtext.text.document import Document
from sdtext.text.language import sample_of
from sdtext.wording import counted, shown

LEAST_DOCUMENTS = 3
"""The documents of which a dictionary, made without a fold, can have normalized IDF."""

Key = TypeVar("Key")
Pairs = tuple[tuple[int, int], ...]
"""Pairs of documents, as places in the dataset."""

_MAX_BYTES = 64 << 20
_COLUMNS = (("left", "right"), ("copy", "original"))
"""The names of the columns of a pair; the second are those of Mangle."""


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
    def of(cls, documents: Sequence[EncodedDocument]) -> GroupTerms:
        r"""The terms of documents, each as `encoded` gives them.

        >>> terms = GroupTerms.of(["to\nbe", "be"])
        >>> terms.vocabulary, [row.tolist() for row in terms.rows]
        (('be', 'to'), [[0, 1], [0]])
        >>> terms = GroupTerms.of([np.array([3, 8], "u8"), np.array([8], "u8")])
        >>> terms.vocabulary.tolist(), [row.tolist() for row in terms.rows]
        ([3, 8], [[0, 1], [1]])
        """
        texts = [item for item in documents if isinstance(item, str)]
        if len(texts) < len(documents):
            hashes = Ragged.of([item for item in documents if not isinstance(item, str)])
            distinct, places = np.unique(hashes.values, return_inverse=True)
            return cls(distinct, Ragged(places.astype(np.int64).ravel(), hashes.offsets))
        terms = [text.split("\n") if text else [] for text in texts]
        vocabulary = tuple(sorted({term for row in terms for term in row}))
        place = {term: place for place, term in enumerate(vocabulary)}
        rows = [np.sort(np.array([place[term] for term in row], "i8")) for row in terms]
        return cls(vocabulary, Ragged.of(rows, "int64"))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each term in the vocabulary."""
        return {str(term): place for place, term in enumerate(self.vocabulary)}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(ShortFields):
    """The documents of a plan: their names, their texts and their terms by each group.

    `related` has the pairs of documents that a CSV file states, and `lent` those of a copy and a
    document that lent text to it. Those that are drawn for a trial are places in these lists, in
    order.
    """

    plan: ExperimentPlan = field(repr=False)
    names: tuple[str, ...]
    texts: tuple[str, ...]
    terms: tuple[GroupTerms, ...]
    related: Pairs = ()
    lent: Pairs = ()

    def unlisted(self, place: int) -> set[int]:
        """The documents equal to one or to a partner of it, though the file has no such pair."""
        partners = self._neighbours["related"][place]
        equal = set().union(*(self._equal[self.texts[item]] for item in {place, *partners}))
        return equal - partners - {place}

    def sharing(self, place: int) -> set[int]:
        """The documents that may share text with one, though the file does not relate them.

        They are partners of its partners, lenders to it, and what it or a partner lent text to.
        """
        related, related_to, lenders, lent_to = self._neighbours.values()
        family = {place, *related[place], *related_to[place]}
        copies = set().union(*(lent_to[item] for item in family))
        for item in related[place] | related_to[place]:
            family |= related[item] | related_to[item]
        return (family | copies | lenders[place]) - related[place] - {place}

    @cached_property
    def _equal(self) -> Mapping[str, set[int]]:
        """The documents of each text."""
        return _grouped((text, place) for place, text in enumerate(self.texts))

    @cached_property
    def _neighbours(self) -> dict[str, Mapping[int, set[int]]]:
        """For each document those that it is paired with, in both directions."""
        return {
            "related": _grouped(self.related),
            "related_to": _grouped((right, left) for left, right in self.related),
            "lenders": _grouped(self.lent),
            "lent_to": _grouped((lender, copy) for copy, lender in self.lent),
        }

    def digest(self) -> str:
        """SHA-256 of the texts and of the pairs, in hexadecimal; names change no result."""
        digest = sha256()
        for text in self.texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(repr((self.related, self.lent) if self.lent else self.related).encode())
        return digest.hexdigest()

    def sample(self, trial: int) -> list[int]:
        """The documents that are compared: with a CSV file of pairs, at least those in it."""
        named = {place for pair in self.related for place in pair}
        drawn = self._drawn("sample", trial, self.plan.sample, range(len(self.names)))
        return sorted(named.union(drawn))

    def dictionary_sample(self, trial: int, without: int | None = None) -> list[int]:
        """The documents of which the dictionary is made: all, or all without those of a fold.

        With a CSV file of pairs, it is without their partners, too.
        """
        everything = range(len(self.names))
        drawn = self._drawn("dictionary", trial, self.plan.dictionary_sample, everything)
        if without is None:
            return drawn
        partners = {right for left, right in self.related if self.folds[left] == without}
        return [p for p in drawn if self.folds[p] != without and p not in partners]

    def queries(self, trial: int) -> list[int]:
        """The documents that are mangled, or that stand on the left of a pair."""
        if self.related:
            return sorted({left for left, _ in self.related})
        return self._drawn("queries", trial, self.plan.queries, self.sample(trial))

    @cached_property
    def folds(self) -> NDArray[np.int64]:
        """The fold of each document, the same in all trials."""
        places = list(range(len(self.names)))
        self._chance("folds", 0).shuffle(places)
        folds = np.empty(len(places), np.int64)
        folds[places] = np.arange(len(places)) % self.plan.folds
        return folds

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """The block of each document: only pairs within a block are pairs of unchanged documents.

        It is the fold, whose documents are all new to the dictionary: those in the dictionary have
        terms that no other document has, and score lower. Without a dictionary all documents are
        one block, and so they are with a CSV file of pairs, whose queries are compared with
        `new_documents`.
        """
        whole = self.plan.has_shingles or self.related
        return np.zeros_like(self.folds) if whole else self.folds

    def new_documents(self, trial: int, fold: int) -> set[int]:
        """The documents of a trial that are not in the dictionary of a fold."""
        documents = set(self.sample(trial))
        if self.plan.has_shingles:
            return documents
        return documents.difference(self.dictionary_sample(trial, fold))

    def _drawn(self, what: str, trial: int, amount: Amount, among: Sequence[int]) -> list[int]:
        chance = self._chance(what, trial)
        return sorted(chance.sample(list(among), amount.of(len(among))))

    def _chance(self, what: str, trial: int) -> random.Random:
        return random.Random(f"{self.plan.seed} {what} {trial}")  # noqa: S311 (drawn to be the same)


def _grouped(pairs: Iterable[tuple[Key, int]]) -> Mapping[Key, set[int]]:
    """For each first member of pairs the second ones."""
    groups: defaultdict[Key, set[int]] = defaultdict(set)
    for first, second in pairs:
        groups[first].add(second)
    return groups


EncodedDocument = str | NDArray[np.uint64]
"""What a group makes of a document, in a form that is fast to send to another process."""


def encoded(encoder: Encoder, document: Document) -> EncodedDocument:
    """The distinct terms of a document joined by line feeds, or its distinct shingles in order."""
    if encoder.recipe.shingler:
        return encoder.shingle_sets([document.clean]).values
    chain = encoder.chain
    chain = chain.suited_to(sample_of([document.clean])) if chain.is_automatic else chain
    return "\n".join(chain.distinct([document.clean]))


def _encoded_and_timed(
    groups: Sequence[Encoder], document: Document
) -> tuple[str, list[tuple[EncodedDocument, float]]]:
    """The text of a document, and what each group makes of it, with the seconds it took."""
    terms = []
    for encoder in groups:
        start = process_time()
        terms.append((encoded(encoder, document), process_time() - start))
    return document.text, terms


def load_datasets(plans: Sequence[ExperimentPlan], run: Run | None = None) -> list[Dataset]:
    """The documents of plans: each is read once, and tokenised once by every group.

    The plans name the same documents. Raises UnreadableError if too few can be read for a
    dictionary without a fold, or for two documents in a fold; FormatError for a CSV file of pairs
    that names other documents.
    """
    run, plan = run or Run(), plans[0]
    if plan.pairs:
        read_pairs(plan.pairs)  # before the documents are
    files = list(documents_in(plan.paths, run.reading, run.note)) if plan.paths else []
    encoders = [Encoder(group.recipe) for plan in plans for group in plan.groups]
    work = partial(_encoded_and_timed, encoders)
    rows = [(name, *result) for name, result in read_each(files, work, run)]
    rows += [
        (document.source or str(place), *work(document)) for place, document in enumerate(plan.held)
    ]
    names = [name for name, _, _ in rows]
    least = 1 if plan.has_shingles or plan.pairs else plan.folds + 1
    numbers = count(max(least, LEAST_DOCUMENTS))
    least = next(n for n in numbers if n - -(-n // plan.folds) >= LEAST_DOCUMENTS)
    if len(names) < least:
        where = "" if run.problems or plan.held else f"{', '.join(map(shown, plan.paths))}: "
        what = f"{where}{counted(len(names), 'document')} could be read; "
        what += f"an experiment of {plan.folds} folds needs at least {least}"
        raise nothing_left(run, what)
    terms = []
    for place in range(len(encoders)):
        documents, seconds = zip(*(own[place] for _, _, own in rows), strict=True)
        own = GroupTerms.of(documents)
        terms.append(replace(own, milliseconds=1000 * sum(seconds) / len(names)))
    texts = tuple(text for _, text, _ in rows)
    related, lent = related_places(plan.pairs, names, plan.paths) if plan.pairs else ((), ())
    groups = iter(terms)
    return [
        Dataset(plan, tuple(names), texts, tuple(islice(groups, len(plan.groups))), related, lent)
        for plan in plans
    ]


NamedPair = tuple[str, str, int]
"""Two names of documents, and the line of the file that names them."""


def read_pairs(path: Path) -> tuple[list[NamedPair], list[NamedPair]]:
    r"""The pairs of a CSV file, and copies with documents that lent text to them.

    It has two columns, or more and a head that names the columns. Rows whose column `related` is
    "false" are left out, but for their column `lenders`, a list in JSON. Raises UnreadableError,
    FormatError.

    >>> place = folder / "pairs.csv"
    >>> place.write_text("copy,original,related\na1,a,true\nb1,b,false\n")
    43
    >>> read_pairs(place)
    ([('a1', 'a', 2)], [])
    """
    try:
        text = Content(path, _MAX_BYTES).whole().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("is not UTF-8", file=path) from error
    reader = csv.reader(StringIO(text, newline=""))
    rows = [(row, reader.line_num) for row in reader if row]
    head = [name.strip().lower() for name in rows[0][0]] if rows else []
    columns = next((columns for columns in _COLUMNS if set(columns) <= set(head)), None)
    left, right = map(head.index, columns) if columns else (0, 1)
    pairs, lent = list[NamedPair](), list[NamedPair]()
    for row, line in rows[1:] if columns else rows:
        if len(row) <= max(left, right):
            what = "has one column; it needs two names"
            raise FormatError(what, file=path, place=f"line {line}")
        named = dict(zip(head, row, strict=False)) if columns else {}
        if named.get("related") != "false":
            pairs.append((row[left], row[right], line))
        try:
            names = json.loads(named.get("lenders", "[]"))
        except (ValueError, RecursionError):  # the column of another program
            names = []
        names = names if isinstance(names, list) else []
        lent += [(row[left], name, line) for name in names if isinstance(name, str)]
    if not any(one != other for one, other, _ in pairs):
        raise FormatError("holds no pair of documents", file=path)
    return pairs, lent


def related_places(
    path: Path, names: Sequence[str], folders: Sequence[Path]
) -> tuple[Pairs, Pairs]:
    """The pairs of a file as places in `names`, each once, and those of copies and lenders.

    Names in the file are paths, or paths in one of the `folders` or in that of the file. Lenders
    that are not among the documents are passed over. Raises FormatError for other documents of
    pairs, and as `read_pairs`.
    """
    pairs, lent = read_pairs(path)
    known = {Path(name).resolve(): place for place, name in enumerate(names)}
    parents = (Path(), *folders, path.parent)
    place_of: dict[str, int | None] = {}
    for name in {name for row in (*pairs, *lent) for name in row[:2]}:
        try:
            paths = [(parent / name).resolve() for parent in parents]
        except ValueError:  # no file can have such a name
            paths = []
        place_of[name] = next((known[each] for each in paths if each in known), None)
    for *pair, line in pairs:
        for name in pair:
            if place_of[name] is None:
                what = f"names {shown(name)}, which is not among the documents of the dataset"
                raise FormatError(what, file=path, place=f"line {line}")

    def distinct(rows: Iterable[NamedPair]) -> Pairs:
        places = ((place_of[one], place_of[other]) for one, other, _ in rows)
        known = ((one, other) for one, other in places if one is not None and other is not None)
        return tuple(dict.fromkeys((one, other) for one, other in known if one != other))

    return distinct(pairs), distinct(lent)
