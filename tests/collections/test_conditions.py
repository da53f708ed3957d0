"""Conditions give the same answers as an independent evaluator."""

from __future__ import annotations

import json
import operator
import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.collections.conditions import Condition
from sdtext.errors import OptionError
from tests.strategies import THOROUGH

Scalar = str | int | float | None
Facts = dict[str, Scalar]  # of a document: its own under bare names, metadata under quoted ones
Meaning = Callable[[Facts], bool | None]
Written = tuple[str, Meaning]

OWN = ("id", "name", "size")
SECOND = {"document": "name"}
LETTERS = st.text("abAB%_'\"\\ éÉß中\n;-", max_size=5)
# Few, so that conditions are about what documents have.
NAMES = st.sampled_from(["x", "x", "Größe", "a.b-c", "and", 'q"\\', *OWN, *SECOND])
_FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1) | st.floats(-4, 4) | _FINITE
SCALARS = LETTERS | NUMBERS | st.none()
BARE = re.compile(r"[^\W\d][\w.-]*")
KEYWORDS = {"and", "or", "not", "in", "like", "between", "is", "null", "true", "false"}
NAMED = {"=": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    sign: getattr(operator, name) for sign, name in NAMED.items()
}


@st.composite
def documents(draw: st.DrawFn) -> Facts:
    own: Facts = {"id": draw(st.integers(1, 9)), "size": draw(st.integers(0, 9))}
    own["name"] = draw(LETTERS)
    metadata = draw(st.dictionaries(NAMES, SCALARS, max_size=4))
    return own | {f'"{name}"': value for name, value in metadata.items()}


@st.composite
def names(draw: st.DrawFn) -> tuple[str, str]:
    """A name as it is written, and the key of what it means."""
    name = draw(NAMES)
    bare = BARE.fullmatch(name) and name not in KEYWORDS
    if bare and draw(st.booleans()):
        own = SECOND.get(name, name)
        return name, own if own in OWN else f'"{name}"'
    return '"' + name.replace('"', '""') + '"', f'"{name}"'


def values(kind: type) -> st.SearchStrategy[tuple[str, Any]]:
    """A value as it is written, and itself."""
    if kind is str:
        return LETTERS.map(lambda text: ("'" + text.replace("'", "''") + "'", text))
    truths = st.sampled_from([("true", 1), ("FALSE", 0)])
    return NUMBERS.map(lambda number: (repr(number), number)) | truths


def comparable(actual: Scalar, kind: type) -> bool:
    return actual is not None and isinstance(actual, str) is (kind is str)


