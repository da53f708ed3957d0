"""The similarity of two texts, without a dictionary and without a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.collection_recipe import with_shingle_length
from sdtext.collections.document_types import OF_FINGERPRINT
from sdtext.collections.row_builder import digest_of_file
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import Match, PartSpec, Problem, RecipeSpec, SharedTerm
from sdtext.parts.bundled_dictionaries_and_recipes import RECIPES
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.parts.registry import build, parse, translated
from sdtext.reading.archive_members import in_archive
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.search.fingerprint_scores import Score
from sdtext.search.results import Found, Hits, Pair, Pairs
from sdtext.search.search_plan import Question, recipe_of_whole_documents
from sdtext.text.document import Document
from sdtext.wording import counted

DEFAULT_RECIPE = "short-texts"
"""The recipe that comes with sdtext under this name."""

_JACCARD = PartSpec("jaccard")
Explained = TypeVar("Explained", Pairs, Hits)

_LONGEST = 80
"""Characters of a run that are shown."""
_KEPT = 64
"""Texts that are kept for further rows."""


def similarity(
    left: str | Path | Document,
    right: str | Path | Document,
    *,
    matcher: str | None = None,
    recipe: RecipeLike = DEFAULT_RECIPE,
    reading: Reading | None = None,
) -> Score:
    """The similarity of two texts: `score` from 0 to 99, `similarity` from 0 to 1.

    A string is a text, a `Path` a file; either may be a `Document`. They are compared as documents
    of a collection by that recipe are: by their shingles, or where the recipe names no shingler by
    their terms. The default is shingles of 4 characters (up to 9 of long texts). `matcher` is
    `name` or `name(option=value)`; by default that of the recipe. `reading` says how to read files,
    within which limits. Raises OptionError, UnreadableError, and MismatchError where a side has
    nothing to compare.

    >>> result = similarity("The bees dance in the hive.", "The bees danced in the hive!")
    >>> result.score, round(result.similarity, 3), result.matcher
    (73, 0.731, 'jaccard')
    >>> [item.term for item in result.shared_terms]
    ['the bees dance', ' in the hive']
    >>> similarity("to be or not to be", "not to be", matcher="edit", recipe="deduplicate").score
    50
    """
    documents = [
        Document.of(side) if isinstance(side, str) else read(side, reading=reading)
        for side in (left, right)
    ]
    texts = [document.clean for document in documents]
    bundled = _bundled(recipe) if isinstance(recipe, str) else None
    whole = recipe_of_whole_documents(bundled or recipe_from(recipe))
    settled, _ = with_shingle_length(whole, lambda: max(map(len, texts)))
    return _comparer(settled, matcher)(*texts)


@lru_cache(maxsize=16)
def _bundled(name: str) -> RecipeSpec | None:
    return recipe_from(name) if RECIPES.path(name) else None


@lru_cache(maxsize=16)
def _comparer(recipe: RecipeSpec, matcher: str | None) -> TextComparer:
    spec = parse(matcher) if matcher else recipe.matcher or _JACCARD
    return TextComparer(recipe, translated("matchers", spec))


@dataclass(frozen=True)
class TextComparer:
    """Compares clean texts by the shingles or terms of a recipe."""

    recipe: RecipeSpec
    matcher: PartSpec

    def __call__(self, *texts: str) -> Score:
        """The score of two texts. Raises MismatchError where one has nothing to compare."""
        by_sequences = self._compares == "sequences"
        sides: Sequence[Any]
        if by_sequences or not self.recipe.shingler:
            sides = self._terms(texts)
        else:
            rows = self._encoder.sets(self._encoder.block(texts))
            sides = [rows[place].tolist() for place in range(len(texts))]
        left: Any
        right: Any
        left, right = sides if by_sequences else map(set, sides)
        for name, side in (("left", left), ("right", right)):
            if not side:
                what = f"{name} has no terms by the recipe, so it is similar to nothing"
                raise MismatchError(what, place="similarity")
        if by_sequences:
            common = (Counter(left) & Counter(right)).total()
            similarity = self._part.of_sequences(left, right)
        else:
            common = len(left & right)
            similarity = self._part(common, len(left), len(right))
        match = Match(similarity, common, len(left), len(right))
        return Score(str(self.matcher), match, (match,), explain=partial(self.shared, *texts))

    def shared(self, left: str, right: str) -> tuple[SharedTerm, ...]:
        """What two texts share: runs of shingles, the longest first, or terms."""
        if self._compares == "sequences" or not self.recipe.shingler:
            terms, others = map(Counter, self._terms((left, right)))
            is_set = self._compares == "sets"
            common = Counter(terms.keys() & others.keys()) if is_set else terms & others
            runs = {term: common[term] for term in terms if term in common}
        else:
            keys = {key for key, _ in self._encoder.spelled(right)}
            runs = _shared_runs(self._encoder.spelled(left), keys)
        total = sum(runs.values())
        ranked = sorted(runs.items(), key=lambda item: -item[1])
        return tuple(SharedTerm(run, None, weight / total) for run, weight in ranked)

    @cached_property
    def _compares(self) -> str:
        """What the matcher compares. Raises OptionError where texts alone do not have it."""
        compares: str = getattr(self._part, "compares", "sets")
        wrong = ""
        if compares == "codes":
            wrong = "compares codes of sentences, not texts"
        elif getattr(self._part, "needs_dictionary", False):
            wrong = "weights terms by a dictionary; score(fingerprint(…), fingerprint(…)) has one"
        if wrong:
            raise OptionError(f"matcher {self.matcher.name} {wrong}", place="similarity")
        return compares

    @cached_property
    def _part(self) -> Any:
        return build("matchers", self.matcher)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    def _terms(self, texts: Sequence[str]) -> list[list[str]]:
        block = self._encoder.tokens(texts)
        return [block.terms_of(place) for place in range(len(texts))]


def _shared_runs(shingles: Iterable[tuple[int, str]], others: set[int]) -> dict[str, int]:
    """The runs of shingles that are among `others`, with the number of those that are new in each.

    >>> _shared_runs([(1, "be"), (2, "ee"), (3, "es"), (4, "s "), (1, "be")], {1, 2, 4})
    {'bee': 2, 's ': 1}
    """
    runs: list[tuple[str, int]] = []
    seen: set[int] = set()
    last = ""  # the shingle before, if it is shared
    for key, shingle in shingles:
        if key not in others:
            last = ""
            continue
        tail = _continuation(last, shingle)
        if last and tail is not None:
            runs[-1] = (runs[-1][0] + tail, runs[-1][1] + (key not in seen))
        else:
            runs.append((shingle, int(key not in seen)))
        last = shingle
        seen.add(key)
    counts: dict[str, int] = {}
    for run, number in runs:
        counts[run] = counts.get(run, 0) + number
    return {run: number for run, number in counts.items() if number}


def _continuation(last: str, shingle: str) -> str | None:
    """What a shingle adds to the one before: a character or a word; None if it adds more."""
    if last[1:] == shingle[:-1]:
        return shingle[-1:]
    *start, word = shingle.split(" ")
    return f" {word}" if start and last.split(" ")[1:] == start else None


@dataclass(frozen=True, eq=False)
class SharedPieces:
    """Finds what two documents share, where the texts of both are at hand.

    That of a stored document is at hand if the collection keeps texts, or if its file is unchanged;
    that of a query, if it is a file. At most `top` pieces are given, the longest first: runs of
    shingles, or terms of the dictionary by their IDF. `queries` has texts of queries in memory.
    """

    left: StoredCollection
    right: StoredCollection
    recipe: RecipeSpec
    top: int
    reading: Reading = field(default_factory=Reading)
    queries: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, left: StoredCollection, right: StoredCollection | None, question: Question, top: int
    ) -> SharedPieces:
        """The pieces for the results of a question."""
        recipe = question.recipe or recipe_of_whole_documents(left.recipe)
        return cls(left, right or left, recipe, top)

    def explain(self, result: Explained) -> Explained:
        """The result with what the documents of each row share, or a warning."""
        shared: list[tuple[SharedTerm, ...] | None] = [self._of_row(row) for row in result.rows]
        rows = tuple(
            replace(row, shared_terms=terms) for row, terms in zip(result.rows, shared, strict=True)
        )
        problems: tuple[Problem, ...] = result.problems
        if number := sum(terms is None for terms in shared):
            message = (
                f"what the documents of {counted(number, 'result')} share is not listed, because a "
                "text is not available: its file is gone or has changed, or it was a record or a "
                "fingerprint; AddDocuments with keep_text keeps texts"
            )
            problems = (*problems, Problem("warning", "no-text", message))
        return replace(result, rows=rows, problems=problems, explained=True)

    def _of_row(self, row: Pair | Found) -> tuple[SharedTerm, ...] | None:
        if isinstance(row, Pair):
            left, right = (
                self._stored(self.left, row.left_id),
                self._stored(self.right, row.right_id),
            )
        else:
            left, right = self._named(row.query), self._stored(self.left, row.id)
        if left is None or right is None:
            return None
        pieces = TextComparer(self.recipe, PartSpec("jaccard")).shared(left, right)
        if self.left.dictionaries and not self.recipe.shingler:
            pieces = self._by_idf(pieces)
        return tuple(replace(item, term=shortened(item.term)) for item in pieces[: self.top])

    @cached_property
    def _stored(self) -> Callable[[StoredCollection, int], str | None]:
        return lru_cache(maxsize=_KEPT)(self.stored_text)

    @cached_property
    def _named(self) -> Callable[[str], str | None]:
        return lru_cache(maxsize=_KEPT)(self._text_in)

    def stored_text(self, collection: StoredCollection, number: int) -> str | None:
        """The normalised text of a stored document, None where it is not at hand."""
        if collection.keeps_text:
            return Document.of(collection.text_with_id(number)).clean
        document = collection.taken([number])[0]
        if document.digest.startswith(OF_FINGERPRINT):  # its name says nothing of files here
            return None
        path = Path(document.root, document.name)
        if remote_address(path):  # only the user names what is fetched, no collection does
            return None
        try:
            unchanged = digest_of_file(path, self.reading) == document.digest
        except (UnreadableError, OSError, ValueError):
            return None
        return self._text_in(str(path)) if unchanged else None

    def _text_in(self, path: str) -> str | None:
        if path in self.queries:
            return self.queries[path]
        try:
            there = Path(path).is_file() or in_archive(Path(path))
            return read(path, reading=self.reading).clean if there else None
        except (UnreadableError, OSError, ValueError):
            return None

    def _by_idf(self, terms: Sequence[SharedTerm]) -> tuple[SharedTerm, ...]:
        """The terms of the dictionary, the rarest first, each with its share of all IDF."""
        dictionary = self.left.dictionaries[0]
        counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
        common = (item.term for item in terms if item.term in counts)
        known = {term: dictionary.idf(counts[term]) for term in common}
        total = sum(max(0.0, idf) for idf in known.values()) or 1.0
        ranked = sorted(known.items(), key=lambda item: (-item[1], item[0]))
        return tuple(SharedTerm(term, idf, max(0.0, idf) / total) for term, idf in ranked)


def shortened(run: str) -> str:
    """The beginning of a long run, with an ellipsis."""
    return run if len(run) <= _LONGEST else f"{run[: _LONGEST - 1]}…"
