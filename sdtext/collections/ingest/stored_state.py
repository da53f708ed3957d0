"""Documents to add beside those stored: which are new, changed or kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.collections.conditions import HasName
from sdtext.collections.document_types import DocumentRows, StoredDocument
from sdtext.reading.inputs import InputDocument, MetadataTable


def with_stored_state(
    batch: Sequence[InputDocument], collection: Collection, table: MetadataTable | None
) -> Iterator[InputDocument]:
    """The documents of a batch with their metadata, and with the digests of those stored.

    Where a document's metadata have changed it gets no digest, so that its row is built anew.
    """
    stored = _stored(batch, collection)
    for item in batch:
        old = stored.get((item.root, item.name))
        metadata = {**item.metadata, **(table.of(item.name) if table else {})}
        if old and (item.path or item.document) and not metadata:
            metadata = old.metadata  # the call gives none for it
        if old is None:
            yield replace(item, metadata=metadata)
        else:
            digest = old.digest if metadata == old.metadata else ""
            yield replace(item, metadata=metadata, stored=True, digest=digest)


@dataclass
class ChangedRows:
    """The rows to add of documents whose columns are known: those that are not stored so already.

    It counts the documents that are `added`, `replaced` or `unchanged`. With `keeps_metadata`,
    stored metadata stay where a document has none.
    """

    collection: Collection
    table: MetadataTable | None
    keeps_metadata: bool
    added: int = 0
    replaced: int = 0
    unchanged: int = 0

    def __call__(self, rows: DocumentRows) -> DocumentRows:
        """The rows of documents that are new or changed."""
        path = Path() if self.keeps_metadata else None
        items = [
            InputDocument(document.root, document.name, path, metadata=document.metadata)
            for document in rows.documents
        ]
        states = [*with_stored_state(items, self.collection, self.table)]
        pairs = zip(states, rows.documents, strict=True)
        changed = [not state.stored or state.digest != new.digest for state, new in pairs]
        self.unchanged += changed.count(False)
        self.replaced += sum(state.stored for state in compress(states, changed))
        self.added += sum(not state.stored for state in states)
        documents = [
            replace(document, metadata=dict(state.metadata))
            for document, state in compress(zip(rows.documents, states, strict=True), changed)
        ]
        places = np.arange(len(rows)) if rows.places is None else rows.places
        return DocumentRows(documents, rows.arrays, places[np.array(changed, bool)])


def _stored(
    batch: Sequence[InputDocument], collection: Collection
) -> dict[tuple[str, str], StoredDocument]:
    """The stored documents with the names in a batch, by root and name."""
    names: dict[str, list[str]] = {}
    for item in batch:
        names.setdefault(item.root, []).append(item.name)
    stored = (collection.documents(HasName(below, root)) for root, below in names.items())
    return {
        (document.root, document.name): document for documents in stored for document in documents
    }
