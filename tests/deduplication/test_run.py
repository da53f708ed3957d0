"""Deduplication of files, records and frames: what goes is what a plain comparison says."""

import gzip
import io
import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import util
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.rule_names import KEEP
from sdtext.deduplication.temporary_collection import COLLECTION, temporary_folder
from sdtext.errors import MismatchError, OptionError, OutputError, UnreadableError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.displayed_results import ArrowRows
from sdtext.parts.matchers import edit_and_hamming_matchers as edit
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import Frame
from sdtext.reading.records.record import Fields
from sdtext.search.candidates import buckets
from sdtext.search.results import Pair
from tests.search.stored import texts_of
from tests.support.command import ROOT, chance, prose
from tests.support.deduplication import (
    DEFAULT_RECIPE,
    edited,
    lines_of,
    mixture,
    run_of,
    shingles,
    similarity,
    stored_with,
    write_lines,
)
from tests.support.strategies import BRISK


def kept_of(
    paths: Any, folder: Path, name: str = "kept.jsonl", **options: Any
) -> tuple[sdtext.Deduplication, bytes]:
    """What is done with documents in files, and what is written of them."""
    done = sdtext.deduplicate(paths, **options, output=folder / name, force=True)
    return done, (folder / name).read_bytes()


def family(seed: int) -> list[str]:
    """Some texts, copies and slightly edited copies of some of them, in any order."""
    draw = chance(seed)
    texts = [prose(1000 * seed + number, draw.randint(60, 200)) for number in range(12)]
    for text in draw.sample(texts, 6):
        texts += [edited(text, draw.randint(0, 1), draw.randint(1, 99)) for _ in range(2)]
    draw.shuffle(texts)
    return texts


LINES = [
    b'{"id": 1, "text": "Bees return to the same flowers every day of the summer."}',
    b' {"text":"Bees return to the same flowers every day of the summer" , "x":[1]}\r',
    b'{"id": 1, "text": "Bread takes time, water, salt and flour, and a hot oven, too."}',
    b'{"id": 2, "text": "bread takes time water salt and flour and a hot oven too"}',
    b'{"id": "short", "text": "Short."}', b'{"id": 3, "text": "..."}', b'{"id": 4, "text": ""}',
    b'{"text": 5}', b"", b"   ", b"no json \xff", b"[1, 2]",
]  # fmt: skip
_TEXTS = {0: "bees", 1: "bees", 2: "bread", 3: "bread", 4: "short"}


