"""--html: the page has what the rows have, and is written as every output is."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sdtext.cli.options.values import HTML_PATH
from sdtext.collections.stored_collection import StoredCollection
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.model.dictionary import Dictionary

from .command import ROOT, check_refused, done, here, prose
from .test_terminal import CONTROL, EVIL
from .test_verbs import NAMES, command_of

SAMPLES = ROOT / "tests" / "samples" / "texts"


@pytest.fixture
def texts(folder: Path) -> Path:
    """The sample texts, and a copy of one in a folder below."""
    (folder / "texts" / "more").mkdir(parents=True)
    for path in SAMPLES.iterdir():
        (folder / "texts" / path.name).write_bytes(path.read_bytes())
    copy = (SAMPLES / "union.txt").read_text("utf-8")[:-300]
    (folder / "texts" / "more" / "copy.txt").write_text(copy, "utf-8")
    return folder / "texts"


def embedded(path: str = "out.html") -> dict[str, Any]:
    """What the scripts of the page have."""
    text = Path(path).read_text("utf-8")
    (content,) = re.findall(r'id="data">(.*?)</script>', text)
    data: dict[str, Any] = json.loads(content)["overview"]
    return data


def pairs(path: str = "out.html") -> list[tuple[str, str, int]]:
    data = embedded(path)
    return [(data["names"][row[0]], data["names"][row[1]], row[2]) for row in data["rows"]]


@pytest.mark.usefixtures("texts")
def test_compare_directory() -> None:
    plain = done(
        "CompareDirectory", "texts/union.txt", "texts", "-d", "english", "--format", "json"
    ).json
    shown = done("CompareDirectory", "texts/union.txt", "texts", "-d", "english", "--html",
                 "out.html", "--format", "json")  # fmt: skip
    assert shown.json == plain
    others = [row for row in plain["rows"] if row["path"] != "union.txt"]
    assert pairs() == [("union.txt", row["path"], row["score"]) for row in others]
    assert embedded()["matrix"] is None
    text = Path("out.html").read_text("utf-8")
    compared, above = map(int, re.findall(r"(\d+) compared, (\d+) at or above 1", shown.err)[0])
    notable = sum(row["score"] >= 15 for row in others)
    assert (
        f"{notable} of {compared} comparisons have a score of 15 or more, {above} a score of 1 or "
        "more."
    ) in text
    digest = sha256(Path("texts/union-edited.txt").read_bytes()).hexdigest()
    assert digest in text
    for word in ("idf-cosine", "dictionary english"):
        assert word in text
    assert "listed from 15 on: unrelated documents mostly score below 15" in text
    assert 'id="cut" min="0" max="99" value="15"' in text
    assert "the files that are listed, and the dictionaries" in text
    assert text.count(sha256(Path("texts/union.txt").read_bytes()).hexdigest()) == 1


@pytest.mark.parametrize("spelled", ["texts", "texts/", "./texts//", "{here}/texts"])
def test_a_file_is_itself_however_its_folder_is_written(texts: Path, spelled: str) -> None:
    name = spelled.format(here=texts.parent)
    done("CompareDirectory", f"{name}/union.txt", name, "--html", "out.html")
    assert {left for left, *_ in pairs()} == {"union.txt"}
    assert "union.txt" not in {right for _, right, _ in pairs()}
    assert sha256((texts / "union-edited.txt").read_bytes()).hexdigest() in Path(
        "out.html"
    ).read_text("utf-8")


@pytest.mark.usefixtures("texts")
def test_one_file_is_searched_as_a_folder_is() -> None:
    done("CompareDirectory", "texts/union.txt", "-p", "texts/union-edited.txt", "-d", "english",
         "--html", "out.html")  # fmt: skip
    assert [pair[:2] for pair in pairs()] == [("union.txt", "union-edited.txt")]
    digest = sha256(Path("texts/union-edited.txt").read_bytes()).hexdigest()
    assert digest in Path("out.html").read_text("utf-8")


@pytest.mark.usefixtures("texts")
def test_explained_rows_have_their_terms() -> None:
    rows = done("CompareDirectory", "texts/union.txt", "texts", "--explain", "--html", "out.html",
                "--format", "json").json["rows"]  # fmt: skip
    expected = [", ".join(item["term"] for item in row["shared_terms"]) for row in rows]
    listed = [row[6] for row in embedded()["rows"]]
    assert listed == [
        terms for row, terms in zip(rows, expected, strict=True) if row["path"] != "union.txt"
    ]
    assert "weigh most" in Path("out.html").read_text("utf-8")


@pytest.mark.usefixtures("texts")
def test_segments_that_match_best_are_on_the_page() -> None:
    long = Path("texts/long.txt")
    long.write_text(
        " ".join(path.read_text("utf-8") for path in sorted(SAMPLES.iterdir())), "utf-8"
    )
    line = ("CompareDirectory", "texts/union.txt", "texts", "-d", "english", "--segment", "100/50")
    rows = done(*line, "-s", "20", "--html", "out.html", "--format", "json").json["rows"]
    assert any(row.get("segment") for row in rows if row["path"] == "long.txt")
    expected = [row.get("segment") or "" for row in rows if row["path"] != "union.txt"]
    assert [row[6] for row in embedded()["rows"]] == expected
    assert "Segment of the file" in Path("out.html").read_text("utf-8")


@pytest.mark.usefixtures("texts")
def test_files_of_a_folder_with_each_other_are_pairs_once() -> None:
    names = [f"texts/{path.name}" for path in SAMPLES.iterdir()]
    done("CompareDirectory", *names, "texts/more/copy.txt", "-p", "texts", "--html", "out.html")
    listed = [frozenset(pair[:2]) for pair in pairs()]
    assert len(set(listed)) == len(listed)
    assert all(len(pair) == 2 for pair in listed)
    matrix = embedded()["matrix"]
    assert matrix["symmetric"]
    assert set(pairs()[0][:2]) == {"more/copy.txt", "union.txt"}


@pytest.mark.usefixtures("texts")
def test_find_pairs_and_find_similar() -> None:
    done("AddDocuments", "t.sdx", "texts", "-c", "deduplicate")
    rows = done("FindPairs", "t.sdx", "-s", "5", "--html", "out.html", "--format", "json").json
    assert pairs() == [(row["left"], row["right"], row["score"]) for row in rows["rows"]]
    assert set(embedded()["clusters"]) == {1}
    names = {name for row in rows["rows"] for name in (row["left"], row["right"])}
    digests = [
        document.digest for document in StoredCollection.open("t.sdx") if document.name in names
    ]
    assert digests
    page = Path("out.html").read_text("utf-8")
    assert all(f"<code>{digest}</code>" in page for digest in digests)
    answer = done("FindSimilar", "t.sdx", "-i", "texts/union.txt", "-i", "texts/bees.txt",
                 "--html", "similar.html", "--format", "json").json  # fmt: skip
    expected = [(row["query"], row["document"], row["score"]) for row in answer["rows"]]
    assert pairs("similar.html") == expected
    done("FindPairs", "t.sdx", "t.sdx", "-s", "5", "--html", "out.html")


@pytest.mark.usefixtures("texts")
def test_deduplicate() -> None:
    done("Deduplicate", "texts", "-s", "40", "-o", "kept.txt", "--removed", "removed.json",
         "--html", "out.html")  # fmt: skip
    removed = json.loads(Path("removed.json").read_bytes())["rows"]
    assert removed
    assert sorted(pairs()) == sorted(
        (row["kept"], row["document"], row["score"]) for row in removed
    )
    page = Path("out.html").read_text("utf-8")
    assert 'id="cut" min="0" max="99" value="40"' in page
    assert ">listed from 40</text>" in page
    rows = done("Deduplicate", "texts", "-s", "40", "--review", "1", "--explain",
                "--removed", "why.json", "--html", "out.html", "--force",
                "--format", "json").json["rows"]  # fmt: skip
    passages = {row["passage"] for row in json.loads(Path("why.json").read_bytes())["rows"]}
    shown = {(row[3], *row[4:6]) for row in embedded()["rows"]}
    assert {passage for passage, *_ in shown} == passages
    assert (rows[0]["kept_text"], rows[0]["text"]) in {tuple(both) for _, *both in shown}


def test_the_number_of_unread_files_is_that_of_the_list_below(texts: Path) -> None:
    (texts / "damaged.docx").write_bytes(b"PK\x03\x04 not an archive")
    for line in ("Deduplicate texts -o kept.txt", "CompareDirectory texts/union.txt texts"):
        assert here(*line.split(), "--html", f"{line[:3]}.html").code == 3
        text = Path(f"{line[:3]}.html").read_text("utf-8")
        assert "Could not be read</dt><dd>1<small>listed below" in text
        assert "<h3>1 error</h3>" in text


def test_problems_are_grouped_by_kind_as_on_the_terminal(texts: Path) -> None:
    for number in range(5):
        (texts / f"{number}.docx").write_bytes(b"PK\x03\x04 not an archive")
    (texts / "another.pdf").write_bytes(b"%PDF-1.7\n%broken")
    outcome = here("CompareDirectory", "texts/union.txt", "texts", "--html", "out.html")
    text = Path("out.html").read_text("utf-8")
    (more,) = re.findall(r"<summary>(\d more of this kind) \(<bdi>(.*?)</bdi>\)</summary>", text)
    assert more[0] == "2 more of this kind"
    assert f"error: {more[0]} ({more[1]}); --verbose" in outcome.err
    assert all(f"texts/{number}.docx" in text for number in range(5))


@pytest.mark.usefixtures("texts")
def test_a_calibrated_dictionary_states_its_error_rates() -> None:
    dictionary = calibrated(load_dictionary("english"))
    save(dictionary, "own.xml")
    rows = done("CompareDirectory", "texts/union.txt", "texts", "-d", "own.xml", "--html",
                "out.html", "--format", "tsv").table  # fmt: skip
    page = Path("out.html").read_text("utf-8")
    assert [row[6] for row in embedded()["rows"]] == [
        row["chance"].split(": ")[1] for row in rows if row["path"] != "union.txt"
    ]
    rate = re.findall(r"at most ([0-9.]+) % of pairs with 8 or more terms score 15 or more", page)
    calibration = dictionary.calibration("idf-cosine")
    assert calibration is not None
    assert rate == [f"{100 * calibration.classes[0].bound(15):.2g}"]
    done("AddDocuments", "t.sdx", "texts", "-d", "own.xml")
    rows = done("FindSimilar", "t.sdx", "-i", "texts/union.txt", "-s", "20", "--html",
                "out.html", "--format", "tsv").table  # fmt: skip
    assert [row[3] for row in embedded()["rows"]] == [row["chance"].split(": ")[1] for row in rows]
    assert "Measured error rate: of unrelated documents at most" in Path("out.html").read_text()


def calibrated(dictionary: Dictionary) -> Dictionary:
    """With the scores of 10,000 unrelated pairs, most of 0 and few of 15 to 20."""
    scores = (9_900, *[0] * 14, 40, 30, 20, 5, 3, 2, *[0] * 79)
    sizes = SizeClass(8, None, scores, (0,) * 100, (10_000,) * 100)
    calibration = Calibration("idf-cosine", "2026-01-02T03:04:05Z", 200, 0, (), (sizes,))
    return dictionary.with_calibrations([calibration])


@pytest.mark.usefixtures("texts")
def test_nothing_similar_is_a_page_too() -> None:
    done("AddDocuments", "t.sdx", "texts/bees.txt", "texts/union.txt", "-c", "deduplicate")
    done("FindPairs", "t.sdx", "-s", "90", "--html", "out.html")
    assert "No pair scores 90 or more." in Path("out.html").read_text("utf-8")


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        ("CompareDirectory other.html texts --html other.html", 6, "also an input"),
        ("CompareDirectory texts/union.txt texts --html texts/bees.txt", 6, "another kind of file"),
        ("CompareDirectory texts/union.txt texts --html texts/new.html", 6, "input folder"),
        ("CompareDirectory texts/union.txt texts --html other.html", 6, "not an HTML report"),
        ("CompareDirectory texts/union.txt texts --html no/out.html", 6, "no/out.html"),
        ("Deduplicate texts -o kept.txt --html kept.txt", 2, "two outputs"),
        ("CompareDirectory texts/union.txt texts --html -", 2, "--html needs the name of a file"),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_any_work(
    line: str, code: int, named: str
) -> None:
    Path("other.html").write_text("<!doctype html><title>Mine</title>")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    outcome = here(*line.split())
    if code == 2:
        assert outcome.code == 2
        assert named in outcome.err
    else:
        check_refused(outcome, code, named)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("texts")
def test_a_report_is_replaced_and_with_force_any_html_file() -> None:
    line = ("CompareDirectory", "texts/union.txt", "texts", "--html")
    done(*line, "out.html")
    done(*line, "out.html")
    Path("mine.html").write_text("<!doctype html>")
    done(*line, "mine.html", "--force")
    assert pairs("mine.html") == pairs("out.html")


MAKERS = {
    "CompareDirectory": "texts/union.txt texts --html",
    "FindReuse": "texts --html",
    "ShowEvidence": "e.xml --html",
    "FindPairs": "t.sdx --html",
    "FindSimilar": "t.sdx -i texts/union.txt --html",
    "Deduplicate": "texts -o kept.txt --force --html",
    "Decontaminate": "pages.jsonl --benchmark quiz.jsonl --force --html",
    "Experiment": "-c plan.toml -o results --force --report",
}
"""Command lines of the verbs that write a page, without its name."""


@pytest.fixture
def line(request: pytest.FixtureRequest, texts: Path) -> list[str]:
    """The words of a command line of a verb that writes a page, without its name."""
    verb: str = request.param
    if verb == "ShowEvidence":
        Path("e.xml").write_bytes(done("FindReuse", "texts", "--format", "xml").out)
    elif "t.sdx" in MAKERS[verb]:
        done("AddDocuments", "t.sdx", "texts", "-c", "deduplicate")
    elif verb == "Decontaminate":
        Path("pages.jsonl").write_text(json.dumps({"text": prose(1, 90)}))
        Path("quiz.jsonl").write_text(json.dumps({"question": prose(2, 20), "answer": "yes"}))
    elif verb == "Experiment":
        for number, name in enumerate(("bees.txt", "union.txt") * 12):
            (texts / f"{number}.txt").write_text(f"{prose(number, 90)} {name}")
        Path("plan.toml").write_text('dataset = "texts"\ngroups = "english"\nmanglers = "shuffle"\n'
                                     "min_idf = [0.0]\nmax_idf = [1.0]\n")  # fmt: skip
    return [verb, *MAKERS[verb].split()]


def test_each_verb_that_writes_a_page_is_tried_here() -> None:
    types = {verb: [item.type for item in command_of(verb).params] for verb in NAMES}
    assert {verb for verb, some in types.items() if HTML_PATH in some} == MAKERS.keys()


@pytest.mark.parametrize("line", MAKERS, indirect=True)
def test_a_page_that_is_written_is_named(line: list[str]) -> None:
    said = [name for name in done(*line, "out.html").errors if name.startswith("out.html")]
    assert said == ["out.html: page written"]
    assert "out.html: page written, in place of an earlier file" in done(*line, "out.html").errors
    assert "page written" not in done(*line, "out.html", "--quiet").err


@pytest.mark.parametrize("line", MAKERS, indirect=True)
@pytest.mark.parametrize("forced", [(), ("--force",)])
def test_a_document_after_the_option_is_never_taken_for_the_page(
    line: list[str], forced: tuple[str, ...]
) -> None:
    *others, option = line
    text = prose(3, 90)
    for name in ("book.txt", "book", "book.md"):
        Path(name).write_text(text)
        outcome = here(*others, option, name, *forced)
        check_refused(outcome, 6)  # fmt: skip
        assert Path(name).read_text() == text


@pytest.mark.usefixtures("texts")
def test_a_page_may_have_any_name() -> None:
    Path("empty").touch()
    for name in ("page", "empty"):
        for _ in range(2):
            done("CompareDirectory", "texts/union.txt", "texts", "--html", name)
        assert pairs(name)


def test_names_and_problems_of_strangers_are_harmless(texts: Path) -> None:
    evil = f"<script>alert(1)</script>{EVIL}".replace("/", "").replace("\0", "")
    (texts / f"{evil[:80]}.txt").write_bytes((SAMPLES / "union.txt").read_bytes() + b"\nMore.")
    (texts / f"{evil[:60]}.pdf").write_bytes(b"%PDF-1.7\n%broken")
    here("CompareDirectory", "texts/union.txt", "texts", "--html", "out.html")
    text = Path("out.html").read_text("utf-8").split("</style>")[1]
    assert "What could not be read" in text
    assert not CONTROL.search(text.replace("\n", "").replace("\r", ""))
    assert text.count("<script") == 2
    assert embedded()["names"]
