"""What is to be added: the documents in files and folders, and the records in files of records."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sdtext.errors import UnreadableError, shown
from sdtext.model import Metadata, Problem
from sdtext.reading.archive_paths import called, content_at
from sdtext.reading.batches import Run
from sdtext.reading.options import Reading
from sdtext.reading.records import Fields, holds_records, load_metadata
from sdtext.reading.walk import Paths, documents_in, listed, size_of, walk

_NAMED = 3
_STDIN = "-"


@dataclass(frozen=True)
class Inputs:
    """Files, folders and archives, and files of records (JSON lines, Parquet) at `paths`.

    A file of records is one where it is named itself; one in a folder is a document like any
    other. "-" is the standard input: records if its first line is a JSON object. `fields` says
    where a record has its text and its name. `metadata` is a file with facts about the
    documents, CSV or JSON lines; it is no document itself.
    """

    paths: Paths
    fields: Fields = field(default_factory=Fields)
    metadata: str | Path | None = None


@dataclass(frozen=True)
class Named:
    """A file, or a file of records, that is to be added.

    A document is called `name`, relative to the folder `root`; records have names of their own
    and the file itself for their root.
    """

    path: Path
    root: str
    name: str = ""

    @property
    def records(self) -> bool:
        """Whether it holds records."""
        return not self.name


def named_in(inputs: Inputs, run: Run) -> list[Named]:
    """All files to be added, in the order of the paths, each once."""
    seen = {_absolute(inputs.metadata)} if inputs.metadata else set()
    found: list[Named] = []
    for path in listed(inputs.paths):
        for one in _at(path, run):
            place = _absolute(one.path)
            if place not in seen:
                seen.add(place)
                found.append(one)
    return found


def _at(path: Path, run: Run) -> Iterator[Named]:
    """What is to be added of one path."""
    if holds_records(path, run.reading):
        root = _STDIN if str(path) == _STDIN else _absolute(path)
        yield from (Named(one, root) for one in walk(path, run.note))
        return
    for one in documents_in(path, run.reading, run.note):
        yield _in_folder(one, path) if path in one.parents else _alone(one)


def _in_folder(path: Path, folder: Path) -> Named:
    return Named(path, _absolute(folder), path.relative_to(folder).as_posix())


def _alone(path: Path) -> Named:
    """A file that is named itself, or one in an archive that is: its folder is the root."""
    name = called(path)
    depth = len(Path(name).parts)
    root = Path(_absolute(path)).parents[depth - 1]
    return Named(path, str(root), name)


def size_at(path: Path, reading: Reading) -> int:
    """The size of a file in bytes, of one in an archive, too; 0 where it cannot be told."""
    if size := size_of(path):
        return size
    try:
        content = content_at(path, reading.max_bytes, reading.limits)
        if str(path) == _STDIN:
            return sum(map(len, content.blocks()))
    except (OSError, ValueError, UnreadableError):
        return 0
    return content.stored.size if content.stored else 0


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (links stay)


class Joined:
    """The facts of a file about documents, by the documents' names.

    A document is named there by its whole name, or by the last part of it where no other
    document among `names` has the same.
    """

    def __init__(self, path: str | Path, names: Iterable[str], run: Run) -> None:
        self._name = shown(path)
        self._rows = load_metadata(path, run.note, run.reading)
        self._unused = dict.fromkeys(self._rows)
        self._last = Counter(map(_last, names))

    def of(self, name: str) -> Metadata:
        """What is said of the document called `name`."""
        for key in (name, _last(name)):
            if key in self._rows and (key == name or self._last[key] == 1):
                self._unused.pop(key, None)
                return self._rows[key]
        return {}

    def unused(self) -> Iterator[Problem]:
        """A warning where names in the file are those of no document."""
        if self._unused:
            first = ", ".join(map(shown, list(self._unused)[:_NAMED]))
            number = len(self._unused)
            more = ", …" if number > _NAMED else ""
            message = (
                f"{self._name}: {number} of {len(self._rows)} rows are about no document that was "
                f"named to be added: {first}{more}; a row names it by its path below the folder"
            )
            yield Problem("warning", "no-document", message, self._name)


def _last(name: str) -> str:
    """The last part of a document's name.

    >>> _last("letters/2019.zip!may/union.txt")
    'union.txt'
    """
    return re.split("[/!]", name)[-1]
