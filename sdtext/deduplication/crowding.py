"""Crowds foreseen: how many documents are like so many others that to compare them takes long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdtext.collections.ingest.row_builder import BuiltRows
from sdtext.collections.schema import SHINGLES
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.model import RecipeSpec
from sdtext.parts.indexes import Banding
from sdtext.search.buckets import LARGEST, runs
from sdtext.search.columns import Held
from sdtext.search.equal import equal_rows
from sdtext.search.plan import Plan
from sdtext.search.table import Table, pieces

_LEAST = 8  # documents of a sample: fewer may stand together by chance, as copies in a file do


def held(made: Sequence[BuiltRows], recipe: RecipeSpec) -> Held:
    """The documents of a sample, by their shingles."""
    rows = [one.rows.arrays[SHINGLES] for one in made if one.rows]
    shingles = joined([row for row in rows if isinstance(row, Ragged)])
    return Held(recipe, shingles, [""] * len(shingles))


def crowded(sample: Held, plan: Plan, bands: Banding, documents: int) -> float:
    """The share of the documents of a sample that will stand in a crowd among all `documents`.

    They differ, and have a band in common with others: with so many that it will be a crowd, if
    there are as many among the rest.
    """
    table = Table(pieces(sample, plan.making), plan.making)
    searched = table.wanted & equal_rows(table).leads
    found = np.zeros(len(searched), bool)
    least = max(_LEAST, LARGEST * len(found) // documents + 1)
    for band in range(bands.layout(table.slots)[0]):
        keys, rows = table.band(bands, band)
        rows, keys = rows[searched[rows]], keys[searched[rows]]
        for begin, length in zip(*(part.tolist() for part in runs(keys)), strict=True):
            found[rows[begin : begin + length]] |= length >= least
    return float(found.mean())
