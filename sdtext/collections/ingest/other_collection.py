"""Rows of a collection from another collection: its live documents as they are stored there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.collections.collection_recipe import check_mergeable
from sdtext.collections.document_types import DocumentRows, NewDocument, StoredDocument
from sdtext.collections.storage.segments import RowSource
from sdtext.errors import OptionError, shown

_AT_ONCE = 1 << 12  # documents


@dataclass(frozen=True, eq=False)
class OtherCollection:
    """A collection whose documents are added to another one, with all that is stored of them.

    It is verified whatever it was opened with: a copy would give damaged bytes a valid checksum.
    """

    collection: Collection

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.collection.path

    def rows(self, collection: Collection) -> Iterator[DocumentRows]:
        """The rows of its documents that are not removed, some at a time.

        Raises OptionError if it is the collection itself, MismatchError if that stores something
        else of each document, FormatError if it is damaged.
        """
        if self.path.resolve() == collection.path.resolve():
            what = "is the collection itself; name another one to add its documents"
            raise OptionError(what, file=shown(self.path))
        check_mergeable(collection, self.collection)
        segments = {segment.number: segment for segment in self.collection.segments()}
        for number, documents in groupby(self.collection, key=attrgetter("segment")):
            segment = segments[number]
            segment.check_all()
            arrays = RowSource.of(segment, self.collection.columns).arrays
            while batch := list(islice(documents, _AT_ONCE)):
                places = np.array([document.row for document in batch], np.int64)
                yield DocumentRows([*map(_as_new, batch)], arrays, places)


def _as_new(stored: StoredDocument) -> NewDocument:
    return NewDocument(stored.name, stored.root, stored.size, stored.digest, stored.metadata)
