"""Segments of a large workspace are written once, and those of a small one need little memory."""

from __future__ import annotations

from sdtext.collections.storage.writer import SEGMENT_BYTES, due
from sdtext.deduplication.temporary_collection import most_waiting

MB = 1 << 20
MANY = 1 << 22


def test_segments_of_many_documents_are_too_large_to_be_merged() -> None:
    sizes = [most_waiting(MANY) + 1] * 20
    assert due(sizes, [0.0] * 20) is None
    assert due([*sizes, *[most_waiting(MANY - 1) + 1] * 7, *sizes], [0.0] * 47) is None


def test_few_documents_wait_in_as_little_memory_as_those_of_any_collection() -> None:
    assert {most_waiting(number) for number in (0, 1, 1_000_000, MANY - 1)} == {SEGMENT_BYTES}
    assert most_waiting(MANY) == most_waiting(100 * MANY) == 512 * MB
