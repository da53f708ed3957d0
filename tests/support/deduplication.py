"""Texts that are nearly the same, and the deduplication of them by plain means."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import sdtext
from sdtext.parts.load_recipe import load_recipe
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.exact_join import JoinLimits
from sdtext.text.document import Document
from tests.support.command import chance, prose

Row = Mapping[str, Any]


def edited(text: str, words: int, seed: int = 1) -> str:
    """`text` with so many of its words replaced by others, far from each other."""
    result = text.split()
    step = len(result) // (words + 1) if words else 1
    for number in range(words):
        result[(number + 1) * step] = f"other{seed}x{number}"
    return " ".join(result)


def lines_of(rows: Iterable[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(row).encode() + b"\n" for row in rows]


def write_lines(path: Path, lines: Iterable[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def stored_with(path: Path, *rows: Row) -> Path:
    """A new collection by the default recipe with these records."""
    with sdtext.create(path, recipe=DEFAULT_RECIPE) as collection:
        collection.add(rows)
    return path


def run_of() -> Run:
    return Run(problems=[])


@cache
def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The shingles of the default recipe, plainly: letters alone are words here."""
    words = text.lower().replace(".", "").split()
    most = max(1, len(words) - 4)
    return (
        frozenset(tuple(words[place : place + 5]) for place in range(most))
        if words
        else frozenset()
    )


NO_JOIN = JoinLimits(0, 0, 0)


def similarity(first: str, other: str) -> Fraction:
    left, right = shingles(first), shingles(other)
    common = len(left & right)
    return Fraction(common, len(left) + len(right) - common or 1)


def sliding(number: int, step: int, seed: int = 1) -> list[str]:
    """A chain: each text begins a little later in one long text than the one before."""
    words = prose(seed, 120 + number * step).split()
    return [" ".join(words[place * step :][:120]) for place in range(number)]


def template(number: int, filled: int) -> list[str]:
    """Forms that have all but `filled` of 100 words in common."""
    common = prose(5, 100 - filled)
    return [f"{common} {prose(100 + place, filled)}" for place in range(number)]


def mixture(seed: int) -> list[str]:
    draw = chance(seed)
    texts = [*sliding(9, 6, seed), *sliding(5, 11, seed + 50), *template(4, 12), *template(3, 30)]
    texts += [edited(prose(seed, 90), draw.randint(0, 3), draw.randint(1, 9)) for _ in range(9)]
    texts += draw.choices(texts, k=12) + [text.upper() for text in draw.choices(texts, k=4)]
    texts += ["short text", ""]
    draw.shuffle(texts)
    return texts


LANGUAGES = (None, "de", "en", 7)


def rows_of(texts: Sequence[str], seed: int = 1) -> list[Row]:
    """Records with a date, a number and a language, each of which some of them lack."""
    draw = chance(seed)
    dates = (None, "2020-02-30", "2019", "2019-07", "2019-07-01T10:00:00+02:00", "20190701", 0)
    numbers = (None, "much", 1, 2.5, "2.5", True, -3)
    rows: list[Row] = []
    for place, text in enumerate(texts):
        fields = {"date": dates, "quality": numbers, "lang": LANGUAGES}
        values = {name: draw.choice(choices) for name, choices in fields.items()}
        row = {"id": f"t{place}", "text": text} | values
        rows.append({name: value for name, value in row.items() if value is not None})
    return rows


def words_of(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def units_of(text: str, unit: str) -> list[tuple[str, ...]]:
    spans = sdtext.units(Document.of(text), unit)
    return [words_of(text[span.start : span.end]) for span in spans]


DEFAULT_RECIPE = load_recipe("deduplicate")


Removal = tuple[str, str, int]


def deduplicated(texts: Sequence[str], folder: Path, **options: Any) -> sdtext.Deduplication:
    lines = lines_of({"id": f"t{place}", "text": text} for place, text in enumerate(texts))
    return sdtext.deduplicate(write_lines(folder / "a.jsonl", lines), **options)


def removals_of(done: sdtext.Deduplication) -> list[Removal]:
    return [(row.document, row.kept, row.score) for row in done.removed]
