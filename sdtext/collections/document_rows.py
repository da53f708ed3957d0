"""What is said of a document in a collection, and rows of documents on their way into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Metadata


@dataclass(frozen=True)
class NewDocument:
    """A document that is to be added.

    `name` is its path below the folder `root`; no two live documents share both. `digest` is
    that of its content, in any text form; `size` counts its bytes. Numbers in the metadata that
    JSON cannot say (NaN, infinities) are stored as null.
    """

    name: str
    root: str = ""
    size: int = 0
    digest: str = ""
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True)
class StoredDocument:
    """A live document of a collection: what was said of it, its number, and where its row is.

    `id` stays the same as long as the document is there and is never given again; `segment` and
    `row` change when segments are merged.
    """

    id: int
    name: str
    root: str
    size: int
    digest: str
    segment: int
    row: int
    metadata: dict[str, str | int | float | None]


def row_checksum(told: Sequence[object]) -> str:
    """The checksum (XXH3, 64 bits) of what a row of the catalog tells of a document."""
    from xxhash import xxh3_64_hexdigest

    parts = (one if isinstance(one, bytes) else str(one).encode("utf-8") for one in told)
    return xxh3_64_hexdigest(b"\0".join(parts))


@dataclass(frozen=True)
class Rows:
    """Documents, and arrays with a row for each of them, by name.

    All rows that go into one collection have arrays of the same names, types and widths. Where
    there are `tokens`, `words` is their vocabulary (see `sdtext.collections.storage.vocabulary`):
    it belongs to these rows alone and has any number of words.
    """

    documents: list[NewDocument]
    arrays: Mapping[str, NDArray[Any] | Ragged]

    def __len__(self) -> int:
        return len(self.documents)
