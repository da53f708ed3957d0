"""Derived columns that are damaged are derived again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.collections.storage.arrays import write_array
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.io.output import written
from sdtext.io.platform import IS_UNIX
from sdtext.model import PartSpec
from sdtext.parts.registry import build
from sdtext.search.derived_columns import Derivation

from .stored import RECIPE, stored, texts_of

Bad = Callable[[Any], Any]
ASKED = replace(RECIPE, shingler=PartSpec.of("words", length=3))


def _derived(segment: StoredSegment) -> list[Any]:
    derivation = Derivation(RECIPE, ASKED)
    bands = build("indexes", PartSpec("bands"))
    rows = [row.tolist() for row in derivation.shingles(segment)]
    return [rows, derivation.sketches(segment).tolist(), derivation.keys(segment, bands).tolist()]


def _falling(array: Any) -> Any:
    return array if array.dtype != np.int64 else np.r_[array[0], array[1:-1][::-1], array[-1]]


BAD: tuple[Bad, ...] = (
    lambda array: array[:-1],
    lambda array: array[:0],
    lambda array: array.astype("<f8"),
    lambda array: array.reshape(*array.shape, 1),
    lambda array: array[()] if array.ndim > 1 or array.dtype == np.int64 else array[1:],
    lambda array: array + (array.dtype == np.int64),
    _falling,
)


@pytest.mark.skipif(not IS_UNIX, reason="Windows replaces no file in use")
def test_damaged_derived_arrays_are_derived_again(tmp_path: Path) -> None:
    collection = stored(tmp_path / "x.sdx", texts_of(1))
    expected = [_derived(segment) for segment in collection.segments()]
    for number, bad in enumerate(BAD):
        for file in tmp_path.rglob("derived/*.npy"):
            array = bad(np.load(file))
            with written(file) as out:
                write_array(out, array.dtype.str, array.shape, [array])
        collection.refresh()
        assert [_derived(segment) for segment in collection.segments()] == expected, number


@pytest.mark.skipif(not IS_UNIX, reason="Windows removes no file in use")
def test_a_damaged_derived_array_that_cannot_be_replaced_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.sdx"
    expected = [_derived(segment) for segment in stored(path, texts_of(1)).segments()]
    for file in path.rglob("derived/*.npy"):
        data = bytearray(file.read_bytes())
        data[-40] ^= 1  # of the last element; a checksum of 32 bytes follows
        file.unlink()
        file.write_bytes(data)

    def refused(_: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr("sdtext.collections.storage.derived_cache.written", refused)
    segments = StoredCollection.open(path).segments()
    assert [_derived(segment) for segment in segments] == expected
