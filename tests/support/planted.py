"""Texts with a passage planted in them, of words that stand nowhere else."""

from pathlib import Path
from string import ascii_lowercase

RECIPE = """
tokenizer = "words"
filters = ["lowercase", "strip-punctuation", { name = "stop-words", words = ["the", "of"] }]
index = "windows"
aligner = "windows"
"""


def text(name: str, first: int = 0, last: int = 300) -> str:
    """Words that stand in no text of another name."""
    numbers = (divmod(place, 26) for place in range(first, last))
    return " ".join(f"{name}{ascii_lowercase[i]}{ascii_lowercase[j]}" for i, j in numbers)


PLANTED = text("cedar", 0, 60)


def write_planted(folder: Path) -> None:
    """Two texts with a passage in common, a.txt and b.txt."""
    (folder / "a.txt").write_text(f"{text('alder', 0, 100)} {PLANTED} {text('alder', 100)}\n")
    (folder / "b.txt").write_text(f"{text('birch', 0, 30)}\n\n{PLANTED}\n\n{text('birch', 30)}\n")
