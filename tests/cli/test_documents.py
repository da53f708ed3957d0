"""Documents that are locked, empty, broken or made to do harm, and what Doctor reports of them."""

import gzip
import os
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copy

import pytest

from tests.cli.conftest import Shelf
from tests.parts.readers.pdfs import LOCKED, Stream, assembled, bare, pdf, scan
from tests.reading.sandbox.processes import children, gone
from tests.support.command import CONFIGS, ROOT, Outcome, check_partly, done, here, prose
from tests.support.interruption import interrupted, processor_seconds

ENGLISH = CONFIGS / "english.toml"
GOOD = [f"good-{seed}.pdf" for seed in range(6)]


def recipe_with(engine: str) -> str:
    return f'tokenizer = "words"\nreader = {{name = "pdf", engine = {engine}}}\n'


def page(seed: int) -> str:
    return prose(seed, 120)


def slow() -> bytes:
    """10 MB on which pdfminer spends much more than a few seconds."""
    return bare([Stream(b"z" * (10 << 20) + b"~>", b" /Filter /ASCII85Decode")])


BAD = {
    "locked.pdf": (LOCKED, "is an encrypted PDF file"),
    "scan.pdf": (scan(), "only images, as in a scan"),
    "cut.pdf": (pdf([page(0)])[:700], "is a damaged PDF file"),
    "none.pdf": (pdf([]), "is a damaged PDF file"),
    "deep.pdf": (assembled([b"[" * 200_000]), "is a damaged PDF file"),
}
"""What is wrong with each of the bad files, and what is said of it."""


@dataclass(frozen=True)
class Papers:
    """A folder of PDF files, its good and its bad ones in another, and a fingerprint."""

    folder: Path
    dictionary: Path
    fingerprint: Path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    """Good and bad PDF files, the dictionary of the good ones, the fingerprint of one."""
    place = tmp_path_factory.mktemp("papers")
    folder, good = place / "papers", place / "good"
    folder.mkdir()
    good.mkdir()
    for seed, name in enumerate(GOOD):
        for where in (folder, good):
            (where / name).write_bytes(pdf([page(seed), page(seed + 100)], packed=seed % 2 == 1))
    (folder / "good-6.pdf.gz").write_bytes(gzip.compress(pdf([page(6)])))
    (folder / "good-7.txt").write_text(page(7), "utf-8")
    for name, (data, _) in BAD.items():
        (folder / name).write_bytes(data)
    dictionary, fingerprint = place / "d.xml", place / "f.xml"
    done("CreateDictionary", "-p", good, "-c", ENGLISH, "-o", dictionary)
    done("Fingerprint", "-d", dictionary, "-i", good / GOOD[0], "-o", fingerprint)
    return Papers(folder, dictionary, fingerprint)


