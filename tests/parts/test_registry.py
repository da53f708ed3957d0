"""The registry: what can be named, how a part is built, and what is refused."""

import dataclasses
import pickle
from collections.abc import Iterator
from doctest import DocTestFinder
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts import registry as parts
from sdtext.parts.filters.case_and_elision import Lowercase
from sdtext.parts.load_recipe import load_recipe, recipe_of
from sdtext.parts.original_names import ORIGINAL_NAMES
from sdtext.parts.registry import PARTS, build, find, kind_of, list_parts, normalised, parse
from tests.support.cases import cases
from tests.support.recipe_texts import in_xml, loaded
from tests.support.strategies import BRISK, OPTIONS, specs, specs_of

CONFIGS = Path(__file__).parents[2] / "configs"
ALL = [(kind, name) for kind, names in PARTS.items() for name in names]
# Values that are not of each type of option.
WRONG: dict[Any, list[Any]] = {
    int: ["3", 3.0, True, ("3",), [3], None], float: ["1", True, ("1",), [1.0], {}, 10**400],
    bool: [1, "true", 0.0, ("true",), []], str: [5, True, 1.5, ("a",), ["a"], {"a": 1}],
    int | str: [3.0, True, ("3",), [3], None], tuple[str, ...]: ["a", 5, True, [1, 2], {"a": 1}],
}  # fmt: skip
NEEDED: dict[str, Any] = {
    "length": 3, "language": "english", "tokens": 100, "operation": "strip_tashkeel",
    "argv": ("cat", "{}"), "id": f"{'00' * 16}-b66c6c13e49bd7d6",
}  # fmt: skip
"""A value for every option that has no default."""


def needed_options(kind: str, name: str) -> dict[str, Any]:
    fields = dataclasses.fields(find(kind, name))
    return {
        field.name: NEEDED[field.name] for field in fields if field.default is dataclasses.MISSING
    }


def refused(kind: str, name: str, options: dict[str, Any]) -> str:
    with pytest.raises(OptionError) as caught:
        build(kind, PartSpec.of(name, **options))
    assert str(caught.value).startswith(f"{name}: ")
    return str(caught.value)


def test_parts_are_frozen_values_with_examples_and_descriptions() -> None:
    for row in list_parts():
        cls = find(row.kind, row.name)
        assert cls.__dataclass_params__.frozen, row
        assert DocTestFinder(recurse=False).find(cls, row.name)[0].examples, row
        assert all(field.name in row.options for field in dataclasses.fields(cls)), row
        assert row.does, row
        assert "\n" not in row.does, row
    assert [(row.kind, row.name) for row in list_parts()] == ALL


def test_every_part_with_options_has_random_ones_here() -> None:
    shared = {"encoding"}  # a reader's, which no recipe names
    with_options = {
        name
        for kind, name in ALL
        if {field.name for field in dataclasses.fields(find(kind, name))} - shared
    }
    assert with_options == {key.rpartition("/")[2] for key in OPTIONS}


@pytest.mark.parametrize("kind", PARTS)
@BRISK
@given(pick=st.data())
def test_a_part_is_a_value_and_settles_what_is_no_default(kind: str, pick: st.DataObject) -> None:
    for name in PARTS[kind]:
        spec = pick.draw(specs_of(name, kind))
        part, actual = build(kind, spec), normalised(kind, spec)
        assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 (our own bytes)
        assert hash(part) == hash(dataclasses.replace(part)), spec
        defaults = {field.name: field.default for field in dataclasses.fields(part)}
        expected = {key: value for key, value in spec.options if defaults[key] != value}
        assert actual == PartSpec.of(spec.name, **expected)
        assert normalised(kind, actual) == actual
        assert build(kind, actual) == part


@given(spec=specs("matchers"))
def test_a_matcher_can_be_named_by_what_it_is_called(spec: PartSpec) -> None:
    named = normalised("matchers", spec)
    assert normalised("matchers", parse(str(named))) == named


def test_a_part_is_spelled_with_its_options_and_a_number_in_every_common_way() -> None:
    for power in ("0.5", ".5", "5e-1", "0.50", "1e-05", "2"):
        assert build("matchers", parse(f"idf-cosine(power={power})")).power == float(power)
    for text in ("a(", "a(b)", "a(=1)", "a(b=1", "a(b=1)c", "a(b=1,,c=2)", "a(,)"):
        with pytest.raises(OptionError, match="names no part"):
            parse(text)


