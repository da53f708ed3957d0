"""Bit vectors that resemble one among many, and all similar pairs: columns beside other programs.

Run as `python benchmarks/columns.py [N [PAIRS]]`, by default 20,000 and 3,000 vectors; it needs
`benchmarks/requirements.txt`. Vectors have 8,192 bits, some 330 of them set, by a law like that of
words; one in twenty is a copy of another with some bits drawn anew. `growth [N [OUT.svg]]` prints
and draws instead how times grow with the number of vectors and with the threshold; a FOLDER, how
long searches take for the fingerprints of its files over the dictionary `english`, by columns and
by a scan; `container [N]`, how long some fingerprints are compared with a container of N.

1. One vector is compared with N. `sdtext` is what FindSimilar does with a bit vector, from its
   packed bits to exact scores, without reading and printing. Contenders take turns, five for each
   query, of which the fastest counts: others use the machine, too. Each row gives the median, and
   the median of the ratios to `sdtext` (cosine, 0.8) of the same query. sdtext, FPSim2 and the
   scans give the same vectors, which is checked. faiss and usearch have no threshold: they give
   the nearest ten by Hamming distance.
2. All pairs of a cosine of 0.8 and more among PAIRS vectors, all in: columns are made, too.

Milliseconds and seconds are CPU time of one core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import ceil, floor, log, log10
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
from FPSim2.FPSim2lib import GenericSearch
from scipy.sparse import csr_matrix
from sparse_dot_topn import sp_matmul_topn
from usearch.index import MetricKind, search

from sdtext.cli.main import main
from sdtext.collections.schema import vectors_column
from sdtext.collections.stored_collection import StoredCollection
from sdtext.fingerprinting.load_and_save import load_fingerprints, save
from sdtext.model import Fingerprint, PartSpec, RecipeSpec, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.reading.parallel_run import Run
from sdtext.reports.charts.score_charts import short_number
from sdtext.search import Question, within
from sdtext.search.bit_vector_scoring import Vectors, Weighting
from sdtext.search.bit_vector_search import ByVectors, IndexedVectors, similar_by_columns
from sdtext.search.compare import compare
from sdtext.search.scoring import Scorer
from sdtext.search.search_plan import plan_search
from sdtext.search.searchable import Table, segment_views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Packed = NDArray[np.uint8]
    Rows = NDArray[np.int64]

BITS, QUERIES, TURNS, SEED = 8192, 25, 5, 1
LEAST = (90, 80, 50)
AFTER_A_SCAN = "sdtext, cosine 0.8, after a scan"  # nothing is in the processor's cache
COSINE = 2  # FPSim2's number for it
_CHUNK = 1000
_CACHED = 1 << 10  # rows that a scan takes at once


def drawn(number: int) -> Packed:
    """Packed vectors, some of which are near another one."""
    random = np.random.default_rng(SEED)
    law = 1 / (np.arange(BITS) + 100) ** 0.9
    chances = np.log1p(-np.minimum(0.9, law / law.sum()))
    result = np.empty((number, BITS // 8), np.uint8)
    for start in range(0, number, _CHUNK):
        lengths = random.lognormal(5.8, 0.6, min(_CHUNK, number - start))
        chance = -np.expm1(lengths[:, None] * chances)
        rows = random.random(chance.shape, np.float32) < chance
        for row in range(0, len(rows), 20):
            anew = random.random(BITS) < random.random() * 0.4
            rows[row] = np.where(anew, rows[row], rows[random.integers(len(rows))])
        result[start : start + _CHUNK] = np.packbits(rows, axis=1, bitorder="little")
    return result


def counts_of(packed: Packed) -> Rows:
    """The number of bits of each row."""
    return np.bitwise_count(packed).sum(axis=1, dtype=np.int64)


class Contenders:
    """The contenders over the same vectors, each with its own form of them."""

    def __init__(self, packed: Packed) -> None:
        self.packed, self.counts = packed, counts_of(packed)
        self.words = packed.view(np.uint64)
        self.weighting = Weighting(Scorer(PartSpec("cosine")), None)
        self.vectors = Vectors.of(packed, self.weighting)
        self.indexed = IndexedVectors.of(self.vectors, self.weighting)
        every_eighth = np.arange(len(packed)) % 8 == 0
        some = replace(self.indexed.index, wanted=every_eighth)
        self.filtered = replace(self.indexed, index=some)
        self.order = np.argsort(self.counts, kind="stable")
        self.ordered = self.counts[self.order]
        numbers = np.arange(len(packed), dtype=np.uint64)[:, None]
        columns = [numbers, self.words[self.order], self.ordered[:, None].astype(np.uint64)]
        self.rows = np.concatenate(columns, axis=1)
        self.faiss = faiss.IndexBinaryFlat(BITS)
        self.faiss.add(packed)
        faiss.omp_set_num_threads(1)

    def vector(self, row: int) -> Vectors:
        """A vector as a query."""
        return self.vectors.take(slice(row, row + 1))

    def sdtext(self, least: int) -> Callable[[int], Rows]:
        """Columns."""
        return lambda row: self.indexed.similar(self.vector(row), least)[1]

    def sdtext_filtered(self, row: int) -> Rows:
        """Columns, where a condition selects one vector in eight."""
        return self.filtered.similar(self.vector(row), 80)[1]

    def sdtext_top(self, row: int) -> Rows:
        """Columns, for the best ten."""
        return self.indexed.best(self.vector(row), 1, 10)[0]

    def scan(self, row: int) -> Rows:
        """NumPy, row by row."""
        query, common = self.words[row], np.empty(len(self.words), np.int64)
        for start in range(0, len(self.words), _CACHED):
            here = slice(start, start + _CACHED)
            common[here] = np.bitwise_count(self.words[here] & query).sum(axis=1, dtype=np.int64)
        return self._enough(row, common)

    def bounded_scan(self, row: int) -> Rows:
        """The same within BitBound."""
        first, last = self._bounds(row)
        query, common = self.words[row], np.zeros(len(self.words), np.int64)
        for start in range(first, last, _CACHED):
            here = self.order[start : min(start + _CACHED, last)]
            common[here] = np.bitwise_count(self.words[here] & query).sum(axis=1, dtype=np.int64)
        return self._enough(row, common)

    def _enough(self, row: int, common: Rows) -> Rows:
        needed = 64 * self.counts[row] * self.counts
        return np.flatnonzero((100 * common * common >= needed) & (self.counts >= 8))

    def _bounds(self, row: int) -> tuple[int, int]:
        count = int(self.counts[row])
        first = np.searchsorted(self.ordered, int(np.ceil(0.64 * count)))
        return int(first), int(np.searchsorted(self.ordered, int(count / 0.64) + 1))

    def fpsim2(self, row: int) -> Rows:
        """FPSim2's C++ search, which has BitBound, too."""
        query = np.concatenate([[np.uint64(0)], self.words[row], [np.uint64(self.counts[row])]])
        hits = GenericSearch(query, self.rows, 0.8 - 1e-6, 0, COSINE, *self._bounds(row))
        return np.sort(self.order_of(hits["mol_id"]))

    def order_of(self, numbers: Any) -> Rows:
        """The rows of FPSim2's numbers."""
        return self.order[np.asarray(numbers, np.int64)]

    def faiss_flat(self, row: int) -> Rows:
        """The nearest ten."""
        return self.faiss.search(self.packed[row][None], 10)[1][0]

    def usearch(self, row: int) -> Rows:
        """The nearest ten."""
        query = self.packed[row][None]
        return search(self.packed, query, 10, MetricKind.Hamming, exact=True, threads=1).keys


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """The CPU seconds that it takes, and its result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def one_against(number: int) -> None:
    """The first table."""
    known = Contenders(drawn(number))
    contenders: dict[str, Callable[[int], Rows]] = {
        "sdtext, cosine 0.8": known.sdtext(80),
        AFTER_A_SCAN: known.sdtext(80),
        "NumPy scan": known.scan,
        "sdtext, cosine 0.9": known.sdtext(90),
        "NumPy scan, BitBound": known.bounded_scan,
        "sdtext, cosine 0.5": known.sdtext(50),
        "FPSim2": known.fpsim2,
        "sdtext, cosine 0.8, one in eight": known.sdtext_filtered,
        "faiss IndexBinaryFlat, best 10": known.faiss_flat,
        "sdtext, best 10": known.sdtext_top,
        "usearch exact, best 10": known.usearch,
    }
    queries = np.random.default_rng(SEED).integers(number, size=QUERIES).tolist()
    taken = {name: np.full(QUERIES, np.inf) for name in contenders}
    same: list[set[bytes]] = [set() for _ in queries]
    for name, search_for in TURNS * [*contenders.items()]:
        for place, row in enumerate(queries):
            if name == AFTER_A_SCAN:
                known.scan(row)
            spent, rows = seconds(lambda asked=search_for, row=row: asked(row))
            taken[name][place] = min(taken[name][place], 1000 * spent)
            if name in ("sdtext, cosine 0.8", "NumPy scan", "NumPy scan, BitBound", "FPSim2"):
                same[place].add(np.sort(rows).tobytes())
    assert {len(each) for each in same} == {1}, "the contenders differ"  # noqa: S101 (as promised)
    print(f"one against {number:,}; medians of {QUERIES} queries\n")
    print("| method | ms per query | times sdtext |\n|---|---|---|")
    base = taken["sdtext, cosine 0.8"]
    for name, spent in taken.items():
        print(f"| {name} | {median(spent):.2f} | {median(spent / base):.1f} |", flush=True)


def matrix(packed: Packed) -> csr_matrix:
    """The unit vectors."""
    bits = np.unpackbits(packed, axis=1, bitorder="little")
    units = csr_matrix(bits, dtype=np.float32)
    units.data /= np.repeat(np.sqrt(counts_of(packed)), np.diff(units.indptr)).astype(np.float32)
    return units


def by_columns(packed: Packed, minimum: int = 80) -> int:
    """The number of pairs that sdtext gives."""
    weighting = Weighting(Scorer(PartSpec("cosine")), None)
    vectors = Vectors.of(packed, weighting)
    blocks = similar_by_columns(vectors, vectors, weighting, lambda: minimum, Run())
    return sum(len(rows) for rows, *_ in blocks)


def by_scipy(packed: Packed) -> int:
    """The number of pairs by a product of sparse matrices."""
    units, pairs = matrix(packed), 0
    turned = units.T.tocsr()
    for start in range(0, len(packed), _CHUNK):
        pairs += int(((units[start : start + _CHUNK] @ turned).data >= 0.8 - 1e-6).sum())
    return (pairs - len(packed)) // 2


def by_topn(packed: Packed) -> int:
    """The number of pairs by sparse_dot_topn."""
    units = matrix(packed)
    best = sp_matmul_topn(units, units.T.tocsr(), len(packed), threshold=0.8 - 1e-6, n_threads=1)
    return (best.nnz - len(packed)) // 2


def all_pairs(number: int) -> None:
    """The second table."""
    packed = drawn(number)
    print(f"\nall pairs of {number:,}\n\n| method | s | times sdtext |\n|---|---|---|")
    works = {"sdtext": by_columns, "scipy.sparse": by_scipy, "sparse_dot_topn": by_topn}
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(3):
        pairs = set()
        for name, work in works.items():
            spent, count = seconds(lambda work=work: work(packed))
            taken[name].append(spent)
            pairs.add(count)
        assert len(pairs) == 1, pairs  # noqa: S101 (as above)
    for name, spent in taken.items():
        ratios = [theirs / ours for theirs, ours in zip(spent, taken["sdtext"], strict=True)]
        print(f"| {name} | {median(spent):.2f} | {median(ratios):.1f} |")


def growth(most: int, drawing: str = "") -> None:
    """Times for an eighth of the vectors, a quarter and so on, and for several thresholds."""
    curves: dict[str, dict[float, list[tuple[int, float]]]] = {"queries": {}, "pairs": {}}
    packed = drawn(most)
    weighting = Weighting(Scorer(PartSpec("cosine")), None)
    heads = [f"query, {least / 100}" for least in LEAST] + [f"pairs, {x / 100}" for x in LEAST]
    print(f"| vectors | columns, s | {' | '.join(heads)} |\n|---{'|---' * (1 + len(heads))}|")
    for number in (most // 8, most // 4, most // 2, most):
        vectors = Vectors.of(packed[:number], weighting)
        made, indexed = seconds(lambda vectors=vectors: IndexedVectors.of(vectors, weighting))
        cells = [f"{made:.2f}"]
        for least in LEAST:
            spent = query_time(indexed, least)
            curves["queries"].setdefault(least / 100, []).append((number, spent))
            cells.append(f"{spent:.2f} ms")
        for least in LEAST:
            spent, _ = seconds(lambda least=least, some=vectors.packed: by_columns(some, least))
            curves["pairs"].setdefault(least / 100, []).append((number, spent))
            cells.append(f"{spent:.2f} s")
        print(f"| {number:,} | {' | '.join(cells)} |", flush=True)
    if drawing:
        Path(drawing).write_text(growth_chart(**curves), "utf-8")


Curves = Mapping[float, Sequence[tuple[int, float]]]
"""For each threshold the numbers of vectors, with the time for each."""
COLOURS = ("#1f6feb", "#c2410c", "#6d28d9", "#0f766e")
PANEL, LEFT, TOP, GAP = 220.0, 56.0, 30.0, 90.0  # units of the drawing


def growth_chart(queries: Curves, pairs: Curves) -> str:
    """Two panels with logarithmic axes: queries in milliseconds, all pairs in seconds."""
    width, height = LEFT + 2 * PANEL + GAP + 60, TOP + PANEL + 44
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="growth-title" '
        f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        '<title id="growth-title">Times by the number of vectors, for several least cosines</title>'
        "<style>text{font:12px sans-serif;fill:#57606a}</style>"
        f"{_panel('a query, ms', queries, LEFT)}"
        f"{_panel('all pairs, s', pairs, LEFT + PANEL + GAP)}</svg>"
    )


def _panel(title: str, curves: Curves, left: float) -> str:
    counts = [count for curve in curves.values() for count, _ in curve]
    times = [spent for curve in curves.values() for _, spent in curve]
    low, high = floor(log10(min(times))), ceil(log10(max(times)))

    def across(count: int) -> float:
        return left + PANEL * log(count / min(counts)) / log(max(counts) / min(counts))

    def down(spent: float) -> float:
        return TOP + PANEL * (high - log10(spent)) / (high - low)

    parts = [f'<text x="{left:g}" y="{TOP - 12:g}">{title}</text>']
    for power in range(low, high + 1):
        at = down(10.0**power)
        parts.append(
            f'<line x1="{left:g}" x2="{left + PANEL:g}" y1="{at:g}" y2="{at:g}" stroke="#d0d7de"/>'
            f'<text x="{left - 6:g}" y="{at + 4:g}" text-anchor="end">{10.0**power:g}</text>'
        )
    labels = [(across(count), 18, short_number(count)) for count in sorted(set(counts))]
    for x, below, label in [*labels, (left + PANEL / 2, 36, "vectors")]:
        place = f'x="{x:.2f}" y="{TOP + PANEL + below:g}"'
        parts.append(f'<text {place} text-anchor="middle">{label}</text>')
    for colour, (least, curve) in zip(COLOURS, curves.items(), strict=False):
        points = " ".join(f"{across(count):.1f},{down(spent):.1f}" for count, spent in curve)
        count, spent = curve[-1]
        place = f'x="{across(count) + 6:.2f}" y="{down(spent) + 4:.2f}"'
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text {place} style="fill:{colour}">≥ {least:g}</text>'
        )
    return "".join(parts)


def query_time(indexed: IndexedVectors, least: int) -> float:
    """The median of the fastest of some turns for each query, in milliseconds."""

    def times(row: int) -> Iterator[float]:
        query = indexed.vectors.take([row])
        for _ in range(TURNS):
            yield 1000 * seconds(lambda: indexed.similar(query, least))[0]

    queries = np.random.default_rng(SEED).integers(len(indexed.order), size=QUERIES)
    return median(min(times(row)) for row in queries.tolist())


def of_files(folder: str) -> None:
    """Columns and a scan for the fingerprints of the files in a folder."""
    with TemporaryDirectory() as place:
        path = f"{place}/files.sdx"
        main(["AddDocuments", path, folder, "-d", "english", "--quiet"])
        collection = StoredCollection.open(path)
        [dictionary] = collection.dictionaries
        print(f"{len(collection):,} files, {len(dictionary.terms):,} terms\n")
        print("| search | columns | `--index scan` | ratio |\n|---|---|---|---|")
        for name in ("cosine", "idf-cosine"):
            question = Question(80, name)
            spent, rows = {}, {}
            for index in ("columns", "scan"):
                asked = replace(question, index=index)
                spent[index], rows[index] = seconds(
                    lambda asked=asked: within(collection, asked).rows
                )
            assert rows["columns"] == rows["scan"], "rows differ"  # noqa: S101 (as above)
            report(f"all pairs, {name} 0.8", spent, "s")
        for name, minimum, top in (("cosine", 80, None), ("idf-cosine", None, 10)):
            question = Question(minimum, name, top)
            spent = {
                index: time_of_queries(collection, replace(question, index=index))
                for index in ("columns", "scan")
            }
            report(f"one query, {name} {'best 10' if top else 0.8}", spent, "ms")


def time_of_queries(collection: StoredCollection, question: Question) -> float:
    """The median time of queries by vectors of the collection, in milliseconds."""
    plan = plan_search(collection, question)
    views = segment_views(collection, plan.derivation)
    search = ByVectors(Table(views, plan.derivation), plan)
    [dictionary] = collection.dictionaries
    packed = np.concatenate(
        [view.segment.arrays[vectors_column(dictionary.digest)] for view in views]
    )
    rows = np.flatnonzero(counts_of(packed) >= MIN_TERMS)
    vectors = [
        Vector(packed[row].tobytes(), len(dictionary.terms), dictionary.guid)
        for row in rows[:: len(rows) // QUERIES]
    ]
    search.query([vectors[0]])  # makes the columns
    times = [seconds(lambda asked=asked: search.query([asked]))[0] for asked in vectors]
    return 1000 * median(times)


def container(number: int) -> None:
    """Fingerprints compared with a container: the best 20 of each, beside reading it alone."""
    packed = drawn(number + 200)
    counts = np.unpackbits(packed, axis=1, bitorder="little").sum(axis=0)
    terms = {f"w{place:04}": max(1, int(count)) for place, count in enumerate(counts)}
    dictionary = Dictionary.of(terms, len(packed), RecipeSpec(PartSpec("words")))
    reference = (dictionary.reference(),)
    prints = [
        Fingerprint("bitvector", (Vector(row.tobytes(), BITS, dictionary.guid),), reference)
        for row in packed
    ]
    with TemporaryDirectory() as place:
        path = f"{place}/c.xml"
        save(prints[200:], path)
        spent, _ = seconds(lambda: sum(1 for _ in load_fingerprints(path)))
        print(f"{number:,} fingerprints, read in {spent:.2f} s\n")
        print("| search | columns | `--index scan` | ratio |\n|---|---|---|---|")
        for asked, matcher in product((1, 20, 200), ("cosine", "idf-cosine")):
            times, rows = {}, {}
            for index in ("columns", "scan") if asked < 200 else ("columns",):
                times[index], found = seconds(
                    lambda asked=asked, matcher=matcher, index=index: compare(
                        prints[:asked],
                        path,
                        matcher=matcher,
                        dictionary=dictionary,
                        top=20,
                        index=index,
                    )
                )
                rows[index] = found.rows
            assert len({tuple(each) for each in rows.values()}) == 1, "rows differ"  # noqa: S101 (as above)
            report(f"{asked} queries, {matcher}", times, "s")


def report(name: str, spent: dict[str, float], unit: str) -> None:
    """A row of the table."""
    columns, scan = spent["columns"], spent.get("scan")
    rest = f"{scan:.2f} {unit} | {scan / columns:.1f}" if scan else "– | –"
    print(f"| {name} | {columns:.2f} {unit} | {rest} |", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["growth", *rest]:
            growth(int((rest[:1] or ["40000"])[0]), *rest[1:])
        case ["container", *rest]:
            container(int((rest or ["20000"])[0]))
        case [folder] if not folder.isdecimal():
            of_files(folder)
        case arguments:
            one_against(int((arguments[:1] or ["20000"])[0]))
            all_pairs(int((arguments[1:] or ["3000"])[0]))
