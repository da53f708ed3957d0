"""Frames of every maker: the same result as for records, and tables in and out."""

import tracemalloc
from collections.abc import Callable
from importlib import util
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.errors import OptionError
from sdtext.model.displayed_results import ArrowRows
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.record import Fields
from sdtext.search.results import Pair
from tests.support.command import prose
from tests.support.strategies import BRISK


def rows(number: int = 12) -> list[dict[str, Any]]:
    """Records, of which each text occurs twice."""
    return [
        {"id": f"r{n}", "text": prose(n % (number // 2)), "year": 2000 + n, "tags": ["a", str(n)]}
        for n in range(number)
    ]


def narwhals_frame(table: pa.Table) -> Any:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table.to_pydict())
    return pytest.importorskip("narwhals").from_native(frame, eager_only=True)


FRAMES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "reader": lambda table: table.to_reader(max_chunksize=5),
    "polars": lambda table: pytest.importorskip("polars").DataFrame(table),
    "pandas": lambda table: pytest.importorskip("pandas") and table.to_pandas(),
    "pandas through narwhals": narwhals_frame,
    "duckdb": lambda table: pytest.importorskip("duckdb").connect().from_arrow(table),
    "datasets": lambda table: pytest.importorskip("datasets").Dataset(table),
}


@pytest.mark.filterwarnings("ignore")  # of the makers themselves
@pytest.mark.parametrize("maker", FRAMES)
def test_a_frame_gives_what_its_records_give(maker: str) -> None:
    frame = FRAMES[maker](pa.Table.from_pylist(rows()))
    result = sdtext.deduplicate(frame, similarity=0.8)
    expected = sdtext.deduplicate(rows(), similarity=0.8)
    assert result.kept.select(["id", "text", "year"]).to_pylist() == [
        {name: row[name] for name in ("id", "text", "year")} for row in expected.kept
    ]
    assert [list(tags) for tags in result.kept["tags"].to_pylist()] == [
        row["tags"] for row in expected.kept
    ]
    assert result.removed == expected.removed
    assert result.clusters == expected.clusters
    table = pa.table(result.removed)
    assert table.to_pylist() == pa.table(expected.removed).to_pylist()
    assert table["document"].to_pylist() == [row.document for row in result.removed]
    assert pa.table(result.clusters)["members"][0].as_py() == ["r0", "r6"]


def test_rows_without_a_text_are_kept_and_reported() -> None:
    table = pa.table({"text": [prose(1), None, "", prose(1)], "n": [1, 2, 3, 4]})
    result = sdtext.deduplicate(table)
    assert result.kept["n"].to_pylist() == [1, 2, 3]
    assert [each.path for each in result.problems] == ["documents[1]", "documents[2]"]
    assert "it is kept" in result.problems[0].message


def test_of_no_documents_nothing_is_kept() -> None:
    empty = pa.table({"text": pa.array([], pa.string())})
    for unit in ("document", "sentence"):
        assert sdtext.deduplicate(empty, unit=unit).kept == empty
        result: Any = sdtext.deduplicate([], unit=unit)
        assert (result.kept, [*result.removed]) == ((), [])


def test_what_is_no_table_of_records_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"id": ["a"], "text": [1]})
    with pytest.raises(OptionError, match="no column of texts 'text'; it has id, text; name one"):
        sdtext.deduplicate(table)
    with pytest.raises(OptionError, match="no column 'key'"):
        sdtext.deduplicate(pa.table({"text": ["a"]}), id_field="key")
    with pytest.raises(OptionError, match="no table of Arrow"):
        sdtext.deduplicate(pa.chunked_array([["a"]]))
    find = util.find_spec
    monkeypatch.setattr(
        "sdtext.reading.records.arrow_frames.find_spec",
        lambda name: None if name == "pyarrow" else find(name),
    )
    with pytest.raises(OptionError, match=r"pip install 'sdtext\[frames\]'"):
        sdtext.deduplicate(pa.table({"text": ["a"]}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("maker", FRAMES)
def test_a_collection_takes_frames(maker: str) -> None:
    frame = FRAMES[maker](pa.Table.from_pylist(rows()))
    with sdtext.create(recipe="deduplicate") as collection:
        assert collection.add(frame).added == 12
        assert collection.add(pa.Table.from_pylist(rows()[:3])).added == 0
        pairs = collection.pairs(similarity=0.8, where="year < 2008")
        assert pa.table(pairs).column_names == pairs.columns
        assert pa.table(pairs)["left"].to_pylist() == [row.left for row in pairs.rows]
        hits = collection.similar(sdtext.Document.of(prose(1)), top=2)
        assert pa.table(hits)["metadata"][0].as_py()["year"] == 2001


@pytest.mark.deep
def test_texts_become_python_strings_some_at_a_time() -> None:
    text = prose(1)
    table = pa.table({"text": [f"{n} {text}" for n in range(10_000)]})
    frame = Frame.of("deduplicate", table, Fields())
    tracemalloc.start()
    try:
        assert sum(row["text"].startswith("7") for row in frame.rows("text")) == 1111
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < table.nbytes / 4, (peak, table.nbytes)


PAIRS = st.builds(
    Pair,
    st.text(),
    st.text(),
    st.integers(0, 99),
    st.floats(0, 1),
    st.integers(0, 9),
    st.integers(0, 9),
)


@BRISK
@given(items=st.lists(PAIRS))
def test_rows_of_results_are_the_columns_of_their_stream(items: list[Pair]) -> None:
    result = ArrowRows(Pair, tuple(items))
    table = pa.table(result)
    assert table["score"].to_pylist() == [item.score for item in items]
    assert table["left"].to_pylist() == [item.left for item in items]
    assert table.schema.field("similarity").type == pa.float64()
    assert result == tuple(items)
    assert len(result) == len(items)
