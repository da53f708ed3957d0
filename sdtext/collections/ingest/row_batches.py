"""Documents in batches, each with what the collection has of it already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from operator import attrgetter

from sdtext.collections.collection import Collection
from sdtext.collections.document_rows import StoredDocument
from sdtext.collections.ingest.inputs import Joined, Named
from sdtext.collections.ingest.row_maker import Item
from sdtext.collections.naming import Called
from sdtext.reading.batches import Run, batched
from sdtext.reading.records import Fields, records_in

_RECORDS = 500  # in a batch
_CHARACTERS = 2 << 20


class Batches:
    """What is `named`, to be added to a collection, in batches.

    `total` counts the documents met so far: how many records a file holds is known at its end.
    """

    def __init__(self, named: Sequence[Named], fields: Fields, run: Run) -> None:
        self.named = named
        self.fields = fields
        self.run = run
        self.total = sum(not one.records for one in named)

    def __iter__(self) -> Iterator[list[Item]]:
        for records, group in groupby(self.named, key=attrgetter("records")):
            if not records:
                yield from self._files(list(group))
                continue
            for batch in self._records(group):
                self.total += len(batch)
                yield batch

    def _files(self, named: Sequence[Named]) -> Iterator[list[Item]]:
        rest = iter(named)
        for batch in batched([one.path for one in named], self.run.jobs):
            yield [Item(one.root, one.name, one.path) for one in islice(rest, len(batch))]

    def _records(self, named: Iterable[Named]) -> Iterator[list[Item]]:
        for one in named:
            found = records_in(one.path, self.fields, self.run.note, self.run.reading)
            yield from in_batches(
                Item(one.root, record.name, text=record.text, facts=record.metadata)
                for record in found
            )


def in_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items with texts in batches, each of some megabytes at the most unless one has more."""
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.text)
        if size > _CHARACTERS or len(batch) == _RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def compared(
    batch: Sequence[Item], collection: Collection, joined: Joined | None
) -> Iterator[Item]:
    """The items of a batch with their facts, and with the digests of those that are stored.

    Where a document's facts have changed it gets no digest, so that it is made anew.
    """
    stored = _stored(batch, collection)
    for item in batch:
        old = stored.get((item.root, item.name))
        facts = {**item.facts, **(joined.of(item.name) if joined else {})}
        if old and item.path and not facts:
            facts = old.metadata  # nothing new is said of it
        if old is None:
            yield replace(item, facts=facts)
        else:
            digest = old.digest if facts == old.metadata else ""
            yield replace(item, facts=facts, stored=True, digest=digest)


def _stored(batch: Sequence[Item], collection: Collection) -> dict[tuple[str, str], StoredDocument]:
    """What the collection has under the names in a batch."""
    names: dict[str, list[str]] = {}
    for item in batch:
        names.setdefault(item.root, []).append(item.name)
    found = (collection.documents(Called(below, root)) for root, below in names.items())
    return {(one.root, one.name): one for documents in found for one in documents}
