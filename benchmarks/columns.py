"""Bit vectors that resemble one among many, and all similar pairs: columns beside other programs.

Run as `python benchmarks/columns.py`; needs the extra `benchmarks`. Vectors have 8,192 bits, some
330 of them set, by a law like that of words; one in twenty is a copy of another with some bits
drawn anew. `growth` prints instead how times grow with the number of vectors and the threshold.

1. One vector is compared with 100,000. `sdtext` is what FindSimilar does with a vector, from its
   packed bits to exact scores, without reading and printing. Contenders take turns, five for each
   query, of which the fastest counts: others use the machine, too. Each row gives the median, and
   the median of the ratios to `sdtext` (cosine, 0.8) of the same query. sdtext, FPSim2 and the
   scans give the same vectors, which is checked. faiss and usearch have no threshold: they give
   the nearest ten by Hamming distance.
2. All pairs of a cosine of 0.8 and more among 10,000 vectors, all in: columns are made, too.

Milliseconds and seconds are CPU time of one core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
from measuring import in_turns, installed, ratio, seconds, size, table
from scipy.sparse import csr_matrix

from sdtext.model import PartSpec
from sdtext.reading.parallel_run import Run
from sdtext.search.bit_vector_scoring import Vectors, Weighting
from sdtext.search.bit_vector_search import IndexedVectors, similar_by_columns
from sdtext.search.scoring import Scorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Packed = NDArray[np.uint8]
    Rows = NDArray[np.int64]

BITS, QUERIES, TURNS, SEED = 8192, 25, 5, 1
LEAST = (90, 80, 50)
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
        self.order = np.argsort(self.counts, kind="stable")
        self.ordered = self.counts[self.order]
        numbers = np.arange(len(packed), dtype=np.uint64)[:, None]
        columns = [numbers, self.words[self.order], self.ordered[:, None].astype(np.uint64)]
        self.rows = np.concatenate(columns, axis=1)

    def vector(self, row: int) -> Vectors:
        """A vector as a query."""
        return self.vectors.take(slice(row, row + 1))

    def sdtext(self, least: int) -> Callable[[int], Rows]:
        """Columns."""
        return lambda row: self.indexed.similar(self.vector(row), least)[1]

    def sdtext_top(self, row: int) -> Rows:
        """Columns, for the best ten."""
        return self.indexed.best(self.vector(row), 1, 10)[0]

    def scan(self, row: int) -> Rows:
        """NumPy, row by row."""
        query, common = self.words[row], np.empty(len(self.words), np.int64)
        for start in range(0, len(self.words), _CACHED):
            here = slice(start, start + _CACHED)
            common[here] = np.bitwise_count(self.words[here] & query).sum(axis=1, dtype=np.int64)
        needed = 64 * self.counts[row] * self.counts
        return np.flatnonzero((100 * common * common >= needed) & (self.counts >= 8))

    def _bounds(self, row: int) -> tuple[int, int]:
        count = int(self.counts[row])
        first = np.searchsorted(self.ordered, int(np.ceil(0.64 * count)))
        return int(first), int(np.searchsorted(self.ordered, int(count / 0.64) + 1))

    def fpsim2(self) -> Callable[[int], Rows]:
        """FPSim2's C++ search, which has BitBound, too."""
        from FPSim2.FPSim2lib import GenericSearch

        def search(row: int) -> Rows:
            query = np.concatenate([[np.uint64(0)], self.words[row], [np.uint64(self.counts[row])]])
            hits = GenericSearch(query, self.rows, 0.8 - 1e-6, 0, COSINE, *self._bounds(row))
            return np.sort(self.order[np.asarray(hits["mol_id"], np.int64)])

        return search

    def faiss_flat(self) -> Callable[[int], Rows]:
        """The nearest ten."""
        import faiss

        index = faiss.IndexBinaryFlat(BITS)
        index.add(self.packed)
        faiss.omp_set_num_threads(1)
        return lambda row: index.search(self.packed[row][None], 10)[1][0]

    def usearch(self) -> Callable[[int], Rows]:
        """The nearest ten."""
        from usearch.index import MetricKind, search

        options = {"exact": True, "threads": 1}
        return lambda row: (
            search(self.packed, self.packed[row][None], 10, MetricKind.Hamming, **options).keys
        )


