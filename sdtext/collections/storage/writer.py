"""Writing to a collection: rows become segments, and a commit of the catalog makes them count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.document_rows import Rows
from sdtext.collections.integrity import check_whole
from sdtext.collections.snapshot import Snapshot
from sdtext.collections.storage.catalog import Catalog
from sdtext.collections.storage.merging import due
from sdtext.collections.storage.meta import REMEDY
from sdtext.collections.storage.pending import Pending, kinds_of
from sdtext.collections.storage.place import Place, write_failures
from sdtext.collections.storage.segment_writing import Source, discard, make_segment
from sdtext.collections.storage.segments import SEGMENTS, Listed, Segment
from sdtext.errors import FormatError, OutputError, SdtextError

SEGMENT_BYTES = 64 << 20
_DROP = "DELETE FROM documents WHERE removed IS NOT NULL AND id BETWEEN ? AND ?"


class Writer:
    """The one who may write to a collection; made by `Collection.writing`.

    Arrays that wait are written and committed when they have more than `most` bytes. `refreshed`
    looks at the collection as it is after a commit.
    """

    def __init__(self, place: Place, refreshed: Callable[[], Snapshot], most: int) -> None:
        self._place = place
        self._refreshed = refreshed
        self._most = most
        self._carried = place.catalog.carried()
        self._pending = Pending()
        self._over = False
        self._damaged: set[int] = set()

    def add(self, rows: Rows) -> NDArray[np.int64]:
        """Add documents; the ids they get. One by the name of another takes its place.

        They are on the disk after `commit`, which comes by itself where many wait. Raises
        OutputError.
        """
        kinds = kinds_of(rows, self._carried.kinds)
        first = self._carried.next_document
        ids = self._pending.add(first, rows)
        self._carried = replace(self._carried, kinds=kinds, next_document=first + len(rows))
        if self._pending.size > self._most:
            self.commit()
        return ids

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents with the next commit; ids of which there is none are passed over."""
        given = range(1, self._carried.next_document)  # an id may be one that is given next
        self._pending.removed += (number for number in map(int, ids) if number in given)

    def commit(self) -> None:
        """Put all that was added and removed on the disk, to stay there whatever happens.

        Raises OutputError; what was committed before is kept.
        """
        if self._over:
            raise ValueError("the block in which the collection was written to has ended")
        if not self._pending and self._place.is_there:
            return
        self._change(self._pending.sources, self._pending.write)
        self._pending = Pending()
        self._place.appear()
        snapshot = self._refreshed()
        with suppress(OutputError):  # what is in is in; merging is tried again another time
            while ends := self._due(snapshot):
                snapshot = self._merged(snapshot, ends)

    def compact(self) -> bool:
        """Merge all segments into one, without what is removed.

        Whether nothing of that is on the disk any more: another reader may keep it in the log of
        the catalog until it ends. Raises OutputError; FormatError where a segment is damaged.
        """
        self.commit()
        segments = self._refreshed().segments
        for one in segments:
            check_whole(one)
        old = segments if len(segments) > 1 or any(one.dead for one in segments) else ()
        if old:
            self._merge(old)
        rewritten = self._place.catalog.rewritten(self._refreshed)
        return rewritten and not any(one.folder.exists() for one in old)

    def end(self) -> None:
        """Forget what waits, and the collection: who keeps the writer does not keep that open."""
        self._pending = Pending()
        self._refreshed = _nothing
        self._over = True

    def _change(self, sources: Sequence[Source], tell: Callable[[Catalog], None]) -> None:
        """Commit a segment made of `sources`, and what is told to the catalog, as one change."""
        catalog, number = self._place.catalog, self._carried.next_segment
        carried = replace(self._carried, next_segment=number + 1)
        with write_failures(self._place.name):
            try:
                made = self._made(number, sources)
                with catalog.transaction():
                    tell(catalog)
                    if made:
                        catalog.run("INSERT INTO segments VALUES (?, ?, ?)", *made.told())
                    catalog.carry(carried)
            except BaseException:
                self._discard(number)
                raise
        self._carried = carried

    def _made(self, number: int, sources: Sequence[Source]) -> Listed | None:
        """A new segment of the rows of all sources, None where there are none."""
        if not sources:
            return None
        try:
            return make_segment(self._place.home, number, sources, self._carried.kinds)
        except ValueError as error:
            raise FormatError(f"{self._place.name}: is damaged: {error}; {REMEDY}") from error

    def _discard(self, number: int) -> None:
        """Remove a segment, unless an interruption came when it was committed already."""
        with suppress(SdtextError):
            rows = self._place.catalog.rows("SELECT 1 FROM segments WHERE number = ?", number)
            if not rows:
                discard(self._place.home / SEGMENTS / str(number))

    def _due(self, snapshot: Snapshot) -> tuple[int, int] | None:
        """Which segments are to be merged; those that are damaged stay, for who looks for that."""
        segments = snapshot.segments
        bad = [one.number in self._damaged for one in segments]
        sizes = [inf if no else one.listed.size for one, no in zip(segments, bad, strict=True)]
        dead = [0 if no else one.dead for one, no in zip(segments, bad, strict=True)]
        return due(sizes, dead)

    def _merged(self, snapshot: Snapshot, ends: tuple[int, int]) -> Snapshot:
        """Merge some segments, if all of them are whole; what is then."""
        segments = snapshot.segments[slice(*ends)]
        bad = {one.number for one in segments if not _is_whole(one)}
        if not bad:
            try:
                return self._merge(segments)
            except FormatError:
                bad = {one.number for one in segments}
        self._damaged |= bad
        return snapshot

    def _merge(self, segments: Sequence[Segment]) -> Snapshot:
        """Put one segment in the place of several, without what is removed; what is then."""

        def tell(catalog: Catalog) -> None:
            for one in segments:
                catalog.run("DELETE FROM segments WHERE number = ?", one.number)
                catalog.run(_DROP, int(one.ids[0]), int(one.ids[-1]))

        alive = [one for one in segments if one.alive.any()]
        self._change([Source.of(one, self._carried.kinds) for one in alive], tell)
        snapshot = self._refreshed()
        for one in segments:
            discard(one.folder)
        return snapshot


def _is_whole(segment: Segment) -> bool:
    """Whether it may be copied: damage would get a checksum that says that all is well."""
    try:
        check_whole(segment)
    except FormatError:
        return False
    return True


def _nothing() -> Snapshot:
    raise AssertionError("nobody looks any more")
