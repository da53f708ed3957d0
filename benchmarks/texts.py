"""Texts for the benchmarks: as many megabytes as wanted, mixed from real English books."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MISREAD = 0.01  # the share of words with one wrong letter, so that new forms keep coming


def data() -> Path:
    """The folder of real texts."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("SDTEXT_DATA", beside))


def english(megabytes: float, seed: int = 1) -> list[bytes]:
    """Documents of 5 to 50 KB in UTF-8: excerpts of books drawn at random, a book by its size."""
    chance = random.Random(seed)  # noqa: S311 (drawn to be the same each time)
    books = [
        path.read_text("utf-8", "replace").splitlines()
        for folder in ("federalist", "inaugural", "ats/ats")
        for path in sorted((data() / folder).glob("*.txt"))
    ]
    if not books:
        sys.exit(f"{data()}: no texts; name a folder with federalist/ and ats/ in SDTEXT_DATA")
    sizes = [sum(map(len, book)) for book in books]
    documents = []
    size = 0
    while size < megabytes * 1e6:
        (book,) = chance.choices(books, sizes)
        document = _excerpt(book, chance.randint(5_000, 50_000), chance)
        if len(document) > 1_000:  # not the last lines of a book
            documents.append(document)
            size += len(document)
    return documents


def _excerpt(book: list[str], length: int, chance: random.Random) -> bytes:
    drawn: list[str] = []
    for line in book[chance.randrange(len(book)) :]:
        drawn.append(" ".join(_misread(word, chance) for word in line.split(" ")))
        length -= len(line)
        if length < 0:
            break
    return "\n".join(drawn).encode("utf-8")


def _misread(word: str, chance: random.Random) -> str:
    if len(word) < 3 or chance.random() >= _MISREAD:
        return word
    place = chance.randrange(len(word))
    return word[:place] + chance.choice(_LETTERS) + word[place + 1 :]
