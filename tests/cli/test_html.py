"""--html: the page has what the rows have, and is written as every output is."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from sdtext.cli.options.html_page import HTML_PATH
from tests.support.command import ROOT, check_refused, done, here, prose
from tests.support.commands import VERB_NAMES, command_of

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
    digest = sha256(Path("texts/union-edited.txt").read_bytes()).hexdigest()
    assert digest in text
    assert 'id="least"' in text
    assert 'value="15"' in text
    assert text.count(sha256(Path("texts/union.txt").read_bytes()).hexdigest()) == 1


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
    assert 'id="least"' in page
    assert 'value="40"' in page
    assert ">listed from 40</text>" in page
    rows = done("Deduplicate", "texts", "-s", "40", "--review", "1", "--explain",
                "--removed", "why.json", "--html", "out.html",
                "--format", "json").json["rows"]  # fmt: skip
    passages = {row["passage"] for row in json.loads(Path("why.json").read_bytes())["rows"]}
    shown = {(row[3], *row[4:6]) for row in embedded()["rows"]}
    assert {passage for passage, *_ in shown} == passages
    assert (rows[0]["kept_text"], rows[0]["text"]) in {tuple(both) for _, *both in shown}


MAKERS = {
    "CompareDirectory": "texts/union.txt texts --html", "FindReuse": "texts --html",
    "ShowEvidence": "e.xml --html", "Deduplicate": "texts -o kept.txt --html",
    "FindPairs": "t.sdx --html", "FindSimilar": "t.sdx texts/union.txt --html",
    "Decontaminate": "pages.jsonl --benchmark quiz.jsonl --force --html",
    "Experiment": "-c plan.toml -o results --force --report",
}  # fmt: skip
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
    types = {verb: [item.type for item in command_of(verb).params] for verb in VERB_NAMES}
    assert {verb for verb, some in types.items() if HTML_PATH in some} == MAKERS.keys()


@pytest.mark.parametrize("line", MAKERS, indirect=True)
def test_a_document_after_the_option_is_never_taken_for_the_page(line: list[str]) -> None:
    *others, option = line
    text = prose(3, 90)
    Path("book.txt").write_text(text)
    check_refused(here(*others, option, "book.txt"), 6)
    assert Path("book.txt").read_text() == text
