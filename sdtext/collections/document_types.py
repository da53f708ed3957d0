"""Documents of a collection, and rows to add for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import WORDS
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Metadata
from sdtext.model.displayed_results import ShortFields

OF_FINGERPRINT = "fingerprint-"
"""How digests begin of documents that were added as fingerprints: no file has such a digest."""


@dataclass(frozen=True)
class NewDocument:
    """A document to add.

    `name` is its path below the folder `root`; no two live documents share both. `digest` is
    that of its content, in any text form; `size` counts its bytes. Numbers in the metadata that
    JSON lacks (NaN, infinities) are stored as null. `length` counts the characters of its text; it
    is not stored.
    """

    name: str
    root: str = ""
    size: int = 0
    digest: str = ""
    metadata: Metadata = field(default_factory=dict)
    length: int = 0


@dataclass(frozen=True, repr=False)
class StoredDocument(ShortFields):
    """A live document of a collection, with its id, its metadata, and the place of its row.

    `id` never changes and is never given again; `segment` and `row` change when segments are
    merged.
    """

    id: int
    name: str
    root: str
    size: int
    digest: str
    segment: int
    row: int
    metadata: dict[str, str | int | float | None]


@dataclass(frozen=True)
class DocumentRows:
    """Documents to add, and arrays by name with a row for each of them.

    All rows of one collection have arrays of the same names, types and widths. If there are
    `tokens`, `words` is their vocabulary, of any number of words, for these
    rows alone (see `sdtext.collections.storage.merge_vocabularies`).

    With `places`, the arrays have been verified, such as those of a segment, and the documents have
    the rows at these places of them, in rising order.
    """

    documents: Sequence[NewDocument | StoredDocument]
    arrays: Mapping[str, NDArray[Any] | Ragged]
    places: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def size(self) -> int:
        """About how many bytes its rows have."""
        whole = sum(array.nbytes for array in self.arrays.values())
        if self.places is None:
            return whole
        rows = max((len(array) for name, array in self.arrays.items() if name != WORDS), default=1)
        return whole * len(self) // rows


def as_stored(name: str) -> str | bytes:
    """A name as the catalog stores it: as bytes if it is no Unicode text."""
    return name if is_text(name) else name.encode("utf-8", "surrogatepass")


def as_given(stored: str | bytes) -> str:
    """The name that was given for one `as_stored`."""
    return stored.decode("utf-8", "surrogatepass") if isinstance(stored, bytes) else str(stored)


def is_text(text: str) -> bool:
    """Whether a text has no lone surrogates, which names of files that are not UTF-8 have."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
