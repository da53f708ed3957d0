"""Folders of PDF files, some of which are locked, empty, broken or made to do harm."""

import gzip
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.parts.readers.pdfs import LOCKED, Stream, assembled, bare, pdf, scan
from tests.reading.sandbox.processes import children, gone
from tests.support.command import CONFIGS, SDTEXT, Outcome, check_partly, done, here, prose, words
from tests.support.interruption import processor_seconds

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
    command = words([
        *SDTEXT, "CreateDictionary", "-p", papers, "-c", "engine.toml", "-o", "d.xml",
        "--jobs", jobs,
    ])  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    try:
        while sum(map(processor_seconds, descendants(process.pid))) < 0.8 * jobs:
            assert process.poll() is None
            time.sleep(0.05)
        began, begun = time.monotonic(), descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        _, output = process.communicate(timeout=12)
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert output.decode().strip() == "sdtext CreateDictionary: interrupted"
    assert time.monotonic() - began < 15  # a file may take 60
    assert begun
    assert all(gone(item, 5) for item in begun)
