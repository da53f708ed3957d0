"""How well planted passages are found: by windows, by sentence codes, and in two plain ways.

Run as `python benchmarks/reuse.py --seed N [--pairs N] [--by windows,sentences,runs,difflib]`,
`runs` being runs of five words that both texts have. The options of `planted.py` say which texts,
changes and lengths; `--unrelated N` adds pairs in which nothing is planted, and lists every passage
that is found there, to be looked at; `--worst N` lists the cases that were found worst; `--recipe
FILE` takes other words, as other languages need them. Figures are PAN's, macro; times are CPU
seconds.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from planted import Pair, Planting, plan_options, planting
from words import words_of

from sdtext.evaluation.evaluate_pan_folders import evaluate_cases
from sdtext.formats.pan import ReuseCase, TextRange
from sdtext.model import RecipeSpec, Span
from sdtext.parts.load_recipe import load_recipe
from sdtext.reuse import find_reuse
from sdtext.text.document import Document

Spans = list[tuple[Span, Span]]
Finder = Callable[[Pair], Spans]

_BLOCK = 5  # words in a row, the least that counts in the two plain ways
_GAP = 30  # words between two of them that are still one passage
_LEAST = 25  # words of a passage
_SHOWN = 400  # characters
_OVERRUNS = 20, 100  # characters


def by_sdtext(question: dict[str, Any], pair: Pair) -> Spans:
    """What sdtext finds."""
    this, source = (Document(text, text) for text in (pair.this, pair.source))
    result = find_reuse(
        replace(this, source="this.txt"), replace(source, source="source.txt"), **question
    )
    return [
        (passage.left, passage.right) for shared in result.shared for passage in shared.passages
    ]


class Sides:
    """The words of both texts of a pair, and passages as spans of them."""

    def __init__(self, pair: Pair) -> None:
        self._words = [words_of(text) for text in (pair.this, pair.source)]
        self.forms = [
            [text[word.start : word.end].lower() for word in own]
            for text, own in zip((pair.this, pair.source), self._words, strict=True)
        ]

    def spans(self, blocks: Iterable[tuple[int, int, int]]) -> Spans:
        """Blocks of equal words (places on both sides, length), joined over gaps."""
        boxes: list[list[int]] = []
        for i, j, size in blocks:
            box = [i, i + size, j, j + size]
            while near := next((item for item in boxes if _is_near(item, box)), None):
                boxes.remove(near)
                box = [f(x, y) for f, x, y in zip((min, max, min, max), near, box, strict=True)]
            boxes.append(box)
        return [
            (self._span(0, *box[:2]), self._span(1, *box[2:]))
            for box in boxes
            if min(box[1] - box[0], box[3] - box[2]) >= _LEAST
        ]

    def _span(self, side: int, start: int, end: int) -> Span:
        words = self._words[side]
        return Span(words[start].start, words[end - 1].end)


def _is_near(first: Sequence[int], other: Sequence[int]) -> bool:
    return all(max(first[i], other[i]) - min(first[i + 1], other[i + 1]) <= _GAP for i in (0, 2))


def by_difflib(pair: Pair) -> Spans:
    """The everyday way: Python's difflib over words. It finds what stands in one order alone."""
    sides = Sides(pair)
    blocks = SequenceMatcher(None, *sides.forms).get_matching_blocks()
    return sides.spans(block for block in blocks if block.size >= _BLOCK)


def by_runs(pair: Pair) -> Spans:
    """The common baseline: runs of words that both texts have, anywhere."""
    sides = Sides(pair)
    this, source = (
        [tuple(forms[i : i + _BLOCK]) for i in range(len(forms) - _BLOCK + 1)]
        for forms in sides.forms
    )
    places = defaultdict(list)
    for place, run in enumerate(source):
        places[run].append(place)
    return sides.spans((i, j, _BLOCK) for i, run in enumerate(this) for j in places[run])


@dataclass
class Tally:
    """What was planted and found by one way, class by class, and the seconds it took."""

    true: dict[str, dict[str, list[ReuseCase]]] = field(default_factory=lambda: defaultdict(dict))
    found: dict[str, dict[str, list[ReuseCase]]] = field(default_factory=lambda: defaultdict(dict))
    seconds: float = 0.0

    def add(self, pair: Pair, finder: Finder) -> None:
        """Look for passages in a pair."""
        begin = time.process_time()
        spans = finder(pair)
        self.seconds += time.process_time() - begin
        names = f"{pair.name}-this.txt", f"{pair.name}-source.txt"
        self.true[pair.change][pair.name] = pair.cases
        self.found[pair.change][pair.name] = [
            ReuseCase(
                *(
                    TextRange(name, first.start, first.end)
                    for name, first in zip(names, both, strict=True)
                )
            )
            for both in spans
        ]

    def rows(self) -> Iterable[tuple[str, dict[str, list[ReuseCase]], dict[str, list[ReuseCase]]]]:
        """Each class and all together: what is true and what was found."""
        for change in self.true:
            yield change, self.true[change], self.found[change]
        everything: tuple[dict[str, list[ReuseCase]], ...] = ({}, {})
        for all_of, side in zip(everything, (self.true, self.found), strict=True):
            for own in side.values():
                all_of.update(own)
        yield "all", *everything


