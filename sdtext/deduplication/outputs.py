"""The output files of a deduplication, and how the kept documents are written to one."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from sdtext.deduplication.run import Deduplicated
from sdtext.deduplication.source_documents import FILES, Sources, advice_on_records
from sdtext.errors import OptionError, OutputError, UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import Problem
from sdtext.model.record_formats import (
    DELIMITED,
    FORMATS,
    JSON_ARRAY,
    PARQUET,
    TSV,
    RecordFormat,
    format_of,
    is_packed_parquet,
    names_other_format,
)
from sdtext.parts.record_tables import CLUSTER, HAS_CLUSTERS
from sdtext.reading.archive_members import content_at
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.delimited import encoding_of
from sdtext.reading.records.json_records import Row
from sdtext.reading.records.record_files import (
    RecordFile,
    as_array,
    write_records,
    write_rows_without,
)

_STDOUT = "-"
_BOM = b"\xef\xbb\xbf"
_WRITTEN_AS_IS = ("utf-8", "utf-8-sig", "ascii")
"""Encodings of tables that UTF-8 leaves unchanged."""


@dataclass(frozen=True)
class Outputs:
    """The files for kept and removed documents, clusters and covered ones; "" where none is named.

    What was read is kept in `progress` until all are written.

    `form` is the format of kept records, "" for that of their name; `printed` that of rows on
    standard output. `replaces` allows existing files to be replaced.
    """

    kept: str
    removed: str = ""
    clusters: str = ""
    printed: str = "tsv"
    replaces: bool = False
    form: str = ""
    covered: str = ""
    progress: str = ""

    @property
    def paths(self) -> list[str]:
        """The paths that are named."""
        paths = (self.kept, self.removed, self.clusters, self.covered)
        return [path for path in paths if path]

    @property
    def folder(self) -> str | None:
        """The folder for temporary files: beside `kept`; None for the default, if TMPDIR is set.

        The system's own place for them may be in memory.
        """
        path = Path(os.path.realpath(self.kept))
        is_device = path.exists() and not path.is_file()
        is_elsewhere = self.kept == _STDOUT or is_device or bool(remote_address(self.kept))
        if os.environ.get("TMPDIR") or is_elsewhere:
            return None
        return str(path.parent)


class KeptDocuments(Protocol):
    """The documents of `sources` but for those at `places`, by the number of the file."""

    @property
    def sources(self) -> Sources: ...

    @property
    def places(self) -> Mapping[int, frozenset[int]]: ...


def write_kept(
    done: KeptDocuments, path: str | Path, file: BinaryIO, run: Run, form: str = ""
) -> None:
    """Write the kept documents to `file`, which will have the name `path`.

    - Records: in the format named `form`, else that of `path`, else that of the input; compressed
      if the path ends in .gz, .bz2, .xz or .zst. In the format of the input they stay as they are:
      JSON lines byte for byte, Parquet with all its columns. CSV and TSV are written in UTF-8; a
      table in another encoding is a problem of the run.
    - Files: their paths, one a line.

    Raises OutputError, OptionError, and UnreadableError where an input cannot be read again.
    """
    chosen = kept_format(done.sources, path, form)
    note_other_encodings(done.sources, chosen, run)
    if chosen is None:
        file.writelines(_listed(done))
    elif chosen == PARQUET:
        _write_parquet(done, file, run)
    else:
        with packed(file, path) as target:
            _write(done, chosen, target, run)


def write_marked(
    done: Deduplicated, path: str | Path, file: BinaryIO, run: Run, form: str = ""
) -> None:
    """Write all documents to `file`, which will have the name `path`, with their clusters.

    Records get a field `cluster`: the number of their cluster, 0 where they are similar to a stored
    document, and null elsewhere. Of files, rows of `document` and `cluster` are written.

    Raises OutputError, OptionError, and UnreadableError where a record has such a field or an input
    cannot be read again.
    """
    chosen = marked_format(done.sources, path, form)
    note_other_encodings(done.sources, chosen, run)
    if chosen == PARQUET and not converts(done.sources, PARQUET):
        write_rows_without(done.sources.paths, {}, file, run.reading, done.marks)
        return
    rows = _marked_files if done.sources.kind == FILES else _marked_records
    with packed(file, path) as target:
        write_records(lambda: rows(done, run), chosen, target)


def marked_format(sources: Sources, path: str | Path, asked: str = "") -> RecordFormat:
    """The format of marked documents: as for kept ones; paths are rows, by default of TSV."""
    if sources.kind == FILES:
        return FORMATS[asked] if asked else _named_format(path) or TSV
    return kept_format(sources, path, asked) or TSV


def _marked_files(done: Deduplicated, _: Run) -> Iterator[Row]:
    marks = done.marks or {}
    for number, path in enumerate(done.sources.paths):
        yield {"document": remote_address(path) or str(path), CLUSTER: marks.get(number, {}).get(0)}


def _marked_records(done: Deduplicated, run: Run) -> Iterator[Row]:
    for number, path in enumerate(done.sources.paths):
        marks = (done.marks or {}).get(number, {})
        for place, row in done.sources.rows(number, run):
            if CLUSTER in row:
                raise UnreadableError(HAS_CLUSTERS, file=path)
            yield {**row, CLUSTER: marks.get(place)}


def kept_format(sources: Sources, path: str | Path, asked: str = "") -> RecordFormat | None:
    """The format of the records that are kept; None for documents, of which paths are written.

    OptionError where `path` says another format than `asked`, or one that paths do not have.
    OutputError where the name of a file cannot stand in a list of lines.
    """
    named = _named_format(path)
    if sources.kind == FILES:
        if named or asked:
            raise _not_for_paths(sources, path, asked)
        _check_listable(sources)
        return None
    chosen = FORMATS[asked] if asked else named or _common_format(sources, path)
    if (named and named != chosen) or (_packer(path) and not chosen.is_packed):
        raise OptionError(
            f"has the wrong ending for what is kept, {chosen.called}; use the ending "
            f"{chosen.endings}",
            file=path,
        )
    return chosen


def _not_for_paths(sources: Sources, path: str | Path, asked: str) -> OptionError:
    """The error about a format in which paths of documents are not written."""
    remedy = "use the ending .txt" + (", and name no format" if asked else "")
    if advice := advice_on_records(sources):
        remedy = f"{advice}; to keep paths, {remedy}"
    what = f"has the wrong format for what is kept, the paths of documents; {remedy}"
    return OptionError(what, file=path)


def _named_format(path: str | Path) -> RecordFormat | None:
    """The format that a name says. OptionError for one that is not written."""
    if is_packed_parquet(path):
        raise OptionError(
            "says Parquet in another compression, which is not written; use the ending .parquet: "
            "Parquet is compressed inside",
            file=path,
        )
    if names_other_format(path):
        known = ", ".join(each.suffixes[0] for each in FORMATS.values())
        raise OptionError(
            f"its ending names a format that is not written; use one of {known}, or .txt for paths "
            "of documents",
            file=path,
        )
    return format_of(path)


def converts(sources: Sources, chosen: RecordFormat | None) -> bool:
    """Whether records of another format than `chosen` are among the sources."""
    return chosen is not None and any(form != chosen for form in sources.formats)


def note_other_encodings(sources: Sources, chosen: RecordFormat | None, run: Run) -> None:
    """Note each table in another encoding than UTF-8, if the output is a table: it is UTF-8."""
    if chosen not in DELIMITED:
        return
    reading = run.reading
    for path, form in zip(sources.paths, sources.formats, strict=False):  # documents have none
        if form not in DELIMITED:
            continue
        content = content_at(path, reading.max_bytes, reading.limits)
        name = reading.encoding or encoding_of(content)
        if codecs.lookup(name).name not in _WRITTEN_AS_IS:
            what = f"is in {name}, and the output is written in UTF-8; open it as UTF-8"
            message = f"{content.name}: {what}"
            run.note(Problem("warning", "other-encoding", message, str(path), what))


def _common_format(sources: Sources, path: str | Path) -> RecordFormat:
    """The format of all sources. OptionError if they have several."""
    first, *others = dict.fromkeys(sources.formats)
    if others:
        raise OptionError(
            f"says no format for what is kept, and the inputs are {first.called} and "
            f"{others[0].called}; name one, or say it by the ending of the file",
            file=path,
        )
    return first


def _check_listable(sources: Sources) -> None:
    for source in sources.paths:
        if "\n" in str(source):
            raise OutputError(
                "has a line break in its name, so it cannot be listed one name per line; rename it",
                file=source,
            )


def _write(done: KeptDocuments, chosen: RecordFormat, file: BinaryIO, run: Run) -> None:
    """Write kept records as text: as they are in files of that format and of equal columns."""
    sources = done.sources
    if converts(sources, chosen):
        write_records(lambda: _rows(done, run), chosen, file)
        return
    files = [sources.file(number, run) for number in range(len(sources.paths))]
    if any(each.header != files[0].header for each in files):
        write_records(lambda: _rows(done, run), chosen, file)
    elif chosen == JSON_ARRAY:
        file.writelines(as_array(_elements(done, files)))
    else:
        file.writelines(_lines(done, files))


def _write_parquet(done: KeptDocuments, file: BinaryIO, run: Run) -> None:
    if converts(done.sources, PARQUET):
        write_records(lambda: _rows(done, run), PARQUET, file)
    else:
        write_rows_without(done.sources.paths, done.places, file, run.reading)


def _rows(done: KeptDocuments, run: Run) -> Iterator[Row]:
    """The kept rows of all files of records."""
    for number in range(len(done.sources.paths)):
        removed = done.places.get(number, frozenset())
        yield from (row for place, row in done.sources.rows(number, run) if place not in removed)


def _listed(done: KeptDocuments) -> Iterator[bytes]:
    """The paths of the kept files."""
    for number, path in enumerate(done.sources.paths):
        if number not in done.places:
            yield os.fsencode(remote_address(path) or path) + b"\n"


def _elements(done: KeptDocuments, files: Sequence[RecordFile]) -> Iterator[bytes]:
    """The elements of all JSON arrays that are kept."""
    for number, file in enumerate(files):
        yield from file.without(done.places.get(number, frozenset()))


def _lines(done: KeptDocuments, files: Sequence[RecordFile]) -> Iterator[bytes]:
    """The lines of all files that are kept; of tables, only the first has its header."""
    ended = True
    for number, file in enumerate(files):
        removed = done.places.get(number, frozenset())
        first = True
        for piece in file.without(removed | {1} if number and file.header else removed):
            if first and piece:
                first = False
                yield b"" if ended else b"\n"
                piece = piece.removeprefix(_BOM) if number else piece  # noqa: PLW2901
            if piece:
                yield piece
                ended = piece.endswith((b"\n", b"\r"))


@contextmanager
def packed(file: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    """A file that compresses by the suffix of `path`."""
    open_packed = _packer(path)
    if open_packed is None:
        yield file
        return
    with open_packed(file) as target:
        yield target


def _packer(path: str | Path) -> Callable[[BinaryIO], BinaryIO] | None:
    return _PACKERS.get(Path(path).suffix.lower())


def _gzip(file: BinaryIO) -> BinaryIO:
    import gzip

    # Neither the time nor the name goes into the file, so that equal content gives equal bytes.
    return cast("BinaryIO", gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))


def _bzip2(file: BinaryIO) -> BinaryIO:
    import bz2

    return cast("BinaryIO", bz2.BZ2File(file, "wb"))


def _xz(file: BinaryIO) -> BinaryIO:
    import lzma

    return cast("BinaryIO", lzma.LZMAFile(file, "wb"))


def _zstandard(file: BinaryIO) -> BinaryIO:
    import zstandard

    packed: Any = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return BufferedWriter(packed)  # it lacks `writelines`


_PACKERS: Mapping[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".xz": _xz,
    ".zst": _zstandard,
}
