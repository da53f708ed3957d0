"""The score of two documents or fingerprints."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.memory import Given, Listing
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.fingerprinting.fingerprint_documents import Foreign
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of, kind_of_file
from sdtext.model import Fingerprint, Match, Problem
from sdtext.model.calibration import SEGMENTS
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import parse
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.search.compare_texts import TextComparer
from sdtext.search.fingerprint_scores import (
    FingerprintScorer,
    Score,
    other_engine,
    rank,
    sizes_of,
)
from sdtext.search.search_plan import default_matcher
from sdtext.search.shingles_or_bits import (
    RECIPE,
    compares_bits,
    fingerprints_of,
    how_bit_vectors,
    segment_of,
)
from sdtext.text.document import Document
from sdtext.wording import counted, shown

ScoredSide = Fingerprint | Document | str | Path
"""A fingerprint, a document, or the path of a file with either."""


class ScoredPair(NamedTuple):
    """The score of two sides, their fingerprints, and how they were compared.

    Without `sides` documents were compared by shingles. `located` describes the dictionaries that
    nobody named.
    """

    score: Score
    how: str
    sides: tuple[Fingerprint, Fingerprint] | None = None
    located: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """How the two were compared, their score, and the `pairs` of their vectors by score."""
        record = {"how": self.how, "matcher": self.score.matcher, **_record_of(self.score.best)}
        for side, place in zip("ab", self._segments(self.score.best), strict=True):
            record |= {f"{side}_segment": place} if place else {}
        if self.score.chance:
            record["chance"] = self.score.chance
        record["pairs"] = [
            {**_record_of(each), "vectors": each.vectors, "segments": self._segments(each)}
            for each in self.score.pairs
        ]
        return record

    def _segments(self, pair: Match) -> list[str | None]:
        """The places of two segments in their documents; None for a whole document."""
        if self.sides is None:
            return [None, None]
        numbered = zip(self.sides, pair.vectors, strict=True)
        places = [side.vectors[number].place for side, number in numbered]
        return [f"{place.offset}:{place.length}" if place else None for place in places]


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
    return score_pair((left, right), dictionaries_of(dictionary), matcher, min_terms, run).score


def score_pair(
    pair: tuple[ScoredSide, ScoredSide],
    named: list[Dictionary],
    matcher: str | None,
    min_terms: int,
    run: Run,
) -> ScoredPair:
    """The score of two sides, as `score` gives it; warnings go to the run."""
    listings = []
    for side, name in zip(pair, ("left", "right"), strict=True):
        if isinstance(side, str | Path) and os.path.isfile(side):  # noqa: PTH113 (Path.is_file raises for some names)
            kind = kind_of_file(side, run.reading.max_bytes)
            if kind and not kind.startswith("fingerprint"):
                what = f"is a <{kind}> file of sdtext; expected a fingerprint or a document"
                raise FormatError(what, file=side)
        given: Given = side if isinstance(side, str | Path) else (name, side)
        if isinstance(side, Document) and side.source:
            given = side.source, side
        listings.append(Listing.of([given], run, queries=True))
    prints = [[*listing.fingerprints()] for listing in listings]
    for listing, found, side in zip(listings, prints, pair, strict=True):
        if listing.errors:
            raise listing.errors[0]
        if len(found) + listing.number_of_documents != 1:
            number = counted(len(found), "fingerprint")
            what = f"holds {number}; name a file with a single one, or use CompareDirectory"
            raise (
                OptionError(what, file=str(side))
                if found
                else nothing_left(run, "nothing to score")
            )
    if not (named or any(prints) or compares_bits(matcher)):
        if min_terms != MIN_TERMS:
            raise MismatchError("min_terms is of bit vectors; name a dictionary as dictionary")
        recipe = load_recipe(RECIPE)
        sides = [item for each in listings for item in each.shingled(recipe, keep_text=True)]
        if len(sides) < 2:
            raise nothing_left(run, "there is nothing to compare")
        compare = TextComparer(recipe, parse(matcher or "jaccard"))
        result = compare(*(item.text for item in sides))
        how = f"shingles of five words (recipe {RECIPE}) compared by {result.matcher}"
        return ScoredPair(result, how)
    return _by_bits(listings, prints, named, matcher, min_terms)


def _by_bits(
    listings: list[Listing],
    prints: list[list[tuple[str, Fingerprint]]],
    named: list[Dictionary],
    matcher: str | None,
    min_terms: int,
) -> ScoredPair:
    run, located, dictionaries = listings[0].run, [], named
    if not named:
        known = {key: item for side in listings for key, item in side.dictionaries.items()}
        if any(side.number_of_documents for side in listings) and not known:
            located = [item for listing in listings for item in listing.located()]
        dictionaries = [*known.values(), *(item.dictionary for item in located)]
    segment = segment_of(item for found in prints for _, item in found)
    foreign: Foreign = []
    sides = []
    for listing, found in zip(listings, prints, strict=True):
        sides.append(fingerprints_of(listing, found, dictionaries, segment, foreign)[0])
    for problem in in_other_languages(foreign):
        run.note(problem)
    (first_name, left), (second_name, right) = sides
    matcher = matcher or default_matcher(dictionaries)
    scorer = FingerprintScorer(matcher, tuple(dictionaries), min_terms)
    _ = scorer.part  # a matcher of something else is refused
    pairs = tuple(scorer.pairs(left, right))
    best = max(pairs, key=rank)
    if best.problem:
        names = f"{shown(first_name)} and {shown(second_name)}"
        raise MismatchError(f"{names} are not comparable: {best.problem.message}")
    if (number := min(best.left, best.right)) < MIN_TERMS:
        what = f"only {counted(number, 'term')} of the dictionary on one side"
        what += ": unrelated texts may score as much"
        run.note(Problem("warning", "too-few-terms", what))
    compared = +scorer.comparisons(sizes_of(left), sizes_of(right))
    chance = None if foreign else scorer.chance(left, best, compared, SEGMENTS)
    explain = partial(scorer.shared_terms, left, right, best)
    if warning := other_engine(left, right):
        run.note(warning)
    result = Score(matcher, best, pairs, chance, explain)
    origins = tuple(item.origin for item in located)
    return ScoredPair(result, how_bit_vectors(scorer), (left, right), origins)
