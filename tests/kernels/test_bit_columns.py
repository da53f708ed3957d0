"""Bit-sliced columns against a plain count of common bits, vector by vector."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sdtext.kernels import bit_columns
from sdtext.kernels.bit_columns import LANE, BitColumns, columns_of
from sdtext.kernels.c_library import KERNELS
from tests.support.strategies import BRISK

BORDERS = [1, 2, 63, 64, 65, 127, 128, 129, 200]
ROWS = [*BORDERS, 511, 512, 513, 2100]
LEAST: dict[str, Callable[[float, float, float], float]] = {
    "cosine": lambda s, a, b: float(s * np.sqrt(a * b)),
    "jaccard": lambda s, a, b: s * (a + b) / (1 + s),
    "dice": lambda s, a, b: s * (a + b) / 2,
    "overlap": lambda s, a, b: s * min(a, b),
    "containment": lambda s, a, b: s * a,  # noqa: ARG005 (b does not matter)
}


@dataclass(frozen=True)
class Example:
    """Vectors of 0 and 1, a row each, of which the first ones are queries, and weights.

    `wanted` marks the rows that are searched.
    """

    bits: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    queries: int
    wanted: NDArray[np.bool_] | None = None

    @property
    def packed(self) -> NDArray[np.uint8]:
        return np.packbits(self.bits.astype(np.uint8), axis=1, bitorder="little")

    @property
    def weighed(self) -> NDArray[np.float64]:
        return np.asarray(self.bits * (1.0 if self.weights is None else self.weights))

    @property
    def sizes(self) -> NDArray[np.float64]:
        return np.asarray(self.weighed.sum(axis=1))

    def index(self, order: NDArray[np.int64]) -> BitColumns:
        columns = columns_of(self.packed, order)
        padding = (0, -self.bits.shape[1] % 8)
        weights = None if self.weights is None else np.pad(self.weights, padding)
        frequencies = np.pad(self.bits.sum(axis=0), padding)
        wanted = None if self.wanted is None else self.wanted[order]
        return BitColumns(columns, frequencies, self.sizes[order], weights, wanted)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    """Empty, full, equal and nearly equal vectors among random ones of all densities."""
    rows, terms = draw(st.sampled_from(ROWS)), draw(st.sampled_from([*BORDERS, 300]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    bits = (random.random((rows, terms)) < random.random((rows, 1)) ** 2).astype(np.int64)
    for row in range(rows):
        match draw(st.sampled_from(["empty", "full", "equal", "near", "", "", "", ""])):
            case "empty" | "full" as kind:
                bits[row] = kind == "full"
            case "equal" | "near" as kind:
                bits[row] = bits[random.integers(rows)]
                bits[row, random.integers(terms)] ^= kind == "near"
    weights = {
        "": None,
        "small": random.integers(0, 4, terms).astype(float),
        "skewed": np.floor(random.random(terms) ** 12 * 2.0**60),
        "alike": random.choice([0.0, 7.0, 7.0, 7.0, 3.5], terms),
        "none": np.zeros(terms),
    }[draw(st.sampled_from(["", "", "small", "skewed", "alike", "none"]))]
    share = draw(st.sampled_from([None, None, 0.0, 0.02, 0.5]))
    wanted = None if share is None else random.random(rows) < share
    return Example(bits, weights, draw(st.just(1) | st.integers(1, min(rows, 40))), wanted)


@pytest.mark.parametrize("instructions", [0, 1, 2])
@BRISK
@given(
    name=st.sampled_from(list(LEAST)),
    example=examples(),
    pair=st.tuples(st.integers(0, 2099), st.integers(0, 2099)),
    by_size=st.booleans(),
    is_estimated=st.booleans(),
)
def test_every_vector_with_enough_in_common_is_a_candidate(
    instructions: int,
    name: str,
    example: Example,
    pair: tuple[int, int],
    by_size: bool,
    is_estimated: bool,
) -> None:
    KERNELS["instruction_set"](instructions)
    sizes, common = example.sizes, example.weighed @ example.bits.T
    row, other = (place % len(sizes) for place in pair)
    needed = LEAST[name](1.0, sizes[row], sizes[other])
    similarity = min(1.0, common[row, other] / needed) if needed else 0.5  # exactly reached
    order = np.argsort(sizes if by_size else example.bits.sum(axis=1), kind="stable")
    index = example.index(order)
    if not is_estimated:  # as if all terms were rare: a bad estimate costs time alone
        index = replace(index, frequencies=np.zeros_like(index.frequencies))
    some = slice(example.queries)
    result = index.candidates(
        example.packed[some],
        sizes[some],
        lambda left, right: np.vectorize(LEAST[name], [float])(similarity, left, right),
    )
    sums = dict(
        zip(
            zip(result.queries.tolist(), order[result.places].tolist(), strict=True),
            result.sums.tolist(),
            strict=True,
        )
    )
    assert len(sums) == len(result.sums)
    wanted = {
        (left, right)
        for left in range(example.queries)
        for right in range(len(sizes))
        if (example.wanted is None or example.wanted[right])
        and common[left, right] > 0
        and common[left, right] >= LEAST[name](similarity, sizes[left], sizes[right])
    }
    assert wanted <= sums.keys()
    if example.wanted is not None:
        assert all(example.wanted[right] for _, right in sums)
    for (left, right), total in sums.items():
        assert total * index.unit >= common[left, right]
        if example.weights is None:
            assert total == common[left, right]


KERNELS["instruction_set"](2)


@BRISK
@given(example=examples(), seed=st.integers(0, 2**32 - 1))
def test_places_behind_the_query_alone(example: Example, seed: int) -> None:
    order = np.argsort(example.sizes, kind="stable")
    index, after = example.index(order), np.random.default_rng(seed).permutation(len(order))

    def none(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0 * left * right

    packed, sizes = example.packed[order], example.sizes[order]
    whole, part = (index.candidates(packed, sizes, none, *some) for some in ((), (after,)))
    found = set(zip(part.queries.tolist(), part.places.tolist(), strict=True))
    every = zip(whole.queries.tolist(), whole.places.tolist(), strict=True)
    assert found == {(query, place) for query, place in every if place > after[query]}


@BRISK
@given(example=examples(), is_ordered=st.booleans())
def test_columns_are_the_transposed_rows(example: Example, is_ordered: bool) -> None:
    rows, terms = example.bits.shape
    order = np.argsort(example.bits.sum(axis=1), kind="stable") if is_ordered else None
    done: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bit_columns, "_ROWS", 64)
        columns = columns_of(example.packed, order, done.append)
    assert columns.shape == (8 * example.packed.shape[1], -(-rows // LANE) * LANE // 64)
    assert sum(done) == rows
    assert max(done) <= 64
    bits = np.unpackbits(columns.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    expected = example.bits if order is None else example.bits[order]
    assert np.array_equal(bits[:terms, :rows], expected.T)
    assert not bits[terms:].any()
    assert not bits[:, rows:].any()
