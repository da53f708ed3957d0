"""The ways to compare folders: by shingles of five words, by bit vectors, or by sketches."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.memory import MemoryCollection, sizes_of
from sdtext.collections.schema import SKETCHED
from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.fingerprint_documents import Foreign
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Fingerprint, Match, PartSpec, Problem, RecipeSpec, SharedTerm
from sdtext.model.calibration import DOCUMENTS, SEGMENTS, Calibration, Chance
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build, find, parse, translated
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.parallel_run import cut_batches, nothing_left, path_of
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.fingerprint_scores import FingerprintScorer, other_engine
from sdtext.search.list_files import ListedFiles, ShingledDocument
from sdtext.search.results import QueryMatches
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import (
    LEAST_OF_SKETCHES,
    Question,
    SearchPlan,
    default_matcher,
    in_words,
    plan_search,
    recommended_calibration,
)
from sdtext.search.searchable import Table, segment_views
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.kernels.bottom_k import Row
    from sdtext.search.set_search import BySets
    from sdtext.search.similar_documents import FingerprintSearch
    from sdtext.search.sketch_search import BySketches

RECIPE = "deduplicate"
"""The recipe by which documents alone are compared."""

_MIN_SEGMENT = 50  # terms
_PART = 1 << 23  # bytes of vectors or shingles that are compared at once
_NO_SHINGLES = Problem(
    "warning", "no-shingles", "fewer than five words on one side; there is nothing to compare"
)
Rows = NDArray[np.int64]
SameFiles = Callable[[str], Sequence[str]]
"""The names of the queries that are the document with a name."""


class _ByPlan:
    """A way without a dictionary, in which a plan says how documents are compared."""

    plan: SearchPlan
    scorer = None
    located = ()

    @property
    def matcher(self) -> str:
        return str(self.plan.matcher)

    @property
    def minimum(self) -> int:
        return self.plan.minimum


@dataclass(eq=False)
class ByShingles(_ByPlan):
    """Documents alone, compared by shingles of five words."""

    searched: ListedFiles
    queries: Sequence[ShingledDocument]
    plan: SearchPlan

    @classmethod
    def from_queries(
        cls, queries: ListedFiles, searched: ListedFiles, asked: Question
    ) -> ByShingles:
        """The comparison of these documents. Raises UnreadableError without a query."""
        spec = translated("matchers", parse(asked.matcher or "jaccard"))
        part = build("matchers", spec)
        if getattr(part, "compares", "sets") != "sets":
            what = f"{spec} compares {part.compares}, not shingles or bit vectors; search a "
            raise OptionError(f"{what}collection (FindPairs, FindSimilar)")
        recipe, keep_text = load_recipe(RECIPE), asked.explain > 0
        shingled = [*queries.shingle_documents(recipe, keep_text=keep_text)]
        if not shingled:
            raise nothing_left(queries.run, "there is nothing to compare")
        rare = asked.minimum is None
        question = replace(asked, minimum=asked.least or 1, top=None, rare=rare)
        plan = SearchPlan(question, recipe, recipe, spec, "shingles")
        if asked.index is not None:
            plan.check_index()
        return cls(searched, shingled, plan)

    @property
    def how(self) -> str:
        return f"shingles of five words (recipe {RECIPE}) compared by {self.matcher}"

    def read_folder(self, same: SameFiles) -> Iterator[MemoryCollection]:
        """The documents, some 8 MB of shingles at a time."""
        plan, queries = self.plan, {query.name: query for query in self.queries}
        documents = self.searched.shingle_documents(
            plan.recipe,
            keep_text=plan.question.explain > 0,
            known=lambda name: next((queries[query] for query in same(name)), None),
        )
        batches = cut_batches(documents, lambda item: item.shingles.nbytes, _PART, sys.maxsize)
        for rows in batches:
            shingles, names = Ragged.of([row.shingles for row in rows]), [row.name for row in rows]
            texts = [row.text for row in rows]
            rows.clear()  # their shingles are copied
            yield MemoryCollection(plan.recipe, shingles, names, texts=texts)

    def search(self, part: MemoryCollection) -> BySets:
        """The search of a part."""
        from sdtext.search.set_search import BySets  # a score needs no search

        derivation = self.plan.derivation
        table = Table(segment_views(part, derivation), derivation)
        return BySets(table, self.plan, exhaustive=self.plan.question.index != "bands")

    def similar(self, query: int, part: MemoryCollection, search: Any) -> tuple[Rows, QueryMatches]:
        """The documents of a part that have a score with a query, even 0, and the similar ones."""
        shingles = self.queries[query].shingles
        comparable = np.flatnonzero((part.shingles.lengths > 0) & (len(shingles) > 0))
        return comparable, search.query(shingles)

    def match(self, query: int, part: MemoryCollection, place: int) -> Match:
        """The exact match of a query and a document."""
        left, right = self.queries[query].shingles, part.shingles[place]
        counts = len(np.intersect1d(left, right, assume_unique=True)), len(left), len(right)
        if not (len(left) and len(right)):
            return Match(None, *counts, _NO_SHINGLES)
        return Match(self.plan.part(*counts), *counts)

    def shared_terms(
        self, query: int, part: MemoryCollection, place: int, _match: Match, top: int | None = None
    ) -> Sequence[SharedTerm]:
        """The runs of words that a query and a document share, the longest `top` shortened."""
        comparer = TextComparer(load_recipe(RECIPE), parse("jaccard"))
        runs = comparer.shared(self.queries[query].text, part.texts[place])
        return (
            runs if top is None else [replace(run, term=shortened(run.term)) for run in runs[:top]]
        )


@dataclass(eq=False)
class ByBitVectors:
    """Fingerprints, and documents that are fingerprinted on the way, compared by bit vectors.

    The first of the queries, as many as `in_files`, were fingerprints; the others were read.
    `foreign` and `others` are the queries and the documents in another language than a dictionary.
    """

    searched: ListedFiles
    asked: Question
    queries: Sequence[tuple[str, Fingerprint]]
    scorer: FingerprintScorer
    minimum: int | Calibration
    segment: Segment | None
    located: tuple[str, ...]
    foreign: Foreign
    in_files: int
    others: Foreign = field(default_factory=list)
    engines: dict[Any, Problem | None] = field(default_factory=dict)

    @classmethod
    def from_queries(
        cls,
        queries: ListedFiles,
        searched: ListedFiles,
        named: Sequence[Dictionary],
        asked: Question,
        *,
        locates: bool,
    ) -> ByBitVectors:
        """The comparison over the dictionaries named, else over those of the fingerprints.

        Raises MismatchError for documents without a dictionary, UnreadableError without a query.
        """
        prints = [*queries.read_fingerprints()]
        dictionaries, located = [*named], []
        if not named:
            side = queries if prints else searched
            if side is searched:
                searched.prints, searched.files = [*searched.read_fingerprints()], []
            if locates or queries.number_of_documents or searched.number_of_documents:
                located = [item.origin for item in side.find_dictionaries()]
            dictionaries = [*{**side.dictionaries, **searched.dictionaries}.values()]
            for _, item in searched.prints if side is queries else ():
                dictionaries += [
                    each for each in item.with_dictionaries if each not in dictionaries
                ]
        segment = asked.segment or _segment_of(item for _, item in prints)
        foreign: Foreign = []
        in_files = len(prints)
        prints = _with_documents(queries, prints, dictionaries, segment, foreign)
        minimum: int | Calibration = asked.least or 1
        matcher = asked.matcher
        if asked.recommended:
            minimum = recommended_calibration(asked, dictionaries)
            matcher = minimum.matcher
        known = {item.digest for item in dictionaries}
        lacks = located and any(
            known.isdisjoint(each.digest for each in item.dictionaries) for _, item in prints
        )
        matcher = matcher or default_matcher(() if lacks else dictionaries)
        scorer = FingerprintScorer(matcher, tuple(dictionaries), asked.min_terms)
        _ = scorer.part  # a matcher of something else is refused before documents are read
        origins = tuple(located)
        way = cls(searched, asked, prints, scorer, minimum, segment, origins, foreign, in_files)
        if searched.number_of_documents and not (searched.prints or searched.files):
            if not dictionaries:
                raise MismatchError(way._no_dictionary())
            used = [each for _, item in prints for each in item.dictionaries]
            if known.isdisjoint(each.digest for each in used):  # before documents are read
                names = " and ".join(called(item.reference()) for item in dictionaries)
                what = f"made with different dictionaries: {called(used[0])} and {names}; name the"
                raise MismatchError(f"no document is comparable: {what} one of the fingerprints")
        return way

    def _no_dictionary(self) -> str:
        references = (item for _, query in self.queries for item in query.dictionaries)
        wanted = " and ".join(dict.fromkeys(map(called, references)))
        number = counted(self.searched.number_of_documents, "document")
        what = f"{number} not compared: there is no dictionary to fingerprint them with"
        return f"{what}; name one as dictionary, that of the fingerprints: {wanted}"

    @property
    def matcher(self) -> str:
        return self.scorer.matcher

    @property
    def how(self) -> str:
        names = [shown(item.name) or item.guid for item in self.scorer.dictionaries]
        over = f" over dictionary {' and '.join(names)}" if names else ""
        return f"bit vectors{over} compared by {in_words(self.matcher, self.scorer.dictionaries)}"

    def read_folder(self, same: SameFiles) -> Iterator[MemoryCollection]:
        """The documents, some 8 MB of vectors at a time.

        In the end what misleads is noted in the run.
        """
        for rows in _of_one_kind(self._read_documents(same)):
            yield MemoryCollection.of_fingerprints(rows, self.scorer.dictionaries)
        self.searched.run.note(*self._problems())

    def search(self, part: MemoryCollection) -> FingerprintSearch:
        """The search of a part."""
        from sdtext.search.similar_documents import FingerprintSearch  # a score needs no search

        least = self.minimum
        if isinstance(least, Calibration):
            least = least.lowest_level
        question = replace(
            self.asked, minimum=max(1, least), matcher=self.matcher, top=None, recommended=False
        )
        return FingerprintSearch(part, question)

    def _read_documents(self, same: SameFiles) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints that are searched, and those of documents; warns of other engines."""
        sources = [self.searched.read_fingerprints()]
        if self.searched.number_of_documents and not self.scorer.dictionaries:
            what = self._no_dictionary()
            self.searched.run.note(Problem("error", "no-dictionary", what, "", what))
        elif self.searched.number_of_documents:
            read = dict(self.queries[self.in_files :])
            made = self.searched.fingerprint_documents(
                self.scorer.dictionaries,
                self.segment,
                self.others,
                lambda name: next((read[query] for query in same(name) if query in read), None),
            )
            sources.append(made)
        known = set()
        for source in sources:
            for name, item in source:
                if item.sketch:
                    what = "holds a sketch, and is compared with bit vectors"
                    self.searched.note(MismatchError(what, file=name), Path(name))
                    continue
                if item.libraries not in known:
                    known.add(item.libraries)
                    for _, query in self.queries:
                        if (query.libraries, item.libraries) not in self.engines:
                            warning = other_engine(query, item)
                            self.engines[query.libraries, item.libraries] = warning
                yield name, item

    def similar(self, query: int, part: MemoryCollection, search: Any) -> tuple[Rows, QueryMatches]:
        """The documents of a part that have a score with a query, even 0, and the similar ones."""
        item = self.queries[query][1]
        if part.fingerprints[0].kind != item.kind:
            return np.empty(0, np.int64), QueryMatches.none()
        try:
            return search.comparable(item), search.query(item)
        except (MismatchError, OptionError):  # weights need a dictionary: equal ones are left
            best = [self.match(query, part, place) for place in range(len(part.names))]
            equal = np.flatnonzero([match.similarity is not None for match in best])
            scores = Scores(np.full(len(equal), 99), np.ones(len(equal)))
            return equal, QueryMatches(equal, scores)

    def match(self, query: int, part: MemoryCollection, place: int) -> Match:
        """The exact match of a query and a document: that of their most similar vectors."""
        return self.scorer.best(self.queries[query][1], part.fingerprints[place])

    def shared_terms(
        self, query: int, part: MemoryCollection, place: int, match: Match, top: int | None = None
    ) -> Sequence[SharedTerm] | None:
        """The terms that a query and a document share, the `top` that weigh most."""
        pair = self.queries[query][1], part.fingerprints[place]
        return self.scorer.shared_terms(*pair, match, top)

    def comparisons(
        self, query: int, part: MemoryCollection, skipped: Sequence[int]
    ) -> Counter[int]:
        """How many pairs of vectors are comparable in each size class, but for those skipped."""
        own = sizes_of(self.queries[query][1])
        counts = self.scorer.comparisons(own, part.sizes)
        for place in skipped:
            counts.subtract(self.scorer.comparisons(own, sizes_of(part.fingerprints[place])))
        return counts

    def chance(
        self, query: int, match: Match, documents: int, comparisons: Counter[int]
    ) -> Chance | None:
        """How often chance gives the score of a match, among so many documents and vectors.

        A calibration says nothing of queries in another language than their dictionary.
        """
        name, item = self.queries[query]
        if any(str(path) == name for path, _ in self.foreign):
            return None
        unit = SEGMENTS if (+comparisons).total() > documents else DOCUMENTS
        return self.scorer.chance(item, match, +comparisons, unit)

    def _problems(self) -> Iterator[Problem]:
        """Warnings about texts and dictionaries that mislead."""
        yield from in_other_languages(dict.fromkeys([*self.foreign, *self.others]))
        yield from filter(None, self.engines.values())
        is_trimmed = any(dictionary.trimmed for dictionary in self.scorer.dictionaries)
        if self.segment and is_trimmed and parse(self.matcher).name == "containment":
            what = "containment of segments over a trimmed dictionary scores up to 99 for "
            what += "unrelated documents; use idf-cosine, or a dictionary that is not trimmed"
            yield Problem("warning", "saturated", what)
        for dictionary in self.scorer.dictionaries:
            if dictionary.documents == 1:
                name = shown(dictionary.name) or dictionary.guid
                what = f"dictionary {name} was made of a single document: unrelated documents "
                what += "score high, since no term is rarer than others; make it of many documents"
                yield Problem("warning", "drift", what)


