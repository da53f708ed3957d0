"""EvaluateReuse: measures over folders, warnings about unmatched files, damage."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from .command import Outcome, check_partly, check_refused, check_usage, done, here

FIGURES = ("precision", "recall", "granularity", "plagdet")


def pan(*cases: tuple[int, int, int], name: str = "plagiarism", of: str = "a.txt") -> str:
    """PAN's XML of cases: offset, length and offset in the source, of that length, too."""
    features = "".join(
        f'<feature name="{name}" this_offset="{start}" this_length="{size}" '
        f'source_reference="b.txt" source_offset="{source}" source_length="{size}"/>'
        for start, size, source in cases
    )
    return f'<document reference="{of}">{features}</document>'


def write(folder: str, **files: str) -> Path:
    """A folder of files; __ in a name stands for /."""
    for name, content in files.items():
        path = Path(folder) / f"{name.replace('__', '/')}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return Path(folder)


def evaluated(*more: str) -> Outcome:
    return here("EvaluateReuse", "--truth", "truth", "--found", "found", *more)


def figures(outcome: Outcome, average: str = "macro", folder: str = "") -> list[float]:
    [row] = [
        row for row in outcome.json["rows"] if (row["folder"], row["average"]) == (folder, average)
    ]
    return [round(row[name], 6) for name in FIGURES]


@pytest.fixture(autouse=True)
def truth() -> None:
    """Two pairs with cases, in two folders, and one without any."""
    write(
        "truth",
        none__1=pan((0, 100, 0)),
        replaced__2=pan((0, 100, 0), (500, 20, 500), name="artificial-plagiarism"),
        replaced__3=pan(of="c.txt"),
    )


def test_what_is_found_as_it_is_true_has_the_best_figures() -> None:
    outcome = here("EvaluateReuse", "--truth", "truth", "--found", "truth", "--format", "json")
    assert outcome.code == 0
    assert outcome.json["schema"] == "sdtext/evaluate-reuse/1"
    assert len(outcome.json["rows"]) == 6
    assert all(row[name] == 1 for row in outcome.json["rows"] for name in FIGURES)
    assert outcome.errors == ["3 of 3 cases found, 0 false detections"]


def test_rows_are_of_each_folder_and_of_all() -> None:
    write(
        "found",
        none__1=pan((0, 50, 0), (50, 50, 50), name="detected-plagiarism"),
        replaced__2=pan((0, 100, 0), name="detected-plagiarism"),
        replaced__3=pan((0, 40, 200), name="detected-plagiarism", of="c.txt"),
    )
    outcome = evaluated("--format", "json")
    assert outcome.code == 0
    assert figures(outcome, folder="none") == [1, 1, 2, 0.63093]
    assert figures(outcome, folder="replaced") == [0.5, 0.5, 1, 0.5]
    assert figures(outcome)[:3] == [0.75, 0.666667, 1.5]
    assert figures(outcome, "micro", "replaced")[:2] == [0.714286, 0.833333]
    last = outcome.json["rows"][-1]
    assert [last[name] for name in ("cases", "found", "detections", "false")] == [3, 2, 4, 1]


def test_the_table_has_a_row_for_each_average_of_each_folder() -> None:
    write("found", none__1=pan((0, 100, 0)))
    rows = evaluated().table
    assert [(row["folder"], row["average"]) for row in rows] == [
        (folder, average) for folder in ("none", "replaced", "") for average in ("macro", "micro")
    ]
    assert rows[0]["plagdet"] == "1.0"


def test_files_that_are_missing_count_as_nothing_found_and_are_reported() -> None:
    write("found", none__1=pan((0, 100, 0)))
    outcome = evaluated("--format", "json")
    assert outcome.code == 0
    assert outcome.errors[-1].startswith("warning: found: 2 files missing")
    assert "replaced/2.xml, replaced/3.xml" in outcome.errors[-1]
    assert figures(outcome)[:2] == [1, 0.333333]
    [problem] = outcome.json["problems"]
    assert (problem["severity"], problem["category"]) == ("warning", "unmatched")


def test_files_that_the_truth_does_not_know_are_false_and_are_reported() -> None:
    for number in range(5):
        write("truth", **{f"more__{number}": pan((0, 10, 0))})
    write("found", other=pan((0, 100, 0)), **{f"more__{n}": pan((0, 10, 0)) for n in range(5)})
    outcome = evaluated("--format", "json")
    assert "warning: found: 1 file not in the truth; their detections are false: other.xml" in (
        outcome.errors
    )
    assert figures(outcome)[0] == round(5 / 6, 6)


