"""Repeated paragraphs, sentences and passages: compared with plain searches, and restored."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext import FormatError, deduplicate, restore
from sdtext.deduplication.repeated_passages import repeated_sentences
from sdtext.deduplication.repeated_passages.repeated_sentences import (
    mark_repeated_windows,
    window_hashes,
)
from sdtext.kernels.arrays.equal_rows import equal_rows, row_hashes
from sdtext.kernels.arrays.ragged import Ragged
from tests.support.deduplication import units_of, words_of

SENTENCES = ("Bees dance.", "bees DANCE!", "They sing?", "“He said: no.”", "***", "一。", "1 2 3")
TEXTS = st.lists(
    st.tuples(st.sampled_from(SENTENCES), st.sampled_from((" ", "\n", "\n\n", "\n\n\n  ", "\f"))),
    max_size=6,
).map(lambda pieces: "".join(sum(pieces, ())))


def plainly_kept(texts: Sequence[str], unit: str, least: int) -> list[list[tuple[str, ...]]]:
    """The words of the units that stay in each text."""
    before = Counter[tuple[str, ...]]()
    kept = []
    for text in texts:
        stays = []
        for key in units_of(text, unit):
            before[key] += 1
            if not (len(key) >= least and before[key] > 1):
                stays.append(key)
        kept.append(stays)
    return kept


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=6),
    unit=st.sampled_from(("paragraph", "sentence")),
    least=st.integers(1, 4),
)
def test_copies_are_removed_as_a_plain_search_says(texts: list[str], unit: Any, least: int) -> None:
    texts = [f"Always {place}.\n\n{text}" for place, text in enumerate(texts)]
    records = [{"text": text, "n": place} for place, text in enumerate(texts)]
    result = deduplicate(records, unit=unit, min_tokens=least)
    kept = [[key for key in units_of(str(row["text"]), unit) if key] for row in result.kept]
    expected = plainly_kept(texts, unit, least)
    assert kept == [[key for key in keys if key] for keys in expected]
    assert restore(result.kept, result.removed) == records
    for row in result.removed:
        there = texts[int(row.kept)][row.kept_start : row.kept_end]
        assert words_of(there) == words_of(row.text)
        assert len(words_of(there)) == row.words


@given(st.lists(st.text(min_size=1).filter(lambda text: not text.isspace()), min_size=1))
def test_any_text_is_restored(texts: list[str]) -> None:
    texts = [*texts, *texts, "\n\n".join(texts), " ".join(texts)]
    records = [{"text": text} for text in texts]
    for unit in ("paragraph", "sentence"):
        result = deduplicate(records, unit=unit, min_tokens=2)
        assert restore(result.kept, result.removed) == records
        for row in result.removed:
            assert texts[row.record - 1][row.start : row.end] == row.text


def test_rows_that_fit_another_text_are_refused() -> None:
    """The offsets fit: that the texts are others is known by their digests."""
    records = [{"text": "First.\n\nOne more."}, {"text": "Last.\n\nOne more."}]
    result = deduplicate(records, unit="paragraph", min_tokens=2)
    others = [{"text": str(row["text"]).replace("Last", "Lost")} for row in result.kept]
    with pytest.raises(FormatError, match="another text"):
        restore(others, result.removed)


@pytest.mark.parametrize(("text", "left"), [
    ("Old.\n\nNew one.", "New one."), ("New one.\n\nOld.", "New one."),
    ("New one. Old.\n\nNew two.", "New one.\n\nNew two."),
    ("New one.\n\nOld. New two.", "New one.\n\nNew two."),
    ("New one. Old. New two.", "New one. New two."),
    ("New one.\n\nOld.\n\n\nNew two.\n", "New one.\n\n\nNew two.\n"), ("  Old. Old.\n", ""),
])  # fmt: skip
def test_white_space_goes_with_what_is_removed(text: str, left: str) -> None:
    result = deduplicate([{"text": "Old."}, {"text": text}], unit="sentence")
    assert result.kept[1]["text"] == left


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_frames_keep_their_columns(kind: pa.DataType) -> None:
    texts = [f"It is {place}." + " Share it!" * (place in (3, 4, 1200)) for place in range(1300)]
    table = pa.table({"n": pa.array(range(1300), pa.int16()), "body": pa.array(texts, kind)})
    chunked = pa.concat_tables([table.slice(0, 700), table.slice(700)])
    result = deduplicate(chunked, unit="sentence", text_field="body")
    assert result.kept.schema == table.schema
    expected = [text if place == 3 else f"It is {place}." for place, text in enumerate(texts)]
    assert result.kept["body"].to_pylist() == expected
    assert pa.table(result.removed)["record"].to_pylist() == [5, 1201]
    records = result.kept.to_pylist()
    assert restore(records, result.removed, text_field="body") == table.to_pylist()
    restored = restore(result.kept, result.removed, text_field="body")
    assert (restored.schema, restored.to_pylist()) == (table.schema, table.to_pylist())


@given(
    rows=st.lists(st.lists(st.integers(0, 3), max_size=4)),
    chosen=st.lists(st.booleans(), min_size=8),
)
def test_rows_of_equal_hashes_are_verified(rows: list[list[int]], chosen: list[bool]) -> None:
    """A bad hash function for the first seeds changes nothing."""
    places = [place for place, _ in enumerate(rows) if chosen[place % len(chosen)]]
    values = Ragged.of(rows, "uint32")

    def hash_of(rows: Ragged, seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
        return row_hashes(rows, seed) % np.uint64(2 if seed < 2 else 1 << 63)

    with patch("sdtext.kernels.arrays.equal_rows.row_hashes", hash_of):
        copies = equal_rows(values, np.array(places, np.int64))
    for place, row in enumerate(places):
        equal = [other for other, there in enumerate(places) if rows[there] == rows[row]]
        assert copies.first[place] == equal[0]
        assert copies.rank[place] == equal.index(place)
        assert copies.number[place] == len(equal)


Sentences = list[tuple[str, ...]]

WORDS = st.sampled_from(("Bees", "Bees", "Dance"))
SENTENCE = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: " ".join(words) + "!")
REPEATING = st.lists(
    st.lists(SENTENCE, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=5
)


class SlowSearch:
    """The sentences to remove, word by word."""

    def __init__(self, documents: list[Sentences], length: int) -> None:
        self.words = [word for sentences in documents for each in sentences for word in each]
        self.document = [
            place for place, sentences in enumerate(documents) for each in sentences for _ in each
        ]
        ends = np.cumsum([len(each) for sentences in documents for each in sentences]).tolist()
        self.spans = [*pairwise([0, *ends])]
        self.length = length
        self.first = self.windows()
        self.candidates = {span: each for span in self.spans if (each := self.distances(*span))}
        self.moves = [0] * len(self.words)
        self.decide()

    def windows(self) -> dict[int, int]:
        """The first copy of each window that is repeated and may be removed."""
        places = defaultdict[tuple[str, ...], list[int]](list)
        for start in range(len(self.words) - self.length + 1):
            stop = start + self.length
            if self.document[start] == self.document[stop - 1]:
                places[tuple(self.words[start:stop])].append(start)
        return {
            place: each[0]
            for each in places.values()
            for place in each
            if place - each[0] >= self.length
        }

    def distances(self, start: int, stop: int) -> list[int]:
        """How far before the words of a sentence stand."""
        if stop - start <= self.length:
            around = range(max(stop - self.length, 0), start + 1)
            around = [at for at in around if at in self.first]  # type: ignore[assignment]
            return [at - self.first[at] for at in [*around[:1], *around[-1:]]]
        inside = [*range(start, stop - self.length + 1)]
        if not all(at in self.first for at in inside):
            return []
        tried = (at - self.first[at] for at in (inside[0], inside[-1], inside[len(inside) // 2]))
        return [each for each in tried if each >= stop - start and self.stands(start, stop, each)]

    def stands(self, start: int, stop: int, distance: int) -> bool:
        there = slice(start - distance, stop - distance)
        return self.words[there] == self.words[start:stop] and len({*self.document[there]}) == 1

    def decide(self) -> None:
        touched = {word for span in self.candidates for word in range(*span)}
        later = []
        for (start, stop), distances in self.candidates.items():
            free = [
                each for each in distances
                if touched.isdisjoint(range(start - each, stop - each))
            ]  # fmt: skip
            if free:
                self.moves[start:stop] = [free[0]] * (stop - start)
            else:
                later.append((start, stop))
        for start, stop in later:
            for each in self.candidates[start, stop]:
                moves = {*self.moves[start - each : stop - each]}
                if len(moves) == 1 and self.stands(start, stop, each + min(moves)):
                    self.moves[start:stop] = [each + min(moves)] * (stop - start)
                    break


@given(REPEATING, st.integers(2, 7))
@example(["Dance Dance! Bees! Dance! Dance! Dance!", "Bees Bees! Bees! Dance!"], 2)
def test_passages_are_those_of_a_slow_search_and_stand_where_they_are_kept(
    texts: list[str], length: int
) -> None:
    records = [{"text": text} for text in texts]
    result = deduplicate(records, unit="passage", min_tokens=length)
    slow = SlowSearch([units_of(text, "sentence") for text in texts], length)
    stays = [tuple(slow.words[start:stop]) for start, stop in slow.spans if not slow.moves[start]]
    kept = [key for record in result.kept for key in units_of(record["text"], "sentence")]
    assert kept == stays
    assert restore(result.kept, result.removed) == records
    for row in result.removed:
        there = texts[int(row.kept)][row.kept_start : row.kept_end]
        assert words_of(there) == words_of(row.text)
        assert not any(
            other.document == row.kept
            and other.start < row.kept_end
            and row.kept_start < other.end - len(other.text) + len(other.text.rstrip())
            for other in result.removed
        )


@given(
    st.lists(st.lists(st.integers(0, 1), max_size=9), min_size=1, max_size=4),
    st.integers(2, 4),
    st.integers(0, 2),
    st.fixed_dictionaries(
        {
            "_WINDOWS_AT_ONCE": st.sampled_from((1, 5, 1 << 24)),
            "_TILE": st.sampled_from((1, 3, 1 << 18)),
            "_UNMARKED_BITS": st.sampled_from((8, 31)).map(np.uint32),
        }
    ),
)
def test_windows_of_equal_hashes_are_verified(
    documents: list[list[int]], length: int, bad: int, limits: dict[str, Any]
) -> None:
    """Bad hash functions for the first seeds change nothing, nor do small parts."""

    def hash_of(length: int, seed: int, words: Any) -> Any:
        return window_hashes(length, seed, words) % np.uint64(2 if seed < bad else 1 << 63)

    words = np.array([word for document in documents for word in document], np.uint32)
    bounds = np.cumsum([0, *map(len, documents)])
    marks = np.zeros(len(words), np.int64)
    with patch.dict(vars(repeated_sentences), {**limits, "window_hashes": hash_of}):
        mark_repeated_windows(Ragged(words, bounds), length, marks)
    seen: dict[bytes, int] = {}
    for first, last in pairwise(bounds.tolist()):
        for place in range(first, last):
            window = words[place : min(place + length, last)]
            expected = 0
            if len(window) == length:
                before = seen.setdefault(window.tobytes(), place)
                expected = (before + 1) * (1 if place - before >= length else -1)
                expected *= before < place
            assert marks[place] == expected