@dataclass(eq=False)
class ByDocumentSketches(_ByPlan):
    """Sketches in files, and documents that are sketched on the way."""

    searched: ListedFiles
    queries: Sequence[tuple[str, Row]]
    plan: SearchPlan
    digest: str

    @classmethod
    def from_queries(
        cls,
        queries: ListedFiles,
        searched: ListedFiles,
        keyed: Sequence[Dictionary],
        asked: Question,
    ) -> ByDocumentSketches:
        """The comparison by the recipe of the first sketch.

        Documents are sketched under the keys of `keyed` dictionaries. Raises MismatchError where
        that is another recipe, OptionError, UnreadableError without a query.
        """
        from sdtext.collections.wordless_fingerprints import digest_of, sketch_recipe

        if asked.segment or asked.recommended or asked.min_terms != MIN_TERMS:
            raise OptionError("segment, recommended and min_terms are of bit vectors, not sketches")
        recipe = sketch_recipe(keyed=keyed)
        prints = [item for side in (queries, searched) for _, item in side.prints]
        digest = next(item.sketch.recipe for item in prints if item.sketch)
        if digest != digest_of(recipe) and (
            queries.number_of_documents or searched.number_of_documents
        ):
            what = "documents cannot be compared with sketches under a key, or by another recipe; "
            raise MismatchError(f"{what}name the keyed dictionary as dictionary")
        rows = [*_rows(queries, recipe, digest)]
        if not rows and queries.errors:
            raise queries.errors[0]
        if not rows:
            raise nothing_left(queries.run, "there is nothing to compare")
        question = replace(asked, minimum=asked.least or LEAST_OF_SKETCHES, top=None)
        plan = plan_search(MemoryCollection(recipe, Ragged.of([]), ()), question)
        return cls(searched, rows, plan, digest)

    @property
    def how(self) -> str:
        return f"sketches of pairs of words compared by {self.matcher}"

    def read_folder(self, _same: SameFiles) -> Iterator[MemoryCollection]:
        """All documents at once, since their weights are by all."""
        from sdtext.search.sketch_search import BySketches  # a score of others needs none

        rows = [*_rows(self.searched, self.plan.recipe, self.digest)]
        if not rows and self.searched.errors:
            raise self.searched.errors[0]
        if rows:
            names, sketches = [name for name, _ in rows], Ragged.of([row for _, row in rows])
            part = MemoryCollection(self.plan.recipe, sketches, names)
            table = Table(segment_views(part, self.plan.derivation), self.plan.derivation)
            self._search = BySketches(table, self.plan)
            yield part

    def search(self, _part: MemoryCollection) -> BySketches:
        """The search of all documents."""
        return self._search

    def similar(
        self,
        query: int,
        part: MemoryCollection,  # noqa: ARG002 (of any way)
        search: Any,
    ) -> tuple[Rows, QueryMatches]:
        """The documents that have a score with a query, even 0, and the similar ones."""
        row = self.queries[query][1]
        return search.comparable(row), search.query(row)

    def match(self, query: int, part: MemoryCollection, place: int) -> Match:  # noqa: ARG002 (as above)
        """The exact match of a query and a document."""
        return self._search.match(self.queries[query][1], place)

    def shared_terms(self, *_: Any) -> Sequence[SharedTerm]:
        """Nothing: sketches hold no terms."""
        return ()


