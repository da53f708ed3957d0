"""Copies of documents by manglers: in memory, and as files in a folder."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TypedDict, Unpack

from sdtext.errors import OptionError, OutputError, naming_arguments
from sdtext.io.output import written
from sdtext.model import PartSpec, Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.manglers import Mangler, seeded_draw
from sdtext.parts.registry import build, normalised, parse
from sdtext.reading.archive_members import MARK, display_name
from sdtext.reading.mangled_documents import OtherTexts
from sdtext.reading.options import Reading
from sdtext.reading.overwrite_guard import (
    PLAIN,
    Identity,
    Output,
    created_folder,
    identity_of,
)
from sdtext.reading.parallel_run import Run, batched, process_document, run_batches
from sdtext.reading.read_document import Source
from sdtext.reading.text_arguments import DocumentInputs, held_and_named
from sdtext.reading.walk import Paths, documents_in, path_list
from sdtext.text.document import Document

SEED = 1
"""The default seed."""

_STEM = 150  # bytes of the name of a document in that of its copy


@dataclass(frozen=True, repr=False)
class MangledCopy(ShortFields):
    """A copy of a document, and how it was made.

    `original` is the path or name of the document; copies of one document by one `mangler` are
    counted from 1 (`number`). If `related` is false, the copy must not match the original.
    `lenders` are the paths or names of other documents of which it may hold text. `text` is its
    text.
    """

    original: str
    mangler: str
    number: int
    seed: int
    related: bool
    lenders: tuple[str, ...]
    text: str = field(repr=False)


@dataclass(frozen=True)
class _LendingTexts:
    """The texts that lend to copies, each once and in order, and the paths of each."""

    texts: Sequence[str]
    paths: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> _LendingTexts:
        """The texts of some documents, each with its path."""
        paths: dict[str, list[str]] = {}
        for path, text in sorted(texts):
            paths.setdefault(text, []).append(path)
        return cls(sorted(paths), paths)

    def but(self, text: str) -> OtherTexts:
        """All texts but one of them."""
        return OtherTexts(self.texts, bisect_left(self.texts, text))

    def paths_of(self, taken: Iterable[int]) -> tuple[str, ...]:
        """The paths of the texts at some places."""
        return tuple(sorted(path for place in taken for path in self.paths[self.texts[place]]))


@dataclass(frozen=True)
class CopyPlan:
    """The copies of each document: so many `copies` by each mangler, drawn from a `seed`."""

    manglers: tuple[PartSpec, ...]
    copies: int = 1
    seed: int = SEED

    def __post_init__(self) -> None:
        for option, value, least in (("copies", self.copies, 1), ("seed", self.seed, 0)):
            if not isinstance(value, int) or value < least:
                wanted = f"a whole number, {least} or more"
                raise OptionError.of("mangle", option, value, wanted)

    @classmethod
    def of(cls, mangler: str | Iterable[str], copies: int = 1, seed: int = SEED) -> CopyPlan:
        """The plan for manglers as on the command line, each once.

        >>> CopyPlan.of(["shuffle", "keep-lines", "shuffle(of=words)"]).lending
        ['keep-lines']
        """
        names = [mangler] if isinstance(mangler, str) else mangler
        by_meaning = {normalised("manglers", spec): spec for spec in map(parse, names)}
        return cls(tuple(by_meaning.values()), copies, seed)

    @cached_property
    def _parts(self) -> list[tuple[PartSpec, PartSpec, Mangler]]:
        return [
            (spec, normalised("manglers", spec), build("manglers", spec)) for spec in self.manglers
        ]

    @property
    def lending(self) -> list[str]:
        """The manglers that take text from other documents."""
        return [str(spec) for spec, _, part in self._parts if part.needs_others]

    def copies_of(self, path: str, text: str, lending: _LendingTexts) -> Iterator[MangledCopy]:
        """The copies of a text, mangler after mangler."""
        for spec, meaning, part in self._parts:
            for number in range(1, self.copies + 1):
                draw = seeded_draw(self.seed, meaning, text, number)
                others = lending.but(text)
                copy = part(text, draw, others)
                yield MangledCopy(
                    path,
                    str(spec),
                    number,
                    self.seed,
                    part.related,
                    lending.paths_of(others.taken),
                    copy,
                )

    def file_names(self, path: Path) -> list[str]:
        """The names of the files of all copies of a document, in their order.

        >>> CopyPlan.of(["keep-lines(share=0.5)", "shuffle"]).file_names(Path("a/bees.pdf"))
        ['bees.keep-lines-0.5.1.txt', 'bees.shuffle.1.txt']
        """
        stem = _short(re.sub(rf"[{MARK}/\\\\]", "-", display_name(path).removesuffix(path.suffix)))
        return [
            f"{'stdin' if stem == '-' else stem}.{_slug(spec)}.{number}.txt"
            for spec in self.manglers
            for number in range(1, self.copies + 1)
        ]


def _short(name: str) -> str:
    """The beginning of a name, so that a longer name fits a file system, which has 255 bytes."""
    return name.encode("utf-8", "surrogateescape")[:_STEM].decode("utf-8", "ignore")


def _slug(spec: PartSpec) -> str:
    values = (re.sub(r"[^\w.]+", "-", str(value)) for _, value in spec.options)
    return "-".join([spec.name, *values])


class MangleOptions(TypedDict, total=False):
    """Options of `mangle`.

    `copies` is the number of copies of each document by each mangler (default 1). `seed` selects
    the random numbers (default 1). `others` are files, folders and Documents that lend text, too,
    and are not copied.
    """

    copies: int
    seed: int
    others: DocumentInputs


@naming_arguments
def mangle(
    paths: DocumentInputs,
    mangler: str | Sequence[str],
    run: Run | None = None,
    **options: Unpack[MangleOptions],
) -> Iterator[MangledCopy]:
    """Copies of documents by one mangler or several: files at `paths` and below, and Documents.

    A mangler is given as on the command line: "keep-lines(share=0.5)". A copy depends on the text,
    the mangler, its number and the seed, and where it takes text of other documents, on the set of
    all texts: not on names, the order of files or the number of processes. `options` are those of
    `MangleOptions`. Raises OptionError for a mangler or option that there is not, and where a
    mangler needs other documents and there are none.

    >>> place = folder / "bees.txt"
    >>> place.write_text("Bees dance in hives.")
    20
    >>> copy = next(mangle(place, "fragment(share=0.5)"))
    >>> copy.text, copy.number, copy.related
    ('Bees dance', 1, True)
    """
    plan = CopyPlan.of(mangler, options.get("copies", 1), options.get("seed", SEED))
    run = run or Run()
    originals = _SourceTexts.of("paths", paths, run)
    return _copies(plan, originals, _SourceTexts.of("others", options.get("others", ()), run), run)


@dataclass(frozen=True)
class _SourceTexts:
    """Documents in files, and those in memory with their names."""

    files: Sequence[Path] = ()
    held: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, argument: str, given: DocumentInputs, run: Run) -> _SourceTexts:
        """The documents that an argument of `mangle` gives. Raises OptionError."""
        held, paths = held_and_named("mangle", argument, given)
        files = list(documents_in(paths, run.reading, run.note)) if paths else []
        return cls(
            files, [(item.source or str(place), item.text) for place, item in enumerate(held)]
        )

    def texts(self, run: Run) -> Iterator[tuple[str, str]]:
        """The path, or name, and the text of each document that can be read."""
        reader = _ReadTexts(run.reading)
        for batch in run_batches(reader, batched(self.files, run.jobs), run, len(self.files)):
            yield from batch.texts
        yield from self.held


def _copies(
    plan: CopyPlan, originals: _SourceTexts, others: _SourceTexts, run: Run
) -> Iterator[MangledCopy]:
    """The copies of the originals, in their order, one at a time in memory."""
    if not plan.lending:
        for path, text in originals.texts(run):
            yield from plan.copies_of(path, text, _LendingTexts.of([(path, text)]))
        return
    files = [*dict.fromkeys((*originals.files, *others.files))]
    texts = [*_SourceTexts(files).texts(run)]
    lending = _LendingTexts.of([*texts, *originals.held, *others.held])
    if lending.texts and len(lending.texts) < 2:
        what = "takes text from other documents; name another one that differs"
        raise OptionError(f"{', '.join(plan.lending)}: {what}")
    copied = {str(path) for path in originals.files}
    for path, text in (*(pair for pair in texts if pair[0] in copied), *originals.held):
        yield from plan.copies_of(path, text, lending)


@dataclass
class _TextBatch:
    texts: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _ReadTexts:
    """Reads a batch of documents."""

    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _TextBatch:
        batch = _TextBatch()
        for path in files:
            result = process_document(path, self.reading, Source.document)
            if isinstance(result, Document):
                batch.texts.append((str(path), result.text))
            batch.problems += [result] if isinstance(result, Problem) else result.problems
        return batch


@dataclass(frozen=True)
class SavedCopy:
    """The file `copy` of a document; the other fields are those of `MangledCopy`."""

    copy: str
    original: str
    mangler: str
    number: int
    seed: int
    related: bool
    lenders: tuple[str, ...]


@dataclass
class CopyFolder:
    """The folder for the files of copies; existing files are replaced only with `replaces`.

    `done` are the files that are written, and `is_new` tells whether the folder was not there.
    """

    path: str
    replaces: bool = False
    done: list[Path] = field(default_factory=list, init=False)
    is_new: bool = field(default=False, init=False)

    def write(
        self, paths: Paths, plan: CopyPlan, run: Run, others: Paths = ()
    ) -> Iterator[SavedCopy]:
        """Write the copies of the documents at `paths`: the file of each, as it is written.

        A name is numbered where it is taken. Raises OutputError before any work if a file cannot
        be written without loss, and OptionError for a path that is no name. The folder is made with
        the first copy.
        """
        if self.path in ("", "-"):
            raise OptionError.of("mangle", "output", self.path, "the name of a folder")
        inputs = [*path_list(paths), *path_list(others)]
        self._check_outside(inputs)
        files = list(documents_in(paths, run.reading, run.note))
        names = _unique_names(plan, files)
        targets = {key: Path(self.path, name) for key, name in names.items()}
        self._check(targets.values(), map(identity_of, files))
        lenders = _SourceTexts.of("others", others, run) if plan.lending else _SourceTexts()
        return self._written(_copies(plan, _SourceTexts(files), lenders, run), targets)

    def _written(
        self, copies: Iterable[MangledCopy], targets: Mapping[_Key, Path]
    ) -> Iterator[SavedCopy]:
        self.is_new = not os.path.lexists(self.path)
        for copy in copies:
            target = targets[copy.original, copy.mangler, copy.number]
            created_folder(target.parent)
            replaces = os.path.lexists(target)
            if not replaces:
                self.done.append(target)
            with written(target, Output(target, PLAIN, self.replaces).check_replaced) as file:
                file.write(copy.text.encode("utf-8", "replace"))
            if replaces:  # until here it was the old file
                self.done.append(target)
            yield SavedCopy(
                str(target),
                *(copy.original, copy.mangler, copy.number, copy.seed, copy.related, copy.lenders),
            )

    def discard(self) -> None:
        """Remove the copies that are written, and a new folder: for work that was interrupted."""
        for target in self.done:
            target.unlink(missing_ok=True)
        if self.is_new:
            with suppress(OSError):  # somebody else has put a file there
                Path(self.path).rmdir()

    def _check_outside(self, inputs: Sequence[Path]) -> None:
        """Raise OutputError if the folder is a file, or in a folder that is read."""
        folder = Path(self.path)
        if folder.exists() and not folder.is_dir():
            raise OutputError("is a file; name a folder for the copies", file=self.path)
        probe = folder / "copy.txt"
        while not probe.parent.exists():
            probe = probe.parent
        Output(probe, PLAIN, replaces=True).check(inputs)

    def _check(self, targets: Iterable[Path], inputs: Iterable[Identity | None]) -> None:
        """Raise OutputError for a target that is an input, or that may not be replaced."""
        identities = set(inputs) - {None}
        for target in targets:
            if identity_of(target) in identities:
                raise OutputError("is also an input; choose another folder", file=target)
            Output(target, PLAIN, self.replaces).check_replaced()


_Key = tuple[str, str, int]


def _unique_names(plan: CopyPlan, files: Sequence[Path]) -> dict[_Key, str]:
    """The name of the file of each copy, by original, mangler and number.

    Names that differ in letter case alone are the same, as on some file systems.
    """
    names: dict[_Key, str] = {}
    taken: set[str] = set()
    for path in files:
        keys = [
            (str(path), str(spec), number)
            for spec in plan.manglers
            for number in range(1, plan.copies + 1)
        ]
        for key, name in zip(keys, plan.file_names(path), strict=True):
            stem, suffix = name.rsplit(".", 1)
            numbered = (f"{stem}-{number}.{suffix}" for number in count(2))
            while name.casefold() in taken:
                name = next(numbered)  # noqa: PLW2901 (the first that is free)
            taken.add(name.casefold())
            names[key] = name
    return names
