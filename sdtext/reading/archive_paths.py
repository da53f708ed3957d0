"""Files within files: what an archive, a mailbox or a mail holds, each file called path!name.

A container is unpacked once, by another process and within limits, into a file that has no name
any more when it is read; the last few stay unpacked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from tempfile import mkstemp

from sdtext.errors import UnreadableError, reason, shown
from sdtext.io.byte_ranges import ByteRange, SharedFile
from sdtext.io.content import MAX_BYTES, Content
from sdtext.model import PartSpec, Problem
from sdtext.parts.catalogue import find, names_of
from sdtext.reading.options import Note
from sdtext.reading.sandbox.pool import ProcessLimits, unpack

MARK = "!"
_STDIN = "-"
_DEPTH = 4
_MOST = 100_000  # files in one, and in those within it
_KEPT = 4
_PLAIN = "text"
_USUAL = ProcessLimits()
_SIGNED = 512  # bytes within which the signature of a container ends
# gzip, bzip2, xz, zstandard: what they unpack to may be a container.
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")


@dataclass(frozen=True)
class Unpacked:
    """The files that a container holds, by name, and what could not be had of it."""

    files: Mapping[str, ByteRange]
    problems: tuple[Problem, ...]


def content_at(
    path: str | Path, max_bytes: int = MAX_BYTES, limits: ProcessLimits = _USUAL
) -> Content:
    """The bytes of the file at `path`, which may stand in an archive: path!name.

    Raises UnreadableError where there is no such file in the archive.
    """
    text = str(path)
    if text == _STDIN:
        return Content(_STDIN, max_bytes)  # by one name, since it can be read only once
    if os.path.lexists(text):
        return Content(path, max_bytes)
    errors: list[UnreadableError] = []
    for outer, name in _parted(text):
        try:
            if outer == _STDIN or _is_file(outer):
                return _within(Content(outer, max_bytes), name, limits)
        except UnreadableError as error:  # the mark may stand in the archive's own name
            errors.append(error)
    if errors:
        raise errors[-1]
    return Content(path, max_bytes)


def in_archive(path: Path) -> bool:
    """Whether `path` names a file in a file that is there."""
    text = str(path)
    outers = (outer for outer, _ in _parted(text))
    return not os.path.lexists(text) and any(outer == _STDIN or _is_file(outer) for outer in outers)


def called(path: Path) -> str:
    """The name of a file without its folders; of one in an archive, from the archive's name on.

    >>> called(Path("letters/2019.zip!may/union.txt")), called(Path("letters/union.txt"))
    ('2019.zip!may/union.txt', 'union.txt')
    """
    place = next((place for place, part in enumerate(path.parts) if MARK in part), -1)
    return path.name if place < 0 or os.path.lexists(path) else "/".join(path.parts[place:])


def container_of(content: Content) -> str:
    """The name of the container part for `content`, "" if it is none.

    What a reader takes for its own is none, as an office file; but a mail is both.
    """
    for name in names_of("containers"):
        part = find("containers", name)
        if part.recognises(content):
            return name if part.also_text or not _read_otherwise(content) else ""
    return ""


def documents_at(
    path: Path, note: Note, max_bytes: int = MAX_BYTES, limits: ProcessLimits = _USUAL
) -> Iterator[Path]:
    """The file at `path`; in place of an archive, the files in it, and in archives in it."""
    if not _may_hold_files(path):
        yield path
        return
    try:
        content = content_at(path, max_bytes, limits)
        yield from _Expansion(note, limits, max_bytes).of(content, _DEPTH)
    except UnreadableError as error:
        note(Problem("error", "unreadable", str(error), str(path)))


@dataclass
class _Expansion:
    """How much has come out of one file so far."""

    note: Note
    limits: ProcessLimits
    room: int
    count: int = 0
    seen: set[str] = field(default_factory=set)

    def of(self, content: Content, depth: int) -> Iterator[Path]:
        """The paths of the documents in `content`. Raises UnreadableError."""
        path = Path(content.path)
        container = _container(content, _stamp(content))
        if not container or find("containers", container).also_text:
            self._check_name(content)
            yield path
        if not container:
            return
        if not depth:
            raise UnreadableError(
                f"{content.name}: is not opened: it is nested {_DEPTH} archives deep; unpack it "
                "by hand"
            )
        unpacked = _unpacked(content, container, self.limits, _stamp(content))
        for problem in unpacked.problems:
            self.note(replace(problem, path=str(path)))
        if not unpacked.files and not find("containers", container).also_text:
            raise UnreadableError(f"{content.name}: holds no files that can be read")
        for name, stored in unpacked.files.items():
            self._count(content, stored.size)
            yield from self._member(_member(content, name, stored), depth - 1)

    def _member(self, content: Content, depth: int) -> Iterator[Path]:
        try:
            yield from self.of(content, depth)
        except _CrowdedError:
            raise
        except UnreadableError as error:
            self.note(Problem("error", "unreadable", str(error), str(content.path)))

    def _check_name(self, content: Content) -> None:
        """UnreadableError where another file has the name by which this one is read."""
        path = str(content.path)
        if path in self.seen or (content.stored and os.path.lexists(path)):
            raise UnreadableError(
                f"{content.name}: is skipped: another file has the same name; unpack the archive "
                "by hand"
            )
        self.seen.add(path)

    def _count(self, content: Content, size: int) -> None:
        self.room -= size
        self.count += 1
        if self.room < 0 or self.count > _MOST:
            raise _CrowdedError(
                f"{content.name}: with nested archives it contains more than {content.max_bytes} "
                f"bytes or {_MOST} files; the rest is skipped; raise the size limit with "
                "--max-bytes if you trust it"
            )


class _CrowdedError(UnreadableError):
    """More comes out of one file than may."""


def _is_file(path: str | Path) -> bool:
    """Whether there is a file; False also where nobody may look."""
    return os.path.isfile(path)  # noqa: PTH113 (which answers where Path raises)


def _parted(text: str) -> Iterator[tuple[str, str]]:
    """The two sides of each mark in `text`, the first mark first."""
    places = (place for place, char in enumerate(text) if char == MARK)
    return ((text[:place], text[place + 1 :]) for place in places)


def _within(outer: Content, name: str, limits: ProcessLimits) -> Content:
    """The file called `name` in the container `outer`, or in one in it."""
    container = _container(outer, _stamp(outer))
    if not container:
        raise UnreadableError(f"{outer.name}: is not an archive, so it contains no {shown(name)}")
    files = _unpacked(outer, container, limits, _stamp(outer)).files
    if name in files:
        return _member(outer, name, files[name])
    for inner, rest in _parted(name):
        if inner in files:
            return _within(_member(outer, inner, files[inner]), rest, limits)
    raise UnreadableError(f"{outer.name}: there is no {shown(name)} in it")


def _member(outer: Content, name: str, stored: ByteRange) -> Content:
    path = f"{outer.path}{MARK}{name}"
    return Content(path, outer.max_bytes, stored=stored)


@lru_cache(_KEPT)
def _container(content: Content, _stamp: object) -> str:
    """What `container_of` says, asked once of a file that holds ten thousand others."""
    return container_of(content)


@lru_cache(_KEPT)
def _unpacked(content: Content, container: str, limits: ProcessLimits, _stamp: object) -> Unpacked:
    """The files in `content`, which is the same as before if its stamp is."""
    try:
        descriptor, into = mkstemp(prefix="sdtext-")
    except OSError as error:
        raise UnreadableError(f"{content.name}: cannot be unpacked: {reason(error)}") from error
    store = SharedFile(descriptor)
    try:
        found = unpack(PartSpec(container), content, limits, into)
    finally:
        with suppress(OSError):
            os.unlink(into)  # noqa: PTH108 (it is a name, not a path to go on from)
    files: dict[str, ByteRange] = {}
    place = 0
    for name, size in found.members:
        number = 1
        free = name
        while free in files:
            number += 1
            free = f"{name} ({number})"
        files[free] = ByteRange(store, place, size)
        place += size
    if place > store.size:
        raise UnreadableError(f"{content.name}: cannot be unpacked: the copy is incomplete")
    return Unpacked(files, found.problems)


def _stamp(content: Content) -> object:
    """What changes when the file does."""
    if content.stored:
        return content.stored
    if str(content.path) == _STDIN:
        return _STDIN
    try:
        found = Path(content.path).stat()
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "invalid file name"
        raise UnreadableError(f"{content.name}: {why}") from error
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read_otherwise(content: Content) -> bool:
    """Whether a reader of something else than plain text takes `content` for its own."""
    special = (find("readers", name) for name in names_of("readers") if name != _PLAIN)
    return any(reader.recognises(content) for reader in special)


def _may_hold_files(path: Path) -> bool:
    """Whether the first bytes may be those of a container: most files need no closer look."""
    if str(path) == _STDIN:
        return True
    if not os.path.lexists(path):
        return in_archive(path)
    if not _is_file(path):  # a pipe can be read only once
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_SIGNED)
    except OSError:
        return False  # whoever reads it will say why
    return head.startswith(_COMPRESSED) or any(begins(head) for begins in _signatures())


@cache
def _signatures() -> tuple[Callable[[bytes], object], ...]:
    """A test of the first bytes for each signature of a container."""
    containers = [find("containers", name) for name in names_of("containers")]
    signatures = [each for part in containers for each in part.signatures or (b"",)]
    plain = tuple(each for each in signatures if isinstance(each, bytes))
    patterns = (each.match for each in signatures if not isinstance(each, bytes))
    return (lambda head: head.startswith(plain), *patterns)
