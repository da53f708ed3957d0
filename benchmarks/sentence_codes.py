"""Codes of a million sentences: how fast those near a query are found, and how many of them.

Run as `python benchmarks/sentence_codes.py`; needs the extra `benchmarks`. The sentences
are those of the other benchmarks' texts, about 150 characters each, and copies of them in which
each word was replaced, by a word of another sentence, with a probability drawn between 0.3 and 1:
so few are near one another. Codes have 100 bits, b = 1, over pairs of words.

1. A thousand sentences are asked for, in which words were replaced: the Jaccard similarity of the
   pairs of words is about 0.8 in one half, 0.95 in the other. Radius 2 (the paper's), 7, and the
   one that finds 0.8 with a recall of 0.95. Each row finds the same hits, which is checked.
   faiss's radius is exclusive, so that it is given one more; its hashes and flips are those for
   which it is exact. SQLite is asked by 100 queries, scans by 50.
2. The share of pairs of a similarity (exactly counted) that are within a radius, beside the
   binomial law.

Seconds are CPU seconds of one core; MB are those of the index beside the codes (13 MB).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from measuring import installed, size, table
from texts import data

from sdtext.analysis.sentence_codes import LEAST_SHINGLES
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.hamming_join import (
    BitPartition,
    SortedKeys,
    distance_plain,
    distances,
    keys_of,
    pairs_by_keys,
    pairs_by_scan,
    words_of,
)
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.code_groups import Groups, within
from sdtext.parts.fingerprints.minhash import BBit
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
BITS, QUERIES, PAIRS, SEED = 100, size(1_000, 200), size(4_000, 100), 1
SHINGLING, PART = Encoder(RECIPE), BBit(slots=BITS)
HASHES = {2: (3, 33, 0), 7: (4, 25, 1), 15: (5, 20, 3)}
FEW = {"scan": 50, "SQLite": 100}  # queries, where each takes long
SIMILARITIES = (0.5, 0.8, 0.9)


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
    size = keys.sides.nbytes + sum(starts.nbytes for starts in keys.starts)
    return lambda asked: _hits(pairs_by_keys(asked, codes, keys)), size / 1e6


def by_scan(codes: Codes, radius: int) -> tuple[Callable[[Codes], Hits], float]:
    """By comparing each with each."""
    return lambda asked: _hits(pairs_by_scan(asked, codes, radius)), 0.0


def _hits(blocks: Iterator[tuple[NDArray[np.int64], ...]]) -> Hits:
    return {
        pair
        for left, right, _ in blocks
        for pair in zip(left.tolist(), right.tolist(), strict=True)
    }


def by_faiss(codes: Codes, radius: int, hashes: tuple[int, int, int]
             ) -> tuple[Callable[[Codes], Hits], float]:  # fmt: skip
    """Faiss's MultiHash by number of hashes, bits and flips."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexBinaryMultiHash(8 * PART.width, *hashes[:2])
    index.nflip = hashes[2]
    index.add(codes)
    size = (len(faiss.serialize_index_binary(index)) - codes.nbytes) / 1e6

    def ask(asked: Codes) -> Hits:
        limits, _, labels = index.range_search(asked, radius + 1)
        return set(zip(np.repeat(np.arange(len(asked)), np.diff(limits.astype(np.int64))).tolist(),
                       labels.tolist(), strict=True))  # fmt: skip

    return ask, size


