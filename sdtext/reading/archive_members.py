"""Paths into archives, mailboxes and mails: path!name names a file in the container at path.

A sandboxed process unpacks a container once, within limits, into an unnamed file; the last few
stay unpacked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import MAX_BYTES, ByteRange, Content, unnamed_file
from sdtext.io.remote_files import fetched, remote_address
from sdtext.model import PartSpec, Problem
from sdtext.parts.file_signatures import LENGTH
from sdtext.parts.registry import find, names_for
from sdtext.reading.main_process_limits import ProcessLimits
from sdtext.reading.options import Note, Reading
from sdtext.reading.recognise_file import container_of
from sdtext.reading.sandbox.pool import MAX_FILES, unpack
from sdtext.reading.sandbox.protocol import ExhaustedError
from sdtext.wording import reason, shown

MARK = "!"
_STDIN = "-"
_MAX_DEPTH = 4
_CACHED_CONTAINERS = 4
_DEFAULT_LIMITS = ProcessLimits()


def content_at(
    path: str | Path, max_bytes: int = MAX_BYTES, limits: ProcessLimits = _DEFAULT_LIMITS
) -> Content:
    """The bytes of the file at `path`, which may stand in an archive: path!name.

    Raises UnreadableError where there is no such file in the archive.
    """
    text = str(path)
    if text == _STDIN:
        return Content(_STDIN, max_bytes)  # always the same name, since it can be read only once
    if os.path.lexists(text):
        return Content(path, max_bytes)
    if address := remote_address(text):
        return Content(path, max_bytes, called=address, stored=fetched(address, max_bytes))
    refusal: UnreadableError | None = None
    for outer, name in _in_existing_files(text):
        try:
            # As a path, as the walk names it: it is unpacked once for both.
            return _member_of(Content(Path(outer), max_bytes), name, limits)
        except UnreadableError as error:  # the mark may stand in the archive's own name
            refusal = error
    if refusal:
        raise refusal
    return Content(path, max_bytes)


def in_archive(path: str | Path) -> bool:
    """Whether `path` names a file in a file that is there."""
    return not os.path.lexists(path) and bool(_in_existing_files(str(path)))


def _in_existing_files(text: str) -> list[tuple[str, str]]:
    """The text before and after each mark, where there is a file before it."""
    return [
        (outer, name)
        for outer, name in _split_at_marks(text)
        if outer == _STDIN or os.path.isfile(outer)  # noqa: PTH113 (Path.is_file may raise)
    ]


def _split_at_marks(text: str) -> Iterator[tuple[str, str]]:
    places = (place for place, char in enumerate(text) if char == MARK)
    return ((text[:place], text[place + 1 :]) for place in places)


def display_name(path: Path) -> str:
    """The name of a file without its folders; of a file in an archive, with the archive's name.

    >>> display_name(Path("letters/2019.zip!may/union.txt"))
    '2019.zip!may/union.txt'
    >>> display_name(Path("letters/union.txt"))
    'union.txt'
    """
    place = next((place for place, part in enumerate(path.parts) if MARK in part), -1)
    return path.name if place < 0 or os.path.lexists(path) else "/".join(path.parts[place:])


def expanded_files(
    files: Iterable[str | Path | Content], reading: Reading, note: Note
) -> Iterator[Content]:
    """The files, in the place of an archive those in it and in the archives nested in it.

    Each is open until the next one is asked for. One that cannot be read is given, too: reading it
    gives the reason.
    """
    for file in files:
        content = file if isinstance(file, Content) else Content(file, reading.max_bytes)
        path = content.path
        is_elsewhere = content.comes_once and (in_archive(path) or bool(remote_address(path)))
        if content.comes_once and not is_elsewhere and str(path) != _STDIN:
            yield content  # a pipe, whose bytes are those of a document
            continue
        with content.kept_open():
            if (start := content.plain_start(LENGTH)) and not names_for("containers", start):
                yield content
                continue
            try:
                is_container = is_elsewhere or bool(container_of(content))
            except UnreadableError:
                is_container = False
            if not is_container:
                yield content
                continue
            try:
                if is_elsewhere:
                    content = content_at(path, reading.max_bytes, reading.limits)
                limits = reading.limits
                expansion = _Expansion(note, limits, reading.max_bytes, limits.seconds)
                yield from expansion.files_in(content, _MAX_DEPTH)
            except UnreadableError as error:
                note(Problem.of(error, content.path))


@dataclass
class _Expansion:
    """The expansion of one archive: what it and those nested in it may still take."""

    note: Note
    limits: ProcessLimits
    size: int  # bytes
    seconds: float
    files: int = MAX_FILES
    seen: set[str] = field(default_factory=set)

    def files_in(self, content: Content, depth: int) -> Iterator[Content]:
        path = str(content.path)
        container = container_of(content)
        is_document = not container or find("containers", container).also_text
        if is_document:
            if path in self.seen or (content.stored and os.path.lexists(path)):
                what = "is skipped: another file has the same name; unpack the archive by hand"
                raise UnreadableError(what, file=content.name)
            self.seen.add(path)
            yield content
        if not container:
            return
        if not depth:
            what = f"is not opened: it is nested {_MAX_DEPTH} archives deep; unpack it by hand"
            raise UnreadableError(what, file=content.name)
        if self.seconds < 0:
            raise self._oversized(content)
        began = monotonic()
        unpacked = _unpacked(content, container, self.limits, _stamp(content))
        for problem in unpacked.problems:
            self.note(replace(problem, path=path))
        if not (unpacked.files or is_document or unpacked.failure):
            raise UnreadableError("holds no files that can be read", file=content.name)
        self.seconds -= monotonic() - began
        for name, stored in unpacked.files.items():
            self._count(content, stored.size, 1)
            member = _member(content, name, stored)
            try:
                yield from self.files_in(member, depth - 1)
            except _OversizedError:
                raise
            except UnreadableError as error:
                self.note(Problem.of(error, member.path))
        # What came out of it for nothing counts, too.
        wasted = unpacked.size - sum(stored.size for stored in unpacked.files.values())
        self._count(content, wasted)

    def _count(self, content: Content, size: int, files: int = 0) -> None:
        self.size -= size
        self.files -= files
        if min(self.size, self.files) < 0:
            raise self._oversized(content)

    def _oversized(self, content: Content) -> _OversizedError:
        what = f"exceeds {content.max_bytes:,} bytes, {MAX_FILES:,} files or "
        what += f"{self.limits.seconds:g} seconds to unpack; the rest is skipped; raise max_bytes "
        what += "(SDTEXT_MAX_BYTES) or max_seconds (SDTEXT_MAX_SECONDS) if you trust it"
        return _OversizedError(what, file=content.name)


class _OversizedError(UnreadableError):
    """More comes out of one file than the limits allow."""


def _member_of(outer: Content, name: str, limits: ProcessLimits) -> Content:
    stamp = _stamp(outer)
    container = _container(outer, stamp)
    if not container:
        what = f"is not an archive, so it contains no {shown(name)}"
        raise UnreadableError(what, file=outer.name)
    unpacked = _unpacked(outer, container, limits, stamp)
    files = unpacked.files
    if name in files:
        return _member(outer, name, files[name])
    for inner, rest in _split_at_marks(name):
        if inner in files:
            return _member_of(_member(outer, inner, files[inner]), rest, limits)
    what = unpacked.failure or f"there is no {shown(name)} in it"
    raise UnreadableError(what, file=outer.name)


def _member(outer: Content, name: str, stored: ByteRange) -> Content:
    return Content(f"{outer.path}{MARK}{name}", outer.max_bytes, stored=stored)


@lru_cache(_CACHED_CONTAINERS)
def _container(content: Content, _stamp: object) -> str:
    """`container_of`, cached: a file may hold ten thousand others."""
    return container_of(content)


class _Unpacked(NamedTuple):
    """The files in a container, the problems with others, and all bytes that came out of it."""

    files: Mapping[str, ByteRange]
    problems: Sequence[Problem]
    size: int

    @property
    def failure(self) -> str:
        """Why not all could be read; "" if it could."""
        return next((each.what for each in self.problems if each.severity == "error"), "")


def _unpacked(content: Content, container: str, limits: ProcessLimits, stamp: object) -> _Unpacked:
    """What comes out of `content`; nothing where a process lacks memory or time."""
    try:
        return _once_unpacked(content, container, limits, stamp)
    except ExhaustedError as error:  # is not cached: the next time there may be enough
        return _Unpacked({}, [Problem.of(error, content.path)], 0)


def holds_files(content: Content, limits: ProcessLimits) -> bool:
    """Whether files come out of `content`."""
    container = container_of(content)
    return bool(container and _unpacked(content, container, limits, _stamp(content)).files)


@lru_cache(_CACHED_CONTAINERS)
def _once_unpacked(
    content: Content, container: str, limits: ProcessLimits, _stamp: object
) -> _Unpacked:
    """What comes out of `content`, cached while its stamp is the same, as is damage."""
    from sdtext.parts.containers import Names  # which a plain text does without

    with unnamed_file(content.name) as (store, path):
        try:
            result = unpack(PartSpec(container), content, limits, path)
        except ExhaustedError:
            raise
        except UnreadableError as error:
            return _Unpacked({}, [Problem.of(error, content.path)], store.size)
    files: dict[str, ByteRange] = {}
    offset, names = 0, Names()
    for name, size in result.members:
        files[names.given(name)] = ByteRange(store, offset, size)
        offset += size
    if offset > store.size:
        raise UnreadableError("cannot be unpacked: the copy is incomplete", file=content.name)
    return _Unpacked(files, result.problems, store.size)


def _stamp(content: Content) -> object:
    """A value that changes when the file changes."""
    if content.stored:
        return content.stored
    if str(content.path) == _STDIN:
        return _STDIN
    try:
        status = Path(content.path).stat()
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "invalid file name"
        raise UnreadableError(why, file=content.name) from error
    return status.st_mtime_ns, status.st_size, status.st_ino
