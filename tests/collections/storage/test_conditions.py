"""Conditions select what SQL means by them, and reach nothing else."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.collections.storage import conditions
from sdtext.collections.storage.conditions import ids_where
from sdtext.errors import OptionError

SAMPLES: list[dict[str, Any]] = [
    {"year": 2019, "organisation": "HUT"},
    {"year": 2020, "organisation": "MIT"},
    {"year": "2021", "name": "Curie", "dc.title": "Radium"},
    {},
]
NAMES = ("a.txt", "b.txt", "c.txt", "d/e.txt")


def connected(documents: list[dict[str, Any]], *, ascii_only: bool = True) -> sqlite3.Connection:
    """A catalog with documents that have these metadata, and one that is removed."""
    base = sqlite3.connect(":memory:", isolation_level=None)
    base.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    base.execute("INSERT INTO meta VALUES ('guid', 'secret')")
    base.execute(
        "CREATE TABLE documents (id INTEGER PRIMARY KEY, root TEXT, name TEXT, size INTEGER, "
        "metadata TEXT, removed INTEGER)"
    )
    for number, metadata in enumerate([*documents, {"year": 2019}], 1):
        written = json.dumps(metadata, ensure_ascii=ascii_only, allow_nan=False)
        name = NAMES[number - 1] if number <= len(NAMES) else "x"
        removed = 1 if number > len(documents) else None
        row = (number, "/", name, number * 10, written, removed)
        base.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)", row)
    base.execute("PRAGMA query_only = ON")
    return base


@pytest.fixture(scope="module")
def catalog() -> Iterator[sqlite3.Connection]:
    base = connected(SAMPLES)
    yield base
    base.close()


@pytest.mark.parametrize(("where", "ids"), [
    ("year >= 2019 and organisation = 'HUT'", [1]), ("year is null", [4]),
    ("not organisation = 'HUT'", [2]),
    ("not organisation = 'HUT' or organisation is null", [2, 3, 4]), ("year = '2021'", [3]),
    ("year = 2021", []), ("typeof(year) = 'integer' and year > 0", [1, 2]),
    ("name like 'd/%'", [4]), ("document = 'b.txt' or size > 30", [2, 4]),
    ("\"metadata.name\" = 'Curie'", [3]), ('"dc.title" is not null', [3]),
    ("id in (1, 3) or size > 30 and not year between 1 and 9999", [1, 3]),
    ("YEAR = 2019 or year = 2020", [1, 2]),
    ("year IN (2019, 2020) And Not Size BETWEEN 1 AND 12", [2]),
    ("lower(organisation) = 'hut' -- a comment", [1]), ("true", [1, 2, 3, 4]),
])  # fmt: skip
def test_conditions_select_these_documents(
    where: str, ids: list[int], catalog: sqlite3.Connection
) -> None:
    assert ids_where(catalog, where) == ids


REFUSED = Path(__file__).with_name("refused_conditions.txt").read_text("utf-8").splitlines()
LONG = "(" * 4000 + "1" + ")" * 4000, "1" + " + 1" * 2400, "x" * 10_001


@pytest.mark.parametrize("where", ["", "1\0", "\ud800 = 1", *LONG, *REFUSED])
def test_all_else_is_refused(where: str, catalog: sqlite3.Connection) -> None:
    with pytest.raises(OptionError) as caught:
        ids_where(catalog, where)
    assert str(caught.value).isprintable()
    assert ids_where(catalog, "year = 2019") == [1]


def test_nothing_of_a_query_stays_behind(catalog: sqlite3.Connection) -> None:
    ids_where(catalog, "true")
    assert catalog.execute("SELECT value FROM meta").fetchall() == [("secret",)]


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    "name", ["$.x", "a[0]", "#-1", 'a"b', '"', "a\\b", "\\u0061", "é", "中\n", "😀", "and", "size"]
)
def test_any_name_selects_its_own_metadata(name: str, *, ascii_only: bool) -> None:
    base = connected([{name: 1}, {name: 2.5}, {"x": 1, "a": 1}], ascii_only=ascii_only)
    written = f'"{"metadata." if name == "size" else ""}{name.replace(chr(34), 2 * chr(34))}"'
    assert ids_where(base, f"{written} = 1") == [1]
    assert ids_where(base, f"{written} > 2.25") == [2]


def test_names_that_differ_in_case_alone_are_refused() -> None:
    base = connected([{"Year": 1, "year": 2}])
    with pytest.raises(OptionError):
        ids_where(base, "Year = 1 or year = 1")
    assert ids_where(base, "Year = 1") == [1]


@given(where=st.text(max_size=40) | st.text("ab='\"()<> not and in 12,", max_size=40))
@example(where="id = 1e999")
@example(where="id in (9223372036854775807, 9223372036854775808, -99999999999999999999)")
@example(where="id = -1e-999 or id > " + "9" * 5000)
def test_any_text_is_a_condition_or_is_refused_in_one_line(
    where: str, catalog: sqlite3.Connection
) -> None:
    message = "where: "
    try:
        assert set(ids_where(catalog, where)) <= {1, 2, 3, 4}
    except OptionError as error:
        message = str(error)
    assert message.startswith("where: ")
    assert message.isprintable()


def test_a_long_computation_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "_SECONDS", -1)
    base = connected([{"year": number} for number in range(3000)])
    with pytest.raises(OptionError):
        ids_where(base, "year + 1 > year * 2 and year like '%1%2%'")
