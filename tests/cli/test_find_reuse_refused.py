"""FindReuse: what cannot be done is said in a line, with the exit code for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import NOISE, check_named, check_partly, check_refused, check_usage, here

pytestmark = pytest.mark.usefixtures("files")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "name two files, a folder or a collection"),
        ("a.txt", "another document, a folder or a collection"),
        ("x.sdx y.sdx z.sdx", "two"),
        ("x.sdx y.sdx a.txt", "two"),
        ("x.sdx --format pan", "pan"),
        ("x.sdx a.txt --format pan", "pan"),
        ("a.txt b.txt c.txt --format pan", "pan"),
        ("a.txt a.txt", "only one document is given"),
        ("a.txt b.txt --short -w 40", "short"),
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
        ("-c deduplicate", "bands"),
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
    asked = ("empty.txt", "copy.txt", "noise.txt", "nothere.txt")
    outcome = here("FindReuse", stored, *asked)
    check_partly(outcome, 3, "empty.txt", "noise.txt", "nothere.txt")
    assert {row["right"] for row in outcome.table} == {"a.txt", "b.txt"}


@pytest.mark.parametrize(
    ("bad", "place", "form"),
    [("empty.txt", 0, "tsv"), ("noise.txt", 1, "pan"), ("nothere.txt", 0, "pan")],
)
def test_where_nothing_is_left_to_compare_there_is_no_result(
    bad: str, place: int, form: str
) -> None:
    Path("empty.txt").write_bytes(b"")
    Path("noise.txt").write_bytes(NOISE)
    named = ["a.txt"]
    named.insert(place, bad)
    outcome = here("FindReuse", named[0], named[1], "--format", form)
    check_named(outcome, 3, bad)
    assert outcome.out == b""
