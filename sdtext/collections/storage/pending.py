"""Documents that wait for the next commit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_rows import NewDocument, Rows, row_checksum
from sdtext.collections.storage.arrays import NAME, ArrayKind, Kinds
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.segment_writing import Source
from sdtext.collections.storage.segments import IDS
from sdtext.collections.storage.vocabulary import TOKENS, WORDS, used_words
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Metadata

_REMOVE_NAMED = "UPDATE documents SET removed = 1 WHERE root = ? AND name = ? AND removed IS NULL"
_REMOVE = "UPDATE documents SET removed = 1 WHERE id = ? AND removed IS NULL"
_INSERT = (
    "INSERT INTO documents (id, root, name, size, digest, metadata, removed, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_Key = tuple[str | bytes, str | bytes]


@dataclass
class Pending:
    """What was added and removed since the last commit, and how many bytes its arrays have."""

    documents: list[tuple[int, NewDocument]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.documents or self.removed)

    def add(self, first: int, rows: Rows) -> NDArray[Any]:
        """Keep documents; their ids, from `first` on."""
        ids = np.arange(first, first + len(rows), dtype=np.int64)
        if len(rows):
            self.documents += zip(ids.tolist(), rows.documents, strict=True)
            self.sources.append(Source(ids, np.arange(len(rows)), rows.arrays))
            self.size += sum(map(_size, rows.arrays.values()))
        return ids

    def write(self, catalog: Catalog) -> None:
        """Tell the catalog all of it, within a transaction."""
        keys = [(as_stored(one.root), as_stored(one.name)) for _, one in self.documents]
        last = dict(zip(keys, (number for number, _ in self.documents), strict=True))
        catalog.run_many(_REMOVE_NAMED, iter(last))
        catalog.run_many(_INSERT, self._rows(keys, last))
        catalog.run_many(_REMOVE, ((number,) for number in self.removed))

    def _rows(self, keys: list[_Key], last: dict[_Key, int]) -> Iterator[tuple[object, ...]]:
        """Rows of the table; of several documents with one name all but the last are removed."""
        for (number, one), key in zip(self.documents, keys, strict=True):
            removed = None if last[key] == number else 1
            told = (number, *key, one.size, one.digest, _json(one.metadata))
            yield *told, removed, row_checksum(told)


def kinds_of(rows: Rows, known: Kinds) -> Kinds:
    """What the arrays of rows are like: as those that are `known`, if any are.

    Raises ValueError where they are not, or do not have a row for each document.
    """
    kinds = {name: ArrayKind.of(array) for name, array in rows.arrays.items()}
    if kinds != (known or kinds):
        raise ValueError(f"arrays are {kinds}; in this collection they are {dict(known)}")
    for name, array in rows.arrays.items():
        if name == IDS or not NAME.fullmatch(name):
            raise ValueError(f"an array may not be called {name!r}")
        if name != WORDS and len(array) != len(rows):
            raise ValueError(f"{name} has {len(array)} rows for {len(rows)} documents")
    tokens, words = rows.arrays.get(TOKENS), rows.arrays.get(WORDS)
    if isinstance(tokens, Ragged) and isinstance(words, Ragged):
        used_words([tokens.values], len(words))
    return kinds


def _size(array: NDArray[Any] | Ragged) -> int:
    if isinstance(array, Ragged):
        return int(array.values.nbytes + array.offsets.nbytes)
    return int(array.nbytes)


def as_stored(name: str) -> str | bytes:
    """A name as the catalog stores it: as bytes where it is no Unicode text."""
    return name if _is_text(name) else name.encode("utf-8", "surrogatepass")


def _json(metadata: Metadata) -> str:
    """Metadata as JSON that every reader takes: no NaN, no halves of characters."""
    plain = {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in metadata.items()
    }
    text = json.dumps(plain, ensure_ascii=False)
    return text if _is_text(text) else json.dumps(plain)


def _is_text(text: str) -> bool:
    """Whether it has no halves of characters, as names of files that are not UTF-8 have."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