def one_against(number: int) -> None:
    """The first table."""
    known = Contenders(drawn(number))
    contenders: dict[str, Callable[[int], Rows]] = {
        "sdtext, cosine 0.8": known.sdtext(80),
        "sdtext, cosine 0.9": known.sdtext(90),
        "sdtext, best 10": known.sdtext_top,
        "NumPy, row by row": known.scan,
    }
    for name, module, peer in (
        ("FPSim2, cosine 0.8", "FPSim2", known.fpsim2),
        ("faiss IndexBinaryFlat, best 10", "faiss", known.faiss_flat),
        ("usearch, exact, best 10", "usearch", known.usearch),
    ):
        if installed(module):
            contenders[name] = peer()
    queries = np.random.default_rng(SEED).integers(number, size=QUERIES).tolist()
    taken = {name: np.full(QUERIES, np.inf) for name in contenders}
    same: list[set[bytes]] = [set() for _ in queries]
    for name, search_for in TURNS * [*contenders.items()]:
        for place, row in enumerate(queries):
            spent, rows = seconds(lambda asked=search_for, row=row: asked(row))
            taken[name][place] = min(taken[name][place], 1000 * spent)
            if name in ("sdtext, cosine 0.8", "NumPy, row by row", "FPSim2, cosine 0.8"):
                same[place].add(np.sort(rows).tobytes())
    assert {len(each) for each in same} == {1}, "the contenders differ"  # noqa: S101 (as promised)
    base = taken["sdtext, cosine 0.8"]
    rows = [(name, f"{median(ms):.2g}", f"{median(ms / base):.1f}") for name, ms in taken.items()]
    table((f"one against {number:,}", "ms per query", "times sdtext"), rows)


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
    from sparse_dot_topn import sp_matmul_topn

    units = matrix(packed)
    best = sp_matmul_topn(units, units.T.tocsr(), len(packed), threshold=0.8 - 1e-6, n_threads=1)
    return (best.nnz - len(packed)) // 2


def all_pairs(number: int) -> None:
    """The second table."""
    packed, counts = drawn(number), set()
    works = {"sdtext": by_columns, "scipy.sparse": by_scipy}
    if installed("sparse_dot_topn"):
        works["sparse_dot_topn"] = by_topn

    def spent(work: Callable[[Packed], int]) -> float:
        taken, count = seconds(lambda: work(packed))
        counts.add(count)
        return taken

    taken = in_turns({name: lambda work=work: spent(work) for name, work in works.items()})
    assert len(counts) == 1, counts  # noqa: S101 (as above)
    rows = [
        (name, f"{median(each):.2f}", f"{ratio(each, taken['sdtext']):.0f}")
        for name, each in taken.items()
    ]
    table((f"all pairs of {number:,}", "s", "times sdtext"), rows)


def growth(most: int) -> None:
    """Times for an eighth of the vectors, a quarter and so on, and for several thresholds."""
    packed = drawn(most)
    weighting = Weighting(Scorer(PartSpec("cosine")), None)
    heads = [f"query, {least / 100}" for least in LEAST] + [f"pairs, {x / 100}" for x in LEAST]
    rows = []
    for number in (most // 8, most // 4, most // 2, most):
        vectors = Vectors.of(packed[:number], weighting)
        made, indexed = seconds(lambda vectors=vectors: IndexedVectors.of(vectors, weighting))
        queries = [f"{query_time(indexed, least):.3f} ms" for least in LEAST]
        pairs = [
            seconds(lambda least=least, some=vectors.packed: by_columns(some, least))[0]
            for least in LEAST
        ]
        rows.append(
            [f"{number:,}", f"{made:.2f}", *queries, *(f"{spent:.3f} s" for spent in pairs)]
        )
    table(("vectors", "columns, s", *heads), rows)


def query_time(indexed: IndexedVectors, least: int) -> float:
    """The median of the fastest of some turns for each query, in milliseconds."""

    def times(row: int) -> Iterator[float]:
        query = indexed.vectors.take([row])
        for _ in range(TURNS):
            yield 1000 * seconds(lambda: indexed.similar(query, least))[0]

    queries = np.random.default_rng(SEED).integers(len(indexed.order), size=QUERIES)
    return median(min(times(row)) for row in queries.tolist())


if __name__ == "__main__":
    if sys.argv[1:] == ["growth"]:
        growth(size(40_000, 800))
    else:
        one_against(size(100_000, 1_000))
        all_pairs(size(10_000, 500))
