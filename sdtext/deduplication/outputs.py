"""The output files of a deduplication, and how the kept documents are written to one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from sdtext.deduplication.source_documents import FILES, LINES, PARQUET, Sources
from sdtext.errors import OptionError, OutputError
from sdtext.reading.parallel_run import Run
from sdtext.reading.records import lines_without
from sdtext.reading.records.record_files import is_lines, is_parquet, write_rows_without

_STDOUT = "-"
_BOM = b"\xef\xbb\xbf"
_ENDINGS = {LINES: ".jsonl (or .jsonl.gz and the like)", PARQUET: ".parquet", FILES: ".txt"}


@dataclass(frozen=True)
class Outputs:
    """The files for kept documents, removed documents and clusters; "" where none is named.

    `printed` is the format of rows on standard output. `replaces` allows existing files to be
    replaced.
    """

    kept: str
    removed: str = ""
    clusters: str = ""
    printed: str = "tsv"
    replaces: bool = False

    @property
    def paths(self) -> list[str]:
        """The paths that are named."""
        return [path for path in (self.kept, self.removed, self.clusters) if path]

    @property
    def folder(self) -> str | None:
        """The folder for temporary files: beside `kept`; None for the default, if TMPDIR is set.

        The system's own place for them may be in memory.
        """
        path = Path(os.path.realpath(self.kept))
        is_device = path.exists() and not path.is_file()
        if os.environ.get("TMPDIR") or self.kept == _STDOUT or is_device:
            return None
        return str(path.parent)


class KeptDocuments(Protocol):
    """The documents of `sources` but for those at `places`, by the number of the file."""

    @property
    def sources(self) -> Sources: ...

    @property
    def places(self) -> Mapping[int, frozenset[int]]: ...


def write_kept(done: KeptDocuments, path: str | Path, file: BinaryIO, run: Run) -> None:
    """Write the kept documents to `file`, which will have the name `path`.

    - JSON lines: the lines, byte for byte and in their order, compressed if the path ends in .gz,
      .bz2, .xz or .zst.
    - Parquet: the rows.
    - Files: their paths, one a line.

    Raises OutputError, and UnreadableError where an input cannot be read again.
    """
    check_kept(done.sources, path)
    if done.sources.kind == FILES:
        file.writelines(_listed(done))
    elif done.sources.kind == LINES:
        with packed(file, path) as target:
            for piece in _lines(done.sources, done.places, run):
                target.write(piece)
    else:
        write_rows_without(done.sources.paths, done.places, file, run.reading)


def check_kept(sources: Sources, path: str | Path) -> None:
    """OptionError where `path` has the suffix of another kind of file.

    OutputError where the name of a file cannot stand in a list of lines.
    """
    is_other = {LINES: is_parquet, PARQUET: _is_no_parquet, FILES: is_parquet}[sources.kind]
    if is_other(path):
        what = "the paths of documents" if sources.kind == FILES else sources.kind
        raise OptionError(
            f"has the wrong ending for what is kept, {what}; use the ending "
            f"{_ENDINGS[sources.kind]}",
            file=path,
        )
    for source in sources.paths if sources.kind == FILES else ():
        if "\n" in str(source):
            raise OutputError(
                "has a line break in its name, so it cannot be listed one name per line; rename it",
                file=source,
            )


def _is_no_parquet(path: str | Path) -> bool:
    return is_lines(path) or Path(path).suffix.lower() in _PACKERS


def _listed(done: KeptDocuments) -> Iterator[bytes]:
    """The paths of the kept files."""
    for number, path in enumerate(done.sources.paths):
        if number not in done.places:
            yield os.fsencode(path) + b"\n"


def _lines(sources: Sources, places: Mapping[int, frozenset[int]], run: Run) -> Iterator[bytes]:
    """The lines of all files but those at `places`."""
    ended = True
    for number, path in enumerate(sources.paths):
        first = True
        for piece in lines_without(path, places.get(number, frozenset()), run.reading):
            if first and piece:
                first = False
                yield b"" if ended else b"\n"
                piece = piece.removeprefix(_BOM) if number else piece  # noqa: PLW2901
            if piece:
                yield piece
                ended = piece.endswith(b"\n")


@contextmanager
def packed(file: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    """A file that compresses by the suffix of `path`."""
    open_packed = _PACKERS.get(Path(path).suffix.lower())
    if open_packed is None:
        yield file
        return
    with open_packed(file) as target:
        yield target


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

    return cast("BinaryIO", zstandard.ZstdCompressor().stream_writer(file, closefd=False))


_PACKERS: Mapping[str, Callable[[BinaryIO], BinaryIO]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".xz": _xz,
    ".zst": _zstandard,
}