def print_tally(name: str, tally: Tally, pairs: int) -> None:
    """Print the table of one way."""
    print(f"\n{name}: {1000 * tally.seconds / pairs:.0f} ms a pair (CPU)\n")
    print("| change | cases | found | false | plagdet | precision | recall | granularity |")
    print("|---|---|---|---|---|---|---|---|")
    for change, true, actual in tally.rows():
        of, _ = evaluate_cases(true, actual)
        figures = " | ".join(f"{x:.3f}" for x in (of.plagdet, of.precision, of.recall))
        counts = f"{of.cases} | {of.found} | {of.false}"
        print(f"| {change} | {counts} | {figures} | {of.granularity:.3f} |")


def print_ends(tally: Tally) -> None:
    """Print how many passages go on behind the end of their case, or before its beginning."""
    _, true, actual = list(tally.rows())[-1]
    ends = [
        ends_of(passage, case)
        for name, passages in actual.items()
        for passage in passages
        for case in true[name]
        if _meet(passage.this, case.this) and _meet(passage.source, case.source)
    ]
    for least in _OVERRUNS:
        beyond = [[(this > least, source > least) for this, source in both] for both in ends]
        some = sum(any(map(any, both)) for both in beyond) / (len(ends) or 1)
        single = sum(any(this != source for this, source in both) for both in beyond)
        print(
            f"by more than {least} characters over an end: {100 * some:.1f} % of {len(ends)}; "
            f"on one side alone: {100 * single / (len(ends) or 1):.1f} %"
        )


def ends_of(passage: ReuseCase, case: ReuseCase) -> list[tuple[int, int]]:
    """How far a passage goes beyond a case in both texts, before it and behind it."""
    this, source = (passage.this, case.this), (passage.source, case.source)
    before = [true.start - actual.start for actual, true in (this, source)]
    behind = [actual.end - true.end for actual, true in (this, source)]
    return [(before[0], before[1]), (behind[0], behind[1])]


def _meet(first: TextRange, other: TextRange) -> bool:
    return first.start < other.end and other.start < first.end


def beside(tallies: dict[str, Tally]) -> None:
    """Print plagdet and recall of all ways side by side."""
    print("\nplagdet / recall\n")
    print(f"| change | {' | '.join(tallies)} |")
    print("|---|" + "---|" * len(tallies))
    for rows in zip(*(tally.rows() for tally in tallies.values()), strict=True):
        of = [evaluate_cases(true, actual)[0] for _, true, actual in rows]
        cells = " | ".join(f"{item.plagdet:.3f} / {item.recall:.3f}" for item in of)
        print(f"| {rows[0][0]} | {cells} |")


def worst(tally: Tally, pairs: Sequence[Pair], number: int) -> None:
    """Print the cases with the least recall and the passages with the least precision."""
    of = {pair.name: pair for pair in pairs}
    _, true, actual = list(tally.rows())[-1]
    for what, ours, theirs in (("case", true, actual), ("passage", actual, true)):
        ranked = sorted(
            (
                (evaluate_cases({name: [case]}, {name: theirs[name]})[0].recall, name, place)
                for name, cases in ours.items()
                for place, case in enumerate(cases)
            ),
        )
        for share, name, place in ranked[:number]:
            print(f"\n{what} of {of[name].change}, pair {name}: {share:.3f} of it")
            show(of[name], ours[name][place])
            for other in theirs[name]:
                print(f"    the others: {_places(other)}")


def show(pair: Pair, case: ReuseCase) -> None:
    """Print both sides of a case."""
    print(f"    {_places(case)}")
    for text, side in ((pair.this, case.this), (pair.source, case.source)):
        print(f"    | {' '.join(text[side.start : side.end].split())[:_SHOWN]}")


def _places(case: ReuseCase) -> str:
    return f"{case.this.start}-{case.this.end} {case.source.start}-{case.source.end}"


def unrelated(drawn: Planting, finders: dict[str, Finder]) -> None:
    """Print every passage that is found where nothing was planted."""
    pairs = list(drawn.unrelated())
    for name, finder in finders.items():
        tally = Tally()
        for pair in pairs:
            tally.add(pair, finder)
        _, _, result = list(tally.rows())[-1]
        count = sum(map(len, result.values()))
        print(f"\n{name}: {count} passages in {len(pairs)} pairs in which nothing was planted")
        for pair in pairs:
            for case in result[pair.name]:
                show(pair, case)


def finders(names: Sequence[str], recipe: RecipeSpec | None) -> dict[str, Finder]:
    """The ways that are named."""
    questions = {
        "windows": {"method": "windows", "edits": False, "recipe": recipe},
        "short": {"method": "windows", "w": 20, "distance": 9, "edits": False, "recipe": recipe},
        "sentences": {"method": "sentences", "edits": False},
    }
    ways: dict[str, Finder] = {
        name: partial(by_sdtext, question) for name, question in questions.items()
    }
    ways |= {"runs": by_runs, "difflib": by_difflib}
    return {name: ways[name] for name in names}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Find planted passages.")
    plan_options(parser)
    parser.add_argument("--by", default="windows,sentences,runs,difflib")
    parser.add_argument("--recipe", default="")
    parser.add_argument("--unrelated", type=int, default=0)
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    drawn = planting(options)
    ways = finders(options.by.split(","), load_recipe(options.recipe) if options.recipe else None)
    pairs = list(drawn.pairs())
    tallies = {name: Tally() for name in ways}
    for pair in pairs:  # all ways in turn, so that they meet the same machine
        for name, finder in ways.items():
            tallies[name].add(pair, finder)
    for name, tally in tallies.items():
        print_tally(name, tally, len(pairs) or 1)
        print_ends(tally)
        worst(tally, pairs, options.worst)
    beside(tallies)
    if options.unrelated:
        unrelated(replace(drawn, plan=replace(drawn.plan, pairs=options.unrelated)), ways)


if __name__ == "__main__":
    main()
