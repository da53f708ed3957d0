"""Where the results go: checked before the work begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sdtext.errors import OptionError, OutputError, shown

_MARK = "!"  # between an archive and the name of a file in it
_STDOUT = "-"


@dataclass(frozen=True)
class Outputs:
    """The files for what is kept, for what is removed, for the clusters; "" where none is named."""

    kept: str
    removed: str = ""
    clusters: str = ""

    @property
    def paths(self) -> list[str]:
        """Those that are named."""
        return [path for path in (self.kept, self.removed, self.clusters) if path]

    @property
    def folder(self) -> str | None:
        """Where there will be room for temporary files: TMPDIR if it is set, else beside `kept`.

        The system's own place for them may be in memory.
        """
        path = Path(os.path.realpath(self.kept))
        is_device = path.exists() and not path.is_file()
        if os.environ.get("TMPDIR") or self.kept == _STDOUT or is_device:
            return None
        return str(path.parent)

    def check(self, inputs: Iterable[str | Path], collection: str | Path | None = None) -> None:
        """OptionError where two are the same, OutputError where one cannot be or is an input.

        Nor is one written into the folder of a `collection`.
        """
        places = [path if path == _STDOUT else os.path.realpath(path) for path in self.paths]
        for number, path in enumerate(self.paths):
            if places[number] in places[:number]:
                raise OptionError(
                    f"{shown(path)}: is named for two outputs; name two different files"
                )
            folder = Path(places[number]).parent
            if collection is not None and path != _STDOUT and _is_in(folder, collection):
                where = shown(collection)
                raise OutputError(
                    f"{shown(path)}: is in the collection {where}; name a file outside it"
                )
            if path != _STDOUT and not folder.is_dir():
                raise OutputError(
                    f"{shown(path)}: cannot be written: {shown(folder)} is not a folder"
                )
            if Path(places[number]).is_dir():
                raise OutputError(f"{shown(path)}: cannot be written: it is a folder; name a file")
        self._refuse(inputs)

    def _refuse(self, inputs: Iterable[str | Path]) -> None:
        there = {found: path for path in self.paths if (found := _identity(path))}
        seen = set[str]()
        for one in inputs if there else ():
            for path in _outer(str(one)):
                if path not in seen and (found := _identity(path)) in there:
                    output = shown(there[found])
                    raise OutputError(f"{output}: is also an input; choose another output file")
                seen.add(path)


def _is_in(folder: Path, other: str | Path) -> bool:
    there = Path(os.path.realpath(other))
    return there in (folder, *folder.parents)


def _outer(path: str) -> Iterator[str]:
    """The path, and where it may be that of a file in an archive, those of the archives.

    >>> list(_outer("a.zip!b.zip!c.txt"))
    ['a.zip!b.zip!c.txt', 'a.zip', 'a.zip!b.zip']
    """
    yield path
    parts = path.split(_MARK)
    yield from (_MARK.join(parts[:number]) for number in range(1, len(parts)))


def _identity(path: str) -> tuple[int, int] | None:
    """What tells a regular file from others, however it is named; None where there is none."""
    with suppress(OSError, ValueError):
        found = Path(path).stat()
        if Path(path).is_file():
            return found.st_dev, found.st_ino
    return None
