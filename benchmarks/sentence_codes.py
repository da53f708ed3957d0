"""Codes of a million sentences: how fast those near a query are found, and how many of them.

Run as `python benchmarks/sentence_codes.py [sentences [tables]]`; tables are `arrays`, `sqlite` and
`recall`, all if none is named. It needs faiss-cpu. The sentences are those of the other benchmarks'
texts, about 150 characters each, and copies of them in which each word was replaced, by a word of
another sentence, with a probability drawn between 0.3 and 1: so few are near one another. Codes
have 100 bits, b = 1, over pairs of words.

1. A thousand sentences are asked for, in which words were replaced: the Jaccard similarity of the
   pairs of words is about 0.8 in one half, 0.95 in the other. Radius 2 (the paper's), 7, and the
   one that finds 0.8 with a recall of 0.95. Each row finds the same hits, which is checked. `ratio`
   is the time of the scan by the time of the row. faiss's radius is exclusive, so that it is given
   one more; its hashes and flips are those for which it is exact. The way that `groups` takes
   by itself is marked. SQLite is asked by 100 queries, scans by 50.
2. The share of pairs of a similarity (exactly counted) that are within a radius, beside the
   binomial law.

Seconds are CPU seconds of one core; MB are those of the index beside the codes (13 MB).
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import faiss
import numpy as np
from code_table import CodeTable
from texts import data

from sdtext.analysis.sentence_codes import LEAST_SHINGLES
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming_distances import distances, within, words_of
from sdtext.kernels.hamming_join import (
    BitPartition,
    SortedKeys,
    pairs_by_keys,
    pairs_by_scan,
)
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.parts.indexes import Groups
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.uint8]
    Hits = set[tuple[int, int]]

RECIPE = RecipeSpec(
    PartSpec("words"),
    (PartSpec("lowercase"), PartSpec("strip-punctuation")),
    shingler=PartSpec.of("words", length=2),
)
BITS, QUERIES, PAIRS, SEED = 100, 1_000, 4_000, 1
SHINGLING, PART = Encoder(RECIPE), BBit(slots=BITS)
GROUPS = {2: (3, 5), 7: (8, 4), 15: (16, 6, 5)}
EQUAL = {2: ((4, 2), (5, 2), (5, 3)), 7: ((9, 2),)}  # groups, and how many of them must be equal
HASHES = {2: ((3, 33, 0),), 7: ((4, 25, 1),), 15: ((6, 16, 2), (5, 20, 3))}
FEW = {"scan": 50, "faiss flat": 50, "SQLite": 100}  # queries, where each takes long
SIMILARITIES = (0.5, 0.7, 0.8, 0.9, 0.95)


def sentences() -> list[list[str]]:
    """The words of the sentences of all texts."""
    unit = Sentence(length=150)
    texts = (
        path.read_text("utf-8", "replace")
        for folder in ("federalist", "inaugural", "ats/ats")
        for path in sorted((data() / folder).glob("*.txt"))
    )
    result = (
        text[span.start : span.end].split() for text in texts for span in unit(Document(text, text))
    )
    return [words for words in result if len(words) > LEAST_SHINGLES]


def replaced(words: Sequence[str], share: float, draw: np.random.Generator, pool: list[str]) -> str:
    """The sentence with that share of words replaced."""
    chosen = draw.random(len(words)) < share
    others = draw.integers(0, len(pool), len(words)).tolist()
    return " ".join(
        pool[other] if gone else word
        for word, gone, other in zip(words, chosen.tolist(), others, strict=True)
    )


def stored(known: list[list[str]], count: int, pool: list[str]) -> Iterator[str]:
    """The sentences, then copies of them of which most words were replaced."""
    draw = np.random.default_rng(SEED)
    for place in range(count):
        words = known[place % len(known)]
        share = draw.uniform(0.3, 1) if place >= len(known) else 0.0
        yield replaced(words, share, draw, pool) if share else " ".join(words)


def coded(texts: Iterator[str]) -> tuple[Codes, float]:
    """The codes of texts, and the CPU seconds they took."""
    result, spent = [np.empty((0, PART.width), np.uint8)], 0.0
    while batch := [text for _, text in zip(range(4096), texts, strict=False)]:
        begun = time.process_time()
        result.append(PART(SHINGLING.sets(SHINGLING.block(batch))))
        spent += time.process_time() - begun
    return np.concatenate(result), spent


def jaccards(left: Ragged, right: Ragged) -> NDArray[np.float64]:
    """The exact similarity of the first two sets, the second two, and so on."""
    pairs = zip(left, right, strict=True)
    common = np.array([len(np.intersect1d(first, other)) for first, other in pairs])
    return common / (left.lengths + right.lengths - common)


def similar_sentences(
    known: list[list[str]], similarity: float, count: int, pool: list[str]
) -> tuple[list[int], list[str], NDArray[np.float64]]:
    """Sentences and copies of about that similarity: places, texts, and their exact similarity."""
    draw = np.random.default_rng(SEED + 1)
    # A pair of words stays if both do: s² of them, of which J = s² / (2 - s²).
    share = 1 - (2 * similarity / (1 + similarity)) ** 0.5
    places = draw.integers(0, len(known), 40 * count).tolist()
    texts = [replaced(known[place], share, draw, pool) for place in places]
    ones = SHINGLING.sets(SHINGLING.block([" ".join(known[place]) for place in places]))
    exact = jaccards(ones, SHINGLING.sets(SHINGLING.block(texts)))
    near = np.flatnonzero(np.abs(exact - similarity) < 0.02)[:count].tolist()
    return [places[at] for at in near], [texts[at] for at in near], exact[near]


@dataclass(frozen=True)
class Row:
    """What was measured of one way to search."""

    name: str
    radius: int
    build: float
    each: float
    megabytes: float
    hits: Hits


def measured(name: str, radius: int, build: Callable[[], tuple[Callable[[Codes], Hits], float]],
             queries: Codes) -> Row:  # fmt: skip
    """The row of one way: `build` gives what is asked, and the megabytes of its index."""
    few = FEW.get(name.split(",", maxsplit=1)[0], len(queries))
    begun = time.process_time()
    ask, size = build()
    built = time.process_time()
    hits = ask(queries[:few])
    spent = time.process_time() - built
    return Row(name, radius, built - begun, 1000 * spent / few, size, hits)


def by_keys(codes: Codes, cut: BitPartition) -> tuple[Callable[[Codes], Hits], float]:
    """By sorted keys."""
    keys = SortedKeys.of(codes, cut)
    return lambda asked: _hits(pairs_by_keys(asked, codes, keys)), keys.sides.nbytes / 1e6


def by_scan(codes: Codes, radius: int) -> tuple[Callable[[Codes], Hits], float]:
    """By comparing each with each."""
    return lambda asked: _hits(pairs_by_scan(asked, codes, radius)), 0.0


def _hits(blocks: Iterator[tuple[NDArray[np.int64], ...]]) -> Hits:
    return {
        pair
        for left, right, _ in blocks
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    }


def by_faiss(codes: Codes, radius: int, hashes: tuple[int, int, int] | None
             ) -> tuple[Callable[[Codes], Hits], float]:  # fmt: skip
    """Faiss's MultiHash by number of hashes, bits and flips; without these its scan."""
    if hashes is None:
        index = faiss.IndexBinaryFlat(8 * PART.width)
    else:
        index = faiss.IndexBinaryMultiHash(8 * PART.width, *hashes[:2])
        index.nflip = hashes[2]
    index.add(codes)
    size = (len(faiss.serialize_index_binary(index)) - codes.nbytes) / 1e6

    def ask(asked: Codes) -> Hits:
        limits, _, labels = index.range_search(asked, radius + 1)
        return set(zip(np.repeat(np.arange(len(asked)), np.diff(limits.astype(np.int64))).tolist(),
                       labels.tolist(), strict=True))  # fmt: skip

    return ask, size


