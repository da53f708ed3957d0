"""FindReuse: what cannot be done is said in a line, with the exit code for it."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from sdtext.kernels.windows.window_join import WindowJoin
from sdtext.reuse import window_finder

from .command import NOISE, check_named, check_partly, check_refused, check_usage, done, here
from .conftest import Shelf
from .planted import PLANTED, RECIPE, text

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "name two files, a folder or a collection"),
        ("-i a.txt", "another document, a folder or a collection"),
        ("x.sdx y.sdx z.sdx", "two"),
        ("x.sdx y.sdx -i a.txt", "two"),
        ("x.sdx --format pan", "pan"),
        ("x.sdx -i a.txt --format pan", "pan"),
        ("a.txt b.txt c.txt --format pan", "pan"),
        ("a.txt b.txt --short --verbatim", "short"),
        ("a.txt a.txt", "only one document is given"),
        ("a.txt b.txt --short -w 40", "short"),
        ("a.txt b.txt --verbatim --distance 2", "verbatim"),
        ("a.txt b.txt --where size>1", "where"),
        ("a.txt b.txt -w 0", "-w"),
        ("a.txt b.txt --method words", "--method"),
        ("a.txt b.txt --min-passage 0", "--min-passage"),
        ("a.txt b.txt --unit page", "--unit"),
        ("a.txt b.txt --format yaml", "--format"),
        ("a.txt b.txt --format xml -k 3", "-k"),
        ("a.txt b.txt --format pan --by pair", "--by"),
    ],
)
def test_wrong_usage_names_the_option(line: str, named: str) -> None:
    check_usage(here("FindReuse", *line.split()), named)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("--distance 30", "w"),
        ("-w 10 --distance 10", "w"),
        ("-c nothere.toml", "nothere.toml"),
        ("-c deduplicate", "finds similar documents (index bands), not passages"),
        ("--method sentences --distance 200", "distance is 200; it must be below the 128 bits"),
    ],
)
def test_options_that_do_not_go_together_are_refused(line: str, named: str) -> None:
    outcome = here("FindReuse", "a.txt", "b.txt", *line.split())
    check_refused(outcome, 3 if named.endswith("toml") else 2, named)


def test_what_cannot_be_read_is_listed_and_the_rest_is_done(stored: str) -> None:
    Path("empty.txt").write_bytes(b"")
    Path("noise.txt").write_bytes(NOISE)
    Path("copy.txt").write_bytes(Path("a.txt").read_bytes())
    asked = ("-i", "empty.txt", "-i", "copy.txt", "-i", "noise.txt", "-i", "nothere.txt")
    outcome = here("FindReuse", stored, *asked)
    check_partly(outcome, 3, "empty.txt", "noise.txt", "nothere.txt")
    assert {row["right"] for row in outcome.table} == {"a.txt", "b.txt"}


@pytest.mark.parametrize("bad", ["empty.txt", "noise.txt", "nothere.txt"])
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("form", ["tsv", "pan"])
def test_where_nothing_is_left_to_compare_there_is_no_result(
    bad: str, place: int, form: str
) -> None:
    Path("empty.txt").write_bytes(b"")
    Path("noise.txt").write_bytes(NOISE)
    named = ["a.txt"]
    named.insert(place, bad)
    outcome = here("FindReuse", "-i", named[0], "-i", named[1], "--format", form)
    check_named(outcome, 3, bad)
    assert outcome.out == b""


def test_a_collection_without_places_cannot_be_compared() -> None:
    Path("near.toml").write_text(
        'tokenizer = "words"\nshingler = "words"\nfingerprint = "minhash"\n'
    )
    done("AddDocuments", "near.sdx", "a.txt", "b.txt", "-c", "near.toml")
    for asked in ([], ["-i", "a.txt"]):
        check_refused(here("FindReuse", "near.sdx", *asked), 4, "near.sdx")


def test_words_made_otherwise_cannot_be_compared(stored: str) -> None:
    Path("other.toml").write_text(RECIPE.replace('"lowercase", ', ""))
    done("AddDocuments", "y.sdx", "a.txt", "-c", "other.toml")
    check_refused(here("FindReuse", stored, "y.sdx"), 4, "y.sdx")
    check_refused(here("FindReuse", stored, "-i", "a.txt", "-c", "other.toml"), 4, stored)


def test_a_damaged_collection_is_an_error(stored: str) -> None:
    (path,) = Path(stored).glob("segments/*/word-starts.npy")
    path.write_bytes(path.read_bytes()[:-4])
    check_refused(here("FindReuse", stored), 5, stored)


def test_two_documents_of_one_folder_are_too_many_for_pan() -> None:
    Path("more").mkdir()
    for name in ("c.txt", "d.txt"):
        Path("more", name).write_text(PLANTED)
    outcome = here("FindReuse", "-i", "a.txt", "-i", "more", "--format", "pan")
    check_refused(outcome, 2, "pan")
    assert outcome.out == b""


def test_too_much_work_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_finder, "WindowJoin", partial(WindowJoin, budget=1))
    outcome = here("FindReuse", "a.txt", "b.txt")
    check_refused(outcome, 2)
    assert outcome.out == b""


def test_a_folder_of_which_one_file_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "a.txt").write_text(text(PLANTED), "utf-8")
    for number in range(3):
        (folder / f"{number}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    outcome = here("FindReuse", folder)
    assert outcome.code == 3
    assert "1 of 4 files could be read; there is nothing to compare it with" in outcome.err
    assert "only one document is given" not in outcome.err


def test_a_query_without_text_is_named_before_the_problems_of_the_folder(shelf: Shelf) -> None:
    Path("disk").mkdir()
    shutil.copy(shelf.document, "disk")
    Path("disk/link").symlink_to("nowhere")
    Path("disk/empty.txt").touch()
    outcome = here("FindReuse", shelf.minimal, "disk")
    assert outcome.code == 3
    assert outcome.errors[-1].startswith(f"sdtext FindReuse: {shelf.minimal}: ")
    Path("query.txt").touch()
    outcome = here("FindReuse", "query.txt", "disk")
    assert outcome.errors[-1].startswith("sdtext FindReuse: query.txt: is empty")
