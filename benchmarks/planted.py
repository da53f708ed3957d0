"""Pairs of texts in which passages are planted, with the truth about them in PAN's XML.

Run as `python benchmarks/planted.py FOLDER --seed N [--pairs N] [--texts FOLDER]`. It writes
`texts/`, `truth/CLASS/NAME.xml` and `pairs.tsv`, which names the class of each pair; what is found
belongs into `found/CLASS/NAME.xml`, and `sdtext EvaluateReuse` measures it.

The texts are those of SDTEXT_DATA (Federalist, inaugural addresses, books of the American Tract
Society), or all below --texts, each folder in it a collection; long ones are cut. Half of the
pairs are of one collection. In the first text one to three passages of the second are planted,
of 50 to 500 words, short ones more often, half of them whole sentences; each is changed in one
way, by the class of the pair: manglers joined by +, one following the other, or none. New words are
drawn from those of all texts. Pairs that share twelve words in a row are not taken: their own reuse
would count as falsely found. One pair in 25 has nothing planted. Such changes are easier to find
than the paraphrase of a person.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import edits  # noqa: F401 (registers its manglers)
from texts import data
from words import Word, is_spaced, sentence_ends, words_of

from sdtext.errors import UnreadableError
from sdtext.formats.pan import ReuseCase, TextRange, pan_of
from sdtext.model import Similarity, Span
from sdtext.model.reuse_evidence import Passage
from sdtext.parts.manglers import Mangler
from sdtext.parts.registry import build, parse
from sdtext.reading.read_document import read

_SHARES = (0.05, 0.1, 0.2, 0.3)
CLASSES = (
    "none",
    *(f"replace-words(share={share})" for share in _SHARES),
    *(
        f"drop-words(share={share})+insert-words(share={share / (1 - share):.3g})"
        for share in _SHARES
    ),
    "shuffle(group=10)",
    "shuffle(of=sentences)",
    *(f"ocr(share={share})" for share in (0.02, 0.05)),
    *(f"drop-words(share={share})" for share in _SHARES[1:]),
)
"""The changes that are reported; dropped and as many inserted is "exchanged" in the docs."""

UNRELATED = "unrelated"
"""The class of pairs in which nothing is planted."""

_SHORTEST, _LONGEST = 900, 3000  # words of a text
_RUN = 12  # words in a row that two texts may not share
_BETWEEN_SOURCES, _BETWEEN_PLACES = 300, 600  # characters
_SEEN = 3  # times, for a word to be drawn in place of another
_TRIES = 50
_EVERY = 25  # one pair in so many is unrelated


@dataclass(frozen=True)
class Plan:
    """How many pairs, of which classes, with passages of how many words."""

    pairs: int = 200
    classes: Sequence[str] = CLASSES
    words: tuple[int, int] = (50, 500)


def manglers(change: str) -> list[Mangler]:
    """The manglers of a class. Raises OptionError for one that there is not."""
    names = change.split("+") if change != "none" else ()
    return [build("manglers", parse(name)) for name in names]


@dataclass(frozen=True)
class Text:
    """A text of a collection."""

    collection: str
    text: str

    @cached_property
    def words(self) -> list[Word]:
        """Its words."""
        return words_of(self.text)

    @cached_property
    def forms(self) -> list[str]:
        """Its words in small letters."""
        return [self.text[word.start : word.end].lower() for word in self.words]

    @cached_property
    def runs(self) -> set[int]:
        """A number for each run of so many words in it."""
        forms = self.forms
        return {hash(tuple(forms[i : i + _RUN])) for i in range(len(forms) - _RUN + 1)}


@dataclass(frozen=True)
class Pair:
    """Two texts and the passages of the second that were planted in the first."""

    name: str
    change: str
    this: str
    source: str
    cases: list[ReuseCase] = field(default_factory=list)


def collections(folder: Path | None = None) -> list[Text]:
    """The texts of collections, cut to at most 3,000 words; shorter ones than 900 are left out."""
    homes = (
        [folder] if folder else [data() / name for name in ("federalist", "inaugural", "ats/ats")]
    )
    files = []
    for home in homes:
        for path in sorted(path for path in home.rglob("*") if path.is_file()):
            own = path.relative_to(home).parts[0] if folder else str(home)
            try:
                text = read(path).text
            except UnreadableError:
                continue
            files += [Text(own, piece) for piece in _pieces(text)]
    return files


def _pieces(text: str) -> Iterator[str]:
    words = words_of(text)
    for start in range(0, len(words), _LONGEST):
        piece = words[start : start + _LONGEST]
        if len(piece) >= _SHORTEST:
            yield text[piece[0].start : piece[-1].end]


@dataclass(frozen=True)
class Planting:
    """Draws pairs of `texts` and plants passages in them."""

    texts: Sequence[Text]
    plan: Plan
    chance: random.Random

    def pairs(self) -> Iterator[Pair]:
        """The pairs, class after class in turn."""
        vocabulary = "\n".join(self._vocabulary())
        for number in range(self.plan.pairs):
            is_empty = number % _EVERY == _EVERY - 1
            change = UNRELATED if is_empty else self.plan.classes[number % len(self.plan.classes)]
            host, source = self._drawn()
            name = f"{number:04}"
            pair = Pair(name, change, host.text, source.text)
            yield pair if is_empty else self._planted(pair, source, vocabulary)

    def unrelated(self) -> Iterator[Pair]:
        """As many pairs, with nothing planted in any of them."""
        for number in range(self.plan.pairs):
            host, source = self._drawn()
            yield Pair(f"{number:04}", UNRELATED, host.text, source.text)

    def _drawn(self) -> tuple[Text, Text]:
        """Two texts that share no long run of words."""
        one_collection = self.chance.random() < 0.5
        if len(self.texts) < 2:
            raise SystemExit("there are not two texts of 900 words; name others with --texts")
        for _ in range(100 * _TRIES):
            host, source = self.chance.sample(self.texts, 2)
            if one_collection and host.collection != source.collection:
                continue
            if host.runs.isdisjoint(source.runs):
                return host, source
        raise SystemExit("no two of the texts are apart enough; name others with --texts")

    def _vocabulary(self) -> list[str]:
        counts = Counter(form for text in self.texts for form in text.forms)
        return sorted(form for form, count in counts.items() if count >= _SEEN and form.isalpha())

    def _planted(self, pair: Pair, source: Text, vocabulary: str) -> Pair:
        """The pair with passages of its source put into its text, and where they are."""
        number = self.chance.randint(1, 3)
        spans = self._apart(lambda: self._span(source), number, _BETWEEN_SOURCES)
        ends = sentence_ends(pair.this) or [len(pair.this)]
        places = self._apart(
            lambda: Span(*[self.chance.choice(ends)] * 2), len(spans), _BETWEEN_PLACES
        )
        self.chance.shuffle(spans)
        blank = " " if is_spaced(pair.this) else ""
        built, done, cases = "", 0, []
        for place, span in zip(sorted(places, key=lambda item: item.start), spans, strict=False):
            built += pair.this[done : place.start]
            passage = pair.source[span.start : span.end]
            for mangler in manglers(pair.change):
                passage = mangler(passage, self.chance, [vocabulary]).strip()
            start, done = len(built), place.start
            built += passage + blank
            cases.append(
                ReuseCase(
                    TextRange(f"{pair.name}-this.txt", start, start + len(passage)),
                    TextRange(f"{pair.name}-source.txt", span.start, span.end),
                )
            )
        return replace(pair, this=built + pair.this[done:], cases=cases)

    def _apart(self, draw: Callable[[], Span], number: int, least: int) -> list[Span]:
        """So many spans that are `least` characters apart, or fewer where they do not fit."""
        spans: list[Span] = []
        tries = (draw() for _ in range(_TRIES))
        while len(spans) < number and (first := next(tries, None)):
            if all(
                first.start - other.end >= least or other.start - first.end >= least
                for other in spans
            ):
                spans.append(first)
        return spans

    def _span(self, source: Text) -> Span:
        """A span of words of a text; every second one of whole sentences."""
        low, high = self.plan.words
        words = source.words
        count = min(round(low * (high / low) ** self.chance.random()), len(words) // 3)
        first = self.chance.randrange(len(words) - count)
        begin, end = words[first].start, words[first + count - 1].end
        if self.chance.random() < 0.5:
            bounds = [0, *sentence_ends(source.text), len(source.text)]
            begin = max(bound for bound in bounds if bound <= begin)
            begin = next(word.start for word in words if word.start >= begin)
            end = min(bound for bound in bounds if bound >= end)
        return Span(begin, begin + len(source.text[begin:end].rstrip()))


def write(pairs: Iterable[Pair], folder: Path) -> int:
    """Write pairs, their truth, and a list of them; how many."""
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    lines = ["name\tthis\tsource\tclass\tcases"]
    for pair in pairs:
        names = f"{pair.name}-this.txt", f"{pair.name}-source.txt"
        for name, text in zip(names, (pair.this, pair.source), strict=True):
            (folder / "texts" / name).write_bytes(text.encode("utf-8"))
        kind = re.sub(r"[^\w+.]+", "-", pair.change)
        truth = folder / "truth" / kind / f"{pair.name}.xml"
        truth.parent.mkdir(parents=True, exist_ok=True)
        truth.write_text(pan_of(*names, map(_passage, pair.cases)), "utf-8")
        lines.append("\t".join([pair.name, *names, kind, str(len(pair.cases))]))
    (folder / "pairs.tsv").write_text("\n".join([*lines, ""]), "utf-8")
    return len(lines) - 1


def _passage(case: ReuseCase) -> Passage:
    sides = (Span(side.start, side.end) for side in (case.this, case.source))
    return Passage(*sides, Similarity(1, 1))


def plan_options(parser: argparse.ArgumentParser) -> None:
    """The options that say what is planted."""
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--texts", type=Path, help="other texts, each folder in it a collection")
    parser.add_argument(
        "--classes", default=" ".join(CLASSES), help="as 'none shuffle+ocr(share=0.02)'"
    )
    parser.add_argument("--words", default="50-500", help="of a passage, the fewest and the most")


def planting(options: argparse.Namespace) -> Planting:
    """What the options say."""
    low, _, high = options.words.partition("-")
    plan = Plan(options.pairs, options.classes.split(), (int(low), int(high)))
    return Planting(collections(options.texts), plan, random.Random(options.seed))  # noqa: S311


def main() -> None:
    """Write the pairs."""
    parser = argparse.ArgumentParser(description="Plant passages in pairs of texts.")
    parser.add_argument("folder", type=Path)
    plan_options(parser)
    options = parser.parse_args()
    count = write(planting(options).pairs(), options.folder)
    print(f"{count} pairs in {options.folder}")


if __name__ == "__main__":
    main()
