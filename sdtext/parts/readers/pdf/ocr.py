"""OCR of pages without text by Tesseract."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from math import sqrt
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.external_programs import run, version_of

NAME = "tesseract"
LANGUAGES = re.compile(r"[A-Za-z][\w/]*(?:\+[A-Za-z][\w/]*)*", re.ASCII)
"""Languages as Tesseract calls them, joined by +."""
_DOTS = 300  # an inch, as its makers advise
_POINTS = 72  # an inch, in which PDF measures
_MOST_DOTS = 40_000_000  # of a page: above that it is drawn smaller
# One thread: more of them take more time in all, and each file has a process of its own.
_ALONE = {"OMP_THREAD_LIMIT": "1"}


def is_installed() -> bool:
    """Whether the program is installed."""
    return shutil.which(NAME) is not None


def version() -> str:
    """The version, "" if the program does not work."""
    return version_of(NAME, "--version")


def recognised(pdf: Any, content: Content, language: str) -> Iterator[str | None]:
    """The text of each page of an opened PDF file; None for one that cannot be drawn.

    Raises UnreadableError where Tesseract fails, or does not know a language.
    """
    for place in range(len(pdf)):
        with TemporaryFile() as picture:
            drawn = _draw(pdf, place, picture)
            yield _read(picture, content, language) if drawn else None


def _draw(pdf: Any, place: int, picture: BinaryIO) -> bool:
    """Write a page as a gray picture (PGM), if it can be drawn."""
    import pypdfium2

    try:
        with closing(pdf[place]) as page:
            number = page.get_width() * page.get_height() * (_DOTS / _POINTS) ** 2
            scale = _DOTS / _POINTS * min(1, sqrt(_MOST_DOTS / max(number, 1)))
            with closing(page.render(scale=scale, grayscale=True)) as bitmap:
                picture.write(b"P5 %d %d 255\n" % (bitmap.width, bitmap.height))
                starts = range(0, bitmap.height * bitmap.stride, bitmap.stride)
                dots = memoryview(bitmap.buffer).cast("B")
                picture.writelines(dots[start : start + bitmap.width] for start in starts)
    except pypdfium2.PdfiumError:
        return False
    picture.flush()
    return True


def _read(picture: BinaryIO, content: Content, language: str) -> str:
    words = [NAME, "stdin", "stdout", "-l", language, "--dpi", str(_DOTS)]
    ended = run(words, content, given=picture, variables=_ALONE)
    if b"Failed loading language" in ended.messages:
        raise UnreadableError(
            f"Tesseract has no data for {language}, only for {_known(content)}; "
            "install what is missing, or name another ocr_language",
            file=content.name,
        )
    if ended.code:
        raise UnreadableError(f"Tesseract cannot read its pages: {ended.why()}", file=content.name)
    return ended.output.decode("utf-8", "replace").removesuffix("\f")


def _known(content: Content) -> str:
    """The installed languages, without `osd`, which detects the direction of pages."""
    _, *names = run([NAME, "--list-langs"], content).output.decode("utf-8", "replace").split("\n")
    return ", ".join(name for name in names if LANGUAGES.fullmatch(name) and name != "osd")
