"""The progress of a decontamination: what was found in each file of a corpus that is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from sdtext.decontamination.find_items import ItemMatch
from sdtext.deduplication.source_documents import file_version
from sdtext.errors import FormatError, OptionError, OutputError, reason, shown

_KIND = "sdtext decontamination progress 1"


@dataclass
class FileMatches:
    """How much was read of a file, and its matches, each with the place of its record."""

    read: int = 0
    characters: int = 0
    matches: list[tuple[int, ItemMatch]] = field(default_factory=list)


class ProgressFile:
    """A file of JSON lines: first the digest of what is searched for, then a line for each file.

    A file of the corpus counts as the same if its path, its size and its time of change are. A
    line that was not completed is dropped. Raises OptionError for the progress of another search,
    FormatError for another file, and OutputError where the file cannot be written.

    >>> path = folder / "progress.jsonl"
    >>> corpus = folder / "pages.jsonl"
    >>> corpus.write_text("{}")
    2
    >>> with ProgressFile(path, "a1") as progress:
    ...     progress.add(corpus, FileMatches(7, 700))
    >>> with ProgressFile(path, "a1") as progress:
    ...     progress.of(corpus)
    FileMatches(read=7, characters=700, matches=[])
    """

    def __init__(self, path: str | Path, digest: str) -> None:
        self._path = Path(path)
        self._files: dict[str, FileMatches] = {}
        header = json.dumps({"kind": _KIND, "digest": digest}).encode() + b"\n"
        try:
            self._file: BinaryIO = self._path.open("a+b")
            self._file.seek(0)
            size = self._load(header)
            self._file.truncate(size)
            if not size:
                self._write(header)
        except OSError as error:
            raise self._failed(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def of(self, path: str | Path) -> FileMatches | None:
        """What was found in the file at `path`, if that is done and has not changed."""
        return self._files.get(file_version(path))

    def add(self, path: str | Path, file: FileMatches) -> None:
        """Store what was found in the file at `path`, at once."""
        matches = [[place, asdict(match)] for place, match in file.matches]
        row = {"file": file_version(path), "read": file.read, "characters": file.characters}
        try:
            self._write(json.dumps(row | {"matches": matches}).encode() + b"\n")
        except OSError as error:
            raise self._failed(error) from error

    def _load(self, header: bytes) -> int:
        """Read the lines that are complete; the number of their bytes."""
        size = 0
        for line in self._lines(header):
            try:
                row = json.loads(line)
                matches = [(place, ItemMatch(**match)) for place, match in row["matches"]]
                self._files[row["file"]] = FileMatches(row["read"], row["characters"], matches)
            except (ValueError, TypeError, KeyError) as error:
                self._file.close()
                raise FormatError("is damaged; delete it", file=self._path) from error
            size += len(line)
        return size + len(header) if self._file.tell() else 0

    def _lines(self, header: bytes) -> Iterator[bytes]:
        """The complete lines after the first, which must be the header."""
        first = self._file.readline()
        if not first:
            return
        if first != header:
            self._refuse(first)
        yield from (line for line in self._file if line.endswith(b"\n"))

    def _refuse(self, first: bytes) -> None:
        """Raise the error for a file with another first line."""
        self._file.close()
        if first.startswith(f'{{"kind": "{_KIND}"'.encode()):
            raise OptionError(
                "has the progress of a search for other items or with other options; name another "
                "file, or delete it",
                file=self._path,
            )
        raise FormatError("is not the progress of a decontamination", file=self._path)

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()

    def _failed(self, error: OSError) -> OutputError:
        return OutputError(f"cannot be written: {reason(error)}", file=shown(self._path))
