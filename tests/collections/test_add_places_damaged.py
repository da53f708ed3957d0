"""Damage in a collection for passages is reported before any search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import codes_of, words_of
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec
from sdtext.reuse import find_reuse
from tests.support.word_offsets import SENTENCES, spelled, written

CODED = replace(SENTENCES, aligner=PartSpec("sentences"))
KEPT = ["tokens", "words", "word-starts", "word-ends", "spans", "titles"]
OF_SENTENCES = ["unit-starts", "unit-ends", "codes", "short"]
FILES_KEPT = [
    *(KEPT + OF_SENTENCES),
    *(f"{name}.offsets" for name in KEPT + OF_SENTENCES if name != "short"),
]


@pytest.mark.parametrize("file", FILES_KEPT)
def test_a_flipped_bit_is_damage_before_any_search(tmp_path: Path, file: str) -> None:
    folder = written(tmp_path / "texts", range(3))
    (folder / "page.html").write_text("<!DOCTYPE html><h1>Of bees</h1><p>They fly.</p>", "utf-8")
    add_documents(tmp_path / "x.sdx", folder, CollectionSpec(CODED))
    (path,) = (tmp_path / "x.sdx").rglob(f"{file}.npy")
    data = bytearray(path.read_bytes())
    data[-9 if file.endswith(".offsets") else -1] ^= 2
    path.write_bytes(data)
    damaged = StoredCollection.open(tmp_path / "x.sdx")
    reported = f"{path}: is damaged: "
    with pytest.raises(FormatError) as refused:
        find_reuse(damaged)
    assert str(refused.value).startswith(reported)
    assert any(problem.message.startswith(reported) for problem in damaged.verify())


ROW: Mapping[str, Sequence[object]] = {
    "tokens": [1, 2],
    "words": [97, 98],
    "word-starts": [0, 2],
    "word-ends": [1, 3],
    "spans": [0, 0, 3],
    "titles": [],
    "unit-starts": [0, 2],
    "unit-ends": [1, 3],
    "codes": [[1] * 16, [2] * 16],
}


def forged(path: Path, **rows: Sequence[int]) -> StoredCollection:
    """A collection with checksums that are right, whatever its only document says."""
    given = {**ROW, **{name.replace("_", "-"): row for name, row in rows.items()}}
    bytewise = {"words", "titles", "codes"}
    arrays: dict[str, Any] = {}
    for name, row in given.items():
        values = np.array(row, np.uint8 if name in bytewise else np.uint32)
        ends = range(len(values) + 1) if name == "words" else (0, len(values))
        arrays[name] = Ragged(values, np.array(ends, np.int64))
    arrays["short"] = np.zeros(1, np.int64)
    with StoredCollection.create(path, SENTENCES).writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], arrays))
    return StoredCollection.open(path)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("word_starts", [2, 0], "word offsets are not in order"),
        ("word_starts", [0, 4], "word offsets are not in order"),
        ("word_ends", [1], "word offsets do not match the words"),
        ("spans", [0, 3, 1], "spans have no end"),
        ("spans", [0, 3], "spans have no end"),
        ("unit_starts", [2, 0], "sentences are not in order"),
        ("unit_ends", [1], "codes do not match their sentences"),
    ],
)
def test_places_that_cannot_be_are_damage_though_they_were_written_so(
    tmp_path: Path, name: str, row: list[int], message: str
) -> None:
    collection = forged(tmp_path / "x.sdx", **{name: row})
    with pytest.raises(FormatError, match=rf"x\.sdx/segments/1: is damaged: {message}"):
        words_of(collection), codes_of(collection)
    assert any(message in problem.message for problem in collection.verify())
    whole = forged(tmp_path / "whole.sdx")
    assert spelled(words_of(whole)) == [[("a", 0, 1), ("b", 2, 3)]]
    assert not list(whole.verify())