@BRISK
@given(
    files=st.lists(st.lists(st.sampled_from(LINES), max_size=12), min_size=1, max_size=3),
    ends=st.booleans(),
)
def test_kept_lines_are_unchanged_byte_for_byte(
    files: list[list[bytes]], ends: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    known = {LINES[place]: text for place, text in _TEXTS.items()}
    seen: set[str] = set()
    expected: list[bytes] = []
    paths = []
    for number, lines in enumerate(files):
        data = b"\n".join(lines) + (b"\n" if ends and lines else b"")
        (folder / f"{number}.jsonl").write_bytes(data)
        paths.append(folder / f"{number}.jsonl")
        for line in data.split(b"\n")[: len(lines)]:
            text = known.get(line, "")
            if not text or text not in seen:
                expected.append(line)
            seen |= {text} if text else set()
    run = run_of()
    try:
        done, data = kept_of(paths, folder, run=run)
    except UnreadableError:
        assert not seen
        assert not any(b"..." in line for lines in files for line in lines)
        return
    kept = data.split(b"\n")
    assert [line for line in kept if line] == [line for line in expected if line]
    assert done.counts["kept"] <= len(expected)


def test_files_are_listed_by_their_paths(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    paths = [texts / "d \xe9.txt", texts / "empty.txt"]
    for path, text in zip(paths, (prose(1), ""), strict=True):
        path.write_text(text, "utf-8")
    run = run_of()
    _, data = kept_of(texts, tmp_path, "kept.txt", run=run)
    assert data.decode().splitlines() == [*map(str, paths)]
    assert [item.path for item in run.problems or ()] == [str(paths[1])]
    (texts / "e\nf.txt").write_text(prose(9), "utf-8")
    with pytest.raises(OutputError, match="line break"):
        kept_of(texts, tmp_path, "kept.txt")


@pytest.mark.parametrize("keep", KEEP)
def test_the_length_of_a_file_is_that_of_its_text(keep: str, tmp_path: Path) -> None:
    text = prose(5, 400)
    (tmp_path / "a.html").write_text(f"<!DOCTYPE html><html><body><p>{text}</p>" + "<br>" * 900)
    (tmp_path / "b.txt").write_text(text + " And more.")
    names = {"first": "a.html", "longest": "b.txt", "shortest": "a.html"}
    done = sdtext.deduplicate([tmp_path / "a.html", tmp_path / "b.txt"], keep=keep)
    assert [item.kept for item in done.removed] == [str(tmp_path / names[keep])]


def parquet_of(path: Path, texts: Sequence[str], **options: Any) -> pa.Table:
    table = pa.table(
        {
            "text": pa.array(texts, pa.large_string()),
            "id": pa.array(range(len(texts)), pa.int32()),
            "tags": pa.array([["a", None]] * len(texts)),
            "more": pa.array([{"b": place} for place in range(len(texts))]),
            "raw": pa.array([b"\xff"] * len(texts)),
        },
        metadata={"made": "by hand"},
    )
    pq.write_table(table, path, **options)
    return table


def test_kept_parquet_rows_have_all_columns(tmp_path: Path) -> None:
    texts = [prose(place // 2) for place in range(301)]
    first, second = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = parquet_of(first, texts, row_group_size=70, compression="zstd")
    more = parquet_of(second, [prose(0), prose(900), " "])
    run = run_of()
    _, data = kept_of([first, second], tmp_path, "kept.parquet", run=run)
    assert [item.message for item in run.problems or ()] == [
        f"{second}: row 3: holds no text; it is kept as it is"
    ]
    file = pq.ParquetFile(io.BytesIO(data))
    expected = pa.concat_tables([table.take(list(range(0, 301, 2))), more.slice(1)])
    assert file.read().equals(expected)
    assert file.schema_arrow.metadata == table.schema.metadata
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.metadata.num_row_groups == 1


def test_parquet_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    parquet_of(tmp_path / "a.parquet", [prose(1)])
    pq.write_table(pa.table({"text": [prose(2)]}), tmp_path / "b.parquet")
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    with pytest.raises(UnreadableError, match=r"b\.parquet: has other columns"):
        kept_of(paths, tmp_path, "kept.parquet")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    rows = ({"id": f"s{place}", "text": prose(place)} for place in range(10))
    path = tmp_path_factory.mktemp("archive") / "x.sdx"
    return StoredCollection.open(stored_with(path, *rows))


def test_documents_similar_to_stored_ones_are_removed_first(
    archive: StoredCollection, tmp_path: Path
) -> None:
    near = edited(prose(4), 2)
    beside = edited(edited(prose(4), 8, 5), 1)
    texts = [prose(100), prose(3), near, prose(100), beside, prose(200)]
    lines = lines_of({"text": text} for text in texts)
    path = write_lines(tmp_path / "a.jsonl", lines)
    done, kept = kept_of(path, tmp_path, against=archive, recall=0.99999)
    assert similarity(beside, prose(4)) < 0.8
    assert [(item.document, item.kept, item.cluster) for item in done.removed] == [
        ("2", "s3", None),
        ("3", "s4", None),
        ("4", "1", 1),
    ]
    assert [item.members for item in done.clusters] == [("1", "4")]
    assert done.removed[1].similarity == pytest.approx(float(similarity(near, prose(4))))
    assert kept == lines[0] + lines[4] + lines[5]
    assert str(done) == "6 read, 3 kept, 3 removed: 2 similar to stored documents, 1 in 1 cluster"
    assert len(archive) == 10


def test_removed_documents_do_not_link_kept_ones(
    archive: StoredCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buckets, "PAIR_BUDGET", 10)  # then a star around the first holds all
    lead = edited(prose(4), 4, 3)
    others = [edited(lead, 2, seed) for seed in range(100, 200)]
    assert similarity(lead, prose(4)) > 0.84 > max(similarity(other, prose(4)) for other in others)
    path = write_lines(tmp_path / "a.jsonl", lines_of({"text": text} for text in [lead, *others]))
    done = sdtext.deduplicate(path, similarity=0.84, recall=0.9999, against=archive)
    assert (
        str(done) == "101 read, 1 kept, 100 removed: 1 similar to stored documents, 99 in 1 cluster"
    )


def test_recipes_that_do_not_fit_the_stored_documents_are_refused(
    archive: StoredCollection,
) -> None:
    directed = replace(DEFAULT_RECIPE, matcher=PartSpec("containment"))
    with pytest.raises(OptionError, match="containment is not symmetric"):
        sdtext.deduplicate([{"text": prose(1)}], recipe=directed, against=archive)
    with pytest.raises(MismatchError, match="other tokens"):
        sdtext.deduplicate(
            [{"text": prose(1)}], recipe=replace(DEFAULT_RECIPE, filters=()), against=archive
        )


def test_other_shingles_are_derived_from_stored_tokens(archive: StoredCollection) -> None:
    recipe = replace(DEFAULT_RECIPE, shingler=PartSpec.of("words", length=2))
    rows = [{"id": "same", "text": prose(3)}, {"id": "other", "text": prose(77)}]
    done = sdtext.deduplicate(rows, recipe=recipe, against=archive)
    assert [(item.document, item.kept) for item in done.removed] == [("same", "s3")]


def test_a_matcher_of_sequences_decides_where_the_recipe_names_one() -> None:
    recipe = replace(DEFAULT_RECIPE, matcher=PartSpec("edit"))
    texts = [prose(1), edited(prose(1), 2), prose(2)]
    rows = [{"id": str(place), "text": text} for place, text in enumerate(texts, 1)]
    done = sdtext.deduplicate(rows, recipe=recipe, similarity=0.9)
    (first,) = done.removed
    words = len(prose(1).split())
    assert (first.document, first.kept) == ("2", "1")
    assert first.similarity == pytest.approx(1 - 2 / words)


def test_texts_too_long_to_compare_give_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    middle = prose(1, 100)
    first, last = (f"{middle} {prose(seed, 10)}" for seed in (2, 3))
    lengths = [len(item.split()) for item in (first, middle, last)]
    monkeypatch.setattr(edit, "_MOST_WORK", lengths[0] * lengths[1])
    path = write_lines(tmp_path / "a.jsonl", lines_of({"text": t} for t in (first, middle, last)))
    recipe = replace(DEFAULT_RECIPE, matcher=PartSpec("edit"))
    run = run_of()
    done = sdtext.deduplicate(path, recipe=recipe, rule="cluster", run=run)
    assert [(item.document, item.kept, item.score > 0) for item in done.removed] == [
        ("2", "1", True),
        ("3", "1", False),
    ]
    (problem,) = run.problems or []
    assert problem.category == "not-compared"
    assert problem.message.startswith("1 and 3: not compared: edit would take too long")


def test_the_number_of_processes_does_not_matter(tmp_path: Path) -> None:
    texts = family(9) * 100
    path = write_lines(tmp_path / "a.jsonl", lines_of({"text": text} for text in texts))
    first, two = (sdtext.deduplicate(path, run=Run(jobs=jobs, problems=[])) for jobs in (1, 2))
    assert first == two
    assert first.counts["documents"] == len(texts)
    assert (len(first.clusters), len(first.removed)) == (12, len(texts) - 12)


def test_nothing_is_left_of_the_temporary_folder(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", lines_of([{"text": prose(1)}]))
    kept_of(path, tmp_path)
    for times in (1, 900):
        (tmp_path / "bad.jsonl.gz").write_bytes(gzip.compress(path.read_bytes() * times)[:-20])
        with pytest.raises(UnreadableError, match=r"bad\.jsonl\.gz"):
            kept_of([path, tmp_path / "bad.jsonl.gz"], tmp_path)
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        *("a.jsonl", "bad.jsonl.gz", "kept.jsonl")
    ]


_UNTIL_KILLED = """
import sys, time
from pathlib import Path
from sdtext.deduplication.temporary_collection import COLLECTION, temporary_folder
with temporary_folder(sys.argv[1]) as place:
    (place / COLLECTION).mkdir()
    print(place, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def other_process(tmp_path: Path) -> Iterator[tuple[Popen[str], Path]]:
    """A process that has a temporary folder, and the folder."""
    command = [sys.executable, "-c", _UNTIL_KILLED, str(tmp_path)]
    with Popen(command, stdout=PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_leftovers_of_a_killed_process_are_removed(
    tmp_path: Path, other_process: tuple[Popen[str], Path]
) -> None:
    process, left = other_process
    with temporary_folder(tmp_path):
        assert (left / COLLECTION).is_dir()  # it is still at work
    process.kill()
    process.wait()
    assert (left / COLLECTION).is_dir()
    with temporary_folder(tmp_path) as place:
        assert list(tmp_path.iterdir()) == [place]
    assert list(tmp_path.iterdir()) == []


def test_other_folders_are_not_removed(tmp_path: Path) -> None:
    begun, other = (tmp_path / f".sdtext-deduplicate-{name}" for name in ("begun", "other"))
    for item in (begun, other, elsewhere := tmp_path / "own" / COLLECTION):
        item.mkdir(parents=True)
        (item / "lock").touch()
    (other / COLLECTION).mkdir()
    (other / "letter.txt").touch()
    (link := tmp_path / ".sdtext-deduplicate-link").symlink_to(elsewhere.parent)
    (elsewhere.parent / "lock").touch()
    with temporary_folder(tmp_path):
        pass
    assert all(item.is_dir() for item in (begun, other / COLLECTION, elsewhere, link))
    assert (other / "letter.txt").exists()


@pytest.mark.parametrize(("recipe", "words"), [
    (RecipeSpec(PartSpec("words")), "shingler"),
    (replace(DEFAULT_RECIPE, unit=PartSpec("page")), "unit"),
    (replace(DEFAULT_RECIPE, unit=PartSpec("sentence")), "for passages"),
])  # fmt: skip
def test_a_recipe_that_compares_nothing_is_refused(recipe: RecipeSpec, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        sdtext.deduplicate([{"text": prose(1)}], recipe=recipe)


def test_inputs_of_different_kinds_are_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", lines_of([{"text": prose(1)}]))
    (tmp_path / "b.txt").write_text(prose(1))
    with pytest.raises(OptionError, match="different kinds"):
        sdtext.deduplicate([path, tmp_path / "b.txt"])


TEXTS = [text for text in texts_of(6, number=40) if text != "..."]
RECORDS = [{"id": f"r{place}", "text": text, "year": 1990} for place, text in enumerate(TEXTS)]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return path


def test_what_has_no_text_is_kept_and_noted() -> None:
    records = [*RECORDS[:2], {"id": 7, "text": ""}, {"id": 8}, RECORDS[0]]
    result = sdtext.deduplicate(records, similarity=0.9)
    assert result.kept == tuple(records[:4])
    assert [problem.path for problem in result.problems] == ["documents[2]", "documents[3]"]
    assert "name one as text_field; it is kept" in result.problems[1].message


@pytest.mark.parametrize(("options", "name"), [
    ({"similarity": 80}, "similarity"), ({"similarity": 0.805}, "similarity"),
    ({"similarity": float("nan")}, "similarity"), ({"similarity": 1.0}, "similarity"),
    ({"keep": "last"}, "keep"), ({"review": -1}, "review"),
    ({"unit": "sentence", "similarity": 0.5}, "similarity"),
    ({"unit": "sentence", "keep": "longest"}, "keep"), ({"unit": "word"}, "unit is "),
    ({"unit": "passage", "min_tokens": 1}, "min_tokens is "),
])  # fmt: skip
def test_errors_name_the_argument(options: Any, name: str) -> None:
    with pytest.raises(OptionError, match=name):
        sdtext.deduplicate(RECORDS, **options)


def test_one_cluster_of_most_documents_is_a_warning_and_the_minimum_is_explained() -> None:
    form = " ".join(f"word{place}" for place in range(60))
    records = [{"text": f"{form} name{place}"} for place in range(40)]
    result = sdtext.deduplicate(records)
    assert result.counts["kept"] == 1
    assert "large-cluster" in {problem.category for problem in result.problems}
    # Of 57 shingles of five words, a changed word leaves 52 of 62, two leave 47 of 67.
    assert " 1 of 61 words" in result.how


MIXTURE = [text for text in mixture(4) if len(text) > 20]
ROWS = [{"id": f"t{place}", "text": text} for place, text in enumerate(MIXTURE)]


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


@pytest.mark.parametrize("rule", ["direct", "cluster", "contained"])
@pytest.mark.parametrize("keep", ["longest", pytest.param("none", marks=pytest.mark.deep)])
def test_shared_shingles_are_counted_and_shown(rule: str, keep: str) -> None:
    if (rule, keep) == ("contained", "none"):
        return
    result = sdtext.deduplicate(ROWS, rule=rule, keep=keep, explain=True)
    assert result.removed
    for row in result.removed:
        names = row.document, row.kept or str(row.duplicate)
        left, right = (MIXTURE[int(name[1:])] for name in names)
        assert row.shared == len(shingles(left) & shingles(right))
        passage = " ".join(words(str(row.passage).rstrip("…")))
        assert all(passage in " ".join(words(text)) for text in (left, right))
        assert passage or not row.shared


def test_the_least_similar_pairs_come_first() -> None:
    result = sdtext.deduplicate(ROWS, rule="cluster", review=7)
    least = sorted(result.removed, key=lambda row: row.similarity)[:7]
    assert [row.document for row in result.reviewed] == [row.document for row in least]
    for row in result.reviewed:
        left, right = (MIXTURE[int(name[1:])] for name in (row.document, row.kept))
        assert row.similarity == pytest.approx(float(similarity(left, right)))
        for shown, text in ((row.text, left), (row.kept_text, right)):
            assert str(shown).strip("… ") in " ".join(text.split())
    assert "text" in repr(result.reviewed[0])


def test_stored_texts_are_evidence_where_they_are_at_hand(tmp_path: Path) -> None:
    text = prose(1, 80)
    row = {"id": "new", "text": edited(text, 1)}
    for keep_text in (True, False):
        path = tmp_path / f"{keep_text}.sdx"
        sdtext.create(path, recipe="deduplicate", keep_text=keep_text).add(
            [{"id": "old", "text": text}]
        )
        result = sdtext.deduplicate([row], against=path, explain=True, review=1)
        assert (result.removed[0].shared is not None) == keep_text
        assert (result.reviewed[0].kept_text is not None) == keep_text


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
        "sdtext.model.displayed_results.find_spec",
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
