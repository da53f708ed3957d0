"""Documents to add beside those stored: which are new, changed or kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sdtext.collections.collection import Collection
from sdtext.collections.conditions import HasName
from sdtext.collections.document_types import StoredDocument
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
