"""Changes to a passage that somebody took from elsewhere, each by a name: "replaced-20".

Names are joined by +, and then one change follows the other: "shuffled+replaced-10+ocr-2".
Amounts are per cent. All draws are from a source of chance that is given.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from words import Word, is_spaced, sentence_ends, words_of

CLASSES = (
    "none",
    *(f"replaced-{share}" for share in (5, 10, 20, 30)),
    *(f"exchanged-{share}" for share in (5, 10, 20, 30)),
    "shuffled",
    "reordered",
    *(f"ocr-{share}" for share in (2, 5)),
    *(f"deleted-{share}" for share in (10, 20, 30)),
)
"""The changes that are reported: words replaced; words deleted, and others put in elsewhere
("exchanged"); words shuffled in tens; sentences reordered; letters misread; words deleted."""

_GROUP = 10  # words that are shuffled together
_CONFUSED, _LOST = 0.7, 0.85  # of misread letters so many look like others, up to here are lost
_STRAY = ".,'`-~^|"
_CONFUSABLE = (
    *("ce", "eo", "oc", "il", "l1", "1i", "nu", "un", "rn", "hb", "bh", "ft", "tf", "sz", "vy"),
    *("ao", "gq", "qg", "kh", "mn", "wv", "dl", "pn", "xz", "yv", "jl", "zs"),
)
_MISREAD = {pair[0]: pair[1] for pair in _CONFUSABLE}


@dataclass(frozen=True)
class Taken:
    """A passage: each word with what stands behind it."""

    words: Sequence[str]
    gaps: Sequence[str]

    @classmethod
    def of(cls, text: str, words: Sequence[Word] | None = None) -> Taken:
        """The passage `text`, which begins with a word."""
        words = words_of(text) if words is None else words
        ends = [*(word.start for word in words[1:]), len(text)]
        gaps = [text[word.end : end] for word, end in zip(words, ends, strict=True)]
        return cls([text[word.start : word.end] for word in words], gaps)

    @property
    def text(self) -> str:
        """The passage as text."""
        return "".join(map("".join, zip(self.words, self.gaps, strict=True)))


@dataclass(frozen=True)
class Changes:
    """Makes the changes that a name names; new words are drawn from `vocabulary`."""

    vocabulary: Sequence[str]
    chance: random.Random

    def __call__(self, text: str, names: str) -> str:
        """`text` after the changes `names`."""
        for name in names.split("+"):
            kind, _, share = name.partition("-")
            text = self._edited(text, kind, int(share or 0) / 100).rstrip()
        return text

    def _edited(self, text: str, kind: str, share: float) -> str:
        if kind == "none":
            return text
        if kind == "ocr":
            return "".join(self._misread(letter, share) for letter in text)
        if kind == "reordered":
            return self._reordered(text)
        by_words: dict[str, Callable[[Taken, float], Taken]] = {
            "replaced": self._replaced,
            "deleted": self._deleted,
            "inserted": self._inserted,
            "exchanged": self._exchanged,
            "shuffled": self._shuffled,
            "interrupted": self._interrupted,
        }
        if kind not in by_words:
            raise SystemExit(f"{kind}: is no change; available: {', '.join(CLASSES)}")
        return by_words[kind](Taken.of(text), share).text

    def _some(self, taken: Taken, share: float) -> set[int]:
        count = len(taken.words)
        return set(self.chance.sample(range(count), round(share * count)))

    def _replaced(self, taken: Taken, share: float) -> Taken:
        chosen = self._some(taken, share)
        words = [self._drawn() if i in chosen else word for i, word in enumerate(taken.words)]
        return Taken(words, taken.gaps)

    def _deleted(self, taken: Taken, share: float) -> Taken:
        chosen = self._some(taken, share)
        kept = [i for i in range(len(taken.words)) if i not in chosen]
        return Taken([taken.words[i] for i in kept], [taken.gaps[i] for i in kept])

    def _inserted(self, taken: Taken, share: float) -> Taken:
        chosen = self._some(taken, share)
        blank = " " if is_spaced(taken.text) else ""
        words, gaps = [], []
        for i, (word, gap) in enumerate(zip(taken.words, taken.gaps, strict=True)):
            if i in chosen:
                words.append(self._drawn())
                gaps.append(blank)
            words.append(word)
            gaps.append(gap)
        return Taken(words, gaps)

    def _exchanged(self, taken: Taken, share: float) -> Taken:
        """A share deleted, and as many new ones put in anywhere."""
        left = self._deleted(taken, share)
        return self._inserted(left, share / (1 - share))

    def _interrupted(self, taken: Taken, share: float) -> Taken:
        """So many new words as a share says, all of them in one place."""
        count = len(taken.words)
        place = self.chance.randrange(1, count)
        new = [self._drawn() for _ in range(round(share * count))]
        blanks = [" " if is_spaced(taken.text) else ""] * len(new)
        return Taken(
            [*taken.words[:place], *new, *taken.words[place:]],
            [*taken.gaps[:place], *blanks, *taken.gaps[place:]],
        )

    def _shuffled(self, taken: Taken, _share: float) -> Taken:
        words: list[str] = []
        for start in range(0, len(taken.words), _GROUP):
            group = list(taken.words[start : start + _GROUP])
            self.chance.shuffle(group)
            words += group
        return Taken(words, taken.gaps)

    def _reordered(self, text: str) -> str:
        bounds = [0, *sentence_ends(text), len(text)]
        blank = " " if is_spaced(text) else ""
        parts = [text[i:j].strip() for i, j in pairwise(bounds)]
        parts = [part for part in parts if part]
        self.chance.shuffle(parts)
        return blank.join(parts)

    def _misread(self, letter: str, share: float) -> str:
        if not letter.isalpha() or self.chance.random() >= share:
            return letter
        what = self.chance.random()
        if what >= _LOST:
            return letter + self.chance.choice(_STRAY)
        if what >= _CONFUSED:
            return ""
        return _MISREAD.get(letter.lower()) or self.chance.choice(self._drawn())

    def _drawn(self) -> str:
        return self.chance.choice(self.vocabulary)


def plain(name: str) -> str:
    """A class's name as a folder may have it."""
    return re.sub(r"[^\w+-]", "-", name)
