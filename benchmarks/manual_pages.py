"""The system's manual pages as texts, and as small PDF files.

Needs the program man (Debian: man-db and groff-base; a minimal system may have left the pages out,
and /usr/share/man is empty) and reportlab.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

PAGES = Path("/usr/share/man")
LEAST, MOST = 8_000, 120_000  # characters: about as long as papers are
_STRUCK = re.compile(".\b")  # bold and underlined letters, as printers made them
_LINES = 64  # of a page
_FONT, _SIZE = "Courier", 9


def manual_pages(count: int, seed: int = 1) -> dict[str, str]:
    """So many pages drawn at random, by their names. Raises SystemExit if there are not so many."""
    chance = random.Random(seed)  # noqa: S311 (drawn to be the same each time)
    paths = sorted(path for path in PAGES.glob("man*/*") if path.is_file())
    chance.shuffle(paths)
    pages: dict[str, str] = {}
    seen: set[str] = set()
    for name, text in _rendered(paths):
        if LEAST <= len(text) <= MOST and text not in seen:
            seen.add(text)
            pages[name] = text
            if len(pages) == count:
                return pages
    raise SystemExit(f"{PAGES} has {len(pages)} pages of that size, not {count}; install more")


def _rendered(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """The pages that are not mere references to others, without hyphens and wide blanks."""
    for path in paths:
        if path.stat().st_size < LEAST / 5:  # even packed a page of that size is larger
            continue
        result = subprocess.run(
            ["man", "--no-hyphenation", "--no-justification", "-E", "ascii", "-l", str(path)],
            check=False,  # a page that is not well-formed is rendered all the same
            capture_output=True,
            env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C"},
            text=True,
            errors="replace",
        )
        yield path.name, _STRUCK.sub("", result.stdout)


def write_pdf(path: Path, text: str) -> None:
    """A PDF file with the lines of the text, as they stand."""
    canvas = Canvas(str(path), pagesize=A4, pageCompression=1)
    lines = text.splitlines()
    for start in range(0, len(lines), _LINES):
        written = canvas.beginText(50, A4[1] - 50)
        written.setFont(_FONT, _SIZE)
        for line in lines[start : start + _LINES]:
            written.textLine(line)
        canvas.drawText(written)
        canvas.showPage()
    canvas.save()
