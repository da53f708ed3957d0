"""Random inputs, a hundred thousand with the deep tests: C returns what its reference does.

`.ci/run` also runs this with a library that checks its memory and its arithmetic.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from sdtext.analysis.term_numbers import TermNumbers
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.kernels.arrays.integer_and_byte_hashes import span_hashes
from sdtext.kernels.arrays.packed_bits import weight_sums
from sdtext.kernels.arrays.ragged import Ragged, sorted_distinct
from sdtext.kernels.bit_columns import BitColumns, columns_of
from sdtext.kernels.c_library import KERNELS, SIGNATURES
from sdtext.kernels.hamming_join import BitPartition
from sdtext.kernels.minhash import affine, fast_similarity_sketch
from sdtext.kernels.minhash.band_hashes import xxhash
from sdtext.kernels.passages.boxes import merged
from sdtext.kernels.passages.sequence_algorithms import are_in, common_words
from sdtext.kernels.window_sums import polynomial_hashes, row_windows
from sdtext.kernels.windows.window_join import WindowJoin, join_windows
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.aligners.window_passages import MILLION, _trimmed_box
from sdtext.reuse.sentence_finder import near_pairs
from sdtext.search.candidates.exact_join import _InvertedIndex
from sdtext.search.candidates.intersections import common, common_counts
from sdtext.text.quick_disguise_check import signs_of
from tests.kernels.rows import codes_of, triples

CHAIN = Chain(RecipeSpec(PartSpec("words"), (PartSpec("strip-punctuation"), PartSpec("lowercase"))))
SIZES = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65]
Case = Callable[[], Any]
"""A call that returns numbers, in lists."""


def size(chance: Generator, most: int = 65) -> int:
    """A size at a border of words and blocks, or any."""
    return min(most, int(chance.choice(SIZES) if chance.random() < 0.7 else chance.integers(most)))


def hashes(chance: Generator, most: int) -> NDArray[np.uint64]:
    """Numbers of all sizes, some again and again."""
    drawn = chance.integers(0, 2**64, size(chance, most), np.uint64)
    return drawn >> np.uint64(chance.choice([0, 0, 32, 57, 61]))


def sets(chance: Generator, rows: int, most: int = 20) -> Ragged:
    return Ragged.of([np.unique(hashes(chance, most)) for _ in range(rows)])


def affine_sketches(chance: Generator) -> Case:
    rows, slots, seed = sets(chance, size(chance, 9)), size(chance, 20) + 1, int(chance.integers(9))
    most = int(chance.choice([1, 2, 2**16, 2**31 - 2]))
    kind = chance.integers(3)
    if kind == 2:
        return lambda: affine.modular_sketches(rows, slots, seed, most).tolist()
    made = affine.datasketch_sketches if kind else affine.paper_sketches
    return lambda: made(rows, slots, seed).tolist()


def fast_similarity_sketches(chance: Generator) -> Case:
    rows, slots, seed = sets(chance, size(chance, 4)), size(chance, 20) + 1, int(chance.integers(9))
    return lambda: fast_similarity_sketch.sketches(rows, slots, seed).tolist()


def band_keys(chance: Generator) -> Case:
    slots = chance.integers(0, 2**32, (size(chance, 9), size(chance, 40)), np.uint32)
    return lambda: xxhash(slots, int(slots.sum()) % 999).tolist()


def span_hashes_of(chance: Generator) -> Case:
    data = chance.integers(0, 256, size(chance), np.uint8)
    ends = np.sort(chance.integers(0, len(data) + 1, (size(chance, 9), 2)))
    seed = int(chance.integers(0, 2**64, dtype=np.uint64))
    return lambda: span_hashes(data, ends[:, 0], ends[:, 1] - ends[:, 0], seed).tolist()


def merged_boxes(chance: Generator) -> Case:
    starts = chance.integers(0, chance.choice([3, 40, 400]), (size(chance, 25), 2))
    ends = starts + chance.integers(1, chance.choice([2, 9, 60]), starts.shape)
    boxes = np.stack((starts[:, 0], ends[:, 0], starts[:, 1], ends[:, 1]), axis=1)
    gap = int(chance.integers(12))
    return lambda: merged(boxes, gap).tolist()


def bit_columns(chance: Generator) -> Case:
    rows, width = int(chance.choice([1, 5, 64, 511, 512, 513, 600])), int(chance.choice([1, 3, 9]))
    bits = chance.random((rows, 8 * width)) < chance.random((rows, 1)) ** 2
    packed = np.packbits(bits, axis=1, bitorder="little")
    order = np.argsort(bits.sum(axis=1), kind="stable")
    weights = chance.choice([0.0, 1.0, 3.5, 7.0], 8 * width) if chance.random() < 0.5 else None
    if weights is not None and chance.random() < 0.5:
        weights *= 2.0**50
    sizes = (bits * (1.0 if weights is None else weights)).sum(axis=1)
    share, some = chance.random(), order[: size(chance, 20) + 1]
    number = int(chance.choice([1, 2, 10, rows, 2 * rows]))
    after = chance.integers(-1, rows, len(some)) if chance.random() < 0.3 else None

    def found() -> Any:
        columns = columns_of(packed, order)
        index = BitColumns(columns, bits.sum(axis=0), sizes[order], weights)
        least = lambda left, right: share * np.sqrt(left * right)  # noqa: E731
        result = index.candidates(packed[some], sizes[some], least, after)
        pairs = zip(result.queries, result.places, result.sums, strict=True)
        whole = lambda left, right: np.sqrt(left * right)  # noqa: E731
        row = some[:1]
        best, needed = index.best(packed[row[0]], sizes[row], (least, whole), number)
        of_best = (
            sorted(zip(best.places.tolist(), best.sums.tolist(), strict=True)),
            needed.tolist(),
        )
        return columns.tolist(), sorted((int(a), int(b), int(c)) for a, b, c in pairs), of_best

    return found


def common_values(chance: Generator) -> Case:
    left, right = (sets(chance, 1 + size(chance, 8), 65) for _ in range(2))
    pairs = tuple(chance.integers(0, len(side), 30) for side in (left, right))
    query = left[0]
    both = pairs[0], pairs[1]
    return lambda: (common(left, right, both).tolist(), common_counts(query, right).tolist())


def posting_pairs(chance: Generator) -> Case:
    rows = sets(chance, 1 + size(chance, 16))

    def found() -> Any:
        index = _InvertedIndex.of(rows)
        batches = [*index.pairs(index.rarest(0.5))]
        pairs = [(a, b) for _, *side in batches for a, b in zip(*map(list, side), strict=True)]
        return sum(read for read, *_ in batches), sorted({(int(a), int(b)) for a, b in pairs})

    return found


def hamming_joins(chance: Generator) -> Case:
    bits, seed = int(chance.choice([8, 24, 64, 100, 128])), int(chance.integers(2**32))
    radius = int(chance.integers(min(9, bits)))
    cut = BitPartition(
        bits, radius, int(chance.integers(1 + radius // 3, min(bits, radius + 3) + 1))
    )
    codes = codes_of(size(chance, 30), bits, seed)
    half = len(codes) // 2
    left, right = (codes, None) if chance.random() < 0.5 else (codes[:half], codes[half:])
    return lambda: [triples(near_pairs(left, right, radius, by)) for by in (cut, None)]


def window_joins(chance: Generator) -> Case:
    w = int(chance.integers(1, 13))
    join = WindowJoin(w, int(chance.integers(w)))
    kinds = int(chance.choice([1, 2, 5, 40]))

    def texts(count: int) -> Ragged:
        rows = [chance.integers(0, kinds, size(chance, 4 * w)).tolist() for _ in range(count)]
        return Ragged.of(rows, "uint32")

    left, right = texts(1 + size(chance, 3)), texts(2) if chance.random() < 0.5 else None
    return lambda: [column.tolist() for column in join_windows(left, right, join)]


def words_of_texts(chance: Generator) -> Case:
    letters = ["a", "B", " ", "\n", "\r", ".", "é", "語", "\u3000", "\u2028", "abcdefgh"]
    spread = chance.random(len(letters)) ** 4
    texts = [
        "".join(chance.choice(letters, size(chance), p=spread / spread.sum()))
        for _ in range(size(chance, 7))
    ]
    if chance.random() < 0.01:  # more than are hashed together
        texts = [text * 10 for text in texts]

    def found() -> Any:
        numbers, kept = TermNumbers(), list[Any]()
        spelled = numbers.numbering.spelled  # numbers may differ, what they stand for not
        for some in (texts, [*reversed(texts)]):
            hashed, rows = numbers.hashes(CHAIN, some), numbers.rows(CHAIN, some)
            every = [sorted(spelled[n] for n in numbers.distinct(CHAIN, [text])) for text in some]
            terms = [spelled[n] for n in rows.values]
            kept += [every, terms, rows.offsets.tolist(), hashed.values.tolist()]
            kept.append(hashed.offsets.tolist())
        return kept

    return found


def sets_of_rows(chance: Generator) -> Case:
    rows = Ragged.of([hashes(chance, 2_000) for _ in range(size(chance, 9))])
    return lambda: [row.tolist() for row in sorted_distinct(rows)]


def window_sums(chance: Generator) -> Case:
    numbers, length = hashes(chance, 65), 1 + size(chance, 33)
    modulus = int(chance.choice([1, 2, 31, 1_000_003, 2**32, 0])) or 2**64
    base, mix = int(chance.integers(2**63)), chance.random() < 0.5
    every = np.arange(len(numbers) - length + 1)
    starts = every[chance.random(len(every)) < chance.random()] if chance.random() < 0.5 else None
    rows = Ragged.of([hashes(chance, 600) for _ in range(size(chance, 4))])

    def found() -> object:
        windows = row_windows(rows, length)
        sums = polynomial_hashes(numbers, length, base, modulus, starts, mix=mix)
        return sums.tolist(), windows.values.tolist(), windows.offsets.tolist()

    return found


def terms_in_common(chance: Generator) -> Case:
    most = int(chance.choice([2, 9, 200, 2**32 - 1]))
    pair = [chance.integers(0, most + 1, size(chance, 65), np.uint32) for _ in range(2)]
    if chance.random() < 0.02:
        pair[0] = np.repeat(pair[0], 40)  # whose table needs memory of its own
    length, weights = 1 + size(chance, 6), chance.integers(1, 3 * MILLION, 2).tolist()
    return lambda: (
        are_in(pair[0], pair[1], length).tolist(),
        are_in(pair[1], pair[0], length).tolist(),
        common_words(*pair),
        _trimmed_box([5, 5 + len(pair[0]), 0, len(pair[1])], (pair[0], pair[1]), weights),
    )


def sums_of_weights(chance: Generator) -> Case:
    packed = chance.integers(0, 256, (size(chance, 4), size(chance, 17) + 1), np.uint8)
    weights = hashes(chance, 8 * packed.shape[1] + 9)
    return lambda: weight_sums(packed, weights).tolist()


def character_signs(chance: Generator) -> Case:
    spaces, letters = " \t\f\x1c\x80\xa0\u2000\u2028\u2800\n\r", "abZéø\u02ff\u0300\u0340αа\u05bf"
    others = (
        ".\0\b\x7f\x9d\xad\u05c0\u0600\u200b\u202e\u3000中\ud800\udfff\uffff\U00010000\U0010ffff"
    )
    every = spaces + letters + others
    some = [*chance.choice([*every], size(chance, 4) + 1), *chance.choice([*(spaces + letters)], 3)]
    text = "".join(chance.choice(some, size(chance, 65)))
    if chance.random() < 0.5:  # blocks without signs, and borders of theirs
        place, plain = size(chance, len(text) + 1), "a bee is " * size(chance, 30)
        text = text[:place] + plain[size(chance, 9) :] + text[place:]
    return lambda: signs_of(text)


CASES: dict[Callable[[Generator], Case], tuple[int, list[str]]] = {
    affine_sketches: (9_000, ["affine_sketches"]),
    fast_similarity_sketches: (10_000, ["fast_similarity_sketches"]),
    band_keys: (6_000, ["band_keys"]), character_signs: (6_000, ["character_signs"]),
    span_hashes_of: (10_000, ["span_hashes"]), merged_boxes: (10_000, ["merged_boxes"]),
    bit_columns: (5_000, ["bit_columns", "bit_candidates", "bit_best"]),
    common_values: (10_000, ["common", "common_counts"]), posting_pairs: (8_000, ["posting_pairs"]),
    hamming_joins: (5_000, ["hamming_by_keys", "hamming_by_scan"]),
    words_of_texts: (7_000, ["spans", "span_table", "joined_rows", "word_hashes", "translated"]),
    sums_of_weights: (1_000, ["weight_sums"]),
    terms_in_common: (3_000, ["are_in", "common_terms", "best_parts"]),
    window_sums: (2_000, ["window_sums", "row_windows"]), sets_of_rows: (1_000, ["sets"]),
    window_joins: (7_000, ["window_join", "window_codes", "window_intervals"]),
}  # fmt: skip
"""How many inputs each kind gets, and the kernels that it enters."""


@pytest.fixture(autouse=True)
def _every_instruction() -> Iterator[None]:
    yield
    KERNELS["instruction_set"](2)


def test_every_kernel_is_fuzzed() -> None:
    fuzzed = {name for _, names in CASES.values() for name in names}
    assert fuzzed == SIGNATURES.keys() - {"instruction_set"}
    assert sum(count for count, _ in CASES.values()) == 100_000


@pytest.mark.parametrize(
    ("part", "parts"),
    [(99, 100), *(pytest.param(part, 4, marks=pytest.mark.deep) for part in range(4))],
)
@pytest.mark.parametrize("kind", CASES, ids=lambda kind: kind.__name__)
def test_what_c_returns_is_what_the_reference_does(
    kind: Callable[[Generator], Case], part: int, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, names = CASES[kind]
    for seed in range(part, count, parts):
        chance = np.random.default_rng(seed)
        case = kind(chance)
        KERNELS["instruction_set"](int(chance.integers(3)))
        result = case()
        with monkeypatch.context() as patch:
            for name in names:
                patch.delitem(KERNELS, name)
            assert result == case(), seed