def _rows(side: ListedFiles, recipe: RecipeSpec, digest: str) -> Iterator[tuple[str, Row]]:
    """The sketches of a side; files with others are problems of the run, one each."""
    from sdtext.collections.wordless_fingerprints import row_of

    refused: set[str] = set()
    for name, item in side.read_fingerprints():
        file = name.partition("#")[0]
        try:
            yield name, row_of(item, digest, file)
        except MismatchError as error:
            if file not in refused:
                side.note(error, Path(file))
            refused.add(file)
    sketch = build("fingerprints", recipe.fingerprint or PartSpec(SKETCHED))
    for document in side.shingle_documents(recipe, keep_text=False):
        yield document.name, sketch(Ragged.of([document.shingles]))[0]


Way = ByShingles | ByBitVectors | ByDocumentSketches


def choose_comparison(
    queries: ListedFiles,
    searched: ListedFiles,
    named: Sequence[Dictionary],
    asked: Question,
    *,
    locates: bool = True,
) -> Way:
    """Read the queries: as sketches or bit vectors if there are some, else as shingles.

    `named` are dictionaries that the user named. If it `locates`, those that fingerprints name are
    looked for also where there is no document to fingerprint. Raises OptionError, MismatchError or
    UnreadableError where they cannot be compared.
    """
    matcher = asked.matcher and find("matchers", translated("matchers", parse(asked.matcher)).name)
    marks = ("needs_dictionary", "prefers_vectors")
    is_of_bits = any(getattr(matcher, name, False) for name in marks)
    has_fingerprints = any(side.prints or side.files for side in (queries, searched))
    if has_fingerprints:
        side = queries if queries.prints or queries.files or named else searched
        side.prints, side.files = [*side.read_fingerprints()], []
        if any(item.sketch for _, item in side.prints):
            return ByDocumentSketches.from_queries(queries, searched, named, asked)
    if named or has_fingerprints or asked.recommended or is_of_bits:
        return ByBitVectors.from_queries(queries, searched, named, asked, locates=locates)
    if asked.segment or asked.min_terms != MIN_TERMS:
        what = "segment and min_terms are of bit vectors, which need a dictionary"
        raise MismatchError(f"{what}; name one (CreateDictionary makes one)")
    return ByShingles.from_queries(queries, searched, asked)


