"""Invalid conditions: the message names the place and what is expected there."""

from __future__ import annotations

import pytest

from sdtext.collections.conditions import Condition
from sdtext.errors import OptionError


@pytest.mark.parametrize(
    ("text", "place", "wanted"),
    [
        ("", "at the end (character 1)", "a name, not, or an opening bracket"),
        ("year", "at the end (character 5)", "one of = != < <= > >= like in between is"),
        ("year = ", "at the end (character 8)", "a number, a text in single quotes, true or false"),
        ("year => 2019", "at '>' (character 7)", "a number"),
        ("year == 2019", "at '=' (character 7)", "a number"),
        ('year = "2019"', "at '\"2019\"' (character 8)", "a number"),
        ("year = null", "at 'null' (character 8)", "a number"),
        ("2019 = year", "at '2019' (character 1)", "a name"),
        ("year = 1 or", "at the end (character 12)", "a name"),
        ("year = 1 year = 2", "at 'year' (character 10)", "and, or, or the end"),
        ("year = 1)", "at ')' (character 9)", "and, or, or the end"),
        ("(year = 1", "at the end (character 10)", "and, or, or a closing bracket"),
        ("year = 'x", 'at "\'" (character 8)', "a closing quote"),
        ('"" = 1', "at '\"' (character 1)", "a closing quote behind it, and something between"),
        ("year in 1", "at '1' (character 9)", "an opening bracket"),
        ("year in ()", "at ')' (character 10)", "a number"),
        ("year in (1 2)", "at '2' (character 12)", "a comma or a closing bracket"),
        ("year in (1, 'b')", "at \"'b'\" (character 13)", "a number"),
        ("year in ('b', 1)", "at '1' (character 15)", "a text in single quotes"),
        ("year between 1 or 2", "at 'or' (character 16)", "and"),
        ("year like 5", "at '5' (character 11)", "a text in single quotes"),
        ("year not = 5", "at '=' (character 10)", "like, in or between"),
        ("year is 5", "at '5' (character 9)", "null or not null"),
        ("year is not 5", "at '5' (character 13)", "null"),
        ("and = 1", "at 'and' (character 1)", "a name"),
        ("year = 1; DROP TABLE documents", "at ';' (character 9)", "and, or, or the end"),
        ("year = 1 -- ", "at '-' (character 10)", "and, or, or the end"),
        ("\x1b[31m = 1", "at '\\x1b' (character 1)", "a name"),
    ],
)
def test_what_is_no_condition_is_refused_with_the_place(text: str, place: str, wanted: str) -> None:
    with pytest.raises(OptionError) as caught:
        Condition.parse(text)
    assert str(caught.value).startswith(f"where: {place}: expected {wanted}")
    assert str(caught.value).isprintable()
