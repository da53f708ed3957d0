"""How pairs were found, in a sentence, and what a person should know of it."""

from __future__ import annotations

from collections.abc import Iterator

from sdtext.errors import counted
from sdtext.model import Problem
from sdtext.parts.indexes import Banding
from sdtext.search.buckets import LARGEST, MOST_PAIRS
from sdtext.search.candidates import Candidates
from sdtext.search.plan import Plan

HOW_ALL_TEXTS = "all texts compared; verified exactly"
"""How pairs are found by sequences where there are few."""


def how(plan: Plan, bands: Banding | None, slots: int) -> str:
    """How pairs were found by their shingles: by bands, or all of them where there are none."""
    return how_all(plan) if bands is None else how_bands(plan, bands, slots)


def how_bands(plan: Plan, bands: Banding, slots: int) -> str:
    """Which bands were compared, and how probable it was that a pair at the minimum is found."""
    if plan.compares == "sequences":
        return f"{_bands(bands, slots)}; {_last(plan)}"
    measure = f"{plan.scorer.matcher.name} {plan.least_of_sets / 100:.2f}"
    if plan.scorer.matcher.name != "jaccard":
        measure += f" (jaccard {bands.similarity:.2f} or more)"
    return f"{bands_told(bands, slots, measure)}; {_last(plan)}"


def bands_told(bands: Banding, slots: int, measure: str = "") -> str:
    """What the bands are, and how probable it is that they find a pair at `measure`.

    >>> from sdtext.parts.indexes.bands import Bands
    >>> bands_told(Bands(), slots=128)
    'bands: 21 of 6 rows; a pair at jaccard 0.80 is found with probability 0.9983'
    """
    probability = bands.probability(bands.similarity, slots)
    measure = measure or f"jaccard {bands.similarity:.2f}"
    found = f"a pair at {measure} is found with probability {probability:.4f}"
    return f"{_bands(bands, slots)}; {found}"


def _bands(bands: Banding, slots: int) -> str:
    number, rows = bands.layout(slots)
    return f"bands: {number} of {counted(rows, 'row')}"


def how_all(plan: Plan) -> str:
    """That nothing was left out."""
    what = "sketches" if plan.question.estimate else "shingles"
    return f"all {what} compared; {_last(plan)}"


def _last(plan: Plan) -> str:
    if plan.question.estimate:
        return "scores are estimates from sketches, not verified"
    if plan.compares == "sequences":
        least = f"{plan.scorer.matcher.name} {plan.least_of_sets / 100:.2f}"
        return (
            f"only documents with {least} or more are scored by {plan.matcher.name}: no recall is "
            "stated for it; an index with a lower similarity (-c) finds more"
        )
    return "verified exactly"


def less(met: Candidates) -> str:
    """Of which groups not all pairs are found that probably, for the sentence; "" if of all."""
    told = ""
    if met.spared:
        groups = counted(met.spared, "large group")
        told += f"; of {groups} only enough pairs to connect the documents are listed"
    if met.parted:
        told += f"; {counted(met.parted, 'group')}, too large for this, compared in parts"
    return told


def warnings(met: Candidates, large_groups: int) -> Iterator[Problem]:
    """What may be missing among very many documents that are alike."""
    if met.parted:
        yield Problem(
            "warning",
            "large-bucket",
            f"{counted(met.parted, 'group')} of documents with an equal band, too large to "
            "compare all pairs, compared in parts; pairs across parts may be missing, and "
            "clusters may be split",
        )
    if met.spared:
        yield Problem(
            "warning",
            "many-pairs",
            f"{counted(met.spared, 'group')} of similar documents with more than {MOST_PAIRS:,} "
            "pairs; of the others only enough are listed to connect the same documents",
        )
    if large_groups:
        sets = counted(large_groups, "set")
        yield Problem(
            "warning",
            "equal-documents",
            f"{sets} of more than {LARGEST} documents with equal shingles: only pairs with the "
            "first of each are listed",
        )
