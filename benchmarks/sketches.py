"""Edited copies found by sketches, sentence codes and the units of ISCC: a table for each language.

Run as `python benchmarks/sketches.py [FOLDER...]`; needs iscc-lib. Without a folder, the texts are
the English and the Chinese ones of `languages` in SDTEXT_DATA; a folder holds pages of one
language, such as those of the Debian package debian-handbook in /usr/share/doc. Texts are wrapped
and cut into pieces of about 8 KB, four fifths of which are searched. Of 300 of these each, drawn at
random, a copy keeps a fifth of the lines, the others being lines of pieces that are not searched,
or is a tenth in a row.

`level` is the score that one in a thousand pairs with other pieces exceeds, of both edits together.
`found` are the copies whose originals are above that, `first` those whose originals are above all
others. `at 6` are the copies found and the false pairs with the default minimum of sketches.
"""

from __future__ import annotations

import random
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import iscc_lib
import numpy as np
from numpy.typing import NDArray
from texts import data

import sdtext
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.wordless_fingerprints import sketch_recipe
from sdtext.kernels.bottom_k import packed
from sdtext.kernels.hamming_join import distances
from sdtext.parts.fingerprints.bottom_k import BottomK
from sdtext.parts.load_recipe import load_recipe
from sdtext.search.search_plan import Question, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.sketch_search import BySketches
from sdtext.text.document import Document

QUERIES, BYTES, RATE, RADIUS = 300, 8_000, 0.001, 19
Scores = NDArray[np.float64]
Method = Callable[[Sequence[str], Sequence[str]], tuple[Scores, float]]
"""The similarity of each of some copies with each piece, and the mean bytes of a piece."""


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text, at most 72 columns wide."""
    text = sdtext.read(path).clean
    width = 36 if sum("\u4e00" <= letter <= "\u9fff" for letter in text) > len(text) / 5 else 72
    for line in text.splitlines():
        yield from textwrap.wrap(line, width)


def pieces(paths: Sequence[Path], chance: random.Random) -> list[list[str]]:
    """The texts in pieces of log-normal size; lines that several files have are left out."""
    found: list[list[str]] = [[]]
    seen: set[str] = set()
    room = BYTES * chance.lognormvariate(0, 0.5)
    for line in (line for path in paths for line in lines_of(path)):
        if line in seen:
            continue
        seen.add(line)
        found[-1].append(line)
        room -= len(line.encode())
        if room < 0:
            found.append([])
            room = BYTES * chance.lognormvariate(0, 0.5)
    return found[:-1]


def kept(piece: Sequence[str], others: Sequence[Sequence[str]], chance: random.Random) -> str:
    """A fifth of the lines, in their places, among lines of other pieces."""
    chosen = set(chance.sample(range(len(piece)), max(1, len(piece) // 5)))
    filled = (chance.choice(chance.choice(others)) for _ in piece)
    pairs = enumerate(zip(piece, filled, strict=True))
    return "\n".join(line if at in chosen else other for at, (line, other) in pairs)


def fragment(piece: Sequence[str], _others: object, chance: random.Random) -> str:
    """A tenth of the lines in a row."""
    number = max(1, len(piece) // 10)
    first = chance.randrange(len(piece) - number + 1)
    return "\n".join(piece[first : first + number])


def sketches(size: int) -> Method:
    """The scores of sketches of so many bytes."""

    def method(texts: Sequence[str], copies: Sequence[str]) -> tuple[Scores, float]:
        recipe = sketch_recipe(size)
        sets = Encoder(recipe).shingle_sets([Document.of(text).clean for text in texts])
        rows = BottomK(size)(sets)
        held = MemoryCollection(recipe, rows, [str(place) for place in range(len(texts))])
        plan = plan_search(held, Question(minimum=1))
        search = BySketches(Table(segment_views(held, plan.derivation), plan.derivation), plan)
        result = np.zeros((len(copies), len(texts)))
        for place, copy in enumerate(search.encoded([Document.of(text) for text in copies])):
            matches = search.query(copy)
            result[place, matches.ids] = matches.scores.similarity
        return result, float(np.mean([len(packed(row)) for row in rows]))

    return method


def codes(texts: Sequence[str], copies: Sequence[str]) -> tuple[Scores, float]:
    """The share of the copy's sentences that a piece has one near to."""
    coding = UnitCodes(load_recipe("evidence"))
    stored, asked = (coding([Document.of(text) for text in side]) for side in (texts, copies))
    result = np.zeros((len(copies), len(texts)))
    for place, own in enumerate(asked.codes):
        for code in own:
            near = np.flatnonzero(distances(code, stored.codes.values) <= RADIUS)
            result[place, np.unique(stored.codes.owners[near])] += 1 / len(own)
    return result, 24 * len(stored.codes.values) / len(texts)