def test_many_files_that_are_missing_are_one_line() -> None:
    write("truth", **{f"{number:03}": pan((0, 10, 0)) for number in range(100)})
    write("found", none__1=pan())
    [line] = [line for line in evaluated().errors if "missing" in line]
    assert "102 files" in line
    assert line.endswith("…")
    assert len(line) < 200


def test_detections_of_other_texts_than_the_truth_names_are_reported() -> None:
    write("found", none__1=pan((0, 100, 0), of="c.txt"), replaced__2=pan(), replaced__3=pan())
    outcome = evaluated("--format", "json")
    assert figures(outcome)[:2] == [0, 0]
    [line] = [line for line in outcome.errors if line.startswith("warning")]
    assert "1.xml" in line
    assert "'c.txt'" in line
    assert "'a.txt'" in line


@pytest.mark.parametrize("side", ["truth", "found"])
def test_damaged_files_are_a_line_each_and_the_rest_is_done(side: str) -> None:
    write("found", none__1=pan((0, 100, 0)), replaced__2=pan(), replaced__3=pan())
    Path(side, "replaced", "2.xml").write_text("<!DOCTYPE document><document/>", "utf-8")
    Path(side, "replaced", "3.xml").write_bytes(gzip.compress(pan().encode())[:-9])
    outcome = evaluated("--format", "json")
    check_partly(outcome, 5, "2.xml", "3.xml")
    assert figures(outcome) == [1, 1, 1, 1]
    assert len(outcome.json["problems"]) == 2


def test_where_all_is_damaged_there_is_no_row() -> None:
    write("truth", none__1="<document", replaced__2="", replaced__3="text")
    write("found", none__1=pan((0, 100, 0)))
    outcome = evaluated("--format", "json")
    check_partly(outcome, 5, "1.xml", "2.xml", "3.xml")
    assert outcome.json["rows"] == []


def test_two_files_are_compared_whatever_they_are_called() -> None:
    write("found", x=pan((0, 50, 0)))
    outcome = here("EvaluateReuse", "--truth", "truth/none/1.xml", "--found", "found/x.xml")
    assert [row["recall"] for row in outcome.table] == ["0.5", "0.5"]


def test_packed_files_are_read() -> None:
    write("found")
    Path("found/none").mkdir(parents=True)
    Path("found/none/1.xml.gz").write_bytes(gzip.compress(pan((0, 50, 0)).encode()))
    Path("truth/none/1.xml").rename("truth/none/1.xml.gz")
    assert evaluated().table[0]["recall"] == "0.5"


def test_a_folder_that_is_not_there_or_empty_is_one_line() -> None:
    check_refused(evaluated(), 3, "found")
    Path("found").mkdir()
    emptied = here("EvaluateReuse", "--truth", "found", "--found", "truth")
    check_refused(emptied, 3, "found", ".xml")
    outcome = evaluated("--format", "json")
    assert (outcome.code, figures(outcome)[:2]) == (0, [0, 0])


def test_a_file_beside_a_folder_is_one_line() -> None:
    write("truth", a=pan((0, 9, 0)))
    write("found", a=pan((0, 9, 0)))
    for sides in (("truth/a.xml", "found"), ("truth", "found/a.xml")):
        outcome = here("EvaluateReuse", "--truth", sides[0], "--found", sides[1])
        check_refused(outcome, 3, *sides)


def test_both_folders_must_be_named() -> None:
    check_usage(here("EvaluateReuse", "--truth", "truth"), "--found")


def test_folders_are_bare_arguments_or_options() -> None:
    write("found", none__1=pan((0, 90, 0)))
    named = evaluated("--format", "json")
    assert here("EvaluateReuse", "truth", "found", "--format", "json") == named
    assert here("EvaluateReuse", "--found", "found", "truth", "--format", "json") == named
    assert here("EvaluateReuse", "found", "--truth", "truth", "--format", "json") == named
    check_usage(here("EvaluateReuse"), "--truth")
    check_usage(here("EvaluateReuse", "truth"))
    check_usage(here("EvaluateReuse", "truth", "found", "more"))


@pytest.mark.deep
def test_a_folder_of_many_cases_is_measured() -> None:
    many = [(number * 100, 60, number * 100) for number in range(10_000)]
    write("truth", many=pan(*many))
    write("found", many=pan(*many))
    row = done("EvaluateReuse", "--truth", "truth/many.xml", "--found", "found/many.xml").table[0]
    assert (row["plagdet"], row["cases"]) == ("1.0", "10000")
