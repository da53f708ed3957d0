"""Folders of cases in PAN's XML: what was planted, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdtext.errors import FormatError, PackingError, UnreadableError, counted, shown
from sdtext.evaluation.measures import Evaluation, measured
from sdtext.evaluation.overlaps import text_names
from sdtext.formats.pan import Case, read_pan
from sdtext.model import Problem
from sdtext.reading.archive_paths import content_at
from sdtext.reading.walk import Note, walk

_ENDINGS = (".xml", ".xml.gz")
_NAMED = 3  # files in a line that tells of many

Files = Mapping[str, Path]
_Pairs = Mapping[str, tuple[Sequence[Case], Sequence[Case]]]


@dataclass(frozen=True)
class Row:
    """The measures of the files in one folder of the truth, "" for all, by one average.

    `cases` are true ones, `found` those of them that anything found meets; `detections` are all
    that were found, `false` those that meet no case.
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


def evaluate(truth: str | Path, found: str | Path, note: Note) -> list[Row]:
    """How well the cases that the files in `truth` tell were found by those in `found`.

    Files are matched by their names below the two folders; two files may be named, too. What
    `found` lacks counts as nothing found, what `truth` lacks as false; both are noted. So is what
    cannot be read, which is left out on both sides. Raises UnreadableError where there is no such
    folder, no file in `truth`, or a folder beside a file.
    """
    true_files, found_files = (_files(Path(folder), note) for folder in (truth, found))
    if Path(truth).is_dir() != Path(found).is_dir():
        raise UnreadableError(
            f"{shown(truth)} and {shown(found)}: one is a file and one a folder; name two "
            "folders or two files"
        )
    if not true_files:
        raise UnreadableError(f"{shown(truth)}: no file that ends in .xml can be read there")
    for problem in _unmatched(found, true_files, found_files):
        note(problem)
    pairs = _matched(true_files, found_files, note)
    for name, sides in pairs.items():
        if name in found_files and (other := _other_texts(found_files[name], *sides)):
            note(other)
    return list(_rows(pairs))


def _matched(true_files: Files, found_files: Files, note: Note) -> _Pairs:
    """The true cases and the detections of each file, but of those that cannot be read."""
    true, found = (dict(_read(files, note)) for files in (true_files, found_files))
    unread = (true_files.keys() - true.keys()) | (found_files.keys() - found.keys())
    names = sorted((true_files.keys() | found_files.keys()) - unread)
    return {name: (true.get(name, []), found.get(name, [])) for name in names}


def _files(folder: Path, note: Note) -> dict[str, Path]:
    """The files of a folder by their names below it; a file alone is called "."."""
    if not folder.exists():
        raise UnreadableError(f"{shown(folder)}: no such file or folder")
    return {
        path.relative_to(folder).as_posix(): path
        for path in walk(folder, note)
        if path == folder or path.name.lower().endswith(_ENDINGS)
    }


def _read(files: Files, note: Note) -> Iterator[tuple[str, list[Case]]]:
    for name, path in files.items():
        try:
            content = content_at(path)
            yield name, read_pan(content.file(), content.name)
        except (FormatError, PackingError) as error:
            note(Problem("error", "damaged", str(error), str(path)))
        except UnreadableError as error:
            note(Problem("error", "unreadable", str(error), str(path)))


def _unmatched(found: str | Path, true_files: Files, found_files: Files) -> Iterator[Problem]:
    """What is to be said of files that one of the two folders lacks."""
    for names, what in (
        (true_files.keys() - found_files.keys(), "missing; nothing counts as found there"),
        (found_files.keys() - true_files.keys(), "unknown to the truth; what they hold is false"),
    ):
        if names:
            some = ", ".join(sorted(names)[:_NAMED]) + (", …" if len(names) > _NAMED else "")
            message = f"{shown(found)}: {counted(len(names), 'file')} {what}: {shown(some)}"
            yield Problem("warning", "unmatched", message, str(found))


def _other_texts(path: Path, true: Sequence[Case], found: Sequence[Case]) -> Problem | None:
    """That none of the detections is of texts that the truth names, where that is so."""
    wanted, given = text_names(true), text_names(found)
    if not (wanted and given) or wanted & given:
        return None
    (this, source), (other, origin) = min(wanted), min(given)
    message = (
        f"{shown(path)}: tells of {other!r} and {origin!r}, the truth of {this!r} and {source!r}; "
        "so all of it is false"
    )
    return Problem("warning", "unmatched", message, str(path))


def _rows(pairs: _Pairs) -> Iterator[Row]:
    folders = sorted({name.rpartition("/")[0] for name in pairs} - {""})
    for folder in folders:
        inside = {name: both for name, both in pairs.items() if name.startswith(f"{folder}/")}
        yield from _of(folder, inside)
    if pairs:  # of nothing no measure is true
        yield from _of("", pairs)


def _of(folder: str, pairs: _Pairs) -> Iterator[Row]:
    true, found = ({name: both[side] for name, both in pairs.items()} for side in (0, 1))
    result = measured(true, found)
    yield _row(folder, "macro", result)
    yield _row(folder, "micro", result)


def _row(folder: str, average: str, result: Evaluation) -> Row:
    of = result.macro if average == "macro" else result.micro
    return Row(
        folder,
        average,
        *(of.precision, of.recall, of.granularity, of.plagdet),
        *(result.cases, result.found, result.detections, result.false),
    )
