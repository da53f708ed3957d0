"""One trial of an experiment: its documents, its dictionary, and the questions with their truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.memory import MemoryCollection
from sdtext.experiment.dataset import Dataset, GroupTerms, encoded
from sdtext.experiment.plan import Cell, ExperimentPlan
from sdtext.kernels.arrays.packed_bits import pack, packed_rows
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec
from sdtext.model.dictionary import Dictionary
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.search.all_scores import ScoresByIndexes, ScoresInRanges
from sdtext.search.scoring import Scorer
from sdtext.text.document import Document

Places = NDArray[np.int64]
CellScorer = ScoresByIndexes | ScoresInRanges


class Query(NamedTuple):
    """A document that is compared with all documents of a trial.

    `document` is the place in the dataset of the document that it was made of, or is. `terms` is
    its packed bit vector, or in a plan with shingles the hashes of its shingles. `planted`
    are the places in the trial of the documents that the truth speaks of; `excluded` those that do
    not count.
    """

    document: int
    terms: NDArray[Any]
    planted: Places
    excluded: Places


@dataclass(frozen=True, eq=False)
class Trial:
    """The documents of a trial by one group of tokenizers, and a dictionary.

    The dictionary is made without the documents of a `fold`, whose queries are new to it; or
    without a fold, of all.
    """

    dataset: Dataset
    number: int
    group: int
    fold: int | None = None
    _similar: dict[int, Places] = field(default_factory=dict, init=False, repr=False)

    @property
    def terms(self) -> GroupTerms:
        """The terms of the whole dataset."""
        return self.dataset.terms[self.group]

    @property
    def plan(self) -> ExperimentPlan:
        """The plan of the dataset."""
        return self.dataset.plan

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.plan.groups[self.group].recipe)

    @cached_property
    def documents(self) -> list[int]:
        """The documents that are compared, as places in the dataset."""
        return self.dataset.sample(self.number)

    @cached_property
    def dictionary(self) -> Dictionary:
        """The dictionary, not trimmed, of the documents that are drawn for it."""
        sample = self.dataset.dictionary_sample(self.number, self.fold)
        words = self.terms.vocabulary
        counts = np.bincount(self.terms.rows.take(sample).values, minlength=len(words))
        places = np.flatnonzero(counts)
        size = self.plan.dictionary_size.of(len(places))
        # Ties are broken by code-point order, as CreateDictionary does.
        places = np.sort(places[np.argsort(-counts[places], kind="stable")[:size]])
        frequencies = {str(words[place]): int(counts[place]) for place in places.tolist()}
        group = self.plan.groups[self.group]
        name = f"of trial {self.number + 1} by {group.name}"
        dictionary = Dictionary.of(frequencies, len(sample), group.recipe)
        return replace(dictionary, name=name)

    @cached_property
    def collection(self) -> MemoryCollection:
        """The documents that are compared: bit vectors over the dictionary, or shingles."""
        names = [self.dataset.names[place] for place in self.documents]
        recipe, rows = self.plan.groups[self.group].recipe, self.terms.rows.take(self.documents)
        if self.plan.has_shingles:
            hashes = np.asarray(self.terms.vocabulary, np.uint64)
            return MemoryCollection(recipe, Ragged(hashes[rows.values], rows.offsets), names)
        bits = np.full(len(self.terms.vocabulary), -1, np.int64)
        known = [self.terms.places[term] for term in self.dictionary.terms]
        bits[known] = np.arange(len(known))
        packed = packed_rows(rows.renumbered(bits), len(known))
        return MemoryCollection.of_vectors(names, packed, self.dictionary)

    @cached_property
    def rows(self) -> Sequence[NDArray[Any]]:
        """The terms of each document, as a query has them."""
        [vectors] = self.collection.arrays.values() or [self.collection.shingles]
        return [*vectors]

    def scorer(self, matchers: Sequence[PartSpec], cells: Sequence[Cell]) -> CellScorer:
        """What scores queries with the documents, by each matcher in each cell."""
        if fingerprint := self.plan.groups[self.group].recipe.fingerprint:
            has_sketches = fingerprint.name == "minhash"
            indexes = [cell.index if has_sketches else None for cell in cells]
            return ScoresByIndexes(self.collection, indexes, matchers)
        ranges = [(cell.low, cell.high) for cell in cells]
        return ScoresInRanges(self.collection, ranges, matchers, self.plan.min_terms)

    def terms_of(self, document: Document) -> NDArray[Any]:
        """The packed bit vector of a document, or its shingles."""
        terms = encoded(self._encoder, document)
        if not isinstance(terms, str):
            return terms
        places = self.dictionary.places
        known = [places[term] for term in terms.split("\n") if term in places]
        return np.frombuffer(pack(known, len(places)), np.uint8)

    def queries(self, mangler: int | None) -> Iterator[Query]:
        """The queries of the fold: copies by a mangler, or without one the documents themselves.

        With a CSV file these have its pairs.
        """
        drawn = self.dataset.queries(self.number)
        asked = [place for place in drawn if self.dataset.folds[place] == self.fold]
        if mangler is not None:
            return self._copies(asked, self.plan.manglers[mangler])
        return self._paired(asked) if self.dataset.related else self._unchanged(asked)

    @cached_property
    def _positions(self) -> dict[int, int]:
        """The position in the trial of each of its documents."""
        return {place: position for position, place in enumerate(self.documents)}

    def _paired(self, asked: Sequence[int]) -> Iterator[Query]:
        """Documents with partners by a CSV file, and others new to the dictionary, once each."""
        positions = self._positions
        assert self.fold is not None  # noqa: S101 (queries are those of a fold)
        known = positions.keys() - self.dataset.new_documents(self.number, self.fold)
        partners: dict[int, set[int]] = {}
        for left, right in self.dataset.related:
            partners.setdefault(left, set()).add(right)
        for place in asked:
            counted = {left for left in partners if left < place or place in partners[left]}
            excluded = {place, *counted} - partners[place]
            excluded |= self.dataset.unlisted(place) | self.dataset.sharing(place) | known
            planted, excluded_positions = (
                _array({positions[item] for item in items if item in positions})
                for items in (partners[place], excluded)
            )
            yield Query(place, self.rows[positions[place]], planted, excluded_positions)

    def _unchanged(self, asked: Sequence[int]) -> Iterator[Query]:
        """Documents as they are, which have nothing planted: each pair of a block counts once."""
        queries = np.array(
            [self._positions[p] for p in self.dataset.queries(self.number)], np.int64
        )
        blocks = self.dataset.blocks
        for place in asked:
            position = self._positions[place]
            # Of two queries one counts their pair: as many count with the one as with the other.
            elsewhere = (queries < position) == ((queries + position) % 2 == 0)
            excluded = np.union1d(queries[elsewhere], self.similar_documents(position))
            outside = np.flatnonzero(blocks[self.documents] != blocks[place])
            excluded = np.union1d(np.union1d(excluded, outside), position)
            yield Query(place, self.rows[position], _array(set()), excluded)

    def _copies(self, asked: Sequence[int], mangler: PartSpec) -> Iterator[Query]:
        """Copies by a mangler, each with the document that it was made of."""
        copies = DocumentCopies(mangler, [self.dataset.texts[place] for place in self.documents])
        for place in asked:
            position = self._positions[place]
            copy, lenders = copies.of(position, self.plan.seed, self.number)
            related = [self.similar_documents(item) for item in (position, *lenders)]
            excluded = np.union1d(np.concatenate(related), _array({*lenders}))
            excluded = excluded[excluded != position]
            terms = self.terms_of(Document.of(copy, offsets=False))
            yield Query(place, terms, np.array([position]), excluded)

    def similar_documents(self, position: int) -> Places:
        """The documents that share so many terms with one that they may be copies of it.

        Their pairs count neither as related nor as unrelated; nor do those of a copy with documents
        that lend text to it.
        """
        if position not in self._similar:
            rows, postings = self._postings
            row = rows[position]
            common = np.bincount(postings.take(row).values, minlength=len(rows))
            sizes = np.maximum(len(row), 1), np.maximum(rows.lengths, 1)
            jaccard = Scorer(PartSpec("jaccard")).similarity(common, *sizes)
            similar = np.flatnonzero(jaccard >= self.plan.duplicates)
            self._similar[position] = np.asarray(similar[similar != position])
        return self._similar[position]

    @cached_property
    def _postings(self) -> tuple[Ragged, Ragged]:
        """All terms of each document, and the documents of each term."""
        rows = self.terms.rows.take(self.documents)
        return rows, rows.inverted(len(self.terms.vocabulary))


def _array(places: set[int]) -> Places:
    return np.array(sorted(places), np.int64)
