"""Recall and precision of Decontaminate on items planted in unrelated prose, beside other rules.

Run as `python benchmarks/decontamination.py [--items N] [--records N] [--seed N]`. Items are runs
of words of the books of the American Tract Society in SDTEXT_DATA, the records are runs of the
Federalist and the inaugural addresses; `--books` and `--prose` name other folders of texts (.txt,
.md, .rst, .pod). In half of the records an item is planted: as a paragraph
of its own, in lines of eight words, or embedded in a sentence; unchanged, or with some of its words
exchanged for others. Runs that share six words with another item, or thirteen with the prose of
the records, are not drawn: that would be reuse of its own.

With `--speed MEGABYTES` the time and memory of the command are measured instead, on one core, for
so many megabytes of records of 2,000 and of 300 characters; in one in 1,000 stands an item.

Recall is the share of planted items that are found in their records, or at all by programs that
name no record: of unchanged items, of those with 5 % and with 10 % of their words changed, and of
those of each form. Precision is the share of what is reported that was planted.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import repeated_passages
from texts import data

import sdtext

_WORD = re.compile(r"\w+")
_RUN = 13
_TEXTS = (".txt", ".md", ".rst", ".pod")
_BOOKS, _PROSE = ("ats/ats",), ("federalist", "inaugural")
_SHARED = 6  # words in a row that no two items share
_LENGTHS = {"8-14": (8, 14), "15": (15, 15), "25": (25, 25), "26-60": (26, 60), "61-150": (61, 150)}
_FORMS = ("paragraph", "lines", "inline")
_CHANGED = (0.0, 0.05, 0.1)
Pairs = set[tuple[int, int]]
UNKNOWN = -1
"""The record, where a program names none."""


@dataclass(frozen=True)
class Planted:
    """Records, items, and which item was planted in which record, with its class."""

    records: list[str]
    items: list[str]
    truth: dict[tuple[int, int], tuple[str, str, float]]


def words_below(*folders: str) -> list[str]:
    """The words of all texts in folders, with their punctuation."""
    paths = [
        path
        for folder in folders
        for path in sorted((data() / folder).rglob("*"))
        if path.suffix in _TEXTS and path.is_file()
    ]
    return [word for path in paths for word in path.read_text("utf-8", "replace").split()]


def plain(text: str) -> list[str]:
    """Words as the rules of others split them."""
    return _WORD.findall(text.lower())


def grams(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """The runs of so many words."""
    return (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def planted(given: argparse.Namespace) -> Planted:
    """Items, and records in half of which an item is planted, each item once at the most."""
    chance = random.Random(given.seed)  # noqa: S311 (drawn to be the same each time)
    prose, records = words_below(*given.prose), given.records
    own = set(grams(plain(" ".join(prose)), _RUN))
    drawn = items_of(words_below(*given.books), own, given.items, chance)
    places = iter(chance.sample(range(len(drawn)), min(len(drawn), records // 2)))
    texts, truth = [], {}
    for number in range(records):
        size = chance.randint(80, 400)
        start = chance.randrange(len(prose) - size)
        around = prose[start : start + size]
        if number % 2 == 0 and (place := next(places, -1)) >= 0:
            form, changed = chance.choice(_FORMS), chance.choice(_CHANGED)
            item = changed_words(drawn[place], changed, prose, chance)
            around = [*around[: size // 2], *formed(item, form), *around[size // 2 :]]
            truth[number, place] = (class_of(place), form, changed)
        texts.append(" ".join(around).replace(" \n ", "\n"))
    return Planted(texts, [" ".join(item) for item in drawn], truth)


def class_of(place: int) -> str:
    """The class of the lengths of an item."""
    return [*_LENGTHS][place % len(_LENGTHS)]


def items_of(
    books: list[str], own: set[tuple[str, ...]], number: int, chance: random.Random
) -> list[list[str]]:
    """So many runs of words of books, or as many as there are: apart, and not in the prose."""
    drawn: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    start = 0
    while len(drawn) < number and start < len(books) - 200:
        size = chance.randint(*_LENGTHS[class_of(len(drawn))])
        item = books[start : start + size]
        start += size + chance.randint(0, 10)
        words = plain(" ".join(item))
        runs = set(grams(words, _SHARED))
        if own.isdisjoint(grams(words, _RUN)) and seen.isdisjoint(runs):
            seen |= runs
            drawn.append(item)
    return drawn


def changed_words(
    words: list[str], share: float, others: Sequence[str], chance: random.Random
) -> list[str]:
    """The words with a share of them, rounded up, exchanged for others."""
    changed = list(words)
    for at in chance.sample(range(len(words)), -int(-share * len(words) // 1)):
        changed[at] = chance.choice(others)
    return changed


def formed(item: list[str], form: str) -> list[str]:
    """The words of an item with line ends as words of their own."""
    if form == "inline":
        return item
    if form == "paragraph":
        return ["\n\n", *item, "\n\n"]
    lines = [item[at : at + 8] for at in range(0, len(item), 8)]
    return ["\n", *(word for line in lines for word in (*line, "\n"))]


def ours(case: Planted) -> Pairs:
    """What `sdtext.decontaminate` finds."""
    records = [{"id": str(place), "text": text} for place, text in enumerate(case.records)]
    items = [{"question": text} for text in case.items]
    result = sdtext.decontaminate(records, items)
    return {(int(match.record), int(match.item)) for match in result.matches}


def any_run(length: int, least: float = 0.0) -> Callable[[Planted], Pairs]:
    """A rule of others: a common run of words, and a share of the item's runs."""

    def pairs(case: Planted) -> Pairs:
        index: dict[tuple[str, ...], set[int]] = defaultdict(set)
        runs = [set(grams(plain(item), length)) for item in case.items]
        for place, own in enumerate(runs):
            for gram in own:
                index[gram].add(place)
        found: dict[tuple[int, int], int] = defaultdict(int)
        for number, text in enumerate(case.records):
            for gram in set(grams(plain(text), length)):
                for place in index.get(gram, ()):
                    found[number, place] += 1
        return {pair for pair, count in found.items() if count >= least * len(runs[pair[1]])}

    return pairs


