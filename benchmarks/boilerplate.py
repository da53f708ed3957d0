"""Duplicates among pages of templates: idf-jaccard beside jaccard, on a generated corpus.

python benchmarks/boilerplate.py [PAGES]: prints precision, recall and processor time of the pairs.
Every page has 40 own words in one of 20 templates of 400 words. A quarter as many pages are copies
with up to three of the own words changed. A pair is true if both are copies of one page, or one is
the page and the other its copy.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import sdtext
from sdtext.search.find import search_pairs
from sdtext.search.search_plan import Question

TEMPLATES, TEMPLATE, OWN = 20, 200, 40
Pair = tuple[int, int]


def corpus(pages: int, seed: int = 7) -> tuple[list[str], set[Pair]]:
    """The texts, and the true pairs of them."""
    draw = random.Random(seed)  # noqa: S311 (a corpus, not a key)
    vocabulary = [
        "".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(length))
        for length in draw.choices(range(1, 5), k=20_000)
    ]
    templates = [[draw.choices(vocabulary, k=TEMPLATE) for _ in "ab"] for _ in range(TEMPLATES)]
    texts = [(draw.choice(templates), draw.choices(vocabulary, k=OWN)) for _ in range(pages)]
    origins = [*range(pages), *draw.choices(range(pages), k=pages // 4)]
    for origin in origins[pages:]:
        template, own = texts[origin]
        changed = dict.fromkeys(
            draw.sample(range(OWN), draw.randint(0, 3)), draw.choice(vocabulary)
        )
        texts.append((template, [changed.get(place, word) for place, word in enumerate(own)]))
    groups: dict[int, list[int]] = {}
    for place, origin in enumerate(origins):
        groups.setdefault(origin, []).append(place)
    true = {pair for group in groups.values() for pair in combinations(group, 2)}
    return [" ".join([*sides[0], *own, *sides[1]]) for sides, own in texts], true


def rows(texts: Sequence[str], true: set[Pair], folder: Path) -> Iterator[str]:
    """A row for each recipe and minimum."""
    for recipe in ("deduplicate", "deduplicate-idf"):
        collection = sdtext.create(folder / f"{recipe}.sdx", recipe=recipe)
        collection.add([{"id": str(place), "text": text} for place, text in enumerate(texts)])
        for minimum in (60, 70, 80, 85):
            start = process_time()
            result = search_pairs(collection, Question(minimum))
            pairs = {
                (min(pair), max(pair)) for pair in ((int(r.left), int(r.right)) for r in result)
            }
            hits = len(pairs & true)
            precision, recall = hits / max(1, len(pairs)), hits / len(true)
            seconds = process_time() - start
            yield f"{recipe} {minimum} {len(pairs)} {precision:.3f} {recall:.3f} {seconds:.1f} s"


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        number = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
        for line in rows(*corpus(number), Path(place)):
            print(line, flush=True)
