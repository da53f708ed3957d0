"""Files in folders and archives, in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from stat import S_ISDIR

from sdtext.errors import reason, shown
from sdtext.io.atomic import TEMPORARY
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.reading.archive_members import expand_archive, in_archive
from sdtext.reading.options import Note, Reading

CATALOG = "catalog.sqlite"
"""The file that makes a folder a collection of sdtext."""

Paths = Sequence[str | Path] | str | Path


def documents_in(paths: Paths, reading: Reading, note: Note) -> Iterator[Path]:
    """The documents at `paths` and below, in the order of `walk`, with archives expanded.

    A file in an archive is named path!name. What cannot be unpacked is a problem.
    """
    return expand_archives(walk(paths, note), reading, note)


def files_in(paths: Paths, reading: Reading, note: Note) -> Iterator[Content]:
    """The documents of `documents_in` as files whose head is read, so that it tells their kind."""
    return expanded_files(walk(paths, note), reading, note)


def expand_archives(files: Iterable[str | Path], reading: Reading, note: Note) -> Iterator[Path]:
    """`files`, with the files in each archive in its place."""
    return (Path(content.path) for content in expanded_files(files, reading, note))


def expanded_files(files: Iterable[str | Path], reading: Reading, note: Note) -> Iterator[Content]:
    """The files of `expand_archives`, whose head is read."""
    for path in files:
        yield from expand_archive(Path(path), note, reading.max_bytes, reading.limits)


def walk(paths: Paths, note: Note) -> Iterator[Path]:
    """The files at `paths` and below them: folders in the order of names, each file once.

    Symbolic links inside a folder are not followed; what is neither file nor folder is skipped,
    and so are collections of sdtext. A folder that cannot be listed is a problem.
    """
    seen: set[Path] = set()
    for path in path_list(paths):
        for file in _below(path, note):
            if (place := Path(os.path.abspath(file))) not in seen:  # noqa: PTH100 (links stay)
                seen.add(place)
                yield file


def _below(path: Path, note: Note) -> Iterator[Path]:
    if str(path) == "-":  # the standard input
        yield path
        return
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        if in_archive(path):
            yield path
            return
        why = reason(error) if isinstance(error, OSError) else "invalid file name"
        note(Problem("error", "missing", f"{shown(path)}: {why}", str(path)))
        return
    if not S_ISDIR(status.st_mode):
        yield path
        return
    waiting = [path]
    while waiting:
        entries = _entries(waiting.pop(), note)
        yield from (Path(entry) for entry in entries if entry.is_file(follow_symlinks=False))
        folders = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting.extend(reversed(folders))


def _entries(folder: Path, note: Note) -> list[os.DirEntry[str]]:
    """The entries of a folder in the order of names; none if it is a collection.

    What another command has not finished, or was killed before it had, is skipped.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        message = f"{shown(folder)}: {reason(error)}"
        note(Problem("error", "unreadable", message, str(folder)))
        return []
    if any(entry.name == CATALOG for entry in entries):
        message = f"{shown(folder)}: is a collection of sdtext, not documents; skipped"
        note(Problem("warning", "artefact", message, str(folder)))
        return []
    for entry in entries:
        if entry.name.startswith(TEMPORARY):
            message = f"{shown(entry.path)}: is an unfinished result of sdtext; skipped"
            note(Problem("warning", "artefact", message, entry.path))
    return [entry for entry in entries if not entry.name.startswith(TEMPORARY)]


def sampled(files: Sequence[Path], number: int) -> list[Path]:
    """`number` of `files` in their order: those whose names and sizes have the smallest digests."""

    def rank(path: Path) -> tuple[bytes, bytes]:
        facts = f"{size_of(path)} ".encode() + os.fsencode(path.name)
        return blake2b(facts, digest_size=8).digest(), os.fsencode(path)

    chosen = set(sorted(files, key=rank)[:number])
    return [path for path in files if path in chosen]  # in order: an archive is unpacked once


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if unknown: reading the file will give the reason."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def path_list(paths: Paths) -> list[Path]:
    """`paths` as a list; a single path as a list of one."""
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
