"""What holds for the results of all public functions: representations, tables, scores."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from lxml import html

import sdtext
from tests.support.public_results import CALLS, EVIL, Material
from tests.support.verbs_in_python import TABLE

FUNCTIONS = {name for row in TABLE.values() for name in re.findall(r"`([\w.]+)`", row)} - {"save"}


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return Material(tmp_path_factory.mktemp("public-results"))


@pytest.fixture(scope="module")
def results(material: Material) -> dict[str, Any]:
    return {name: call(material) for name, call in CALLS.items()}


def inside(value: Any, path: str, depth: int = 6) -> Iterator[tuple[str, Any]]:
    """A result and all values of sdtext in it, with how to reach each."""
    yield path, value
    if not depth:
        return
    parts: list[tuple[str, Any]] = []
    if is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in fields(value) if not field.name.startswith("_"))
        parts += ((f"{path}.{name}", getattr(value, name)) for name in names)
        if not isinstance(value, tuple) and hasattr(value, "shared_terms"):
            parts.append((f"{path}.shared_terms", value.shared_terms))
    if isinstance(value, list | tuple) or type(value).__name__ == "ArrowRows":
        items = [*enumerate(value)]
        some = items if len(items) <= 40 else [*items[:20], *items[-20:]]  # they are of one kind
        parts += ((f"{path}[{place}]", item) for place, item in some)
    for name, part in parts:
        yield from inside(part, name, depth - 1)


def of_sdtext(value: Any) -> bool:
    """Whether a value is of a class of sdtext."""
    return type(value).__module__.startswith("sdtext")


def test_each_public_function_is_called() -> None:
    assert {name.partition(" ")[0] for name in CALLS} >= FUNCTIONS


@pytest.mark.parametrize("name", CALLS)
def test_representations_are_short(results: dict[str, Any], name: str) -> None:
    shown = {path: repr(value) for path, value in inside(results[name], name) if of_sdtext(value)}
    assert {path: text for path, text in shown.items() if len(text) > 400} == {}


TABLES = [
    *("compare", "compare (calibrated)", "decontaminate"),
    *("deduplicate", "deduplicate (against)", "deduplicate (passages)"),
    *("find_reuse", "run_experiment", "score"),
    *("similarity", "window_pairs", "with_texts", "Collection.add"),
    *("Collection.pairs", "Collection.reuse", "Collection.similar"),
]


@pytest.mark.parametrize("name", TABLES)
def test_notebooks_show_a_table(results: dict[str, Any], name: str) -> None:
    table = html.fromstring(results[name]._repr_html_())
    assert {element.tag for element in table.iter()} == {"table", "caption", "tr", "th", "td"}
    widths = {len(row) for row in table.findall(".//tr") if row[0].get("colspan") is None}
    assert len(widths) == 1
    assert 1 < len(table.findall(".//tr")) <= 22


def test_names_are_escaped_and_long_tables_are_cut(results: dict[str, Any]) -> None:
    pairs = results["Collection.pairs"]
    shown = pairs._repr_html_()
    assert EVIL in "".join(html.fromstring(shown).itertext())
    assert f"{len(pairs.rows) - 20:,} more" in shown


def test_results_without_a_table_are_no_rows(results: dict[str, Any]) -> None:
    rows = {name for name, value in results.items() if hasattr(value, "_repr_html_")} - {*TABLES}
    assert rows == {"Collection.similar (calibrated)"}


def test_rows_are_in_the_order_of_similarity(results: dict[str, Any]) -> None:
    for name in ("compare", "Collection.pairs"):
        similarities = [row.similarity for row in results[name].rows if row.score is not None]
        assert similarities == sorted(similarities, reverse=True)


MEASURED = {
    *("Score", "Match", "Row", "Pair", "Found", "RemovedDocument"),
    *("ReviewedPair", "ItemMatch", "Shared", "Passage", "Coverage", "WindowPair"),
}
"""The classes of results about what is similar, as tests find them in the results."""


@pytest.fixture(scope="module")
def measured(results: dict[str, Any]) -> list[Any]:
    """All results that have a score or a similarity, but for what chance says of a score."""
    pairs = [*results["window_pairs"]]
    found = [value for name in results for _, value in inside(results[name], name)] + pairs
    named = [value for value in found if hasattr(value, "score") or hasattr(value, "similarity")]
    others = "Chance", "Similarity", "type"
    return [value for value in named if type(value).__name__ not in others]


def test_every_result_has_a_score_and_a_similarity(measured: list[Any]) -> None:
    assert {type(value).__name__ for value in measured} == MEASURED
    for value in measured:
        if value.similarity is None:
            assert value.score is None
            continue
        assert 0 <= value.score <= 99
        assert 0.0 <= value.similarity <= 1.0
        assert value.score == min(99, int(100 * value.similarity + 1e-9))
        assert f"{value.similarity:.2f}" == f"{float(value.similarity):.2f}"
        assert round(value.similarity) in (0, 1)


def test_scores_and_similarities_differ_between_results(measured: list[Any]) -> None:
    """So that a constant would not pass the test above."""
    similarities = Counter((type(value).__name__, value.similarity) for value in measured)
    assert {name for name, similarity in similarities if similarity not in (None, 0, 1)} == MEASURED


def test_docs_state_the_ranges(measured: list[Any]) -> None:
    for kind in {type(value) for value in measured}:
        members = (getattr(kind, name, None) for name in ("score", "similarity"))
        text = " ".join([kind.__doc__ or "", *(each.__doc__ or "" for each in members)])
        words = " ".join(text.split())
        assert re.search(r"0 to 99", words), kind
        assert re.search(r"0 to 1\b", words), kind


def test_the_similarity_of_windows_is_the_share_of_common_terms(material: Material) -> None:
    left, right = (sdtext.read(material.many / name) for name in ("1.txt", "2.txt"))
    pairs = sdtext.window_pairs(left, right, w=20, distance=9)
    assert len(pairs) > 10
    terms = sdtext.Chain.of("reuse").terms
    for pair in pairs:
        one = Counter(terms(left.text[pair.left_start : pair.left_end]))
        other = Counter(terms(right.text[pair.right_start : pair.right_end]))
        assert pair.similarity == (one & other).total() / 20 == (20 - pair.distance) / 20
