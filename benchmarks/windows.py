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

import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from texts import data
from window_overlaps import pair_overlaps

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.windows.window_join import Cells, WindowJoin, join_windows

WORDS = 3_000
REPLACED = 0.7
_LUCENE = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with"
)
STOP_WORDS = frozenset(_LUCENE.split())
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
HEAD = "setting            documents     CPU s   words/s     results   cells  RSS MB   matrix"


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
        return f"{self.left:,} x {f'{self.right:,}' if self.right else 'self'}"

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
    Setting(20, 9, 1, 1),
    Setting(100, 5, 1, 1),
    Setting(30, 15, 1, 1000),
    Setting(20, 9, 1, 1000),
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


def seconds_each(left: Ragged, right: Ragged | None, setting: Setting) -> tuple[float, Cells]:
    """CPU seconds of a join, the mean of some for one pair; and what it found."""
    times = 20 if len(left) + len(right or ()) <= 2 else 1
    cells = join_windows(left.take([0]), left.take([0]), setting.join())  # all is loaded
    before = time.process_time()
    for _ in range(times):
        cells = join_windows(left, right, setting.join())
    return (time.process_time() - before) / times, cells


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


def measured(setting: Setting) -> str:
    """A row of the table."""
    left, right = setting.documents()
    spent, result = seconds_each(left, right, setting)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    words = WORDS * (setting.left + setting.right)
    return (
        f"w = {setting.w:3}, tau = {setting.tau:2}  {setting.sides:12}  "
        f"{spent:7.3f} {words / spent:9,.0f} {int(result.pairs.sum()):11,} {len(result.left):7,} "
        f"{memory:7,.0f} {matrix(left, right, setting):8,.1f}"
    )


def main() -> None:
    """The table, each row from a process of its own."""
    if len(sys.argv) > 1:
        print(measured(SETTINGS[int(sys.argv[1])]))
        return
    print(HEAD)
    for number in range(len(SETTINGS)):
        subprocess.run([sys.executable, __file__, str(number)], check=True)


if __name__ == "__main__":
    main()
