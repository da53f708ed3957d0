"""Evaluate a folder of detections against a folder of true cases, both in PAN's XML.

Its measures are precision, recall, granularity and plagdet: M. Potthast, B. Stein, A.
Barrón-Cedeño, P. Rosso: An evaluation framework for plagiarism detection (COLING 2010). A detection
detects a case if both overlap in the text and in its source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import FormatError, PackingError, UnreadableError
from sdtext.formats.pan import ReuseCase, read_pan
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.archive_members import content_at
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import walk
from sdtext.wording import counted, shown

_ENDINGS = (".xml", ".xml.gz")
_NAMED = 3  # files that a warning about many names

Rows = NDArray[np.int64]

Cases = Mapping[str, Sequence[ReuseCase]]
"""The cases of each file, by its name."""

Names = tuple[str, str]
"""The names of a suspicious text and a source."""


@dataclass(frozen=True, repr=False)
class EvaluationRow(ShortFields):
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


def evaluate(
    truth: str | Path, detections: str | Path, *, run: Run | None = None
) -> list[EvaluationRow]:
    """The measures of the files in `detections` against the cases in `truth`.

    Files are matched by their names below the two folders; two files may be given, too. A file
    that `detections` lacks has none, and all detections of a file that `truth` lacks are false;
    both are noted. So is a file that cannot be read, which is left out on both sides; without the
    problems of a `run` it raises UnreadableError. So does a folder that does not exist, a `truth`
    without files, or one that is a folder where the other is a file.

    >>> case = '<feature name="plagiarism" this_offset="0" this_length="40" '
    >>> case += 'source_reference="b.txt" source_offset="9" source_length="40"/>'
    >>> text = f'<document reference="a.txt">{case}</document>'
    >>> for name, kind in (("truth", "plagiarism"), ("detected", "detected-plagiarism")):
    ...     size = (folder / f"{name}.xml").write_text(text.replace("plagiarism", kind))
    >>> rows = evaluate(folder / "truth.xml", folder / "detected.xml")
    >>> rows[0].average, rows[0].recall, rows[0].plagdet
    ('macro', 1.0, 1.0)
    """
    run = run or Run()
    true_files, detected_files = (_files(Path(folder), run) for folder in (truth, detections))
    if Path(truth).is_dir() != Path(detections).is_dir():
        what = f"{shown(truth)} and {shown(detections)}: one is a file and one a folder; name two "
        raise UnreadableError(f"{what}folders or two files")
    if not true_files:
        raise UnreadableError("has no readable file whose name ends in .xml", file=truth)
    for names, consequence in (
        (true_files.keys() - detected_files.keys(), "missing; none of their cases count as found"),
        (detected_files.keys() - true_files.keys(), "not in the truth; their detections are false"),
    ):
        if names:
            some = ", ".join(sorted(names)[:_NAMED]) + (", …" if len(names) > _NAMED else "")
            what = f"{counted(len(names), 'file')} {consequence}: {shown(some)}"
            run.note(Problem.at("warning", "unmatched", detections, what))
    true, detected = (dict(_read_cases(files, run)) for files in (true_files, detected_files))
    unread = (true_files.keys() - true.keys()) | (detected_files.keys() - detected.keys())
    read = sorted((true_files.keys() | detected_files.keys()) - unread)
    for name in filter(detected_files.__contains__, read):
        both = true.get(name, []), detected[name]
        true_names, detected_names = (set(_boxes(side, base_names=True)) for side in both)
        if true_names and detected_names and not true_names & detected_names:
            (text, source), (other_text, other_source) = min(true_names), min(detected_names)
            what = f"is about {other_text!r} and {other_source!r}, the truth about "
            what += f"{text!r} and {source!r}; its detections are false"
            run.note(Problem.at("warning", "unmatched", detected_files[name], what))
    rows: list[EvaluationRow] = []
    for folder in (*sorted({name.rpartition("/")[0] for name in read} - {""}), ""):
        inside = [name for name in read if not folder or name.startswith(f"{folder}/")]
        if not inside:  # without any file there is no measure
            continue
        sides = ({name: side.get(name, []) for name in inside} for side in (true, detected))
        rows += evaluate_cases(*sides, folder=folder)
    return rows


def _files(folder: Path, run: Run) -> dict[str, Path]:
    """The files of a folder by their names below it; a single file has the name "."."""
    if not folder.exists():
        raise UnreadableError("no such file or folder", file=folder)

    def note_unless_empty(problem: Problem) -> None:
        if problem.category != "empty":  # no detections are a result
            run.note(problem)

    return {
        path.relative_to(folder).as_posix(): path
        for path in walk(folder, note_unless_empty)
        if path == folder or path.name.lower().endswith(_ENDINGS)
    }


def _read_cases(files: Mapping[str, Path], run: Run) -> Iterator[tuple[str, list[ReuseCase]]]:
    for name, path in files.items():
        try:
            content = content_at(path)
            if b"<" not in content.head:
                what = "is empty" if not content.head.strip() else "is not XML"
                what += "; it must be a file of passages in PAN's XML"
                raise FormatError(what, file=content.name)
            yield name, read_pan(content.file(), content.name)
        except (FormatError, PackingError) as error:
            run.note(replace(Problem.of(error, path), category="damaged"))
        except UnreadableError as error:
            run.note(Problem.of(error, path))


def evaluate_cases(
    true: Cases, detections: Cases, *, folder: str = ""
) -> tuple[EvaluationRow, EvaluationRow]:
    """PAN's measures of `detections` against `true` cases by the names of files: macro, micro.

    Macro recall is the mean, over true cases, of the share that detections cover, in code points
    of both sides; macro precision the same with roles exchanged. Micro figures count each code
    point of a text once. Granularity is the mean number of detections of a case that has any.
    Plagdet is F1 over log2(1 + granularity). Without cases or without detections, precision and
    recall are 0; without both, 1.
    """
    recalled, precise = list(_overlaps(true, detections)), list(_overlaps(detections, true))
    numbers = [case.others for case in recalled if case.others]
    granularity = sum(numbers) / len(numbers) if numbers else 1.0
    macro = micro = [0.0 if recalled or precise else 1.0] * 2
    if recalled and precise:
        macro = [sum(case.share for case in side) / len(side) for side in (precise, recalled)]
        both = _code_points((case.texts, case.covered) for case in recalled)
        micro = [
            both / _code_points((case.texts, case.whole) for case in side)
            for side in (precise, recalled)
        ]
    false = sum(case.others == 0 for case in precise)
    counts = len(recalled), len(numbers), len(precise), false

    def row(average: str, precision: float, recall: float) -> EvaluationRow:
        both = precision + recall
        plagdet = 2 * precision * recall / both / log2(1 + granularity) if both else 0.0
        return EvaluationRow(folder, average, precision, recall, granularity, plagdet, *counts)

    return row("macro", *macro), row("micro", *micro)


def _code_points(cases: Iterable[tuple[Names, tuple[Rows, Rows]]]) -> int:
    """The number of code points of spans, in texts and in sources, each counted once."""
    texts: defaultdict[tuple[int, str], list[Rows]] = defaultdict(list)
    for names, sides in cases:
        for side, spans in enumerate(sides):
            texts[side, names[side]].append(spans)
    return sum(_length(merge_spans(np.concatenate(spans))) for spans in texts.values())


class _CaseOverlap(NamedTuple):
    """A case, the number of other cases that overlap it, and what they cover of it.

    `whole` has the span of the case in the text and in its source, each as a row of start and end;
    `covered` the disjoint spans that the others cover, `share` in code points of both together.
    """

    texts: Names
    others: int
    whole: tuple[Rows, Rows]
    covered: tuple[Rows, Rows]
    share: float


def _overlaps(cases: Cases, others: Cases) -> Iterator[_CaseOverlap]:
    """For each case its overlap, on both sides, with those of `others` in the file of its name."""
    for name, listed in cases.items():
        boxes_of = _boxes(others.get(name, ()), base_names=True)
        for texts, boxes in _boxes(listed).items():
            key = _base_name(texts[0]), _base_name(texts[1])
            rest = boxes_of.get(key, boxes[:0])
            rest = rest[np.argsort(rest[:, 0], kind="stable")]
            reached = np.maximum.accumulate(rest[:, 1])
            for box in boxes:  # of the others, a range has all that overlap it
                first = reached.searchsorted(box[0], side="right")
                near = rest[first : rest[:, 0].searchsorted(box[1])]
                low, high = box[::2], box[1::2]
                meeting = near[((near[:, ::2] < high) & (near[:, 1::2] > low)).all(1)]
                this, source = (
                    merge_spans(np.clip(meeting[:, 2 * side : 2 * side + 2], low[side], high[side]))
                    for side in (0, 1)
                )
                share = (_length(this) + _length(source)) / int((high - low).sum())
                whole = box[None, :2], box[None, 2:]
                yield _CaseOverlap(texts, len(meeting), whole, (this, source), share)


def merge_spans(spans: Rows) -> Rows:
    """The union of rows of start and end, as disjoint rows in order.

    >>> import numpy as np
    >>> merge_spans(np.array([[5, 9], [0, 3], [1, 5]])).tolist()
    [[0, 9]]
    """
    if len(spans) < 2:
        return spans
    ordered = spans[np.argsort(spans[:, 0], kind="stable")]
    reached = np.maximum.accumulate(ordered[:, 1])
    begins = np.flatnonzero(np.append(True, ordered[1:, 0] > reached[:-1]))
    ends = np.append(begins[1:], len(ordered)) - 1
    return np.stack([ordered[begins, 0], reached[ends]], axis=1)


def _length(spans: Rows) -> int:
    """The total length of disjoint rows of start and end."""
    return int((spans[:, 1] - spans[:, 0]).sum())


def _boxes(cases: Sequence[ReuseCase], *, base_names: bool = False) -> dict[Names, Rows]:
    """Rows of start, end, source start and source end, by the names of the two texts."""
    rows: defaultdict[Names, list[tuple[int, int, int, int]]] = defaultdict(list)
    for case in cases:
        this, source = case.this, case.source
        names = this.document, source.document
        texts = (_base_name(names[0]), _base_name(names[1])) if base_names else names
        rows[texts].append((this.start, this.end, source.start, source.end))
    return {texts: np.array(boxes, np.int64) for texts, boxes in rows.items()}


def _base_name(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
