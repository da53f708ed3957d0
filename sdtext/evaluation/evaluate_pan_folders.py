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
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import (
    FormatError,
    PackingError,
    UnreadableError,
    check_path,
    check_type,
    counted,
    did_you_mean,
    naming_arguments,
    shown,
)
from sdtext.formats.pan import ReuseCase, read_pan
from sdtext.model import Problem
from sdtext.model.displayed_results import ShortFields
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Note
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import walk

_ENDINGS = (".xml", ".xml.gz")
_NAMED = 3  # files that a warning about many names

Files = Mapping[str, Path]
_Sides = Mapping[str, tuple[Sequence[ReuseCase], Sequence[ReuseCase]]]
"""True cases and detections by the name of their file."""
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
    for name, side in (("truth", truth), ("detections", detections)):
        check_type(
            "evaluate", name, side, (str, PathLike), "the path of a file or folder in PAN's XML"
        )
        check_path("evaluate", name, side)
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
        raise UnreadableError(f"no such file or folder{did_you_mean(folder)}", file=folder)

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
            if b"<" not in content.head:
                what = "is empty" if not content.head.strip() else "is not XML"
                what += "; it must be a file of passages in PAN's XML"
                raise FormatError(what, file=content.name)
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


@dataclass(frozen=True)
class Measures:
    """The quality of detections: precision and recall from 0 to 1, granularity 1 or more.

    >>> Measures(0.5, 1.0, 1.0).plagdet
    0.6666666666666666
    """

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """The overall score from 0 to 1: F1 over log2(1 + granularity)."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both / log2(1 + self.granularity) if both else 0.0


@dataclass(frozen=True)
class Evaluation:
    """The measures with equal weight for each case (macro) and for each code point (micro).

    `cases` counts the true cases, `found` those of them that any detection overlaps, `detections`
    the detections, `false` those that overlap no case.
    """

    macro: Measures
    micro: Measures
    cases: int
    found: int
    detections: int
    false: int


def evaluate_cases(true: Cases, detections: Cases) -> Evaluation:
    """PAN's measures of `detections` against `true` cases, both by the name of their file.

    Macro recall is the mean, over true cases, of the share that detections cover, in code points
    of both sides; macro precision the same with roles exchanged. Micro figures count each code
    point of a text once. Granularity is the mean number of detections of a case that has any.
    Without cases or without detections, precision and recall are 0; without both, 1.
    """
    recalled, precise = list(_overlaps(true, detections)), list(_overlaps(detections, true))
    granularity = _granularity(recalled)
    macro = Measures(_mean_share(precise, recalled), _mean_share(recalled, precise), granularity)
    return Evaluation(
        macro,
        _micro(recalled, precise, granularity),
        len(recalled),
        sum(case.others > 0 for case in recalled),
        len(precise),
        sum(case.others == 0 for case in precise),
    )


def _mean_share(cases: Sequence[_CaseOverlap], others: Sequence[_CaseOverlap]) -> float:
    if not (cases and others):
        return _share_without(cases, others)
    return sum(case.share for case in cases) / len(cases)


def _share_without(cases: Sequence[_CaseOverlap], others: Sequence[_CaseOverlap]) -> float:
    """Precision and recall where cases or detections are missing."""
    return 0.0 if cases or others else 1.0


def _granularity(recalled: Sequence[_CaseOverlap]) -> float:
    counts = [case.others for case in recalled if case.others]
    return sum(counts) / len(counts) if counts else 1.0


def _micro(
    recalled: Sequence[_CaseOverlap], precise: Sequence[_CaseOverlap], granularity: float
) -> Measures:
    if not (recalled and precise):
        share = _share_without(recalled, precise)
        return Measures(share, share, granularity)
    both = _code_points((case.texts, case.covered) for case in recalled)
    true, detected = (
        _code_points((case.texts, case.whole) for case in side) for side in (recalled, precise)
    )
    return Measures(both / detected, both / true, granularity)


def _code_points(cases: Iterable[tuple[Names, tuple[Rows, Rows]]]) -> int:
    """The number of code points of spans, in texts and in sources, each counted once."""
    texts: defaultdict[tuple[int, str], list[Rows]] = defaultdict(list)
    for names, sides in cases:
        for side, spans in enumerate(sides):
            texts[side, names[side]].append(spans)
    return sum(_length(merge_spans(np.concatenate(spans))) for spans in texts.values())


@dataclass(frozen=True, eq=False)
class _CaseOverlap:
    """A case, the number of other cases that overlap it, and what they cover of it.

    `whole` has the span of the case in the text and in its source, each as a row of start and end;
    `covered` the disjoint spans that the others cover.
    """

    texts: Names
    others: int
    whole: tuple[Rows, Rows]
    covered: tuple[Rows, Rows]

    @property
    def share(self) -> float:
        """The share of the case that is covered, in code points of both sides together."""
        covered, whole = (sum(map(_length, sides)) for sides in (self.covered, self.whole))
        return covered / whole


def _overlaps(cases: Cases, others: Cases) -> Iterator[_CaseOverlap]:
    """For each case its overlap with those of `others` that are in the file of the same name.

    Two cases overlap if they do so on both sides.
    """
    for name, listed in cases.items():
        boxes_of = _boxes(others.get(name, ()), base_names=True)
        for texts, boxes in _boxes(listed).items():
            key = _base_name(texts[0]), _base_name(texts[1])
            index = _BoxIndex.of(boxes_of.get(key, boxes[:0]))
            yield from (_overlap(texts, box, index.near(box)) for box in boxes)


def text_names(cases: Sequence[ReuseCase]) -> set[Names]:
    """The names of the texts of cases, without their folders."""
    return set(_boxes(cases, base_names=True))


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


@dataclass(frozen=True, eq=False)
class _BoxIndex:
    """Boxes by their starts, and the running maximum of their ends."""

    boxes: Rows
    reached: NDArray[np.int64]

    @classmethod
    def of(cls, boxes: Rows) -> _BoxIndex:
        """The index of boxes in any order."""
        ordered = boxes[np.argsort(boxes[:, 0], kind="stable")]
        return cls(ordered, np.maximum.accumulate(ordered[:, 1]))

    def near(self, box: Rows) -> Rows:
        """A range of boxes that includes all that overlap `box`."""
        first = self.reached.searchsorted(box[0], side="right")
        return self.boxes[first : self.boxes[:, 0].searchsorted(box[1])]


def _overlap(texts: Names, box: Rows, others: Rows) -> _CaseOverlap:
    low, high = box[::2], box[1::2]
    overlapping = others[((others[:, ::2] < high) & (others[:, 1::2] > low)).all(1)]
    this, source = (
        merge_spans(np.clip(overlapping[:, 2 * side : 2 * side + 2], low[side], high[side]))
        for side in (0, 1)
    )
    return _CaseOverlap(texts, len(overlapping), (box[None, :2], box[None, 2:]), (this, source))


def _base_name(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