@contextmanager
def piped(data: bytes) -> Iterator[str]:
    """The path of a pipe of this process that gives a few kilobytes once."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    yield f"/dev/fd/{reading}"
    os.close(reading)


def check_bad(outcome: Outcome) -> None:
    """Each bad file has one line that says what is wrong with it, and nothing else has."""
    check_partly(outcome, 3, *BAD)
    for line in outcome.errors:
        for name, (_, output) in BAD.items():
            if f"/{name}: " in line:
                assert output in line
    assert not any("good" in line for line in outcome.errors if line.startswith("error"))


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.deep), 2])
def test_the_good_ones_are_compared(papers: Papers, jobs: int) -> None:
    outcome = here(
        "CompareDirectory", "-f", papers.fingerprint, "-p", papers.folder, "-m", "cosine", "-s", 0,
        "--jobs", jobs,
    )  # fmt: skip
    check_bad(outcome)
    scores = {row["path"]: row["score"] for row in outcome.table}
    assert set(scores) == {*GOOD, "good-6.pdf.gz", "good-7.txt"}
    assert scores[GOOD[0]] == "99"


@pytest.mark.parametrize("engine", ['"pypdfium2"', '"pdfminer"', '"pdfminer", line_margin = 0.3'])
@pytest.mark.parametrize("way", ["file", "stdin", "pipe", "packed", "packed stdin"])
def test_a_file_is_read_whatever_way_it_comes(papers: Papers, engine: str, way: str) -> None:
    path, option = papers.folder / GOOD[1], ("-c", "engine.toml")
    Path("engine.toml").write_text(recipe_with(engine))
    expected = done("ExtractText", "-i", path, *option).text
    assert expected.split() == (page(1) + page(101)).split()
    data = path.read_bytes()
    if way == "pipe":
        with piped(data) as pipe:
            outcome = here("ExtractText", "-i", pipe, *option)
    elif way.endswith("stdin"):
        sent = gzip.compress(data) if "packed" in way else data
        outcome = here("ExtractText", "-i", "-", *option, stdin=sent)
    else:
        Path("x.pdf").write_bytes(gzip.compress(data) if way == "packed" else data)
        outcome = here("ExtractText", "-i", "x.pdf", *option)
    assert (outcome.code, outcome.err, outcome.text) == (0, "", expected)


def descendants(process: int) -> list[int]:
    result = children(process)
    return result + [later for item in result for later in descendants(item)]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.deep), 2])
def test_ctrl_c_waits_for_no_file(jobs: int) -> None:
    papers = Path("papers")
    papers.mkdir()
    Path("engine.toml").write_text(recipe_with('"pdfminer"'))
    for place in range(3):  # each fills a batch
        (papers / f"{place}.pdf").write_bytes(slow())
    begun: list[int] = []
    began: list[float] = []

    def is_busy(process: int) -> bool:
        begun[:] = descendants(process)
        began[:] = [time.monotonic()]
        return sum(map(processor_seconds, begun)) >= 0.8 * jobs

    line = ("CreateDictionary", "-p", papers, "-c", "engine.toml", "-o", "d.xml", "--jobs", jobs)
    outcome = interrupted(is_busy, *line)
    assert (outcome.code, outcome.errors) == (130, ["sdtext CreateDictionary: interrupted"])
    assert time.monotonic() - began[0] < 15  # a file may take 60
    assert all(gone(item, 5) for item in begun)


SAMPLES = ROOT / "tests" / "samples"


def test_the_reason_for_an_empty_text_is_reported(shelf: Shelf, tmp_path: Path) -> None:
    bad = {
        "empty.txt": (b"", "is empty"),
        "binary.bin": (bytes(range(256)) * 9, "is not text"),
        "scan.pdf": (scan(), "holds no text"),
        "cut.pdf": (b"%PDF-1.7\n1 0 obj", "is a damaged PDF file"),
        "cut.zip": (b"PK\x03\x04" + bytes(99), "damaged"),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(99), "not text"),
    }
    for name, (data, _) in bad.items():
        (tmp_path / name).write_bytes(data)
    copy(shelf.dictionary, tmp_path / "dictionary.xml")
    outcome = here("Doctor", tmp_path, tmp_path / "missing.txt", "--format", "json")
    assert outcome.code == 3
    rows = {Path(row["path"]).name: row for row in outcome.json["rows"]}
    assert rows.pop("dictionary.xml")["kind"] == "<dictionary> of sdtext"
    assert set(rows) == set(bad)
    for name, (_, why) in bad.items():
        assert why in rows[name]["problem"], name
        assert str(tmp_path) not in rows[name]["problem"]
    assert len(outcome.json["problems"]) == len(bad) + 1
    assert [line for line in outcome.errors if "error:" in line] == [
        f"error: {tmp_path / 'missing.txt'}: no such file or directory"
    ]


def test_files_of_its_own_are_read_to_their_end(tmp_path: Path, shelf: Shelf) -> None:
    formats = SAMPLES / "formats"
    sound = here("Doctor", formats, "--format", "json")
    assert (sound.code, {row["problem"] for row in sound.json["rows"]}) == (0, {None})
    whole = {
        "dictionary.xml": shelf.dictionary,
        "fingerprint.xml": shelf.full,
        "fingerprints.xml": formats / "1.0" / "container.xml",
        "evidence.xml": formats / "evidence-1.0.xml",
    }
    for name, path in whole.items():
        (tmp_path / name).write_bytes(Path(path).read_bytes()[:-20])
    cut = here("Doctor", tmp_path, "--format", "json")
    assert cut.code == 5
    assert {Path(row["path"]).name for row in cut.json["rows"]} == set(whole)
    assert all(row["kind"].startswith("<") for row in cut.json["rows"])
    assert all(row["problem"].startswith("is damaged") for row in cut.json["rows"])
    assert {item["category"] for item in cut.json["problems"]} == {"damaged"}


def test_one_bad_file_among_others_costs_its_own_row(tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b\x08\0\0\0garbage")
    (tmp_path / "plain.txt").write_text("plain words", "utf-8")
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr("a.txt", "first text")
        archive.writestr("b.docx", b"PK\x03\x04" + bytes(26) + b"word/x.xml")
        archive.writestr("c.txt", "third text")
    (tmp_path / "unpacks.exe").write_bytes(
        b"MZ" + bytes(999) + (tmp_path / "some.zip").read_bytes()
    )
    rows = here("Doctor", tmp_path, "--format", "json").json["rows"]
    read = [row["path"].removeprefix(f"{tmp_path}/") for row in rows if row["characters"]]
    inside = ["!a.txt", "!c.txt"]
    assert read == [
        "plain.txt", *(f"{name}{item}" for name in ("some.zip", "unpacks.exe") for item in inside)
    ]  # fmt: skip
    extracted = here("ExtractText", "-i", tmp_path / "some.zip")
    assert extracted.code == 3
    assert extracted.text == "first text\nthird text\n"
