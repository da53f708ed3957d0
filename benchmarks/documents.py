"""PDF and Word files, from file to clean text, beside pdfminer.six and python-docx.

Run as `python benchmarks/documents.py [FOLDER]`; needs the extra `benchmarks`. PDF files are drawn
from FOLDER (/usr/share/doc if not given: documentation packages bring many); Word files are made of
the texts of the other benchmarks. All programs read each file in turn, so that they meet the same
machine; times are seconds by the clock, sdtext's with the process that it reads in.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pypdfium2
from measuring import installed, size, table
from pdfminer.high_level import extract_text
from texts import english

from sdtext.errors import UnreadableError
from sdtext.model import PartSpec
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source

FILES = size(120, 2)
LONGEST = 60  # pages; one book must not outweigh all other files


def clean(path: Path, engine: str = "auto") -> str:
    """The clean text of a file."""
    reading = Reading(readers=(PartSpec.of("pdf", engine=engine),))
    return "".join(Source(path, reading).clean_pieces("\n"))


def by_pdfminer(path: Path) -> str:
    """pdfminer.six alone."""
    return extract_text(path)


def by_python_docx(path: Path) -> str:
    """python-docx: paragraphs and tables."""
    import docx

    document = docx.Document(str(path))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def timed(files: Sequence[Path], work: Callable[[Path], str]) -> list[float]:
    """How long `work` takes for each file, in seconds."""
    taken = []
    for path in files:
        begin = time.perf_counter()
        work(path)
        taken.append(time.perf_counter() - begin)
    return taken


def beside(
    what: str, files: Sequence[Path], units: int, peer: Callable[[Path], str], name: str
) -> list[str]:
    """A row: how many `units` (pages, files) a second sdtext and `peer` read, and the ratio."""
    unit = "pages" if units > len(files) else "files"
    ours, theirs = [], []
    clean(files[0])  # the process that reads is begun once for many files
    for path in files:
        ours += timed([path], clean)
        theirs += timed([path], peer)
    speeds = [f"{units / sum(each):.0f} {unit}/s" for each in (ours, theirs)]
    return [what, speeds[0], f"{name}, {speeds[1]}", f"{sum(theirs) / sum(ours):.1f}×"]


def pdfs(folder: Path) -> tuple[list[Path], int]:
    """PDF files with text below `folder`, drawn at random, and how many pages they have."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    candidates = sorted(folder.rglob("*.pdf"))
    chance.shuffle(candidates)
    chosen: list[Path] = []
    total = 0
    for path in candidates:
        pages = len(pypdfium2.PdfDocument(path))
        try:
            if pages <= LONGEST and len(clean(path)) > 500:
                chosen.append(path)
                total += pages
        except UnreadableError:
            continue
        if len(chosen) == FILES:
            break
    return chosen, total


def word_files(folder: Path) -> list[Path]:
    """Word files of some 20 pages, each with a table."""
    import docx

    paths = []
    for number, text in enumerate(english(size(15, 1) / 10)):
        document = docx.Document()
        for paragraph in text.decode("utf-8").split("\n"):
            document.add_paragraph(paragraph)
        table = document.add_table(rows=20, cols=4)
        for place, row in enumerate(table.rows):
            for cell in row.cells:
                cell.text = f"cell of row {place}"
        paths.append(folder / f"{number}.docx")
        document.save(str(paths[-1]))
    return paths


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/doc")
    files, pages = pdfs(folder)
    rows = []
    if files:
        what = f"{len(files)} PDF files, {pages:,} pages"
        rows.append(beside(what, files, pages, by_pdfminer, "pdfminer.six"))
    if installed("docx"):
        with tempfile.TemporaryDirectory() as place:
            paths = word_files(Path(place))
            what = f"{len(paths)} Word files with tables"
            rows.append(beside(what, paths, len(paths), by_python_docx, "python-docx"))
    table(("", "sdtext", "compared with", "ratio"), rows)


if __name__ == "__main__":
    main()
