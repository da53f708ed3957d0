"""Evaluate a folder of detections against a folder of true cases, both in PAN's XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sdtext.errors import (
    FormatError,
    PackingError,
    UnreadableError,
    check_path,
    counted,
    naming_arguments,
    shown,
)
from sdtext.evaluation.pan_measures import Evaluation, evaluate_cases, text_names
from sdtext.formats.pan import ReuseCase, read_pan
from sdtext.model import Problem
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import walk

_ENDINGS = (".xml", ".xml.gz")
_NAMED = 3  # files that a warning about many names

Files = Mapping[str, Path]
_Sides = Mapping[str, tuple[Sequence[ReuseCase], Sequence[ReuseCase]]]
"""True cases and detections by the name of their file."""


@dataclass(frozen=True)
class EvaluationRow:
    """The measures of the files in one folder of the truth, "" for all, with one kind of average.

    `cases` counts the true cases, `found` those of them that any detection overlaps, `detections`
    the detections, `false` those that overlap no case.
    """

    folder: str
    average: str
    precision: float
    recall: float
    granularity: float
    plagdet: float
    cases: int
    found: int
    detections: int
    false: int


@naming_arguments
def evaluate(
    truth: str | Path, detections: str | Path, note: Note | None = None
) -> list[EvaluationRow]:
    """The measures of the files in `detections` against the cases in `truth`.

    Files are matched by their names below the two folders; two files may be given, too. A file
    that `detections` lacks has none, and all detections of a file that `truth` lacks are false;
    both are noted. So is a file that cannot be read, which is left out on both sides; without a
    `note` it raises UnreadableError. So does a folder that does not exist, a `truth` without files,
    or one that is a folder where the other is a file.

    >>> case = '<feature name="plagiarism" this_offset="0" this_length="40" '
    >>> case += 'source_reference="b.txt" source_offset="9" source_length="40"/>'
    >>> text = f'<document reference="a.txt">{case}</document>'
    >>> for name, kind in (("truth", "plagiarism"), ("detected", "detected-plagiarism")):
    ...     size = (folder / f"{name}.xml").write_text(text.replace("plagiarism", kind))
    >>> rows = evaluate(folder / "truth.xml", folder / "detected.xml")
    >>> rows[0].average, rows[0].recall, rows[0].plagdet
    ('macro', 1.0, 1.0)
    """
    check_path("evaluate", "truth", truth)
    check_path("evaluate", "detections", detections)
    note = note or Run().note
    true_files, detected_files = (_files(Path(folder), note) for folder in (truth, detections))
    if Path(truth).is_dir() != Path(detections).is_dir():
        raise UnreadableError(
            f"{shown(truth)} and {shown(detections)}: one is a file and one a folder; name two "
            "folders or two files"
        )
    if not true_files:
        raise UnreadableError("has no readable file whose name ends in .xml", file=truth)
    for problem in _unmatched(detections, true_files, detected_files):
        note(problem)
    pairs = _matched(true_files, detected_files, note)
    for name, sides in pairs.items():
        if name in detected_files and (warning := _other_texts(detected_files[name], *sides)):
            note(warning)
    return list(_rows(pairs))


def _matched(true_files: Files, detected_files: Files, note: Note) -> _Sides:
    """The true cases and the detections of each file that can be read on both sides."""
    true, detected = (dict(_read_cases(files, note)) for files in (true_files, detected_files))
    unread = (true_files.keys() - true.keys()) | (detected_files.keys() - detected.keys())
    names = sorted((true_files.keys() | detected_files.keys()) - unread)
    return {name: (true.get(name, []), detected.get(name, [])) for name in names}


def _files(folder: Path, note: Note) -> dict[str, Path]:
    """The files of a folder by their names below it; a single file has the name "."."""
    if not folder.exists():
        raise UnreadableError("no such file or folder", file=folder)

    def note_unless_empty(problem: Problem) -> None:
        if problem.category != "empty":  # no detections are a result
            note(problem)

    return {
        path.relative_to(folder).as_posix(): path
        for path in walk(folder, note_unless_empty)
        if path == folder or path.name.lower().endswith(_ENDINGS)
    }


def _read_cases(files: Files, note: Note) -> Iterator[tuple[str, list[ReuseCase]]]:
    for name, path in files.items():
        try:
            content = content_at(path)
            yield name, read_pan(content.file(), content.name)
        except (FormatError, UnreadableError) as error:
            problem = Problem.of(error, path)
            note(replace(problem, category="damaged") if _is_damage(error) else problem)


def _is_damage(error: FormatError | UnreadableError) -> bool:
    """Whether a file is damaged: its XML, or its compressed form."""
    return isinstance(error, FormatError | PackingError)


def _unmatched(
    detections: str | Path, true_files: Files, detected_files: Files
) -> Iterator[Problem]:
    """Warnings about files that one of the two folders lacks."""
    for names, consequence in (
        (true_files.keys() - detected_files.keys(), "missing; none of their cases count as found"),
        (
            detected_files.keys() - true_files.keys(),
            "not in the truth; their detections are false",
        ),
    ):
        if names:
            some = ", ".join(sorted(names)[:_NAMED]) + (", …" if len(names) > _NAMED else "")
            message = (
                f"{shown(detections)}: {counted(len(names), 'file')} {consequence}: {shown(some)}"
            )
            yield Problem("warning", "unmatched", message, str(detections))


def _other_texts(
    path: Path, true: Sequence[ReuseCase], detections: Sequence[ReuseCase]
) -> Problem | None:
    """A warning if none of the detections is about texts that the truth names."""
    true_names, detected_names = text_names(true), text_names(detections)
    if not (true_names and detected_names) or true_names & detected_names:
        return None
    (text, source), (other_text, other_source) = min(true_names), min(detected_names)
    message = (
        f"{shown(path)}: is about {other_text!r} and {other_source!r}, the truth about {text!r} "
        f"and {source!r}; its detections are false"
    )
    return Problem("warning", "unmatched", message, str(path))


def _rows(pairs: _Sides) -> Iterator[EvaluationRow]:
    folders = sorted({name.rpartition("/")[0] for name in pairs} - {""})
    for folder in folders:
        inside = {name: sides for name, sides in pairs.items() if name.startswith(f"{folder}/")}
        yield from _rows_of(folder, inside)
    if pairs:  # without any file there is no measure
        yield from _rows_of("", pairs)


def _rows_of(folder: str, pairs: _Sides) -> Iterator[EvaluationRow]:
    true, detected = ({name: sides[side] for name, sides in pairs.items()} for side in (0, 1))
    result = evaluate_cases(true, detected)
    yield _row(folder, "macro", result)
    yield _row(folder, "micro", result)


def _row(folder: str, average: str, result: Evaluation) -> EvaluationRow:
    measures = result.macro if average == "macro" else result.micro
    return EvaluationRow(
        folder,
        average,
        *(measures.precision, measures.recall, measures.granularity, measures.plagdet),
        *(result.cases, result.found, result.detections, result.false),
    )
