"""The registry: what can be named, how a part is built, and what is refused."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator
from doctest import DocTestFinder
from importlib.metadata import EntryPoint
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts import registry as parts
from sdtext.parts.filters.case_and_elision import Lowercase
from sdtext.parts.original_names import ORIGINAL_NAMES
from sdtext.parts.registry import PARTS, build, find, kind_of, list_parts, normalised, parse
from tests.support.strategies import BRISK, OPTIONS, THOROUGH, specs, specs_of

ALL = [(kind, name) for kind, names in PARTS.items() for name in names]
OPTION_ROWS = [
    (kind, name, field.name) for kind, name in ALL for field in dataclasses.fields(find(kind, name))
]
# For each type of option: how a message calls it, and values that are not of it.
WANTED: dict[Any, tuple[str, list[Any]]] = {
    int: ("a whole number", ["3", 3.0, True, ("3",), [3], None]),
    float: ("a number", ["1", True, ("1",), [1.0], {}, 10**400]),
    bool: ("true or false", [1, "true", 0.0, ("true",), []]),
    str: ("a text", [5, True, 1.5, ("a",), ["a"], {"a": 1}]),
    int | str: ("a whole number or a text", [3.0, True, ("3",), [3], None]),
    tuple[str, ...]: ("a list of texts", ["a", 5, True, [1, 2], {"a": 1}]),
}

every = pytest.mark.parametrize(("kind", "name"), ALL)


def valid_options(kind: str, name: str) -> dict[str, Any]:
    """Options of every required field of a part."""
    required: dict[str, Any] = {"length": 3, "language": "english", "tokens": 100}
    required["operation"] = "strip_tashkeel"
    required["argv"] = ("cat", "{}")
    fields = dataclasses.fields(find(kind, name))
    return {
        field.name: required[field.name] for field in fields if field.default is dataclasses.MISSING
    }


@every
def test_a_part_is_a_frozen_value_with_an_example(kind: str, name: str) -> None:
    cls = find(kind, name)
    part = build(kind, PartSpec.of(name, **valid_options(kind, name))) if _plain(name) else None
    if part is not None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            part.anything = 1
        assert hash(part) == hash(dataclasses.replace(part))
    assert DocTestFinder(recurse=False).find(cls, name)[0].examples


def _plain(name: str) -> bool:
    return name not in ("stop-words", "elision")  # which take exactly one of their options


def test_parts_are_described_by_their_options_and_first_sentences() -> None:
    assert [(row.kind, row.name) for row in list_parts()] == ALL
    for row in list_parts():
        fields = dataclasses.fields(find(row.kind, row.name))
        assert all(field.name in row.options for field in fields)
        assert row.does
        assert "\n" not in row.does


def test_every_part_with_options_has_random_ones_here() -> None:
    shared = {"encoding"}  # a reader's, which no recipe names
    with_options = {name for kind, name, option in OPTION_ROWS if option not in shared}
    assert with_options == {key.rpartition("/")[2] for key in OPTIONS}


@every
@BRISK
@given(pick=st.data())
def test_a_part_survives_pickling(kind: str, name: str, pick: st.DataObject) -> None:
    part = build(kind, pick.draw(specs_of(name, kind)))
    assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 (our own bytes)


@every
@BRISK
@given(pick=st.data())
def test_settled_options_are_those_that_differ_from_the_defaults(
    kind: str, name: str, pick: st.DataObject
) -> None:
    spec = pick.draw(specs_of(name, kind))
    part, actual = build(kind, spec), normalised(kind, spec)
    defaults = {field.name: field.default for field in dataclasses.fields(part)}
    expected = {key: value for key, value in spec.options if defaults[key] != value}
    assert actual == PartSpec.of(spec.name, **expected)
    assert normalised(kind, actual) == actual
    assert build(kind, actual) == part


@THOROUGH
@given(spec=specs("matchers"))
def test_a_matcher_can_be_named_by_what_it_is_called(spec: PartSpec) -> None:
    named = normalised("matchers", spec)
    assert normalised("matchers", parse(str(named))) == named


@pytest.mark.parametrize("power", ["0.5", ".5", "5e-1", "0.50", "1e-05", "2"])
def test_a_number_may_be_spelled_in_every_common_way(power: str) -> None:
    spec = parse(f"idf-cosine(power={power})")
    assert build("matchers", spec).power == float(power)


@every
def test_an_unknown_option_is_refused_with_those_there_are(kind: str, name: str) -> None:
    options = valid_options(kind, name) | {"colour": "red"}
    with pytest.raises(OptionError) as caught:
        build(kind, PartSpec.of(name, **options))
    takes = [field.name for field in dataclasses.fields(find(kind, name))]
    output = f"it takes {', '.join(takes)}" if takes else "it takes none"
    assert str(caught.value) == f"{name}: there is no option 'colour'; {output}"


@pytest.mark.parametrize(
    ("kind", "name", "option"),
    [row for row in OPTION_ROWS if row[2] in valid_options(row[0], row[1])],
)
def test_a_missing_option_is_named_with_what_it_takes(kind: str, name: str, option: str) -> None:
    with pytest.raises(OptionError) as caught:
        build(kind, PartSpec(name))
    wanted, _ = WANTED[get_type_hints(find(kind, name))[option]]
    assert str(caught.value) == f"{name}: option {option} is missing; it takes {wanted}"


@pytest.mark.parametrize(("kind", "name", "option"), OPTION_ROWS)
def test_a_mistyped_option_is_refused_with_what_it_must_be(
    kind: str, name: str, option: str
) -> None:
    wanted, wrong = WANTED[get_type_hints(find(kind, name))[option]]
    for value in wrong:
        options = valid_options(kind, name) | {option: value}
        with pytest.raises(OptionError) as caught:
            build(kind, PartSpec.of(name, **options))
        assert str(caught.value).startswith(f"{name}: {option} is {value!r}"[:60])
        assert str(caught.value).endswith(f"it must be {wanted}") or value == 10**400


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("name", ["", "nothing", "sdtext.parts.registry:build", "lowercase\n"])
def test_an_unknown_part_is_refused_with_those_there_are(kind: str, name: str) -> None:
    with pytest.raises(OptionError) as caught:
        find(kind, name)
    first = {"hashes": "hash", "indexes": "index"}.get(kind, kind.removesuffix("s"))
    assert str(caught.value).startswith(f"there is no {first} {name!r}; ")
    assert str(caught.value).endswith(f"available: {', '.join(PARTS[kind])}")


@every
def test_tokenizers_and_filters_are_known_by_name_alone(kind: str, name: str) -> None:
    known = [item for item in ("tokenizers", "filters") if name in PARTS[item]]
    assert kind not in ("tokenizers", "filters") or known == [kind]
    if known:
        assert [kind_of(name)] == known
    else:
        with pytest.raises(OptionError, match="there is no tokenizer or filter"):
            kind_of(name)


def _original() -> Iterator[tuple[str, str, str, str]]:
    for kind, names in ORIGINAL_NAMES.items():
        for name, ours in names.items():
            modes = {"": ours} if isinstance(ours, str) else ours
            yield from ((kind, name, mode, part) for mode, part in modes.items())


@pytest.mark.parametrize(("kind", "name", "mode", "ours"), list(_original()))
def test_a_name_of_the_original_sdtext_is_a_part_of_ours(
    kind: str, name: str, mode: str, ours: str
) -> None:
    options = valid_options(kind, ours) if ours != "stop-words" else {"words": ("the",)}
    given_options = {"mode": mode} if mode else options
    assert normalised(kind, PartSpec.of(name, **given_options)).name == ours
    assert build(kind, PartSpec.of(name, **given_options)) == build(
        kind, PartSpec.of(ours, **options)
    )
    if kind in ("tokenizers", "filters"):
        assert kind_of(name) == kind


@pytest.mark.parametrize("text", ["a(", "a(b)", "a(=1)", "a(b=1", "a(b=1)c", "a(b=1,,c=2)", "a(,)"])
def test_what_spells_no_part_is_refused_with_how_to_spell_one(text: str) -> None:
    with pytest.raises(OptionError, match=r"names no part; write name\(option=value, …\)"):
        parse(text)


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package that registers a class as the filter `shout`."""

    def entry_points(group: str, name: str) -> list[EntryPoint]:
        there = (group, name) == ("sdtext.filters", "shout")
        return [EntryPoint(name, f"{Lowercase.__module__}:Lowercase", group)] if there else []

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    parts._plugin.cache_clear()
    yield
    parts._plugin.cache_clear()


