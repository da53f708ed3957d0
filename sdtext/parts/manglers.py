"""Manglers: edited copies of a document, whose relation to it is known.

A copy depends on the text, the options, the other documents and the numbers that `draw` gives, and
on nothing else. `seeded_draw` gives every copy numbers of its own, whatever was copied before.

Pieces of a text are words, lines or sentences. Words are those between white space; of Chinese,
Japanese, Thai and other scripts without blanks between words, each character is one.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, ClassVar

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.option_values import Within
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document

_LINE = re.compile(r"[^\n\r\f\u2028\u2029]+")
_WORD = re.compile(r"\S+")
_LONG = 150  # characters of the parts of a text that is one sentence
_TRIES = 20  # documents drawn for one that has a piece


class Mangler(ABC):
    """The members of a mangler, a frozen dataclass whose fields are its options."""

    needs_others: ClassVar[bool] = False
    """Whether it takes text from other documents, so that it cannot work without any."""

    @abstractmethod
    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        """The text of a copy; `others` are the texts of other documents.

        A document whose text is taken from `others` (`others[number]`, `draw.choice(others)`) is
        related to the copy, too. An experiment records which are, so take no more than are needed:
        `list(others)` takes them all. Raises OptionError where `needs_others` and there are none.
        """

    @property
    def related(self) -> bool:
        """Whether a copy shares content with the document; those that do not must not match."""
        return True


def seeded_draw(seed: int, spec: PartSpec, text: str, number: int = 0) -> random.Random:
    """The random numbers of copy `number` of a text by the mangler `spec`, in normalised form.

    They follow from the arguments alone, not from the order in which copies are made, and are the
    same on every machine.
    """
    key = f"{seed}\n{number}\n{spec!r}\n".encode() + text.encode("utf-8", "surrogatepass")
    return random.Random(sha256(key).digest())  # noqa: S311 (drawn to be the same each time)


def _words(text: str) -> Iterator[tuple[int, int]]:
    if text.isascii():
        return (match.span() for match in _WORD.finditer(text))
    return iter(WordsOrCharacters().spans(text))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    document = Document(text, text)
    spans = Sentence()(document)
    if len(spans) == 1:  # Thai and Lao have no signs at the ends of sentences
        spans = Sentence(length=_LONG)(document)
    return ((span.start, span.end) for span in spans)


SPANS: Mapping[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "words": _words,
    "lines": lambda text: (m.span() for m in _LINE.finditer(text) if not m[0].isspace()),
    "sentences": _sentences,
}
"""The spans of the pieces of each unit. Lines of nothing but white space are no pieces."""


@dataclass(frozen=True)
class SplitText:
    r"""The pieces of a text in their order; `gaps` are before the first, between, after the last.

    >>> SplitText.of("words", " Bees dance.\n")
    SplitText(pieces=('Bees', 'dance.'), gaps=(' ', ' ', '\n'))
    """

    pieces: Sequence[str]
    gaps: Sequence[str]

    @classmethod
    def of(cls, unit: str, text: str) -> SplitText:
        """The "words", "lines" or "sentences" of `text`."""
        pieces, gaps, done = [], [], 0
        for start, end in SPANS[unit](text):
            gaps.append(text[done:start])
            pieces.append(text[start:end])
            done = end
        return cls(tuple(pieces), (*gaps, text[done:]))

    def text_with(self, pieces: Iterable[str]) -> str:
        """The text with as many other pieces in the same places."""
        first, *behind = self.gaps
        return first + "".join(map(str.__add__, pieces, behind))


_split = lru_cache(4096)(SplitText.of)  # since a copy takes pieces of many texts


def random_piece(unit: str, draw: random.Random, others: Sequence[str]) -> str:
    """A random word, line or sentence of a random document; "" if those drawn have none."""
    for _ in range(_TRIES):
        if pieces := _split(unit, draw.choice(others)).pieces:
            return draw.choice(pieces)
    return ""


Share = Annotated[float, Within(0, 1)]


@dataclass(frozen=True)
class KeepLines(Mangler):
    r"""Keep each line with probability `share`, else put a random line of a random other document.

    E. Celozzi, L. Ciabini: Finding similar document (section 7.2). Empty lines stay. Of a text of
    one line, the sentences are kept or replaced.

    >>> KeepLines(share=0.5)("Bees dance.\nAnts dig.\n", random.Random(1), ["Owls hunt."])
    'Bees dance.\nOwls hunt.\n'
    """

    share: Share = 0.5
    needs_others: ClassVar[bool] = True

    @property
    def related(self) -> bool:
        return self.share > 0

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        if not others:
            raise OptionError("keep-lines: takes text from other documents; name another document")
        unit = "lines"
        split = SplitText.of(unit, text)
        if len(split.pieces) == 1:
            unit = "sentences"
            split = SplitText.of(unit, text)
        return split.text_with(
            piece if draw.random() < self.share else random_piece(unit, draw, others)
            for piece in split.pieces
        )


@dataclass(frozen=True)
class Fragment(Mangler):
    """Keep a run of words from anywhere in a text: a `share` of all words, at least one.

    >>> Fragment(share=0.5)("Bees dance in hives.", random.Random(1), [])
    'Bees dance'
    """

    share: Annotated[float, Within(above=0, most=1)] = 0.1

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        words = list(SPANS["words"](text))
        if not words:
            return text
        count = max(1, round(self.share * len(words)))
        first = draw.randrange(len(words) - count + 1)
        return text[words[first][0] : words[first + count - 1][1]]


@dataclass(frozen=True)
class Shuffle(Mangler):
    """Shuffle the words of a text, or its lines or sentences (`of`), all or a share, or in groups.

    C. Bergillos, A. Rambla, A. Cabeza (section 9.2) shuffle all words. White space stays in its
    place. With `share`, so many are drawn at random and shuffled among themselves; the rest stays.
    With `group`, each run of so many is shuffled for itself; 0 stands for one run of all.

    >>> Shuffle()("Bees dance. Ants dig.", random.Random(1), [])
    'Ants Bees dance. dig.'
    """

    of: Annotated[str, SPANS] = "words"
    group: int = 0
    share: Share = 1.0

    def __post_init__(self) -> None:
        if self.group < 0 or self.group == 1:
            raise OptionError.of("shuffle", "group", self.group, "2 or more, or 0 for all")

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        split = SplitText.of(self.of, text)
        shuffled = list(split.pieces)
        size = self.group or max(1, len(shuffled))
        for start in range(0, len(shuffled), size):
            group = range(start, min(start + size, len(shuffled)))
            places = draw.sample(group, round(self.share * len(group)))
            for place, origin in zip(places, sorted(places), strict=True):
                shuffled[place] = split.pieces[origin]
        return split.text_with(shuffled)


# Our own choice of what scanned pages are misread as, groups of letters first.
_LOOKALIKES = (
    "rn m, cl d, vv w, li h, ri n, fi ﬁ, fl ﬂ, m rn nn, w vv, d cl, h b li, n u ri, l 1 I, "
    "i l j, I l 1, 1 l I, j i, o 0 c, O 0 Q, 0 O, Q O, c e, e c, a o, b h, f t, t f, g q, q g, "
    "k h, u n, v y, y v, x z, z x, p n, r n, s 5, S 5, 5 S, B 8, 8 B, Z 2, 2 Z, G 6, 6 G, D O, "
    "E F, F E, T I, C G, ا أ, ب ت, ت ب, ر ز, ز ر, س ش, ش س, и н, н и, ш щ, щ ш, ь ъ, е с, с е, "
    "未 末, 末 未, 日 曰, 己 已, 已 己, 大 太"
)
_MISREAD = {signs: likes for signs, *likes in map(str.split, _LOOKALIKES.split(", "))}
_SIGNS = re.compile("|".join(sorted(_MISREAD, key=len, reverse=True)) + r"|[^\W_]")
_STRAY = ".,'`-~^|"
_LOST, _SPOTTED = 0.15, 0.3  # of all errors so many lose a letter, up to here add a stray sign


@dataclass(frozen=True)
class Ocr(Mangler):
    """Misread a `share` of the letters as those that look like them: rn for m, 1 for l, O for 0.

    Of the errors, 15 % lose a letter, and 15 % add a sign, as of a spot on the paper. In the others
    a letter without a look-alike stays.

    >>> Ocr(share=0.3)("modern lines", random.Random(1), [])
    'rncdem lincs'
    """

    share: Share = 0.02

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        def misread(match: re.Match[str]) -> str:
            letters = match[0]
            if draw.random() >= self.share:
                return letters
            kind = draw.random()
            if kind < _LOST:
                return letters[1:]
            if kind < _SPOTTED:
                return letters + draw.choice(_STRAY)
            return draw.choice(_MISREAD.get(letters, [letters]))

        return _SIGNS.sub(misread, text)
