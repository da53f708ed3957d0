"""Explanations of a search: how pairs were searched for, and what may be missing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext.model import Problem
from sdtext.parts.indexes import Bands
from sdtext.search.candidates.buckets import PAIR_BUDGET, PAIRWISE
from sdtext.search.candidates.lsh import Candidates
from sdtext.search.results import Oversized
from sdtext.search.search_plan import SearchPlan
from sdtext.wording import counted

_STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_LISTED = 3

Key = TypeVar("Key")


def how_sets(plan: SearchPlan, bands: Bands | None, slots: int) -> str:
    """How shingles were compared: by bands, or all of them where there are none."""
    least = f"{plan.scorer.matcher.name} {plan.least_of_sets / 100:.2f}"
    accuracy = "verified exactly"
    if plan.question.estimate:
        accuracy = "scores are estimates from sketches, not verified"
    elif plan.compares == "sequences":
        accuracy = (
            f"only documents with {least} or more are scored by {plan.matcher.name}: no recall is "
            "stated for it; an index with a lower similarity finds more"
        )
    if bands is None:
        way = f"all {'sketches' if plan.question.estimate else 'shingles'} compared"
    elif plan.compares == "sequences":
        way = describe_bands(bands, slots).partition(";")[0]
    else:
        bound = f" (jaccard {bands.similarity:.2f} or more)"
        way = describe_bands(bands, slots, least + bound * (not least.startswith("jaccard ")))
    return f"{way}; {accuracy}; {minimum_in_words(plan)}"


def describe_bands(bands: Bands, slots: int, measure: str = "") -> str:
    """The bands, and the probability that they find a pair at `measure`.

    >>> from sdtext.parts.indexes import Bands
    >>> describe_bands(Bands(), slots=128)
    'bands: 21 of 6 rows; a pair at jaccard 0.80 is found with probability 0.9983'
    """
    number, rows = bands.layout(slots)
    probability = bands.probability(bands.similarity, slots)
    measure = measure or f"jaccard {bands.similarity:.2f}"
    recall = f"a pair at {measure} is found with probability {probability:.4f}"
    return f"bands: {number} of {counted(rows, 'row')}; {recall}"


def how_all_texts(plan: SearchPlan) -> str:
    """How few sequences are compared."""
    return f"all texts compared; verified exactly; {minimum_in_words(plan)}"


def minimum_in_words(plan: SearchPlan) -> str:
    """The score that results need."""
    if plan.question.recommended:
        return "minimum scores as recommended"
    return f"minimum score {plan.minimum}"


def describe_nothing_rare(pairs: int) -> str:
    """How many pairs are left out since they share nothing rare, behind other words."""
    left_out = f"{counted(pairs, 'pair')} with nothing rare in common left out"
    return f"; {left_out} (a minimum score lists them)"


def describe_curve(curve: Sequence[tuple[float, float]]) -> str:
    """The S-curve of the bands in a line; "" without a curve.

    >>> from sdtext.parts.indexes import Bands
    >>> describe_curve(Bands(bands=20, rows=5).curve(slots=100))[:65]
    'S-curve: jaccard 0.1: 0.000, 0.2: 0.006, 0.3: 0.047, 0.4: 0.186, '
    """
    points = [
        f"{jaccard}: {probability:.{3 if probability < 0.99 else 4}f}"
        for jaccard, probability in curve
        if jaccard in _STEPS
    ]
    return f"S-curve: jaccard {', '.join(points)}" if points else ""


def describe_oversized(candidates: Candidates) -> str:
    """The end of the sentence: oversized buckets that lack pairs; "" if there are none."""
    text = ""
    if candidates.reduced:
        buckets = counted(candidates.reduced, "oversized bucket")
        text += f"; of {buckets} only enough pairs to connect the documents are listed"
    if candidates.split:
        text += f"; {counted(candidates.split, 'oversized bucket')} compared in parts"
    return text


def oversized_problems(oversized: Oversized) -> Iterator[Problem]:
    """Warnings about pairs that may be missing among very many similar documents."""
    if oversized.split:
        what = f"{counted(oversized.split, 'bucket')} of documents with an equal band, too large "
        what += "to compare all pairs, compared in parts; pairs across parts may be missing, and "
        what += "clusters may be split"
        yield Problem("warning", "large-bucket", what)
    if oversized.reduced:
        what = f"{counted(oversized.reduced, 'bucket')} of similar documents with more than "
        what += f"{PAIR_BUDGET:,} pairs; of the others only enough are listed to connect the same "
        what += "documents"
        yield Problem("warning", "many-pairs", what)
    if oversized.groups:
        sets = counted(oversized.groups, "set")
        what = f"{sets} of more than {PAIRWISE} documents with equal shingles: only pairs with the "
        what += "first of each are listed"
        yield Problem("warning", "equal-documents", what)


def single_shingle_problems(sizes: NDArray[np.integer[Any]]) -> Iterator[Problem]:
    """The warning where most of several documents, with so many shingles each, have only one.

    >>> [problem.message for problem in single_shingle_problems(np.array([1, 3]))]
    []
    """
    number, single = len(sizes), int((sizes == 1).sum())
    if number > 1 and 2 * single > number:
        what = f"{single:,} of {number:,} documents have a single shingle each; only documents "
        what += "that have the same one are similar to them; for texts this short, use the recipe "
        what += "short-texts"
        yield Problem("warning", "few-shingles", what)


def refused_pairs(refused: Mapping[Key, str], name: Callable[[Key], str]) -> Iterator[Problem]:
    """A warning for each of the first pairs that were not compared, and one for the rest.

    `refused` has the reasons; `name` names the documents of a pair.
    """
    for pair, reason in islice(refused.items(), _LISTED):
        yield Problem("warning", "not-compared", f"{name(pair)}: not compared: {reason}")
    if (rest := len(refused) - _LISTED) > 0:
        yield Problem("warning", "not-compared", f"{counted(rest, 'more pair')} not compared")
