"""Segments of a large workspace are written once, and those of a small one need little memory."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from sdtext.collections.storage.writer import SEGMENT_BYTES, CollectionWriter, due
from sdtext.deduplication import temporary_collection
from sdtext.deduplication.run import deduplicate
from sdtext.deduplication.temporary_collection import most_waiting
from tests.cli.command import prose

MB = 1 << 20
MANY = 1 << 22


def test_segments_of_many_documents_are_too_large_to_be_merged() -> None:
    sizes = [most_waiting(MANY) + 1] * 20
    assert due(sizes, [0.0] * 20) is None
    assert due([*sizes, *[most_waiting(MANY - 1) + 1] * 7, *sizes], [0.0] * 47) is None


def test_few_documents_wait_in_as_little_memory_as_those_of_any_collection() -> None:
    assert {most_waiting(number) for number in (0, 1, 1_000_000, MANY - 1)} == {SEGMENT_BYTES}
    assert most_waiting(MANY) == most_waiting(100 * MANY) == 512 * MB


@pytest.mark.parametrize("most", [0, 300_000, 600_000])
def test_rows_are_committed_when_more_wait_than_may(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [prose(seed % 1500, 60) for seed in range(1600)]
    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    whole = deduplicate(records)
    seen, sizes = [0], list[int]()
    commit = CollectionWriter.commit

    def limit(documents: int) -> int:
        seen.append(documents)
        return most

    def counted_commit(writer: CollectionWriter) -> None:
        sizes.append(writer._pending.size)
        commit(writer)

    monkeypatch.setattr(temporary_collection, "most_waiting", limit)
    monkeypatch.setattr(CollectionWriter, "commit", counted_commit)
    done = deduplicate(records)
    assert done.removed == whole.removed
    assert seen[-1] == len(texts)
    assert all(ones < others for ones, others in pairwise(seen))
    assert all(size > most for size in sizes[:-1])
    assert len(sizes) > 1