def _with_documents(
    files: ListedFiles,
    prints: Sequence[tuple[str, Fingerprint]],
    dictionaries: Sequence[Dictionary],
    segment: Segment | None,
    foreign: Foreign,
) -> list[tuple[str, Fingerprint]]:
    """The fingerprints of a side, `prints` and those of its documents, which are made here.

    Raises MismatchError for documents without a dictionary, UnreadableError if there are none.
    """
    if files.number_of_documents and not dictionaries:
        held = files.in_memory
        what = "is a document, and bit vectors need a dictionary; name one as dictionary"
        name = held[0][0] if held else str(path_of(files.documents[0]))
        raise MismatchError(what, file=name)
    result = [*prints, *files.fingerprint_documents(dictionaries, segment, foreign)]
    if result:
        return result
    if files.errors:
        raise files.errors[0]
    raise nothing_left(files.run, "there is nothing to compare")


def _segment_of(queries: Iterable[Fingerprint]) -> Segment | None:
    """How to segment documents that are compared with these: as the first query with segments.

    Where that one is short and has a single segment, its length, with half of it overlapping.
    """
    for query in queries:
        first = next((vector for vector in query.vectors if vector.place), None)
        if first and first.place:
            siblings = (item for item in query.vectors if item.dictionary == first.dictionary)
            starts = [item.place.first for item in siblings if item.place][:2]
            # A file from outside may ask for segments of any size and number.
            tokens = max(first.place.tokens, _MIN_SEGMENT)
            step = starts[1] - starts[0] if len(starts) > 1 else tokens // 2
            return Segment(tokens, min(max(step, tokens // 10), tokens))
    return None


def _of_one_kind(
    named: Iterable[tuple[str, Fingerprint]],
) -> Iterator[list[tuple[str, Fingerprint]]]:
    """The fingerprints in lists of one kind and of some 8 MB at most."""
    waiting: dict[str, list[tuple[str, Fingerprint]]] = {}
    sizes: Counter[str] = Counter()
    for name, item in named:
        waiting.setdefault(item.kind, []).append((name, item))
        sizes[item.kind] += sum(len(vector.packed) for vector in item.vectors)
        if sizes[item.kind] >= _PART:
            yield waiting.pop(item.kind)
            sizes[item.kind] = 0
    yield from waiting.values()
