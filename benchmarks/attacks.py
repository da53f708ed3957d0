"""How many small edits it takes until a copy is not found: a greedy adversary, as a table.

Run as `python benchmarks/attacks.py [DOCUMENTS]`; needs `benchmarks/requirements.txt`, the program
man and manual pages (manual_pages.py). First three edits of a whole text: each blank doubled, lines
of 60 characters, all letters as capitals. Then an adversary edits a page step by step: of `TRIED`
edits drawn at random (a blank doubled, a line end in place of a blank, a word in capitals, two
letters of a word exchanged) it makes the one that lowers the score most, up to 500 times, until the
score is not above the level that one in a thousand pairs of different pages exceeds; pages that
share a quarter of their words are no such pairs. Printed are the numbers of the pages that are
still found, and the mean number of edits of those that are not. After the experiment of "Attacking
LSH and Similarity Digests", whose files were HTML and text.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from statistics import mean
from typing import Any

import edits  # noqa: F401 (registers its manglers)
import numpy as np
from manual_pages import manual_pages
from robustness import PEERS

from sdtext import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.parts.registry import build, parse
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.text.document import Document

DOCUMENTS, MOST_EDITS, TRIED, RATE = 30, 500, 4, 0.001
OTHERS = 200
"""Pages of which the dictionary is made, and whose pairs give the level."""
Similarity = Callable[[Any, Any], float]
ALIKE = 0.25
"""The share of common words from which on two pages may be related, and give no level."""


def mangled(name: str) -> Callable[[str], str]:
    """A mangler that takes nothing from other texts."""
    mangler = build("manglers", parse(name))
    return lambda text: mangler(text, random.Random(1), [])  # noqa: S311 (drawn to be the same)


WHOLE: dict[str, Callable[[str], str]] = {
    "blanks doubled": lambda text: text.replace(" ", "  "),
    "lines of 60 characters": mangled("reflow(width=60)"),
    "capitals": mangled("capitals"),
}


@dataclass(frozen=True)
class Method:
    """A kind of fingerprint, their similarity, and the level above which a copy is found."""

    name: str
    of: Callable[[str], Any]
    similarity: Similarity
    level: float = 0.0

    def with_level(self, texts: Sequence[str]) -> Method:
        """The method with the level of the pairs of these texts."""
        prints = [self.of(text) for text in texts]
        scores = [self.similarity(prints[left], prints[right]) for left, right in unrelated(texts)]
        level = float(np.quantile(scores, 1 - RATE, method="higher"))
        return Method(self.name, self.of, self.similarity, level)

    def edits_needed(self, text: str, chance: random.Random) -> int | None:
        """The edits after which a text is not found; None if 500 do not suffice."""
        original, copy = self.of(text), text
        for number in range(1, MOST_EDITS + 1):
            tried = [edited(copy, chance) for _ in range(TRIED)]
            scores = [self.similarity(original, self.of(text)) for text in tried]
            best = min(range(TRIED), key=scores.__getitem__)
            copy = tried[best]
            if scores[best] <= self.level:
                return number
        return None


@cache
def unrelated(texts: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of texts, by their places, that have less than a quarter of their words in common.

    >>> unrelated(("bees dance", "owls hunt", "owls hunt mice"))
    [(0, 1), (0, 2)]
    """
    words = [set(text.split()) for text in texts]
    return [
        (left, right)
        for left, right in combinations(range(len(words)), 2)
        if len(words[left] & words[right]) < ALIKE * len(words[left] | words[right])
    ]


def edited(text: str, chance: random.Random) -> str:
    """The text with one small edit."""
    words = text.split(" ")
    place = chance.randrange(len(words) - 1)
    match chance.randrange(4):
        case 0:
            words[place] += " "
        case 1:
            words[place : place + 2] = [f"{words[place]}\n{words[place + 1]}"]
        case 2:
            words[place] = words[place].swapcase()
        case _:
            word = words[place]
            at = chance.randrange(max(1, len(word) - 1))
            words[place] = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    return " ".join(words)


def methods(texts: Sequence[str]) -> list[Method]:
    """The fuzzy hashes, MinHash, and cosines of a dictionary of these texts."""
    dictionary = create_dictionary([*map(Document.of, texts)], "english").trim(0.2, 0.9)
    rows = [
        Method(name, of, lambda left, right, compare=compare: float(compare([left], right)[0]))
        for name, (of, compare) in PEERS.items()
    ]
    for matcher in ("cosine", "idf-cosine"):
        comparer = FingerprintScorer(matcher, (dictionary,), 1)
        score = lambda left, right, comparer=comparer: float(comparer.best(left, right).score or 0)  # noqa: E731
        rows.append(Method(matcher, lambda text: fingerprint(Document.of(text), dictionary), score))
    return [method.with_level(texts) for method in rows]


def main(documents: int) -> None:
    """Print the table."""
    pages = tuple(manual_pages(OTHERS + documents).values())
    attacked = pages[OTHERS:]
    print("| method | level |", " | ".join([*WHOLE, "greedy adversary", "edits, mean"]), "|")
    print("|---" * (len(WHOLE) + 4) + "|")
    for method in methods(pages[:OTHERS]):
        prints = [method.of(text) for text in attacked]
        cells = []
        for edit in WHOLE.values():
            copies = [method.of(edit(text)) for text in attacked]
            pairs = zip(prints, copies, strict=True)
            reached = sum(method.similarity(*pair) > method.level for pair in pairs)
            cells.append(f"{reached} of {documents}")
        needed = [
            method.edits_needed(text, random.Random(place))  # noqa: S311 (drawn to be the same)
            for place, text in enumerate(attacked)
        ]
        broken = [number for number in needed if number is not None]
        cells += [
            f"{documents - len(broken)} of {documents}",
            f"{mean(broken):.0f}" if broken else "–",
        ]
        print(f"| {method.name} | {method.level:.3g} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS)
