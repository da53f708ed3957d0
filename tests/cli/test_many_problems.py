"""Problems of one kind are listed three times and then counted; `--quiet` and `--verbose`."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.cli.print_results import report
from sdtext.model import Problem
from tests.support.command import NOISE, Outcome, here, prose

from .conftest import Shelf


@pytest.fixture
def disk(folder: Path) -> Path:
    """A folder with a text, seven RAR archives and one damaged document."""
    place = folder / "disk"
    place.mkdir()
    (place / "a.txt").write_text(prose(1), "utf-8")
    for number in range(7):
        (place / f"n{number}.bin").write_bytes(b"Rar!" + NOISE)
    (place / "z.pdf").write_bytes(b"%PDF-1.4\n" + NOISE[:50])
    return place


def listed(outcome: Outcome) -> list[str]:
    return [line for line in outcome.errors if line.startswith("error: ")]


def create(disk: Path, *options: str) -> Outcome:
    return here("CreateDictionary", "-o", "d.xml", "-p", disk, "-c", "english", *options)


def test_the_fourth_of_a_kind_and_later_ones_are_counted(disk: Path) -> None:
    outcome = create(disk)
    lines = listed(outcome)
    assert outcome.code == 3
    assert [sum(f"n{number}.bin" in line for line in lines) for number in range(4)] == [1, 1, 1, 0]
    assert sum("z.pdf" in line for line in lines) == 1
    (rest,) = [line for line in lines if "more of this kind" in line]
    assert rest.startswith("error: 4 more of this kind (")
    assert rest.endswith("--verbose lists them")


def test_quiet_leaves_errors_alone(disk: Path) -> None:
    loud, quiet = create(disk), create(disk, "--quiet", "--force")
    assert quiet.code == 3
    assert quiet.errors == listed(loud)
    assert len(loud.errors) > len(quiet.errors)


def test_json_keeps_every_problem(shelf: Shelf, disk: Path) -> None:
    arguments = ["CompareDirectory", "-f", shelf.full, "-p", disk, "--format", "json"]
    outcome = here(*arguments, "--quiet")
    assert len([item for item in outcome.json["problems"] if item["severity"] == "error"]) == 8
    assert len(listed(outcome)) == 5
    assert outcome.code == here(*arguments).code == 3


PROBLEMS = st.lists(
    st.builds(
        lambda severity, wording, number: Problem(
            severity, "unreadable", f"f{number}: {wording} {number}", f"f{number}"
        ),
        st.sampled_from(["warning", "error"]),
        st.sampled_from(["is empty at", "is locked by 'x' for"]),
        st.integers(0, 99),
    ),
    max_size=30,
)


@given(problems=PROBLEMS)
def test_listed_and_counted_make_up_all(problems: list[Problem]) -> None:
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sdtext.cli.print_results.say", lambda line, **_options: lines.append(line))
        code = report(problems)
    kinds: dict[str, list[str]] = {}
    for problem in problems:
        kinds.setdefault(problem.severity, []).append(problem.what)
    shown = [sum(min(3, n) for n in Counter(kind).values()) for kind in kinds.values()]
    hidden = [len(kind) - min(10, n) for kind, n in zip(kinds.values(), shown, strict=True)]
    rest = [int(line.split()[1]) for line in lines if "more of this kind" in line]
    assert sum(rest) + len(lines) - len(rest) == len(problems)
    assert sorted(rest) == sorted(filter(None, hidden))
    assert code == (3 if any(problem.severity == "error" for problem in problems) else 0)