def test_an_unknown_missing_or_mistyped_option_is_refused_by_its_name() -> None:
    for kind, name in ALL:
        cls, options = find(kind, name), needed_options(kind, name)
        takes = ", ".join(field.name for field in dataclasses.fields(cls)) or "none"
        message = refused(kind, name, options | {"colour": "red"})
        assert message == f"{name}: there is no option 'colour'; it takes {takes}"
        if options:
            assert f"option {next(iter(options))} is missing" in refused(kind, name, {})
        types = get_type_hints(cls)
        for field in dataclasses.fields(cls):
            for value in WRONG[types[field.name]]:
                message = refused(kind, name, options | {field.name: value})
                assert message.startswith(f"{name}: {field.name} is {value!r}"[:60])


def test_an_unknown_part_is_refused_with_those_there_are() -> None:
    for kind in PARTS:
        for name in ("", "nothing", "sdtext.parts.registry:build", "lowercase\n"):
            with pytest.raises(OptionError) as caught:
                find(kind, name)
            assert repr(name) in str(caught.value)
            assert str(caught.value).endswith(f": {', '.join(PARTS[kind])}")


def test_tokenizers_and_filters_are_known_by_name_alone() -> None:
    for kind, name in ALL:
        known = [item for item in ("tokenizers", "filters") if name in PARTS[item]]
        assert kind not in ("tokenizers", "filters") or known == [kind]
        if known:
            assert [kind_of(name)] == known
        else:
            with pytest.raises(OptionError, match="there is no tokenizer or filter"):
                kind_of(name)


def test_a_name_of_the_original_sdtext_is_a_part_of_ours() -> None:
    for kind, names in ORIGINAL_NAMES.items():
        for name, modes in names.items():
            for mode, ours in ({"": modes} if isinstance(modes, str) else modes).items():
                stops = {"words": ("the",)}
                options = stops if ours == "stop-words" else needed_options(kind, ours)
                original = PartSpec.of(name, **({"mode": mode} if mode else options))
                assert normalised(kind, original).name == ours
                assert build(kind, original) == build(kind, PartSpec.of(ours, **options))
                if kind in ("tokenizers", "filters"):
                    assert kind_of(name) == kind


@cases("source, name", [
    (PartSpec("ArabicFileTokenizer"), "arabic"), (PartSpec("ChineseFileTokenizer"), "chinese"),
    (PartSpec.of("ChineseFileTokenizer", mode="individual"), "chinese"),
    (PartSpec.of("ChineseFileTokenizer", mode="smart"), "chinese-words"),
])  # fmt: skip
def test_a_source_of_the_original_sdtext_stands_for_the_chain_of_a_recipe(
    source: PartSpec, name: str, path: Path
) -> None:
    shipped = load_recipe(CONFIGS / f"{name}.toml")
    assert recipe_of([source]) == recipe_of(shipped.chain()) == shipped
    assert loaded(path, in_xml([source])) == shipped
    longer = recipe_of([source, PartSpec.of("MinimumLengthTokenizer", length=2)])
    assert longer.chain() == (*shipped.chain(), PartSpec.of("min-length", length=2))


@cases("source, option", [
    (PartSpec.of("ChineseFileTokenizer", mode="clever"), "mode is 'clever'"),
    (PartSpec.of("ChineseFileTokenizer", mode=3), "mode is 3"),
    (PartSpec.of("ChineseFileTokenizer", size=3), "no option 'size'; it takes mode"),
    (PartSpec.of("ArabicFileTokenizer", mode="smart"), "no option 'mode'; it takes none"),
])  # fmt: skip
def test_what_a_source_does_not_take_is_refused(source: PartSpec, option: str) -> None:
    with pytest.raises(OptionError, match=option):
        recipe_of([source])


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
        f"{name} {field.name}": field.default
        for kind in ("tokenizers", "filters")
        for name in PARTS[kind]
        for field in dataclasses.fields(find(kind, name))
        if field.default is not dataclasses.MISSING
    }
    assert defaults == {
        "unicode lucene": False, "chinese mode": "individual", "chinese join_lines": False,
        "chinese letter_chunks": False, "chinese join_blanks": False, "japanese engine": "fugashi",
        "korean engine": "kiwi", "thai engine": "newmm", "thai join_lines": False,
        "elision articles": (), "elision language": "", "lowercase language": "",
        "nltk-porter mode": "nltk", "strip-punctuation symbols": False, "stop-words file": "",
        "stop-words language": "", "stop-words words": (), "stop-words short": False,
    }  # fmt: skip
