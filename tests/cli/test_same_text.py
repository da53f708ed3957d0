"""The same text in several formats has the same fingerprint, nearly."""

from __future__ import annotations

import html
import json
import textwrap
from itertools import combinations
from pathlib import Path

import pytest

from sdtext import read
from tests.cli.command import CONFIGS, done, federalist
from tests.readers import office
from tests.readers.pdfs import pdf

WIDTH, LINES = 72, 52


def printed(text: str) -> bytes:
    """A PDF file as a book sets the text: lines of one width, words parted, a head on each page."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        lines += [*_set(" ".join(paragraph.split())), ""]
    pages = [lines[start : start + LINES] for start in range(0, len(lines), LINES)]
    return pdf([f"{number}\n" + "\n".join(page) for number, page in enumerate(pages, 1)])


def _set(paragraph: str) -> list[str]:
    """Its lines; a long word that does not fit goes on in the next line."""
    lines = [""]
    for word in paragraph.split(" "):
        room = WIDTH - len(lines[-1]) - 2
        if len(word) <= room:
            lines[-1] += f" {word}"
        elif word.isalpha() and word.islower() and 3 <= room <= len(word) - 3:
            lines[-1] += f" {word[:room]}-"
            lines.append(word[room:])
        else:
            lines.append(word)
    return [line.strip() for line in lines]


def page(text: str) -> str:
    """An HTML page of the text, a paragraph each."""
    paragraphs = (f"<p>{html.escape(textwrap.fill(one))}</p>" for one in text.split("\n\n"))
    return f"<!DOCTYPE html><html><body>{''.join(paragraphs)}</body></html>"


def letter(text: str) -> bytes:
    """A Word file of the text, a paragraph each."""
    paragraphs = (" ".join(one.split()) for one in text.split("\n\n"))
    return office.docx("".join(office.paragraph(office.run(office.t(one))) for one in paragraphs))


@pytest.mark.parametrize("number", [9, 10, 54])
def test_the_same_text_scores_95_between_every_pair_of_formats(tmp_path: Path, number: int) -> None:
    papers = federalist()
    text = (papers / f"{number:02}.txt").read_text("utf-8").replace("\r\n", "\n").strip()
    folder = tmp_path / "same"
    folder.mkdir()
    (folder / "text.txt").write_text(text, "utf-8")
    (folder / "page.html").write_text(page(text), "utf-8")
    (folder / "letter.docx").write_bytes(letter(text))
    (folder / "print.pdf").write_bytes(printed(text))
    dictionary = tmp_path / "papers.xml"
    done("CreateDictionary", "-p", papers, "-c", CONFIGS / "english.toml", "-o", dictionary)
    files = sorted(folder.iterdir())
    asked = ["-p", folder, "-d", dictionary, "-m", "idf-cosine", "--format", "json"]
    found = json.loads(done("CompareDirectory", *asked, *files).out)
    scores = {(Path(row["fingerprint"]).name, row["path"]): row["score"] for row in found["rows"]}
    pairs = combinations([path.name for path in files], 2)
    assert all(scores[pair] >= 95 for pair in pairs), scores
    assert len(scores) == 16
    assert "-\n" in read(folder / "print.pdf").text or "\ufffe" in read(folder / "print.pdf").text