def noleak(case: Planted) -> Pairs:
    """What noleak reports: items, without their records."""
    from noleak.overlap import exact_overlap, ngram_overlap

    hits = [*exact_overlap(case.records, case.items), *ngram_overlap(case.records, case.items)]
    return {(UNKNOWN, hit.eval_index) for hit in hits}


def verascan(case: Planted) -> Pairs:
    """What verascan reports by n-grams: items, each with a record."""
    from verascan.engines.ngram import find_ngram_matches

    found = find_ngram_matches(case.records, case.items, show_progress=False)
    return {(UNKNOWN, match.eval_index) for match in found}


CONTENDERS: dict[str, Callable[[Planted], Pairs]] = {
    "sdtext.decontaminate": ours,
    "13 words in a row (GPT-3)": any_run(13),
    "8 words in a row": any_run(8),
    "70 % of runs of 8 words (PaLM)": any_run(8, 0.7),
    "noleak": noleak,
    "verascan": verascan,
}


def main() -> None:
    """Print a table for each contender that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--books", nargs="+", default=_BOOKS)
    parser.add_argument("--prose", nargs="+", default=_PROSE)
    parser.add_argument("--speed", type=int, metavar="MEGABYTES")
    given = parser.parse_args()
    if given.speed:
        measure_speed(given)
        return
    case = planted(given)
    print(f"{len(case.items):,} items, {len(case.records):,} records, {len(case.truth):,} planted")
    for name, find in CONTENDERS.items():
        start = process_time()
        try:
            pairs = find(case)
        except ImportError:
            print(f"{name}: not installed")
            continue
        print(f"{name}: {process_time() - start:.1f} s")
        report(case, pairs)


def measure_speed(given: argparse.Namespace) -> None:
    """Print the time and memory of the command, by the length of records."""
    chance = random.Random(given.seed)  # noqa: S311 (drawn to be the same each time)
    prose = " ".join(words_below(*given.prose))
    own = set(grams(plain(prose), _RUN))
    items = items_of(words_below(*given.books), own, given.items, chance)
    with tempfile.TemporaryDirectory(dir=".") as place:
        corpus, questions = Path(place, "corpus.jsonl"), Path(place, "items.jsonl")
        lines = (json.dumps({"question": " ".join(item)}) + "\n" for item in items)
        questions.write_text("".join(lines), "utf-8")
        for length in (2000, 300):
            size, count = 0, 0
            with corpus.open("w", encoding="utf-8") as file:
                while size < given.speed * 1e6:
                    start = chance.randrange(len(prose) - length)
                    text = prose[start : start + length]
                    if count % 1000 == 0:
                        text = f"{text} {' '.join(chance.choice(items))}"
                    size += file.write(json.dumps({"id": count, "text": text}) + "\n")
                    count += 1
            print(f"{size / 1e6:,.0f} MB, {count:,} records, {len(items):,} items")
            seconds, memory = cost_of("Decontaminate", str(corpus), "--benchmark", str(questions))
            print(f"  {seconds:.1f} s, {size / 1e6 / seconds:.1f} MB/s, {memory:.0f} MB")


def cost_of(*arguments: str) -> tuple[float, float]:
    """The CPU seconds and the peak memory in MB of a command in one process, on one core."""
    command = ["taskset", "-c", "0", sys.executable, repeated_passages.__file__, "--polled"]
    return repeated_passages.run([*command, *arguments, "--jobs", "1"])


def report(case: Planted, pairs: Pairs) -> None:
    """Print, by the length of items, precision, and recall by form and share of changed words."""
    truth = case.truth | {(UNKNOWN, item): kind for (_, item), kind in case.truth.items()}
    right = {item for pair in pairs & truth.keys() for item in pair[1:]}
    wrong = [class_of(item) for _, item in pairs - truth.keys()]
    for name in _LENGTHS:
        number = sum(class_of(item) == name for item in right)
        kinds = [(item, kind[1:]) for (_, item), kind in case.truth.items() if kind[0] == name]
        cells = [
            _share([item for item, kind in kinds if part in kind], right)
            for part in (*_CHANGED, *_FORMS)
        ]
        precision = number / max(1, number + wrong.count(name))
        print(f"  {name:>7} words  precision {precision:.4f}  recall {' '.join(cells)}")


def _share(items: list[int], right: set[int]) -> str:
    """The share of the items that are right."""
    return f"{sum(item in right for item in items) / max(1, len(items)):.3f}"


if __name__ == "__main__":
    main()
