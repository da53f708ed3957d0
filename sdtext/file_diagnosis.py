"""Diagnose files: their kind, their reader, and why no text can be extracted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from sdtext.collections.integrity import faults_at
from sdtext.errors import SdtextError, UnreadableError, check_type, naming_arguments, shown
from sdtext.fingerprinting.load_and_save import load_dictionary, load_evidence, load_fingerprints
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.registry import find
from sdtext.reading.archive_members import content_at
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Note, Reading
from sdtext.reading.parallel_run import Run, batched, run_batches
from sdtext.reading.read_document import Source
from sdtext.reading.recognise_file import PLAIN, container_of
from sdtext.reading.text_arguments import DocumentInputs, held_and_named
from sdtext.reading.walk import expand_archives, is_collection, walk
from sdtext.text.document import Document

COLLECTION = "collection of sdtext"
"""The kind of a collection."""


@dataclass(frozen=True, repr=False)
class Finding(ShortFields):
    """The diagnosis of one file, or of a document in memory, whose `path` is its name.

    `kind` is its format; `reader`, `engine` and `encoding` are how its text is read. `certainty` is
    "likely" or "doubtful" for an encoding that was detected, None for one that is known.
    `characters` is the length of the text; `problem` says why there is no text, or what part is
    missing. An archive has no text of its own: the files in it follow.
    """

    path: str
    kind: str = ""
    reader: str | None = None
    engine: str | None = None
    encoding: str | None = None
    certainty: str | None = None
    characters: int | None = None
    problem: str | None = None


@naming_arguments
def examine(paths: DocumentInputs, run: Run | None = None) -> Iterator[Finding]:
    """Diagnose each file at `paths`, and in folders and archives there, and each Document.

    Unreadable files are also problems of the run.

    >>> [finding] = examine(samples / "union.txt")
    >>> finding.kind, finding.encoding, finding.characters
    ('plain text', 'utf-8', 1970)
    """
    check_type("examine", "run", run, (Run, type(None)), "an sdtext.Run")
    held, named = held_and_named("examine", "paths", paths)
    return chain(_findings(named, run or Run(problems=[])), map(_of_document, held))


def _findings(paths: Sequence[Path], run: Run) -> Iterator[Finding]:
    collections = [path for path in paths if is_collection(path)]
    for path in collections:
        yield from _collection(path, run.note)
    others = [path for path in paths if path not in collections]
    files = list(walk(others, run.note, run.reading.selection))
    work = _ExamineFiles(run.reading)
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        yield from batch.findings


def _of_document(document: Document) -> Finding:
    """The finding of a document in memory, by what is known of how its text was read."""
    read = document.metadata
    reader = read.get("reader")
    problems = [problem.without_file for problem in document.problems]
    return Finding(
        document.source,
        find("readers", reader).called if reader else "text in memory",
        reader,
        read.get("engine"),
        read.get("encoding"),
        read.get("certainty"),
        len(document.text),
        "; ".join(problems if document.text.strip() else ["holds no text", *problems]) or None,
    )


def _collection(path: Path, note: Note) -> Iterator[Finding]:
    """One finding for an intact collection, otherwise one for each fault."""
    problems = list(faults_at(path.absolute(), shown(path)))
    for problem in problems:
        note(problem)
        yield Finding(problem.path, COLLECTION, problem=problem.without_file)
    if not problems:
        yield Finding(str(path), COLLECTION)


@dataclass(frozen=True)
class _FindingBatch:
    """The findings of a batch of files, and the problems."""

    findings: list[Finding]
    problems: list[Problem]


@dataclass(frozen=True)
class _ExamineFiles:
    """Examines a batch of files, and the files in them."""

    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _FindingBatch:
        rows = list(chain.from_iterable(map(self._all, files)))
        problems = [problem for _, problems in rows for problem in problems]
        return _FindingBatch([finding for finding, _ in rows], problems)

    def _all(self, path: Path) -> Iterator[_Found]:
        """The finding of a file, and of each file in it."""
        problems: list[Problem] = []
        inside = list(expand_archives([path], self.reading, problems.append))
        if inside[:1] != [path] and (archive := self._archive(path)):
            yield archive, ()
        for document in inside:
            yield self._document(document)
        for problem in problems:
            yield Finding(problem.path, problem=problem.without_file), (problem,)

    def _archive(self, path: Path) -> Finding | None:
        try:
            content = content_at(path, self.reading.max_bytes, self.reading.limits)
            name = container_of(content)
        except UnreadableError:  # it is already among the problems
            return None
        return Finding(str(path), find("containers", name).called if name else "", name or None)

    def _document(self, path: Path) -> _Found:
        """The finding of a document."""
        finding = Finding(str(path))
        try:
            source = Source.at(path, self.reading)
            if kind := source.artefact:
                return self._ours(replace(finding, kind=f"<{kind}> of sdtext"), kind)
            finding = replace(finding, kind=find("readers", source.name).called, reader=source.name)
            with within_limits(self.reading.limits, shown(path)):
                characters = sum(len(piece.text) for _, piece in source.documents(" \n"))
        except UnreadableError as error:
            failed = Problem.of(error, path)
            if finding.reader == PLAIN:  # the reader of last resort says nothing about the format
                finding = Finding(str(path))
            return replace(finding, problem=failed.without_file), (failed,)
        metadata = source.metadata()
        problems = source.problems
        return (
            replace(
                finding,
                engine=metadata.get("engine"),
                encoding=metadata.get("encoding"),
                certainty=metadata.get("certainty"),
                characters=characters,
                problem="; ".join(problem.without_file for problem in problems) or None,
            ),
            problems,
        )

    def _ours(self, finding: Finding, kind: str) -> _Found:
        """The finding of a file of sdtext, which is read to its end."""
        try:
            deque(_READ[kind](finding.path, self.reading.max_bytes) if kind in _READ else (), 0)
        except SdtextError as error:
            problem = Problem.of(error, finding.path)
            return replace(finding, problem=problem.without_file), (problem,)
        return finding, ()


_Found = tuple[Finding, Sequence[Problem]]
_READ: Mapping[str, Callable[[str, int], Iterable[object]]] = {
    "dictionary": lambda path, most: [load_dictionary(path, most)],
    "fingerprint": load_fingerprints,
    "fingerprints": load_fingerprints,
    "evidence": lambda path, most: [load_evidence(path, most)],
}
"""Readers of the files of sdtext, by root element."""
