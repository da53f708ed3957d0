"""Files in folders and archives, in a fixed order."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import glob, has_magic
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from stat import S_ISDIR, S_ISFIFO, S_ISLNK, S_ISSOCK

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.output import TEMPORARY
from sdtext.io.remote_files import matching_addresses, remote_address
from sdtext.model import Problem
from sdtext.reading.archive_members import expanded_files, in_archive
from sdtext.reading.options import Note, Reading, Selection
from sdtext.wording import counted, reason

CATALOG = "catalog.sqlite"
"""The file that makes a folder a collection of sdtext."""

Paths = Sequence[str | Path] | str | Path

_SPECIAL = ((S_ISLNK, "symbolic link"), (S_ISFIFO, "named pipe"), (S_ISSOCK, "socket"))

_LONGEST = 8 << 20
"""Bytes of one short file."""


def documents_in(paths: Paths, reading: Reading, note: Note) -> Iterator[Path]:
    """The documents at `paths` and below, in the order of `walk`, with archives expanded.

    A file in an archive is named path!name. What cannot be unpacked is a problem.
    """
    files = walk(paths, note, reading.selection)
    return (Path(content.path) for content in expanded_files(files, reading, note))


@dataclass
class ShortFiles:
    """Short files, whose bytes stay in memory so that they are not opened again.

    `remaining` is the number of bytes that further ones may have together.
    """

    remaining: int = 32 << 20

    def kept(self, content: Content) -> Content | Path:
        """What can be read again anywhere: the bytes of a short file, the path of another one."""
        if content.data is not None:
            return content
        most = max(0, min(self.remaining, _LONGEST))
        size = content.stored.size if content.stored else size_of(Path(content.path))
        if size <= most:
            with suppress(UnreadableError), content.kept_open():
                data = b""
                for block in content.blocks():
                    data += block
                    if len(data) > most and not content.comes_once:
                        break
                else:
                    self.remaining -= len(data)
                    return Content(content.path, content.max_bytes, content.called, data=data)
        return Path(content.path)


def walk(paths: Paths, note: Note, selection: Selection | None = None) -> Iterator[Path]:
    """The files at `paths` and below them: folders in the order of names, each file once.

    Of a folder, those in `selection`. Symbolic links inside a folder are not followed; what is
    neither file nor folder is skipped, and so are collections of sdtext. A warning counts what is
    skipped. A folder that cannot be listed is a problem, and so is one at `paths` without files.
    """
    seen: set[str] = set()
    selection = selection or Selection()
    for path in path_list(paths):
        files = iter((path,))
        if str(path) != "-" and not remote_address(path):  # which is listed already
            try:
                is_folder = S_ISDIR(path.stat().st_mode)
            except (OSError, ValueError) as error:
                if not in_archive(path):
                    why = reason(error) if isinstance(error, OSError) else "invalid file name"
                    note(Problem.at("error", "missing", path, why))
                    continue
                is_folder = False
            if is_folder:
                files = _files_below(path, selection, note)
        for file in files:
            place = os.path.normcase(os.path.abspath(file))  # noqa: PTH100 (links stay)
            if place not in seen:
                seen.add(place)
                yield file


def _files_below(root: Path, selection: Selection, note: Note) -> Iterator[Path]:
    """The files below a folder; at the end, what is not read is noted by its kind."""
    special, unasked, skipped = Counter[str](), Counter[str](), list[str]()
    has_patterns = bool(selection.include or selection.exclude)
    is_empty = True
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            note(Problem.at("error", "unreadable", folder, reason(error)))
            is_empty = False
            continue
        if any(entry.name == CATALOG for entry in entries):
            what = "is a collection of sdtext, not documents; skipped"
            note(Problem.at("warning", "artefact", folder, what))
            is_empty = False
            continue
        folders = []
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name.startswith(TEMPORARY):
                what = "is an unfinished result of sdtext; skipped"
                note(Problem.at("warning", "artefact", entry.path, what))
                is_empty = False
            elif has_patterns and not selection.selects(
                Path(entry).relative_to(root).as_posix(), is_folder=is_folder
            ):
                continue
            elif not (is_folder or entry.is_file(follow_symlinks=False)):
                special[_special_kind(entry)] += 1
                skipped.append(entry.path)
            elif kind := selection.unasked(entry.name):
                unasked[kind] += 1
            elif is_folder:
                folders.append(Path(entry))
            else:
                is_empty = False
                yield Path(entry)
        waiting.extend(reversed(folders))
    passed_over = [
        ", ".join(counted(number, kind) for kind, number in counts.items()) + how
        for counts, how in ((special, " skipped"), (unasked, " left out (all_files reads them)"))
        if counts
    ]
    if passed_over:
        words = "; ".join(passed_over)
        note(Problem.at("warning", "passed-over", root, words, paths=tuple(skipped)))
    if is_empty:
        which = "files that are selected" if has_patterns else "files"
        note(Problem.at("error", "empty", root, f"contains no {which}"))


def _special_kind(entry: os.DirEntry[str]) -> str:
    mode = 0
    with suppress(OSError):  # it has gone
        mode = entry.stat(follow_symlinks=False).st_mode
    return next((kind for test, kind in _SPECIAL if test(mode)), "device")


def sampled(files: Sequence[Path], number: int) -> list[Path]:
    """`number` of `files` in their order: those whose names and sizes have the smallest digests."""

    def rank(path: Path) -> tuple[bytes, bytes]:
        facts = f"{size_of(path)} ".encode() + os.fsencode(path.name)
        return blake2b(facts, digest_size=8).digest(), os.fsencode(path)

    chosen = set(sorted(files, key=rank)[:number])
    return [path for path in files if path in chosen]  # in order: an archive is unpacked once


def is_collection(path: str | Path) -> bool:
    """Whether the folder at `path` has a catalog."""
    return os.path.isfile(Path(path) / CATALOG)  # noqa: PTH113 (Path.is_file raises for some names)


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if unknown: reading the file will give the reason."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def path_list(paths: Paths) -> list[Path]:
    """`paths` as a list; a single path as a list of one, and a pattern as all that match it.

    A path is a pattern where no file is called so: *, ? and [] as in a shell, and ** for folders of
    any depth. What matches nothing stays as it is.
    """
    items = [paths] if isinstance(paths, str | PathLike) else [*paths]
    if "" in items:
        raise OptionError("a path is empty, as of a variable that is not set; name a file")
    return [Path(match) for path in items for match in matching_paths(path)]


def matching_paths(path: str | Path) -> Sequence[str | Path]:
    """The files and folders that match a pattern, in the order of their names; else the path.

    >>> matching_paths("LICEN[CS]E"), matching_paths("none/*.csv")
    (['LICENSE'], ['none/*.csv'])
    """
    text = os.fspath(path)
    if address := remote_address(text):
        return matching_addresses(address)
    if not has_magic(text) or "\0" in text or os.path.lexists(text):
        return [path]
    return sorted(glob(text, recursive=True), key=os.fsencode) or [path]  # noqa: PTH207 (no folder)
