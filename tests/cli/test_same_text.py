"""The same text in several formats has the same fingerprint, nearly."""

import html
import textwrap
from itertools import permutations
from pathlib import Path

import pytest

from sdtext import read
from tests.parts.readers import office, packages
from tests.parts.readers.pdfs import pdf
from tests.support.command import done

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
    paragraphs = (f"<p>{html.escape(textwrap.fill(item))}</p>" for item in text.split("\n\n"))
    return f"<!DOCTYPE html><html><body>{''.join(paragraphs)}</body></html>"


def letter(text: str) -> bytes:
    paragraphs = (" ".join(item.split()) for item in text.split("\n\n"))
    return office.docx("".join(office.paragraph(office.run(office.t(item))) for item in paragraphs))


def written_openly(text: str) -> bytes:
    body = "".join(packages.p(html.escape(paragraph)) for paragraph in _paragraphs(text))
    return office.packed(packages.open_document(body))


def rich(text: str) -> bytes:
    lines = (
        paragraph.translate(_RTF).encode("ascii", "replace") for paragraph in _paragraphs(text)
    )
    return b"{\\rtf1\\ansi\\deff0\n" + b"".join(line + b"\\par\n" for line in lines) + b"}"


def book(text: str) -> bytes:
    """An EPUB book of ten pages."""
    paragraphs = [f"<p>{html.escape(paragraph)}</p>" for paragraph in _paragraphs(text)]
    size = 1 + len(paragraphs) // 10
    pages = {
        f"p{start:03}.xhtml": packages.page("".join(paragraphs[start : start + size]))
        for start in range(0, len(paragraphs), size)
    }
    return office.packed(packages.book(pages))


_RTF = {ord("\\"): r"\\", ord("{"): r"\{", ord("}"): r"\}"}


def _paragraphs(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split("\n\n")]


@pytest.mark.parametrize("number", [9, 10, 54])
def test_the_same_text_scores_95_between_every_pair_of_formats(
    tmp_path: Path, data: Path, number: int
) -> None:
    text = (
        (data / "federalist" / f"{number:02}.txt").read_text("utf-8").replace("\r\n", "\n").strip()
    )
    folder = tmp_path / "same"
    folder.mkdir()
    forms = {
        "text.txt": text.encode(),
        "page.html": page(text).encode(),
        "letter.docx": letter(text),
        "open.odt": written_openly(text),
        "rich.rtf": rich(text),
        "book.epub": book(text),
        "print.pdf": printed(text),
    }
    for name, content in forms.items():
        (folder / name).write_bytes(content)
    asked = ["-p", folder, "-d", "english", "-m", "idf-cosine", "--format", "json"]
    result = done("CompareDirectory", *asked, *sorted(folder.iterdir())).json
    scores = {(Path(row["fingerprint"]).name, row["path"]): row["score"] for row in result["rows"]}
    assert set(scores) == set(permutations(forms, 2))
    assert all(score >= 95 for score in scores.values()), scores
    assert "-\n" in read(folder / "print.pdf").text or "\xad" in read(folder / "print.pdf").text
