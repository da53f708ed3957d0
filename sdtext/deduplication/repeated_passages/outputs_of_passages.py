"""The outputs of a deduplication of passages: the cut texts, and the list of what was removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from sdtext.deduplication.outputs import kept_format, packed
from sdtext.deduplication.repeated_passages.find_repeats import RepeatedPassages
from sdtext.deduplication.repeated_passages.removed_passages import (
    RemovedPassage,
    without_ranges,
)
from sdtext.deduplication.repeated_passages.rewritten_texts import write_texts
from sdtext.deduplication.source_documents import FILES, Sources
from sdtext.errors import OptionError
from sdtext.model.record_formats import FORMATS, JSON_LINES, RecordFormat, format_of
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.write_records import write_records


class RemovedPassages:
    """The removed passages in a temporary file, so that memory does not grow with them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, passages: Iterable[RemovedPassage]) -> None:
        """Append passages."""
        self._file.writelines(json.dumps(asdict(row)).encode() + b"\n" for row in passages)

    def __iter__(self) -> Iterator[RemovedPassage]:
        self._file.seek(0)
        return (RemovedPassage(**json.loads(line)) for line in self._file)


@contextmanager
def collected_passages(folder: str | Path | None) -> Iterator[RemovedPassages]:
    """A collection of removed passages; its temporary file is in `folder`."""
    with TemporaryFile(dir=folder) as file:
        yield RemovedPassages(file)


def format_of_texts(sources: Sources, path: str | Path, asked: str = "") -> RecordFormat:
    """The format in which texts are written: of records theirs, of documents JSON lines.

    OptionError where `path` says another format than `asked`, or none.
    """
    if sources.kind != FILES:
        return kept_format(sources, path, asked) or JSON_LINES
    named = format_of(path)
    chosen = FORMATS[asked] if asked else named or JSON_LINES
    is_file = str(path) != "-" and (Path(path).is_file() or not Path(path).exists())
    if is_file and named != chosen:
        raise OptionError(
            f"has the wrong ending for texts, which are written as {chosen.called}; use the ending "
            f"{chosen.endings}",
            file=path,
        )
    return chosen


def write_cut_texts(
    repeated: RepeatedPassages, chosen: RecordFormat, file: BinaryIO, run: Run, log: RemovedPassages
) -> None:
    """Write all records and documents, with cut texts, to `file` in a format.

    Of documents there is a record with `id`, the path, and `text`. What is removed goes to the
    `log`. Raises UnreadableError where an input cannot be read again.
    """
    cuts = _Cuts(repeated, log)
    if repeated.sources.kind == FILES:
        write_records(cuts.documents, chosen, file)
    else:
        write_texts(repeated.sources, cuts, chosen, file, run)


@contextmanager
def packed_texts(file: BinaryIO, path: str | Path, chosen: RecordFormat) -> Iterator[BinaryIO]:
    """A file for texts in a format, which compresses by the suffix of `path`."""
    if not chosen.is_packed:
        yield file
        return
    with packed(file, path) as target:
        yield target


class _Cuts:
    """The texts without what is repeated, which goes to the `log` once."""

    def __init__(self, repeated: RepeatedPassages, log: RemovedPassages) -> None:
        self._repeated, self._log = repeated, log
        self._logged = 0

    def changes(self, origin: tuple[int, int], _record: int) -> bool:
        """Whether something is removed from the document of that origin."""
        return origin in self._repeated.documents

    def text(self, origin: tuple[int, int], record: int, text: str) -> str:
        """What is left of the text of a document, which is written at the position `record`."""
        document = self._repeated.documents[origin]
        if record > self._logged:
            self._log.add(self._repeated.passages(document, text, record))
            self._logged = record
        return without_ranges(text, self._repeated.ranges(document, text))

    def documents(self) -> Iterator[Mapping[str, Any]]:
        """A record for each document."""
        corpus, sources = self._repeated.corpus, self._repeated.sources
        for document in range(len(corpus)):
            text, origin = corpus.text(document), corpus.origin(document)
            if document in self._removed:
                text = self.text(origin, document + 1, text)
            yield {"id": sources.name_of(origin[0], ""), "text": text}

    @cached_property
    def _removed(self) -> set[int]:
        return {*self._repeated.documents.values()}
