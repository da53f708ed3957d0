"""Results show themselves in a line, and in notebooks as a table with everything escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import html

import sdtext
from tests.search.stored import texts_of

EVIL = "<img src=x onerror=alert(1)>&amp;"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("results")
    texts = texts_of(3, number=30)[:28]
    for place, text in enumerate(texts):
        (folder / f"{place}.txt").write_text(text)
    dictionary = sdtext.create_dictionary(folder, "english")
    fingerprint = sdtext.fingerprint(folder / "1.txt", dictionary)
    records = [
        {"id": f"{place}{EVIL}", "text": text, "notes": "long " * 999}
        for place, text in enumerate(texts)
    ]
    with sdtext.create(recipe="deduplicate") as collection:
        added = collection.add(records)
        pairs, hits = (
            collection.pairs(similarity=0.1),
            collection.similar(sdtext.Document.of(texts[0])),
        )
    return {
        "added": added,
        "dictionary": dictionary,
        "fingerprint": fingerprint,
        "vector": fingerprint.vectors[0],
        "pairs": pairs,
        "hits": hits,
        "score": sdtext.score(fingerprint, fingerprint, dictionary=dictionary),
        "comparison": sdtext.compare(folder / "1.txt", folder, dictionary=dictionary),
        "deduplication": sdtext.deduplicate([*records, *records[:2]], similarity=0.2),
        "evidence": sdtext.find_reuse(
            sdtext.Document.of(texts[0] * 2, EVIL), sdtext.Document.of(texts[0] * 3, "b")
        ),
        "cluster": sdtext.deduplicate([{"text": texts[0]}] * 999).clusters[0],
        "found": hits.rows[0],
        "recipe": sdtext.load_recipe("reuse"),
        "digest": sdtext.fingerprint(
            sdtext.read("README.md"), dictionary, digest=sdtext.Digest()
        ).digests[0],
        "document": sdtext.Document.of(texts[0], "a"),
    }


NAMES = [
    *("added", "dictionary", "fingerprint", "vector", "pairs", "hits", "score"),
    *("comparison", "deduplication", "evidence", "document"),
]


@pytest.mark.parametrize("name", NAMES)
def test_repr_is_one_short_line(results: dict[str, Any], name: str) -> None:
    shown = repr(results[name])
    assert shown.startswith(f"<{name}")
    assert shown.endswith(">")
    assert len(shown) <= 200
    assert "\n" not in shown


@pytest.mark.parametrize("name", ["cluster", "found", "recipe", "digest"])
def test_long_fields_are_cut(results: dict[str, Any], name: str) -> None:
    shown = repr(results[name])
    assert shown.startswith(f"{type(results[name]).__name__}(")
    assert len(shown) <= 800
    assert "…" in shown


@pytest.mark.parametrize("name", ["pairs", "hits", "comparison", "deduplication", "evidence"])
def test_a_notebook_shows_an_escaped_table(results: dict[str, Any], name: str) -> None:
    shown = results[name]._repr_html_()
    table = html.fromstring(shown)
    assert table.tag == "table"
    assert {element.tag for element in table.iter()} == {"table", "caption", "tr", "th", "td"}
    assert len(table.findall(".//tr")) <= 22
    if name != "comparison":
        assert EVIL in "".join(table.itertext())


def test_long_tables_are_cut(results: dict[str, Any]) -> None:
    pairs = results["pairs"]
    more = len(pairs.rows) - 20
    assert more > 0
    assert f"… {more:,} more" in pairs._repr_html_()


def test_scores_and_similarities_are_on_every_row(results: dict[str, Any]) -> None:
    rows = [*results["pairs"].rows, *results["hits"].rows, *results["deduplication"].removed]
    rows += [row for row in results["comparison"].rows if row.score is not None]
    rows += [*results["evidence"].shared, *results["evidence"].coverage]
    for row in [*rows, results["score"]]:
        assert 0 <= row.score <= 99
        assert 0 <= row.similarity <= 1
        assert row.score == min(99, int(100 * row.similarity + 1e-9))
    for passage in results["evidence"].shared[0].passages:
        assert passage.score == min(99, int(100 * float(passage.similarity) + 1e-9))


def test_rows_are_in_the_order_of_similarity(results: dict[str, Any]) -> None:
    for name in ("pairs", "hits", "comparison"):
        rows = [row for row in results[name].rows if row.score is not None]
        similarities = [row.similarity for row in rows]
        assert similarities == sorted(similarities, reverse=True)
    assert [*results["hits"]] == [*results["hits"].rows] != []


def test_reading_a_big_dictionary_shows_little() -> None:
    assert len(repr(sdtext.load("english"))) < 100
    assert Path("README.md").name in repr(sdtext.read("README.md"))
