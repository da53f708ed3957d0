"""FindReuse: files of a folder with the folder, files that are left out, patterns of the shell."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from .command import Outcome, check_refused, done, here, shell
from .planted import PLANTED, text

ESSAYS = ("anna-a", "anna-b", "ben-a", "ben-b", "clara-a")
ALONE = "; to leave out this document alone, "

pytestmark = pytest.mark.usefixtures("essays")


@pytest.fixture
def essays(folder: Path) -> None:
    """Five essays; all but the last have the same passage."""
    (folder / "essays").mkdir()
    for number, name in enumerate(ESSAYS):
        passage = PLANTED if number < 4 else ""
        Path("essays", f"{name}.txt").write_text(f"{text(chr(97 + number) * 4)} {passage}\n")


def find(line: str) -> Outcome:
    """FindReuse with the words of a line, in which patterns are expanded as by a shell."""
    words = []
    for word in shlex.split(line, posix=False):
        paths = sorted(map(str, Path().glob(word))) if "*" in word and "'" not in word else []
        words += paths or shlex.split(word)
    return done("FindReuse", *words)


def pairs(outcome: Outcome) -> list[set[str]]:
    """The essays of each row."""
    return [{Path(row["left"]).stem, Path(row["right"]).stem} for row in outcome.table]


def shares(record: Mapping[str, Any]) -> dict[str, tuple[float, int]]:
    """The share and the number of sources of each essay in the JSON of FindReuse."""
    return {
        Path(item["document"]).stem: (item["share"], len(item["sources"]))
        for item in record["coverage"]
    }


@pytest.mark.parametrize("number", [1, 2, 3, 5])
@pytest.mark.parametrize("place", ["essays", "link"])
def test_files_of_a_folder_are_compared_as_in_the_folder_alone(number: int, place: str) -> None:
    """The pairs with one of these files and the shares are the same; no document is there twice."""
    Path("link").symlink_to("essays")
    names = ESSAYS[:number]
    files = [f"essays/{name}.txt" for name in names]
    listed = pairs(done("FindReuse", *files, place, "--by", "pair"))
    expected = [pair for pair in pairs(find("essays --by pair")) if pair & {*names}]
    assert sorted(map(sorted, listed)) == sorted(map(sorted, expected))
    whole = find("essays --format json").json
    some = done("FindReuse", *files, place, "--format", "json").json
    assert len(some["documents"]) == len(ESSAYS)
    assert shares(some) == {name: shares(whole)[name] for name in names}


def test_text_of_files_on_both_sides_is_counted_once() -> None:
    Path("essays/ben-b.txt").unlink()
    Path("form.txt").write_text(PLANTED)
    (form,) = find("essays/anna-* essays/ben-a.txt essays --exclude form.txt").table
    assert (form["excluded"], form["documents"]) == ("template", "3")


@pytest.mark.parametrize(
    ("line", "counted"),
    [
        ("essays/anna-a.txt essays", "1 document compared with 4\n"),
        ("essays/anna-* essays", "2 documents compared with 4 others each\n"),
        ("essays essays/anna-*", "compared with 2; 2 documents not compared with themselves\n"),
        ("essays essays/ben-a.txt", "compared with 1; 1 document not compared with itself\n"),
        ("essays", "5 documents compared with each other\n"),
        ("essays/anna-a.txt essays/anna-b.txt", "1 document compared with 1\n"),
    ],
)
def test_what_is_compared_is_counted(line: str, counted: str) -> None:
    assert counted in find(line).err


def test_a_file_has_no_share_of_what_is_only_on_its_own_side() -> None:
    coverage = shares(find("essays essays/ben-a.txt --format json").json)
    assert coverage["ben-a"] == (0, 0)
    assert coverage["anna-a"][1] == 1


def test_problems_of_a_file_on_both_sides_are_reported_once() -> None:
    Path("essays/anna-b.txt").write_text(text("short", 0, 12))
    Path("essays/anna-c.pdf").write_text("%PDF-1.7")
    outcome = here("FindReuse", "essays/anna-b.txt", "essays/anna-c.pdf", "essays")
    assert outcome.err.count("fewer than a window") == 1
    assert (outcome.code, outcome.err.count("error: essays/anna-c.pdf")) == (3, 1)


@pytest.mark.parametrize(
    ("line", "what", "remedy"),
    [
        (
            "essays/anna-a.txt form.txt essays",
            "only essays/anna-a.txt is compared with the other file form.txt and the folder essays",
            "several files with a folder, put them in a folder of their own and name both folders",
        ),
        (
            "essays/anna-a.txt essays essays/ben-*",
            "only essays/anna-a.txt is compared with the 2 other files and the folder essays",
            "each file with the documents of the folder, name the folder last",
        ),
        (
            "essays sources more",
            "only the documents of essays are compared with the 2 other folders",
            "all with each other, name one folder that holds all",
        ),
        (
            "essays essays/anna-*",
            "essays/anna-a.txt and 1 other file lie in essays, which is also named",
            "each of them with the documents of the folder, name the folder last",
        ),
    ],
)
def test_lists_of_which_only_the_first_is_compared_say_so(
    line: str, what: str, remedy: str
) -> None:
    Path("form.txt").write_text(text("form"))
    for name in ("sources", "more"):
        shutil.copytree("essays", name)
    assert find(line).errors[-1] == f"{what}; to compare {remedy}"


@pytest.mark.parametrize(("pattern", "left"), [("anna-*", 3), ("*-a.txt", 2), ("ben-*.txt", 3)])
def test_a_pattern_that_the_shell_has_expanded_is_recognised(pattern: str, left: int) -> None:
    """The advice leads to what was meant."""
    (note,) = [
        line for line in find(f"essays --exclude essays/{pattern}").errors if "shell" in line
    ]
    assert note.endswith(", so that the shell does not expand them")
    advice = note[note.index("--exclude ") :].partition(",")[0]
    outcome = find(f"essays {advice}")
    assert f"{left} documents compared with each other" in outcome.err
    assert "shell" not in outcome.err


def test_an_error_by_a_pattern_that_the_shell_has_expanded_names_the_quotes() -> None:
    outcome = shell('"$@" essays --include essays/anna-*', "FindReuse")
    check_refused(
        outcome, 3, "no files that are selected", "quote patterns", "--include 'anna-*.txt'"
    )


@pytest.mark.parametrize("file", ["anna-a.txt", "late/a.txt", "[1] it's.txt", "!a.txt"])
def test_a_document_whose_text_is_excluded_is_named_and_the_advice_leaves_it_out(file: str) -> None:
    Path("essays/late").mkdir()
    Path("essays", file).write_text(f"{text('late')} {PLANTED}")
    documents = len([path for path in Path("essays").rglob("*") if path.is_file()])
    outcome = done("FindReuse", "essays", "--exclude", f"essays/{file}")
    (warning,) = [line for line in outcome.errors if line.startswith("warning: ")]
    start, _, advice = warning.partition(f"{ALONE}use ")
    assert start == (
        f"warning: essays/{file}: is one of the documents, and its text does not count in any of "
        "them"
    )
    followed = done("FindReuse", "essays", *shlex.split(advice))
    assert f"{documents - 1} documents compared with each other" in followed.err
    assert "warning" not in followed.err


def test_a_document_that_is_named_itself_is_left_out_by_not_naming_it() -> None:
    outcome = find("essays/anna-a.txt essays/ben-a.txt --exclude essays/ben-a.txt")
    assert outcome.errors[-1].endswith(f"{ALONE}do not name it")


def test_documents_of_a_folder_whose_text_is_excluded_are_problems_in_json() -> None:
    problems = find("essays --exclude essays --format json").json["problems"]
    assert [item["category"] for item in problems] == ["excluded-document"] * len(ESSAYS)
    Path("form.txt").write_text(PLANTED)
    assert find("essays --exclude form.txt --format json").json["problems"] == []


def test_a_stored_document_whose_text_is_excluded_is_named() -> None:
    done("AddDocuments", "c.sdx", "essays", "-c", "reuse")
    outcome = find("c.sdx --exclude essays/anna-a.txt")
    (warning,) = [line for line in outcome.errors if line.startswith("warning: ")]
    assert warning.startswith("warning: anna-a.txt: is one of the documents")
    assert ALONE not in warning
    missing = here("FindReuse", "c.sdx", "--exclude", "anna-a.txt")
    check_refused(missing, 3, "anna-a.txt: no such file or directory")


@pytest.mark.parametrize("name", ["anna-a.txt", "late", "late/b.txt", "b.txt"])
def test_the_name_of_a_document_is_a_pattern_as_on_other_verbs(name: str) -> None:
    Path("essays/late").mkdir()
    Path("essays/late/b.txt").write_text(f"{text('late')} {PLANTED}")
    read = find(f"essays --exclude {name} --format json").json["documents"]
    checked = done("Doctor", "essays", "--exclude", name).table
    assert [item["document"] for item in read] == [row["path"] for row in checked]
    assert len(read) == len(ESSAYS)


def test_an_existing_file_is_a_template_and_no_name() -> None:
    Path("anna-a.txt").write_text(PLANTED)
    outcome = find("essays --exclude anna-a.txt")
    assert "5 documents compared with each other" in outcome.err
    assert {row["excluded"] for row in outcome.table} == {"template"}


def test_what_is_neither_a_file_nor_a_document_is_one_error() -> None:
    outcome = here("FindReuse", "essays", "--exclude", "anna-c.txt")
    check_refused(outcome, 3, "anna-c.txt: no such file, and no document of that name in essays")
    assert outcome.err.endswith("; a pattern such as 'anna*' leaves documents out\n")
    assert "3 documents compared" in find("essays --exclude 'anna*'").err
    alone = here("FindReuse", "essays/anna-a.txt", "essays/ben-a.txt", "--exclude", "anna-c.txt")
    check_refused(alone, 3, "anna-c.txt: no such file or directory")
