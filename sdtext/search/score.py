"""The score of two documents, fingerprints or texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from sdtext.collections.collection_recipe import with_shingle_length
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of, kind_of_file
from sdtext.model import Fingerprint, Match, PartSpec, Problem, RecipeSpec, SharedTerm
from sdtext.model.calibration import Chance
from sdtext.model.displayed_results import html_table
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.bundled_dictionaries_and_recipes import RECIPES
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.parts.registry import find, parse, translated
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.reading.read_document import read
from sdtext.search.compare_texts import TextComparer
from sdtext.search.list_files import Given, ListedFiles, list_files
from sdtext.search.search_plan import Question, recipe_of_whole_documents
from sdtext.search.ways_to_compare import RECIPE, ByBitVectors, choose_comparison
from sdtext.text.document import Document
from sdtext.wording import counted, shown

ScoredSide = Fingerprint | Document | str | Path
"""A fingerprint, a document, or the path of a file with either."""

DEFAULT_RECIPE = "short-texts"
"""The recipe that comes with sdtext under this name."""


@dataclass(frozen=True)
class Score:
    """The similarity of two fingerprints: the match of their best pair, and that of every pair.

    `how` says in a sentence what was compared, and `located` describes the dictionaries that nobody
    named.
    """

    matcher: str
    best: Match
    pairs: tuple[Match, ...]
    chance: Chance | None = None
    """How often chance gives this score, if the dictionary is calibrated."""
    how: str = ""
    located: tuple[str, ...] = ()
    explain: Callable[[], Iterable[SharedTerm] | None] | None = field(
        default=None, repr=False, compare=False
    )
    """What works out the shared terms."""

    def __getstate__(self) -> dict[str, Any]:
        """The state for pickle: shared terms that were worked out, not what they are worked out of.

        That is a whole dictionary, or the texts.
        """
        return {**vars(self), "explain": None}

    def __repr__(self) -> str:
        if self.similarity is None:
            return f"<not comparable by {self.matcher}>"
        return f"<score {self.score} by {self.matcher}, similarity {self.similarity:.4f}>"

    def _repr_html_(self) -> str:
        columns = ["matcher", "score", "similarity", "common", "left", "right"]
        match = self.best
        row = [self.matcher, self.score, self.similarity, match.common, match.left, match.right]
        return html_table("score", columns, [row])

    @property
    def score(self) -> int | None:
        """The score of the best pair, 0 to 99; None if no pair is comparable."""
        return self.best.score

    @property
    def similarity(self) -> float | None:
        """The similarity of the best pair, 0 to 1; None if no pair is comparable."""
        return None if self.best.similarity is None else float(self.best.similarity)

    def record(self) -> dict[str, Any]:
        """How the two were compared, their score, and the `pairs` of their vectors by score."""
        record = {"how": self.how, "matcher": self.matcher, **_record_of(self.best)}
        for side, place in zip("ab", _places_of(self.best), strict=True):
            record |= {f"{side}_segment": place} if place else {}
        if self.chance:
            record["chance"] = self.chance
        record["pairs"] = [
            {**_record_of(each), "vectors": each.vectors, "segments": _places_of(each)}
            for each in self.pairs
        ]
        return record

    @cached_property
    def shared_terms(self) -> tuple[SharedTerm, ...] | None:
        """What the best pair shares: terms, those that weigh most first, or runs of shingles.

        None if the dictionary is not available. They are worked out when they are asked for; a
        result that was pickled before has none.

        >>> dictionary = create_dictionary(samples, "english")
        >>> left = fingerprint(samples / "union.txt", dictionary)
        >>> right = fingerprint(samples / "union-edited.txt", dictionary)
        >>> shared = score(left, right, dictionary=dictionary).shared_terms
        >>> [(item.term, round(item.share, 3)) for item in shared[:2]]
        [('anyon', 0.016), ('argu', 0.016)]
        """
        shared = self.explain() if self.explain else None
        return None if shared is None else tuple(shared)


def _record_of(match: Match) -> dict[str, Any]:
    record: dict[str, Any] = {
        "score": match.score,
        "similarity": None if match.similarity is None else float(match.similarity),
        "common": match.common,
        "a": match.left,
        "b": match.right,
    }
    return {**record, "reason": match.problem.message} if match.problem else record


def score(
    left: ScoredSide,
    right: ScoredSide,
    *,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    min_terms: int = MIN_TERMS,
    reading: Reading | None = None,
) -> Score:
    """Score two fingerprints, or the documents or fingerprints in two files.

    A side may also be a `Document` in memory. Two documents are compared by shingles of five words
    (the recipe `deduplicate`). With a fingerprint, a `dictionary` (or several), or a `matcher` of
    bit vectors, these are compared, over the dictionary named, else the one that a fingerprint was
    made with in this process, or that is inside its file, beside it or bundled. Without a
    `matcher` it is then "idf-cosine" where there is a dictionary, else "cosine". `min_terms` is the
    least number of terms on each side for a score; `reading` says how to read files, within which
    limits. Raises MismatchError if the two are not comparable, UnreadableError.

    >>> score(samples / "union.txt", samples / "union-edited.txt").score
    46
    >>> dictionary = create_dictionary(samples, "english")
    >>> score(samples / "union.txt", samples / "union-edited.txt", dictionary=dictionary).score
    45
    """
    run = Run(reading=reading or Reading())
    return score_pair((left, right), dictionary, matcher, min_terms, run)


def score_pair(
    pair: tuple[ScoredSide, ScoredSide],
    dictionary: OneOrMore,
    matcher: str | None,
    min_terms: int,
    run: Run,
) -> Score:
    """The score of two sides, as `score` gives it; warnings go to the run."""
    named = dictionaries_of(dictionary, run.reading.max_bytes)
    left, right = _list_side(pair[0], "left", run), _list_side(pair[1], "right", run)
    named_part = find("matchers", parse(matcher).name) if matcher else None
    if getattr(named_part, "compares", "") == "sequences" and not (left.prints or right.prints):
        texts = [Path(side) if isinstance(side, str) else side for side in pair]
        found = similarity(*texts, matcher=matcher, recipe=RECIPE, reading=run.reading)  # type: ignore[arg-type] # no fingerprint is among them
        return replace(found, how=f"words (recipe {RECIPE}) compared by {found.matcher}")
    if len({item.sketch is None for side in (left, right) for _, item in side.prints}) > 1:
        raise MismatchError("a sketch and bit vectors cannot be compared")
    asked = Question(matcher=matcher, min_terms=min_terms, explain=1)
    way = choose_comparison(left, right, named, asked, locates=False)
    parts = [*way.read_folder(lambda _name: ())]
    if not parts:
        raise nothing_left(run, "there is nothing to compare")
    (part,) = parts
    best = way.match(0, part, 0)
    if best.problem:
        names = f"{shown(way.queries[0][0])} and {shown(part.names[0])}"
        raise MismatchError(f"{names} are not comparable: {best.problem.message}")
    explain = partial(way.shared_terms, 0, part, 0, best)
    if not isinstance(way, ByBitVectors):
        return Score(way.matcher, best, (best,), how=way.how, explain=explain)
    if (number := min(best.left, best.right)) < MIN_TERMS:
        what = f"only {counted(number, 'term')} of the dictionary on one side"
        what += ": unrelated texts may score as much"
        run.note(Problem("warning", "too-few-terms", what))
    pairs = tuple(way.scorer.pairs(way.queries[0][1], part.fingerprints[0]))
    chance = None
    if not (way.foreign or way.others):  # a calibration says nothing of other languages
        chance = way.chance(0, best, 0, way.comparisons(0, part, ()))
    return Score(way.matcher, best, pairs, chance, way.how, way.located, explain)


def _list_side(side: ScoredSide, name: str, run: Run) -> ListedFiles:
    """The one document or fingerprint of a side. Raises where there is another number of them."""
    if isinstance(side, str | Path) and os.path.isfile(side):  # noqa: PTH113 (Path.is_file raises for some names)
        kind = kind_of_file(side, run.reading.max_bytes)
        if kind and not kind.startswith("fingerprint"):
            what = f"is a <{kind}> file of sdtext; expected a fingerprint or a document"
            raise FormatError(what, file=side)
    given: Given = side if isinstance(side, str | Path) else (name, side)
    if isinstance(side, Document) and side.source:
        given = side.source, side
    listed = list_files([given], run, queries=True)
    listed.prints, listed.files = [*listed.read_fingerprints()], []
    if listed.errors:
        raise listed.errors[0]
    found = len(listed.prints)
    if found + listed.number_of_documents != 1:
        if not found:
            raise nothing_left(run, "nothing to score")
        what = f"holds {counted(found, 'fingerprint')}; name a file with a single one, or use "
        raise OptionError(what + "CompareDirectory", file=str(side))
    return listed


def _places_of(match: Match) -> list[str | None]:
    """The places of the two segments in their documents; None for a whole document."""
    return [f"{place.offset}:{place.length}" if place else None for place in match.segments]


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
    comparer = _comparer(settled, matcher)
    match = comparer.match(*texts)
    explain = partial(comparer.shared, *texts)
    return Score(str(comparer.matcher), match, (match,), explain=explain)


@lru_cache(maxsize=16)
def _bundled(name: str) -> RecipeSpec | None:
    return recipe_from(name) if RECIPES.path(name) else None


@lru_cache(maxsize=16)
def _comparer(recipe: RecipeSpec, matcher: str | None) -> TextComparer:
    spec = parse(matcher) if matcher else recipe.matcher or PartSpec("jaccard")
    return TextComparer(recipe, translated("matchers", spec))