@pytest.mark.usefixtures("plugin")
def test_a_part_of_another_package_is_found_by_its_entry_point() -> None:
    registered: object = find("filters", "shout")
    assert registered is Lowercase
    assert kind_of("shout") == "filters"
    assert find("filters", "lowercase").__name__ == "Lowercase"
    with pytest.raises(OptionError):
        find("matchers", "shout")


def test_defaults_stay_for_ever_since_a_digest_leaves_them_out() -> None:
    defaults = {
        (kind, name, field.name): field.default
        for kind in ("tokenizers", "filters")
        for name in PARTS[kind]
        for field in dataclasses.fields(find(kind, name))
        if field.default is not dataclasses.MISSING
    }
    known = {
        ("tokenizers", "unicode", "lucene"): False,
        ("tokenizers", "chinese", "mode"): "individual",
        ("tokenizers", "chinese", "join_lines"): False,
        ("tokenizers", "chinese", "letter_chunks"): False,
        ("tokenizers", "japanese", "engine"): "fugashi",
        ("tokenizers", "korean", "engine"): "kiwi",
        ("tokenizers", "thai", "engine"): "newmm",
        ("tokenizers", "thai", "join_lines"): False,
        ("filters", "elision", "articles"): (),
        ("filters", "elision", "language"): "",
        ("filters", "lowercase", "language"): "",
        ("filters", "nltk-porter", "mode"): "nltk",
        ("filters", "strip-punctuation", "symbols"): False,
        ("filters", "stop-words", "file"): "",
        ("filters", "stop-words", "language"): "",
        ("filters", "stop-words", "words"): (),
        ("filters", "stop-words", "short"): False,
    }
    assert defaults == known