def by_table(codes: Codes, radius: int, groups: int, equal: int
             ) -> tuple[Callable[[Codes], Hits], float]:  # fmt: skip
    """By one of the forms in SQLite."""
    table = CodeTable(sqlite3.connect(":memory:"), BITS, groups)
    table.create()
    table.add(codes)
    pages, size = (
        table.connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "page_size")
    )

    def ask(asked: Codes) -> Hits:
        with closing(table.connection):
            return {
                (place, number)
                for place, code in enumerate(asked)
                for number, _ in table.near(code.tobytes(), radius, equal)
            }

    return ask, pages * size / 1e6 - codes.nbytes / 1e6


def arrays(codes: Codes, queries: Codes, radius: int) -> Iterator[Row]:
    """Every way in memory that is exact at that radius."""

    def row(name: str, build: Callable[[], tuple[Callable[[Codes], Hits], float]]) -> Row:
        return measured(name, radius, build, queries)

    yield row("scan", lambda: by_scan(codes, radius))
    own = Groups(radius=radius).way(BITS, codes=len(codes)).cut
    cuts = {BitPartition(BITS, radius, groups) for groups in GROUPS.get(radius, (radius + 1,))}
    cuts |= {BitPartition(BITS, radius, *several) for several in EQUAL.get(radius, ())}
    for cut in sorted(cuts | ({own} if own else set()), key=lambda cut: (cut.equal, -cut.groups)):
        flips = cut.all[0].flips
        label = f"{cut.groups} bands, up to {flips} flips" if flips else f"{cut.groups} groups"
        if cut.equal > 1:
            label += f", {cut.equal} of {len(cut.used)} equal"
        yield row(label + " *" * (cut == own), lambda cut=cut: by_keys(codes, cut))
    for hashes in HASHES.get(radius, ()):
        label = "faiss MultiHash({}, {}), nflip={}".format(*hashes)
        yield row(label, lambda hashes=hashes: by_faiss(codes, radius, hashes))
    yield row("faiss flat", lambda: by_faiss(codes, radius, None))


