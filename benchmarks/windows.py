"""Window join: one pair of documents, one against a thousand, a thousand with each other.

Run as `python benchmarks/windows.py`. Documents are 3,000 words of the real texts in `SDTEXT_DATA`;
where these end they begin anew with 70 % of the words replaced by others as frequent, so that
copies are not found as reuse. Lucene's 33 English stop words are dropped where w is below 100.
Beside each setting stands, in the same run, the whole matrix of each pair of documents (rectangles
and running sums in NumPy, no index) on some pairs, and what it would take for all of them.

Seconds are those of the processor, without tokenising; memory is that of a process that does
nothing else.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from measuring import ROUNDS, peak, short, size, table
from numpy.typing import NDArray
from texts import data

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.window_join import WindowJoin, join_windows

Intervals = dict[tuple[int, int], list[tuple[int, int]]]
WORDS = 3_000
REPLACED = 0.7
_LUCENE = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with"
)
STOP_WORDS = frozenset(_LUCENE.split())
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
HEAD = ("documents", "w, τ", "seconds", "matrix", "times as long", "memory")


@dataclass(frozen=True)
class Setting:
    """What is asked for; `left` documents are compared with `right`, or among themselves if 0."""

    w: int
    tau: int
    left: int
    right: int

    @property
    def sides(self) -> str:
        """The numbers of documents."""
        other = f"{self.right:,}" if self.right else "each other"
        return f"{self.left:,} with {other}"

    def join(self) -> WindowJoin:
        """What is joined."""
        return WindowJoin(self.w, self.tau)

    def documents(self) -> tuple[Ragged, Ragged | None]:
        """Both sides."""
        rows = corpus(self.left + self.right, dropped=STOP_WORDS if self.w < 100 else frozenset())
        left = rows.take(range(self.left))
        return left, rows.take(range(self.left, len(rows))) if self.right else None


SETTINGS = (
    Setting(30, 15, 1, 1),
    Setting(30, 15, 1, 1000),
    Setting(30, 15, 1000, 0),
    Setting(20, 9, 1000, 0),
    Setting(100, 5, 1000, 0),
)


def corpus(count: int, dropped: frozenset[str]) -> Ragged:
    """Documents as numbers of words."""
    words: list[str] = []
    for folder in ("federalist", "inaugural", "ats/ats"):
        for path in sorted((data() / folder).glob("*.txt")):
            words += WORD.findall(path.read_text("utf-8", "replace").lower())
    numbers: dict[str, int] = {}
    tokens = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.uint32)
    kept = np.array([word not in dropped for word in numbers])
    chance = np.random.default_rng(1)
    whole = len(tokens) // WORDS
    rows = []
    for place in range(count):
        again, at = divmod(place, whole)
        row = tokens[at * WORDS : (at + 1) * WORDS].copy()
        if again:
            lost = chance.random(WORDS) < REPLACED
            row[lost] = chance.choice(tokens, int(lost.sum()))
        rows.append(row[kept[row]])
    return Ragged.of(rows, "uint32")


def seconds_each(left: Ragged, right: Ragged | None, setting: Setting) -> float:
    """CPU seconds of a join, the mean of some for one pair."""
    times = 20 if len(left) + len(right or ()) <= 2 else 1
    join_windows(left.take([0]), left.take([0]), setting.join())  # all is loaded
    before = time.process_time()
    for _ in range(times):
        join_windows(left, right, setting.join())
    return (time.process_time() - before) / times


def pair_overlaps(left: Sequence[int], right: Sequence[int], w: int) -> NDArray[np.int64]:
    """What each window of `left` has in common with each of `right`, by their first terms.

    Of shape (windows of left, windows of right); a sequence of n terms has n - w + 1 windows, none
    where that is below 1. The windows that hold a term at least k times start in certain
    intervals; where such intervals of both sides cross there is one more term in common.
    """
    shape = (max(len(left) - w + 1, 0), max(len(right) - w + 1, 0))
    change = np.zeros((shape[0] + 1, shape[1] + 1), np.int64)
    held, wanted = _intervals(left, w), _intervals(right, w)
    for key in held.keys() & wanted.keys():
        for first, last in held[key]:
            for right_first, right_last in wanted[key]:
                change[first, right_first] += 1
                change[last + 1, right_first] -= 1
                change[first, right_last + 1] -= 1
                change[last + 1, right_last + 1] += 1
    return change.cumsum(axis=0).cumsum(axis=1)[: shape[0], : shape[1]]


def _intervals(terms: Sequence[int], w: int) -> Intervals:
    """For each term and k: the first and last starts of windows that hold it k times or more."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, term in enumerate(terms):
        places[term].append(place)
    result: Intervals = defaultdict(list)
    for term, at in places.items():
        for k, first, last in _intervals_of(at, w, len(terms) - w):
            result[term, k].append((first, last))
    return result


def _intervals_of(at: Sequence[int], w: int, last_start: int) -> Iterator[tuple[int, int, int]]:
    """Rows of k, first and last: the windows whose first of a term stands at each of its places."""
    for number, place in enumerate(at):
        behind = at[number - 1] + 1 if number else 0
        for k, kth in enumerate(at[number : number + w], 1):
            first, last = max(behind, kth - w + 1), min(place, last_start)
            if first <= last:
                yield k, first, last


def matrix(left: Ragged, right: Ragged | None, setting: Setting) -> float:
    """CPU seconds of the whole matrices of all pairs, from that of three."""
    others = right or left
    pairs = len(left) * len(right) if right else len(left) * (len(left) - 1) // 2
    least = setting.w - setting.tau
    before = time.process_time()
    for place in range(1, 4):
        first, other = left[place % len(left)], others[place * 7 % len(others)]
        np.flatnonzero(pair_overlaps(first.tolist(), other.tolist(), setting.w) >= least)
    return (time.process_time() - before) / 3 * pairs


def measured(setting: Setting) -> list[str]:
    """A row of the table."""
    left, right = setting.documents()
    spent = median(seconds_each(left, right, setting) for _ in range(size(ROUNDS, 1)))
    memory, whole = peak(), matrix(left, right, setting)
    cells = f"{setting.w}, {setting.tau}", short(spent), short(whole), short(whole / spent)
    return [setting.sides, *cells, f"{memory:.0f} MB"]


def main() -> None:
    """The table, each row from a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measured(SETTINGS[int(sys.argv[1])])))
        return
    rows = []
    for number in range(size(len(SETTINGS), 1)):
        done = [sys.executable, __file__, str(number)]
        rows.append(json.loads(subprocess.run(done, check=True, stdout=subprocess.PIPE).stdout))
    table(HEAD, rows)


if __name__ == "__main__":
    main()
