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

from sdtext.errors import OptionError, OutputError
from sdtext.io.output import written
from sdtext.model import PartSpec, Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.manglers import Mangler, seeded_draw
from sdtext.parts.registry import build, normalised, parse
from sdtext.reading.archive_members import MARK, display_name
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.mangled_documents import OtherTexts
from sdtext.reading.options import Reading
from sdtext.reading.overwrite_guard import PLAIN, Output, created_folder, identity_of
from sdtext.reading.parallel_run import Run, batched, process_document, run_batches
from sdtext.reading.read_document import Source
from sdtext.reading.walk import Paths, documents_in, path_list
from sdtext.text.document import Document

SEED = 1
"""The default seed."""

_STEM = 150  # bytes of the name of a document in that of its copy
NamedText = tuple[str, str]
"""The path or name of a document, and its text."""


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
class CopyPlan:
    """The copies of each document: so many `copies` by each mangler, drawn from a `seed`."""

    manglers: tuple[PartSpec, ...]
    copies: int = 1
    seed: int = SEED

    def __post_init__(self) -> None:
        for option, value, least in (("copies", self.copies, 1), ("seed", self.seed, 0)):
            if value < least:
                raise OptionError.of("mangle", option, value, f"{least} or more")

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

    def copies_of(
        self, name: str, text: str, lenders: Mapping[str, Sequence[str]]
    ) -> Iterator[MangledCopy]:
        """The copies of a text, mangler after mangler.

        `lenders` has the texts that may lend to copies, in order, with the names of each.
        """
        texts = [*lenders]
        for spec, meaning, part in self._parts:
            for number in range(1, self.copies + 1):
                draw = seeded_draw(self.seed, meaning, text, number)
                others = OtherTexts(texts, bisect_left(texts, text))
                copy = part(text, draw, others)
                names = sorted(each for place in others.taken for each in lenders[texts[place]])
                yield MangledCopy(
                    name, str(spec), number, self.seed, part.related, tuple(names), copy
                )

    def file_names(self, path: Path) -> dict[tuple[str, int], str]:
        """The names of the files of all copies of a document, by mangler and number.

        >>> plan = CopyPlan.of(["keep-lines(share=0.5)", "shuffle"])
        >>> [*plan.file_names(Path("a/b.pdf")).values()]
        ['b.keep-lines-0.5.1.txt', 'b.shuffle.1.txt']
        """
        stem = re.sub(rf"[{MARK}/\\]", "-", display_name(path).removesuffix(path.suffix))
        # A longer name might not fit a file system, which has 255 bytes.
        stem = stem.encode("utf-8", "surrogateescape")[:_STEM].decode("utf-8", "ignore")
        names = {}
        for spec in self.manglers:
            values = (re.sub(r"[^\w.]+", "-", str(value)) for _, value in spec.options)
            slug = "-".join([spec.name, *values])
            for number in range(1, self.copies + 1):
                name = f"{'stdin' if stem == '-' else stem}.{slug}.{number}.txt"
                names[str(spec), number] = name
        return names


def mangle(
    paths: DocumentInputs,
    mangler: str | Sequence[str],
    *,
    copies: int = 1,
    seed: int = SEED,
    others: DocumentInputs = (),
    run: Run | None = None,
) -> Iterator[MangledCopy]:
    """Copies of documents by one mangler or several: files at `paths` and below, and Documents.

    A mangler is given as on the command line: "keep-lines(share=0.5)". `copies` is the number of
    copies of each document by each mangler, and `seed` selects the random numbers. `others` are
    files, folders and Documents that lend text, too, and are not copied. A copy depends on the
    text, the mangler, its number and the seed, and where it takes text of other documents, on the
    set of all texts: not on names, the order of files or the number of processes. Raises
    OptionError for a mangler or option that there is not, and where a mangler needs other documents
    and there are none.

    >>> place = folder / "bees.txt"
    >>> place.write_text("Bees dance in hives.")
    20
    >>> copy = next(mangle(place, "fragment(share=0.5)"))
    >>> copy.text, copy.number, copy.related
    ('Bees dance', 1, True)
    """
    plan, run = CopyPlan.of(mangler, copies, seed), run or Run()
    sides = []
    for given in (paths, others):
        held, named = documents_and_paths(given)
        files = list(documents_in(named, run.reading, run.note)) if named else []
        texts = [(item.source or str(place), item.text) for place, item in enumerate(held)]
        sides.append((files, texts))
    return _copies(plan, *sides, run=run)