def is_like(text: str, pattern: str) -> bool:
    """SQL's `like`, letter by letter."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(is_like(text[place:], pattern[1:]) for place in range(len(text) + 1))
    return bool(text) and pattern[0] in ("_", text[0]) and is_like(text[1:], pattern[1:])


def small(text: str) -> str:
    """A to Z in small letters, and no others."""
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in text)


def denied(value: bool | None) -> bool | None:
    return None if value is None else not value


@st.composite
def comparisons(draw: st.DrawFn) -> Written:
    (written, key), kind = draw(names()), draw(st.sampled_from([str, float]))
    sign = draw(st.sampled_from(sorted(SIGNS)))
    text, value = draw(values(kind))

    def meaning(facts: Facts) -> bool | None:
        result = facts.get(key)
        return SIGNS[sign](result, value) if comparable(result, kind) else None

    gap = draw(st.sampled_from(["", " ", "\n"]))
    return f"{written}{gap}{sign}{gap}{text}", meaning


@st.composite
def worded(draw: st.DrawFn) -> Written:
    """`is null`, `in`, `like` and `between`, also with `not`."""
    (written, key), kind = draw(names()), draw(st.sampled_from([str, float]))
    word = draw(st.sampled_from(["is", "in", "like", "between"]))
    no = draw(st.booleans())
    inner = "not " if no else ""
    rows = draw(st.lists(values(kind), min_size=1, max_size=4))
    texts, wanted = [row[0] for row in rows], [row[1] for row in rows]
    pattern, like = draw(values(str))
    spelled = {
        "is": f"{written} is {inner}null",
        "in": f"{written} {inner}in ({', '.join(texts)})",
        "like": f"{written} {inner}like {pattern}",
        "between": f"{written} {inner}between {texts[0]} and {texts[-1]}",
    }

    def positive(facts: Facts) -> bool | None:
        result: Any = facts.get(key)
        if word == "is":
            return result is None
        if not comparable(result, str if word == "like" else kind):
            return None
        if word == "like":
            return is_like(small(result), small(like))
        return result in wanted if word == "in" else wanted[0] <= result <= wanted[-1]

    return spelled[word], lambda facts: denied(positive(facts)) if no else positive(facts)


def joined(parts: list[Written], word: str) -> Written:
    """Conditions joined by `and` or by `or`, each in brackets."""

    def meaning(facts: Facts) -> bool | None:
        result = [part(facts) for _, part in parts]
        decides = word == "or"
        return decides if decides in result else None if None in result else not decides

    return f" {word} ".join(f"({text})" for text, _ in parts), meaning


def opposite(part: Written) -> Written:
    text, meaning = part
    return f"NOT({text})", lambda facts: denied(meaning(facts))


def larger(parts: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    several = st.lists(parts, min_size=2, max_size=3)
    return st.builds(joined, several, st.sampled_from(["and", "or"])) | parts.map(opposite)


CONDITIONS = st.recursive(comparisons() | worded(), larger, max_leaves=6)


def found_by_sqlite(condition: Condition, documents: list[Facts], ascii_only: bool) -> list[Any]:
    """What SQLite says of each document."""
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE documents (id INTEGER, name TEXT, size INTEGER, metadata TEXT)")
        for facts in documents:
            metadata = {key[1:-1]: value for key, value in facts.items() if key.startswith('"')}
            written = json.dumps(metadata, ensure_ascii=ascii_only, allow_nan=False)
            row = (*(facts[key] for key in OWN), written)
            base.execute("INSERT INTO documents VALUES (?, ?, ?, ?)", row)
        text, parameters = condition.sql()
        asked = f"SELECT {text} FROM documents ORDER BY rowid"  # noqa: S608 (what is tested)
        return [answer for (answer,) in base.execute(asked, parameters)]


@THOROUGH
@given(
    written=CONDITIONS,
    stored=st.lists(documents(), min_size=1, max_size=5),
    ascii_only=st.booleans(),
)
def test_sqlite_finds_what_a_condition_means(
    written: Written, stored: list[Facts], ascii_only: bool
) -> None:
    text, meaning = written
    expected = [meaning(facts) for facts in stored]
    assert found_by_sqlite(Condition.parse(text), stored, ascii_only) == expected


SAMPLES: list[Facts] = [
    {"id": 1, "name": "a.txt", "size": 10, '"year"': 2019, '"organisation"': "HUT"},
    {"id": 2, "name": "b.txt", "size": 20, '"year"': 2020, '"organisation"': "MIT"},
    {"id": 3, "name": "c.txt", "size": 30, '"year"': "2021", '"name"': "Curie"},
    {"id": 4, "name": "d/e.txt", "size": 40},
]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("year >= 2019 and organisation = 'HUT'", [1]),
        ("YEAR >= 2019", []),
        ("year is null", [4]),
        ("not organisation = 'HUT'", [2]),
        ("not organisation = 'HUT' or organisation is null", [2, 3, 4]),
        ("year = '2021'", [3]),
        ("year = 2021", []),
        ("name like 'd/%'", [4]),
        ("\"name\" = 'Curie'", [3]),
        ("id in (1, 3) or size > 30 and not year between 1 and 9999", [1, 3]),
        ("(id in (1, 3) or size > 30) and year > 0", [1]),
        ("not id = 1 and id < 3", [2]),
        ("year = 2019.0", [1]),
        ("YEAR is null And Not Size BETWEEN 1 AND 2 oR year IN (2019)", [1]),
        ("year IS NOT NULL AND name NOT LIKE 'A%' And size = 20", [2]),
    ],
)
def test_conditions_find_these_documents(text: str, ids: list[int]) -> None:
    answers = found_by_sqlite(Condition.parse(text), SAMPLES, ascii_only=True)
    result = [facts["id"] for facts, answer in zip(SAMPLES, answers, strict=True) if answer]
    assert result == ids


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    "name", ["$.x", "a[0]", "#-1", 'a"b', '"', "a\\b", "\\u0061", "é", "中\n", "😀"]
)
def test_any_name_selects_its_own_metadata(name: str, ascii_only: bool) -> None:
    stored: list[Facts] = [
        {"id": 1, "name": "", "size": 1, f'"{name}"': value} for value in (1, 2.5)
    ]
    stored.append({"id": 1, "name": "", "size": 1, '"x"': 1, '"a"': 1})
    written = '"' + name.replace('"', '""') + '"'
    for test, expected in ((f"{written} = 1", [1, 0, None]), (f"{written} > 2.25", [0, 1, None])):
        assert found_by_sqlite(Condition.parse(test), stored, ascii_only) == expected


@THOROUGH
@given(text=st.text(max_size=40) | st.text("ab='\"()<> not and in 12,", max_size=40))
@example(text="\ud800")
@example(text="x = 1e999")
@example(text="x in (9223372036854775807, 9223372036854775808, -99999999999999999999)")
@example(text="x = -1e-999 or x > " + "9" * 5000)
def test_any_text_is_a_condition_that_sqlite_takes_or_is_refused_in_one_line(text: str) -> None:
    output = ""
    try:
        found_by_sqlite(Condition.parse(text), SAMPLES, ascii_only=True)
    except OptionError as error:
        output = str(error)
    assert not output or output.startswith("where: ")
    assert output.isprintable()


@pytest.mark.parametrize("evil", ["'); DROP TABLE documents; --", '" || name || "', "?1", "x\0y"])
def test_nothing_that_is_written_stands_in_the_sql(evil: str) -> None:
    quoted = evil.replace("'", "''"), evil.replace('"', '""')
    text, parameters = Condition.parse(f"\"{quoted[1]}\" = '{quoted[0]}'").sql()
    assert evil not in text
    assert parameters.count(evil) >= 1
    ours = {"json_extract", "json_each", "metadata", "key", "value", "typeof", "text"}
    assert set(re.findall(r"[a-z_]+", text)) <= ours


def test_conditions_of_the_largest_size_are_taken_and_larger_ones_are_refused() -> None:
    deep = "(" * 8 + "not " * 8 + '"é" between 1 and 2' + ")" * 8
    wide = " or ".join(f"x in ({', '.join(['1'] * 10)})" for _ in range(200))
    many = f"x in ({','.join('1' * 4990)})"
    steps = "".join(f"x is null {('and', 'or')[place % 2]} (" for place in range(16))
    nested = f'{steps}"é" in (1, 2){")" * 16}'
    for text in (deep, wide, many, nested, f"{deep} and ({wide[:999].rpartition(' or')[0]})"):
        found_by_sqlite(Condition.parse(text), SAMPLES, ascii_only=True)
    for text, output in (
        (f"({deep})", "no more than 16 brackets and nots in one another"),
        (f"{wide} or x = 1", "no more than 200 comparisons"),
        ("x" * 10_001, "has 10,001 characters; at most 10,000 may be given"),
    ):
        with pytest.raises(OptionError, match=output):
            Condition.parse(text)


def test_a_pattern_of_many_wild_cards_comes_to_an_end() -> None:
    long: Facts = {"id": 1, "name": "a" * 10_000, "size": 1}
    condition = Condition.parse(f"name like '{'%a' * 2000}%b'")
    assert found_by_sqlite(condition, [long], ascii_only=True) == [0]
