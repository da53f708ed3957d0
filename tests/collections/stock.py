"""Rows derived from names alone, and the expected content of a collection."""

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.terms.document_words import words_in
from sdtext.model import PartSpec, RecipeSpec
from sdtext.reading.walk import CATALOG

RECIPE = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),), PartSpec("bitvector"))
WORDS = ("bee", "hive", "honey", "ü", "中国", "a" * 70, "\x00", "of")
ALL = ("sketches", "shingles", "tokens", "words", "text", "codes")
FEW = ("sketches", "shingles")
State = Mapping[str, Mapping[str, Any]]


def document(name: str) -> dict[str, Any]:
    """All that is kept of the document of that name: it follows from the name."""
    random = Random(name)
    shingles = sorted({random.randrange(1 << 64) for _ in range(random.randrange(6))})
    return {
        "sketches": [random.randrange(1 << 32) for _ in range(4)],
        "shingles": shingles,
        "tokens": [random.choice(("", *WORDS)) for _ in range(random.randrange(9))],
        "text": name * random.randrange(3),
        "codes": [[random.randrange(256) for _ in range(3)] for _ in range(random.randrange(4))],
        "metadata": {"name": name, "year": random.randrange(2000, 2030), "share": None},
    }


def rows(names: Sequence[str], kept: Sequence[str] = ALL) -> DocumentRows:
    """The documents of these names, as a block of work gives them: with its own vocabulary."""
    result = [document(name) for name in names]
    words = list(
        {word: None for item in result for word in item["tokens"] if word} | {"unused": None}
    )
    ids = {"": 0} | {word: place for place, word in enumerate(words, 1)}
    arrays: dict[str, NDArray[Any] | Ragged] = {
        "sketches": np.array([item["sketches"] for item in result], np.uint32).reshape(-1, 4),
        "shingles": Ragged.of([item["shingles"] for item in result]),
        "tokens": Ragged.of([[ids[word] for word in item["tokens"]] for item in result], "uint32"),
        "words": words_in([word.encode() for word in words]),
        "text": words_in([item["text"].encode() for item in result]),
        "codes": _coded([item["codes"] for item in result]),
    }
    arrays = {name: arrays[name] for name in kept}
    documents = [
        NewDocument(name, "/in", len(name), f"digest of {name}", item["metadata"])
        for name, item in zip(names, result, strict=True)
    ]
    return DocumentRows(documents, arrays)


def _coded(rows: Sequence[Sequence[Sequence[int]]]) -> Ragged:
    """Rows of different lengths, of codes of three bytes each."""
    codes = np.array([code for row in rows for code in row], np.uint8).reshape(-1, 3)
    return Ragged(codes, offsets_of([*map(len, rows)]))


def expected_state(names: Sequence[str], kept: Sequence[str] = ALL) -> State:
    """What a collection tells that holds these documents."""
    reported = {*kept, "metadata"} - {"words"}
    return {name: {key: document(name)[key] for key in reported} for name in names}


def stored_state(collection: StoredCollection) -> State:
    """All that a collection tells of its documents, read back word by word."""
    segments = {item.number: item for item in collection.segments()}
    return {
        item.name: {**_row(segments[item.segment], item.row), "metadata": item.metadata}
        for item in collection.documents()
    }


def _row(segment: StoredSegment, row: int) -> dict[str, Any]:
    assert segment.alive[row]
    reported: dict[str, Any] = {
        "sketches": segment.arrays["sketches"][row].tolist(),
        "shingles": segment.ragged("shingles")[row].tolist(),
    }
    if "tokens" in segment.arrays:
        words = ["", *(bytes(word).decode() for word in segment.ragged("words"))]
        assert words == sorted(set(words))
        reported["tokens"] = [words[token] for token in segment.ragged("tokens")[row]]
        reported["text"] = bytes(segment.ragged("text")[row]).decode()
        reported["codes"] = segment.ragged("codes")[row].tolist()
    return reported


def new_collection(
    path: Path, names: Sequence[str], batch: int = 3, segment_bytes: int = 1 << 26
) -> Path:
    """A new collection of these documents, added some at a time."""
    collection = StoredCollection.create(path, RECIPE)
    with collection.writing(segment_bytes) as writer:
        for place in range(0, len(names), batch):
            writer.add(rows(names[place : place + batch]))
    return path


def names(number: int, first: int = 0) -> list[str]:
    return [f"letters/{place}.txt" for place in range(first, first + number)]


def content(folder: Path) -> dict[str, bytes]:
    """The bytes of all arrays of a collection, by the paths of their files."""
    return {
        os.path.relpath(path, folder): path.read_bytes() for path in folder.glob("segments/*/*.npy")
    }


def change(path: Path, statement: str, *values: object, checksums: bool = False) -> None:
    """Change a catalog and its digest, as a forger would, or also the `checksums` of documents."""
    with closing(sqlite3.connect(path / CATALOG)) as connection, connection:
        connection.execute(statement, values)
    with closing(Catalog(path, "x.sdx", "mode=rw")) as catalog, suppress(FormatError):
        for (number,) in catalog.rows("SELECT number FROM segments") if checksums else ():
            with suppress(FileNotFoundError):
                ids = np.load(path / "segments" / str(number) / "ids.npy")
                listed = json.dumps(catalog.checksums(ids))
                catalog.run("UPDATE segments SET documents = ? WHERE number = ?", listed, number)
        catalog.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", "digest", catalog._digest())