_Sources = tuple[Sequence[Path], Sequence[NamedText]]
"""Documents in files, and those in memory."""


def _copies(
    plan: CopyPlan, originals: _Sources, others: _Sources, *, run: Run
) -> Iterator[MangledCopy]:
    """The copies of the originals, in their order, one at a time in memory."""
    files, held = originals
    if not plan.lending:
        for batch in (_texts(files, run), held):
            for name, text in batch:
                yield from plan.copies_of(name, text, {text: [name]})
        return
    texts = [*_texts([*dict.fromkeys((*files, *others[0]))], run)]
    lenders: dict[str, list[str]] = {}
    for name, text in sorted([*texts, *held, *others[1]], key=lambda pair: (pair[1], pair[0])):
        lenders.setdefault(text, []).append(name)
    if len(lenders) == 1:
        what = "takes text from other documents; name another one that differs"
        raise OptionError(f"{', '.join(plan.lending)}: {what}")
    copied = {str(path) for path in files}
    for name, text in (*(pair for pair in texts if pair[0] in copied), *held):
        yield from plan.copies_of(name, text, lenders)


def _texts(files: Sequence[Path], run: Run) -> Iterator[NamedText]:
    """The path and the text of each document that can be read."""
    reader = _ReadTexts(run.reading)
    for batch in run_batches(reader, batched(files, run.jobs), run, len(files)):
        yield from batch.texts


@dataclass
class _TextBatch:
    texts: list[NamedText] = field(default_factory=list)
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
    ) -> Iterator[tuple[str, MangledCopy]]:
        """Write the copies of the documents at `paths`: each with its file, as it is written.

        A name is numbered where there is one like it. Raises OutputError before any work if a file
        cannot be written without loss, and OptionError for a path that is no name. The folder is
        made with the first copy.
        """
        if self.path in ("", "-"):
            raise OptionError.of("mangle", "output", self.path, "the name of a folder")
        self._check_outside([*path_list(paths), *path_list(others)])
        files = list(documents_in(paths, run.reading, run.note))
        targets = {key: Path(self.path, name) for key, name in _unique_names(plan, files).items()}
        inputs = {*map(identity_of, files)} - {None}
        for target in targets.values():
            if identity_of(target) in inputs:
                raise OutputError("is also an input; choose another folder", file=target)
            Output(target, PLAIN, self.replaces).check_replaced()
        lending = list(documents_in(others, run.reading, run.note)) if plan.lending else []
        return self._written(_copies(plan, (files, ()), (lending, ()), run=run), targets)

    def _written(
        self, copies: Iterable[MangledCopy], targets: Mapping[_Key, Path]
    ) -> Iterator[tuple[str, MangledCopy]]:
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
            yield str(target), copy

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


_Key = tuple[str, str, int]


def _unique_names(plan: CopyPlan, files: Sequence[Path]) -> dict[_Key, str]:
    """The name of the file of each copy, by original, mangler and number.

    Names that differ in letter case alone are the same, as on some file systems.
    """
    names: dict[_Key, str] = {}
    known: set[str] = set()
    for path in files:
        for key, name in plan.file_names(path).items():
            stem, suffix = name.rsplit(".", 1)
            numbered = (f"{stem}-{number}.{suffix}" for number in count(2))
            while name.casefold() in known:
                name = next(numbered)  # noqa: PLW2901 (the first that is free)
            known.add(name.casefold())
            names[str(path), *key] = name
    return names
