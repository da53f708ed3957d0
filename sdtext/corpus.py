"""Many files: found, read on all cores, counted into dictionaries."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import ceil
from pathlib import Path
from stat import S_ISDIR
from typing import TypeVar

from sdtext.chain import Chain
from sdtext.dictionary import Dictionary
from sdtext.documents import Reading, Source
from sdtext.errors import OptionError, UnreadableError, reason, shown
from sdtext.formats.xml import root_name
from sdtext.model import Problem, RecipeSpec
from sdtext.recipe import load_recipe
from sdtext.workers import in_parallel

_BATCH_BYTES = 8 << 20
_BATCH_FILES = 256
_LEAST_BATCH = 1 << 18
_BATCHES = 16  # for each job, at the least: PDF files take a hundred times as long as text

Made = TypeVar("Made")
Paths = Sequence[str | Path] | str | Path


@dataclass(frozen=True)
class Run:
    """How to go through many files.

    `jobs` processes share the work; a program that asks for more than one must be guarded by `if
    __name__ == "__main__":`, as always where processes are begun. What cannot be read is added to
    `problems`; without such a list the first problem is raised. `progress` is called with the
    number of files done since the last call and of all.
    """

    jobs: int = 1
    reading: Reading = field(default_factory=Reading)
    problems: list[Problem] | None = None
    progress: Callable[[int, int], None] | None = None

    def note(self, problem: Problem) -> None:
        """Keep `problem`; where nobody keeps problems, raise it if it is an error."""
        if self.problems is not None:
            self.problems.append(problem)
        elif problem.severity == "error":
            raise UnreadableError(problem.message)

    def step(self, done: int, total: int) -> None:
        """Tell that `done` more files of `total` are done."""
        if self.progress:
            self.progress(done, total)


@dataclass(frozen=True)
class Amount:
    """A count, or a percentage of a total.

    >>> Amount.parse("20%").of(85), Amount.parse("20").of(85)
    (17, 20)
    """

    number: float
    percent: bool = False

    @classmethod
    def parse(cls, text: str) -> Amount:
        """The amount that `text` spells: COUNT or PERCENT%. Raises OptionError."""
        digits = text.strip().removesuffix("%")
        percent = digits != text.strip()
        try:
            number = float(digits) if percent else int(digits)
        except ValueError:
            number = 0
        if not 0 < number <= (100 if percent else number):
            raise OptionError(f"amount is {text!r}; it must be a count, or a percentage as 10%")
        return cls(number, percent)

    def of(self, total: int) -> int:
        """How many of `total` that is, at most all; a percentage is rounded up."""
        return min(total, ceil(total * self.number / 100) if self.percent else int(self.number))


def walk(paths: Paths, note: Callable[[Problem], None]) -> Iterator[Path]:
    """The files at `paths` and below them: folders in the order of names, each file once.

    Symbolic links inside a folder are not followed, and what is neither file nor folder is
    left out. What cannot be listed is a problem.
    """
    seen: set[Path] = set()
    for path in _listed(paths):
        for found in _below(path, note):
            if (place := Path(os.path.abspath(found))) not in seen:  # noqa: PTH100 (links stay)
                seen.add(place)
                yield found


def _below(path: Path, note: Callable[[Problem], None]) -> Iterator[Path]:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else "no file can have such a name"
        note(Problem("error", "missing", f"{shown(path)}: {why}", str(path)))
        return
    if not S_ISDIR(found.st_mode):
        yield path
        return
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            message = f"{shown(folder)}: {reason(error)}"
            note(Problem("error", "unreadable", message, str(folder)))
            continue
        yield from (Path(entry) for entry in entries if entry.is_file(follow_symlinks=False))
        folders = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
        waiting.extend(reversed(folders))


def create_dictionary(
    paths: Paths,
    recipe: RecipeSpec | str | Path,
    sample: Amount | None = None,
    max_terms: Amount | None = None,
    run: Run | None = None,
) -> Dictionary:
    """The dictionary of the documents at `paths`: files, or folders with all files below.

    `recipe` may be named by its file; its chain goes into the dictionary.
    `sample` takes that many of the files, by a rule that depends on their names and sizes;
    `max_terms` keeps the terms with the highest document frequencies, in code-point order where
    equal. sdtext's own files are passed over. Raises UnreadableError where no document or no
    term is left.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> dictionary.documents, "constitut" in dictionary.places
    (8, True)
    """
    run = run or Run()
    chosen = recipe if isinstance(recipe, RecipeSpec) else load_recipe(recipe)
    recipe = RecipeSpec(chosen.tokenizer, chosen.filters)
    files = list(walk(paths, run.note))
    if not files and not run.problems:
        raise UnreadableError(f"{', '.join(map(shown, _listed(paths)))}: holds no files to count")
    if sample:
        files = sampled(files, sample)
    chain = Chain(recipe)
    frequencies, documents, engines = _counted(files, recipe, run)
    if not frequencies:
        what = "no dictionary is made, for the documents hold no term"
        raise UnreadableError(what if documents else because(run, "no document could be read"))
    if max_terms:
        frequencies = Counter(_most_frequent(frequencies, max_terms.of(len(frequencies))))
    dictionary = Dictionary.of(frequencies, documents, recipe)
    return dictionary.labelled(libraries=(*chain.libraries(), *sorted(engines)))


def because(run: Run, what: str) -> str:
    """`what`, with the reason where there was one problem alone."""
    problems = run.problems or ()
    return f"{problems[0].message}; {what}" if len(problems) == 1 else what


def sampled(files: Sequence[Path], amount: Amount) -> list[Path]:
    """That many of `files`, those whose names and sizes have the smallest digests."""

    def rank(path: Path) -> tuple[bytes, bytes]:
        facts = f"{size_of(path)} ".encode() + os.fsencode(path.name)
        return blake2b(facts, digest_size=8).digest(), os.fsencode(path)

    return sorted(files, key=rank)[: amount.of(len(files))]


def size_of(path: Path) -> int:
    """The size of a file in bytes, 0 where it cannot be told: whoever reads it will say why."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _listed(paths: Paths) -> list[Path]:
    return [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def _most_frequent(frequencies: Mapping[str, int], number: int) -> dict[str, int]:
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:number])