def by_table(codes: Codes) -> tuple[Callable[[Codes], Hits], float]:
    """By a table in SQLite with an indexed column for each group of bits, two of five equal.

    So X. Sheng and others keep them ("The fine-grained similarity detection system based on
    grouping fingerprint", 2014). Rows of equal groups are compared in full.
    """
    groups, names = BitPartition(BITS, 0, 5).all, [f"g{place}" for place in range(5)]
    table = sqlite3.connect(":memory:")
    table.execute(f"CREATE TABLE codes (id INTEGER PRIMARY KEY, {', '.join(names)}, code BLOB)")
    for name in names:
        table.execute(f"CREATE INDEX codes_{name} ON codes ({name})")

    def keys(some: Codes) -> list[tuple[int, ...]]:
        words = words_of(some)
        columns = (keys_of(words, group).view(np.int64).tolist() for group in groups)
        return list(zip(*columns, strict=True))

    blobs = (code.tobytes() for code in codes)
    rows = ((place, *key, blob) for place, (key, blob) in enumerate(zip(keys(codes), blobs)))  # noqa: B905 (equally many)
    table.executemany("INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    pairs = [*combinations(range(5), 2)]
    where = " OR ".join(f"(g{one} = ? AND g{two} = ?)" for one, two in pairs)
    pages, size = (
        table.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )

    def ask(asked: Codes) -> Hits:
        return {
            (place, number)
            for place, (key, code) in enumerate(zip(keys(asked), asked, strict=True))
            for number, other in table.execute(
                f"SELECT id, code FROM codes WHERE {where}",  # noqa: S608 (names of ours)
                [key[group] for pair in pairs for group in pair],
            )
            if distance_plain(code.tobytes(), other) <= min(HASHES)
        }

    return ask, pages * size / 1e6 - codes.nbytes / 1e6


def ways(codes: Codes, queries: Codes, radius: int) -> Iterator[Row]:
    """Every way that is exact at that radius."""

    def row(name: str, build: Callable[[], tuple[Callable[[Codes], Hits], float]]) -> Row:
        return measured(name, radius, build, queries)

    yield row("scan", lambda: by_scan(codes, radius))
    cut = Groups(radius=radius).way(BITS, codes=len(codes)).cut
    if cut:
        flips = cut.all[0].flips
        label = f"{cut.groups} bands, {flips} bits may differ" if flips else ""
        label = label or f"{cut.groups} groups, {cut.equal} equal"
        yield row(label, lambda: by_keys(codes, cut))
    if radius == min(HASHES):
        yield row("SQLite, 2 of 5 equal", lambda: by_table(codes))
    if installed("faiss"):
        yield row("faiss, MultiHash", lambda: by_faiss(codes, radius, HASHES[radius]))


def speeds(rows: Iterator[Row]) -> Iterator[list[str]]:
    """The rows of ways that find the same, the first of which the others are compared with."""
    shown: list[Row] = []
    for row in rows:
        shown.append(row)
        few = min(FEW.get(item.name.split(",")[0], QUERIES) for item in (row, shown[0]))
        if _of_first(row.hits, few) != _of_first(shown[0].hits, few):
            raise AssertionError(row)
        times = shown[0].each / row.each
        cells = f"{row.build:.1f}", f"{row.each:.2g}", f"{times:,.3g}", f"{row.megabytes:.0f}"
        yield [str(row.radius), row.name, *cells]


def _of_first(hits: Hits, queries: int) -> Hits:
    return {pair for pair in hits if pair[0] < queries}


def show_recall(known: list[list[str]], pool: list[str]) -> None:
    """Table 2."""
    radii = (2, 7, 15)
    rows = []
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
            cells += [f"{(apart <= radius).mean():.3f}", f"{law:.3f}"]
        rows.append([f"{exact.mean():.3f}", *cells])
    table(("J", *(name for r in radii for name in (f"r = {r}", "law"))), rows)


def main(count: int) -> None:
    """Print the tables."""
    known = sentences()
    pool = [word for words in known for word in words]
    codes, spent = coded(stored(known, count, pool))
    print(f"{len(known)} sentences, {count} with copies; {count / spent:,.0f} codes a second\n")
    halves = [similar_sentences(known[:count], item, QUERIES // 2, pool)[1] for item in (0.8, 0.95)]
    queries, _ = coded(text for pair in zip(*halves, strict=False) for text in pair)
    radii = (2, 7, Groups().radius_for(BITS))
    rows = [row for radius in radii for row in speeds(ways(codes, queries, radius))]
    head = ("radius", "method", "s to build", "ms per query", "speed-up over scan", "MB")
    table(head, rows)
    show_recall(known, pool)


if __name__ == "__main__":
    main(size(1_000_000, 5_000))
