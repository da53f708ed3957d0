"""Diagnose files: their kind, their reader, and why no text can be extracted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sdtext.collections.stored_collection import faults_at
from sdtext.errors import NotTextError, SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import load_dictionary, load_evidence, load_fingerprints
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.kernels.csrc import WHY_PLAIN
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.registry import find
from sdtext.reading.archive_members import content_at, expanded_files
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, batched, run_batches
from sdtext.reading.read_document import Source
from sdtext.reading.recognise_file import PLAIN, container_of
from sdtext.reading.walk import is_collection, walk
from sdtext.wording import counted, shown

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


def examine(paths: DocumentInputs, *, run: Run | None = None) -> Iterator[Finding]:
    """Diagnose each file at `paths`, and in folders and archives there, and each Document.

    Unreadable files are also problems of the run.

    >>> [finding] = examine(samples / "union.txt")
    >>> finding.kind, finding.encoding, finding.characters
    ('plain text', 'utf-8', 1970)
    """
    run = run or Run(problems=[])
    documents, named = documents_and_paths(paths)
    collections = [path for path in named if is_collection(path)]
    for path in collections:
        problems = list(faults_at(path.absolute(), shown(path)))
        for problem in problems:
            run.note(problem)
            yield Finding(problem.path, COLLECTION, problem=problem.what)
        if not problems:
            yield Finding(str(path), COLLECTION)
    others = [path for path in named if path not in collections]
    files = list(walk(others, run.note, run.reading.selection))
    work = _ExamineFiles(run.reading)
    for findings in run_batches(work, batched(files, run.jobs), run, len(files)):
        yield from findings
    for document in documents:
        read, texts = document.metadata, [problem.what for problem in document.problems]
        reader = read.get("reader")
        yield Finding(
            document.source,
            find("readers", reader).called if reader else "text in memory",
            reader,
            read.get("engine"),
            read.get("encoding"),
            read.get("certainty"),
            len(document.text),
            "; ".join(texts if document.text.strip() else ["holds no text", *texts]) or None,
        )


def summary_of(findings: Iterable[Finding], problems: Iterable[Problem]) -> Iterator[str]:
    """How many texts were read and how many not, and which collections are sound, in lines."""
    findings = list(findings)
    unread = [
        problem.path
        for problem in problems
        if problem.severity == "error" or problem.category == NotTextError.category
    ]
    read = sum(finding.characters is not None for finding in findings)
    sound = sum(each.kind == COLLECTION and each.path not in unread for each in findings)
    if read or unread:
        yield f"{counted(read, 'text')} read, {len(unread)} not"
    if sound:
        yield f"{counted(sound, 'collection')} verified: no damage found"
    if WHY_PLAIN:
        yield f"kernels: {WHY_PLAIN}"


@dataclass(frozen=True)
class _ExamineFiles:
    reading: Reading

    def __call__(self, files: Sequence[Path], problems: list[Problem]) -> list[Finding]:
        findings: list[Finding] = []
        for path in files:
            of_archive: list[Problem] = []
            is_archive = True
            of_path: list[Finding] = []
            for content in expanded_files([path], self.reading, of_archive.append):
                is_archive = is_archive and Path(content.path) != path
                finding, further = self._document(content)
                of_path.append(finding)
                problems += further
            if is_archive and (archive := self._archive(path)):
                findings.append(archive)
            findings += of_path
            findings += (Finding(problem.path, problem=problem.what) for problem in of_archive)
            problems += of_archive
        return findings

    def _archive(self, path: Path) -> Finding | None:
        try:
            name = container_of(content_at(path, self.reading.max_bytes, self.reading.limits))
        except UnreadableError:  # it is already among the problems
            return None
        return Finding(str(path), find("containers", name).called if name else "", name or None)

    def _document(self, content: Content) -> tuple[Finding, Sequence[Problem]]:
        """The finding of a document, or of a file of sdtext, which is read to its end."""
        finding = Finding(str(content.path))
        try:
            source = Source(content, self.reading)
            if kind := kind_of_own_file(source.content.head):
                finding = replace(finding, kind=f"<{kind}> of sdtext")
                if kind in _READ:
                    deque(_READ[kind](finding.path, self.reading.max_bytes), 0)
                return finding, ()
            with within_limits(self.reading.limits, content.name):
                called = find("readers", source.name).called
                finding = replace(finding, kind=called, reader=source.name)
                characters = sum(len(piece.text) for _, piece in source.documents(" \n"))
        except SdtextError as error:
            failed = Problem.of(error, finding.path)
            if finding.reader == PLAIN:  # the reader of last resort says nothing about the format
                finding = Finding(finding.path)
            return replace(finding, problem=failed.what), (failed,)
        metadata, problems = source.metadata(), source.problems
        finding = replace(
            finding,
            engine=metadata.get("engine"),
            encoding=metadata.get("encoding"),
            certainty=metadata.get("certainty"),
            characters=characters,
            problem="; ".join(problem.what for problem in problems) or None,
        )
        return finding, problems


_READ: Mapping[str, Callable[[str, int], Iterable[object]]] = {
    "dictionary": lambda path, most: [load_dictionary(path, most)],
    "fingerprint": load_fingerprints,
    "fingerprints": load_fingerprints,
    "evidence": lambda path, most: [load_evidence(path, most)],
}
"""Readers of the files of sdtext, by root element."""
