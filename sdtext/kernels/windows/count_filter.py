"""Candidate pairs of blocks by posting lists: those that share enough terms (a count filter).

Two windows that differ in at most tau of w terms share c = w - tau of them, and so do the blocks
that hold them. A block spans a few strides; the terms shared by the strides of two blocks are
counted. The most frequent terms of each stride need not be looked up: without `skipped` terms of
each of `reach` strides at least c - reach * skipped are still counted.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.windows.candidate_blocks import Blocks, Numbers, Work, bags

Pairs = tuple[Numbers, Numbers]
Counts = NDArray[np.unsignedinteger[Any]]

_ROW = 20_000  # steps to begin with a stride
_SKIPPED = 1 / 6  # share of c that the terms which are not looked up may take of a count


def candidate_pairs(left: Blocks, right: Blocks, tau: int, work: Work) -> Iterator[Pairs]:
    """Pairs of blocks with enough terms in common, one block of left after the other.

    Where both sides are the same documents, each is compared with the earlier ones only.
    """
    reach = left.reach
    skipped = int(_SKIPPED * (left.w - tau) / reach)
    least = left.w - tau - reach * skipped
    postings, offsets, begins, ends = _posting_lists(left, right, skipped)
    work.spend(int((ends - begins).sum()) + left.count * (_ROW + right.count // 4))
    kind = np.min_scalar_type(reach**2 * left.stride)
    none = [np.empty(0, np.int64)]
    for start, stop in pairwise(left.bounds.tolist()):
        count = start if left is right else right.count
        ahead: deque[Counts] = deque()  # for the strides of a block the terms shared with each one
        for place in range(start, stop):
            for stride in range(place + len(ahead), min(place + reach, stop)):
                of_stride = slice(offsets[stride], offsets[stride + 1])
                ranges = zip(begins[of_stride].tolist(), ends[of_stride].tolist(), strict=True)
                lists = [postings[begin:end] for begin, end in ranges]
                counts = np.bincount(np.concatenate(lists or none), minlength=count)
                ahead.append(counts.astype(kind))
            if left.starts[place]:
                total = functools.reduce(np.add, ahead)
                reached = total.copy()
                for shift in range(1, reach):
                    reached[:-shift] += total[shift:]
                near = np.flatnonzero(reached >= least)
                near = near[right.starts[near] > 0]
                if len(near):
                    yield np.full(len(near), place), near
            ahead.popleft()


def _posting_lists(left: Blocks, right: Blocks, skipped: int) -> tuple[Numbers, ...]:
    """Posting lists, offsets of the codes of each stride, posting range of each code.

    Code i is in the strides from `begins[i]` to `begins[i + 1]` of the posting lists; `skipped`
    terms of each stride are not looked up.
    """
    both = [left] if left is right else [left, right]
    sides, codes = bags([(side, np.arange(side.count)) for side in both], left.stride)
    queries, indexed = sides[0], sides[-1]
    postings = np.sort(indexed.codes * right.count + indexed.places)
    postings %= max(right.count, 1)
    bounds = offsets_of(np.bincount(indexed.codes, minlength=codes))
    from_end = queries.offsets[queries.places + 1] - np.arange(len(queries.codes))
    kept = from_end > skipped
    wanted, places = queries.codes[kept], queries.places[kept]
    begins, ends = bounds[wanted], bounds[wanted + 1]
    if left is right:  # up to the strides of earlier documents
        count = int(postings.max(initial=0)) + 1
        owners = np.repeat(np.arange(codes), np.diff(bounds))
        earlier = left.bounds[left.documents[places]]
        ends = np.searchsorted(owners * count + postings, wanted * count + earlier)
    some = begins < ends
    offsets = np.searchsorted(places[some], np.arange(left.count + 1))
    return postings, offsets, begins[some], ends[some]