def _counted(
    files: Sequence[Path], recipe: RecipeSpec, run: Run
) -> tuple[Counter[str], int, set[tuple[str, str]]]:
    """The document frequencies over the readable ones of `files`, how many they are, their engines.

    An engine is a library that extracted a text, with its version.
    """
    frequencies: Counter[str] = Counter()
    documents = 0
    engines: set[tuple[str, str]] = set()
    work = _Counting(recipe, run.reading)
    batches = list(batched(files, run.jobs))
    for batch, counted in zip(batches, in_parallel(work, batches, run.jobs), strict=True):
        documents += counted.documents
        engines |= counted.engines
        for problem in counted.problems:
            run.note(problem)
        terms = counted.terms.split("\n") if counted.terms else ()
        for term, count in zip(terms, counted.counts, strict=True):
            frequencies[term] += count
        run.step(len(batch), len(files))
    return frequencies, documents, engines


def batched(files: Sequence[Path], jobs: int) -> Iterator[list[Path]]:
    """`files` in batches, so that few results travel between processes.

    A batch is of some megabytes, and less where that would not keep all `jobs` at work.
    """
    sizes = [size_of(path) for path in files]
    most = max(_LEAST_BATCH, min(_BATCH_BYTES, sum(sizes) // (_BATCHES * jobs)))
    batch: list[Path] = []
    size = 0
    for path, own in zip(files, sizes, strict=True):
        batch.append(path)
        size += own
        if size > most or len(batch) == _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass
class _Batch:
    """What a batch holds: its terms joined by line ends, and the document frequency of each."""

    terms: str = ""
    counts: Sequence[int] = ()
    documents: int = 0
    problems: list[Problem] = field(default_factory=list)
    engines: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class _Counting:
    """Counts a batch."""

    recipe: RecipeSpec
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _Batch:
        frequencies: Counter[str] = Counter()
        batch = _Batch()
        for path in files:
            source = Source.at(path, self.reading)
            found = attempted(source, self._terms)
            if isinstance(found, Problem):
                batch.problems.append(found)
            else:
                frequencies.update(found)
                batch.documents += 1
                batch.problems += source.problems
                batch.engines.update(source.libraries)
        batch.terms, batch.counts = "\n".join(frequencies), list(frequencies.values())
        return batch

    def _terms(self, source: Source) -> set[str]:
        return self._chain.distinct(source.clean_pieces(self._chain.tokenizer.boundaries))

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)


def passed_over(path: Path, kind: str) -> Problem:
    """What is said of a file of sdtext's own among documents."""
    message = f"{shown(path)}: is a <{kind}> file of sdtext, not a document; passed over"
    return Problem("warning", "artefact", message, str(path))


def attempted(source: Source, work: Callable[[Source], Made]) -> Made | Problem:
    """What `work` makes of a document, or what is wrong with that."""
    path = Path(source.content.path)
    try:
        if kind := root_name(source.content.head):
            return passed_over(path, kind)
        return work(source)
    except UnreadableError as error:
        return Problem("error", "unreadable", str(error), str(path))