def iscc(make: Callable[[str, int], Mapping[str, Any]], bits: int) -> Method:
    """The share of equal bits of a unit of ISCC."""

    def unit(text: str) -> NDArray[np.uint8]:
        return np.frombuffer(iscc_lib.iscc_decode(make(text, bits)["iscc"])[-1], np.uint8)

    def method(texts: Sequence[str], copies: Sequence[str]) -> tuple[Scores, float]:
        stored = np.stack([unit(text) for text in texts])
        different = [np.bitwise_count(stored ^ unit(copy)).sum(axis=1) for copy in copies]
        return 1 - np.array(different) / bits, bits / 8

    return method


def text_code(text: str, bits: int) -> Mapping[str, Any]:
    """The unit of the text."""
    unit: Mapping[str, Any] = iscc_lib.gen_text_code_v0(text, bits=bits)
    return unit


def data_code(text: str, bits: int) -> Mapping[str, Any]:
    """The unit of the bytes."""
    unit: Mapping[str, Any] = iscc_lib.gen_data_code_v0(text.encode(), bits=bits)
    return unit


METHODS: Mapping[str, Method] = {
    **{f"sketch, {size} bytes": sketches(size) for size in (512, 256, 128)},
    "sentence codes": codes,
    **{f"ISCC Text-Code, {bits} bits": iscc(text_code, bits) for bits in (256, 64)},
    "ISCC Data-Code, 256 bits": iscc(data_code, 256),
}


def measure(name: str, paths: Sequence[Path]) -> None:
    """Print the table of one collection."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    documents = pieces(paths, chance)
    chance.shuffle(documents)
    rest = documents[: len(documents) // 5]
    del documents[: len(rest)]
    texts = ["\n".join(piece) for piece in documents]
    print(f"\n{name}: {len(documents)} pieces searched")
    print(
        "| method | bytes | level | a fifth: first, found | a tenth | at 6: fifth, tenth, false |"
    )
    drawn = [chance.randrange(len(documents)) for _ in range(QUERIES)]
    copies = [
        [edit(documents[place], rest, chance) for place in drawn] for edit in (kept, fragment)
    ]
    for label, method in METHODS.items():
        cells, at_six, every = [], [], []
        pairs = [method(texts, some) for some in copies]
        for scores, _ in pairs:
            own = scores[np.arange(QUERIES), drawn]
            others = scores.copy()
            others[np.arange(QUERIES), drawn] = -1
            every.append((own, others))
        wrong = np.concatenate([others[others >= 0] for _, others in every])
        level = float(np.quantile(wrong, 1 - RATE, method="higher"))
        for own, others in every:
            first = 100 * (own > others.max(axis=1)).mean()
            cells.append(f"{first:.1f}, {100 * (own > level).mean():.1f}")
            at_six.append(f"{100 * (own >= 0.06).mean():.1f}")
        at_six.append(f"{100 * (wrong >= 0.06).mean():.3f}")
        shown = ", ".join(at_six) if label.startswith("sketch") else ""
        print(f"| {label} | {pairs[0][1]:.0f} | {level:.3f} | {' | '.join(cells)} | {shown} |")


def main() -> None:
    """Print a table for each collection."""
    folders = [Path(name) for name in sys.argv[1:]]
    for folder in folders:
        paths = sorted(path for path in folder.rglob("*") if path.suffix in (".html", ".txt"))
        measure(folder.name, paths)
    for language in () if folders else ("en", "zh-cn"):
        measure(language, sorted((data() / "languages").glob(f"*.{language}.txt")))


if __name__ == "__main__":
    main()