def tables(codes: Codes, queries: Codes, radius: int) -> Iterator[Row]:
    """The forms of the query in SQLite."""
    yield measured("scan", radius, lambda: by_scan(codes, radius), queries)
    for groups, equal in ((3, 1), (5, 2), (5, 3)):
        label = f"SQLite, {equal} of {groups} equal"
        yield measured(label, radius, lambda groups=groups, equal=equal: by_table(
            codes, radius, groups, equal), queries)  # fmt: skip


def show_speed(rows: Iterator[Row]) -> None:
    """The rows of ways that find the same, the first of which the others are compared with."""
    shown: list[Row] = []
    for row in rows:
        shown.append(row)
        few = min(FEW.get(item.name.split(",")[0], QUERIES) for item in (row, shown[0]))
        if _of_first(row.hits, few) != _of_first(shown[0].hits, few):
            raise AssertionError(row)
        cells = (
            f"{row.build:.2f}",
            f"{row.each:.4f}",
            f"{shown[0].each / row.each:.1f}",
            f"{row.megabytes:.0f}",
        )
        print(f"| {row.radius} | {row.name} | {' | '.join(cells)} | {len(row.hits)} |", flush=True)


def _of_first(hits: Hits, queries: int) -> Hits:
    return {pair for pair in hits if pair[0] < queries}


def show_recall(known: list[list[str]], pool: list[str]) -> None:
    """Table 2."""
    radii = (2, 7, 10, 15)
    print(f"\n| similarity | {' | '.join(f'{r} found | law' for r in radii)} | mean estimate |")
    print("|---" * (2 + 2 * len(radii)) + "|")
    for similarity in SIMILARITIES:
        places, texts, exact = similar_sentences(known, similarity, PAIRS, pool)
        ones, _ = coded(iter([" ".join(known[place]) for place in places]))
        others, _ = coded(iter(texts))
        apart = distances(words_of(ones), words_of(others))
        cells = []
        for radius in radii:
            values, counts = np.unique(exact, return_counts=True)
            likely = [within(value, BITS, 1, radius) for value in values.tolist()]
            law = np.average(likely, weights=counts)
            cells.append(f"{(apart <= radius).mean():.3f} | {law:.3f}")
        mean = float((1 - 2 * apart / BITS).mean())
        print(f"| {exact.mean():.3f} ({len(exact)}) | {' | '.join(cells)} | {mean:.3f} |")


def main(count: int, wanted: Sequence[str]) -> None:
    """Print the tables that are wanted."""
    faiss.omp_set_num_threads(1)
    known = sentences()
    pool = [word for words in known for word in words]
    if {"arrays", "sqlite"} & {*wanted}:
        codes, spent = coded(stored(known, count, pool))
        print(f"{len(known)} sentences, {count} with copies; {count / spent:,.0f} codes a second\n")
        halves = [
            similar_sentences(known[:count], item, QUERIES // 2, pool)[1] for item in (0.8, 0.95)
        ]
        queries, _ = coded(text for pair in zip(*halves, strict=False) for text in pair)
        print("| radius | way | build s | ms a query | ratio | MB | hits |")
        print("|---|---|---|---|---|---|---|")
    if "arrays" in wanted:
        for radius in (2, 7, Groups().radius_for(BITS)):
            show_speed(arrays(codes, queries, radius))
    if "sqlite" in wanted:
        show_speed(tables(codes, queries, 2))
    if "recall" in wanted:
        show_recall(known, pool)


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["1000000"])[0]), sys.argv[2:] or ["arrays", "sqlite", "recall"])
