"""Wrong letters: those of optical character recognition, and those of people who type."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdtext.parts.manglers import Mangler, check_share

# Our own choice of what scanned pages are misread as, groups of letters first.
_MISREAD: Mapping[str, Sequence[str]] = {
    "rn": ["m"],
    "cl": ["d"],
    "vv": ["w"],
    "li": ["h"],
    "ri": ["n"],
    "fi": ["ﬁ"],
    "fl": ["ﬂ"],
    "m": ["rn", "nn"],
    "w": ["vv"],
    "d": ["cl"],
    "h": ["b", "li"],
    "n": ["u", "ri"],
    "l": ["1", "I"],
    "i": ["l", "j"],
    "I": ["l", "1"],
    "1": ["l", "I"],
    "j": ["i"],
    "o": ["0", "c"],
    "O": ["0", "Q"],
    "0": ["O"],
    "Q": ["O"],
    "c": ["e"],
    "e": ["c"],
    "a": ["o"],
    "b": ["h"],
    "f": ["t"],
    "t": ["f"],
    "g": ["q"],
    "q": ["g"],
    "k": ["h"],
    "u": ["n"],
    "v": ["y"],
    "y": ["v"],
    "x": ["z"],
    "z": ["x"],
    "p": ["n"],
    "r": ["n"],
    "s": ["5"],
    "S": ["5"],
    "5": ["S"],
    "B": ["8"],
    "8": ["B"],
    "Z": ["2"],
    "2": ["Z"],
    "G": ["6"],
    "6": ["G"],
    "D": ["O"],
    "E": ["F"],
    "F": ["E"],
    "T": ["I"],
    "C": ["G"],
    "ا": ["أ"],
    "ب": ["ت"],
    "ت": ["ب"],
    "ر": ["ز"],
    "ز": ["ر"],
    "س": ["ش"],
    "ش": ["س"],
    "и": ["н"],
    "н": ["и"],
    "ш": ["щ"],
    "щ": ["ш"],
    "ь": ["ъ"],
    "е": ["с"],
    "с": ["е"],
    "未": ["末"],
    "末": ["未"],
    "日": ["曰"],
    "己": ["已"],
    "已": ["己"],
    "大": ["太"],
}
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

    share: float = 0.02

    def __post_init__(self) -> None:
        check_share("ocr", self.share)

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


_ROWS = (("1234567890", 0.0), ("qwertyuiop", 0.5), ("asdfghjkl", 0.75), ("zxcvbnm", 1.25))
_LETTER = re.compile(r"[^\W_]")


def _neighbours() -> Iterator[tuple[str, str]]:
    """The keys around each letter of an American keyboard, for capitals with the shift key held."""
    places = {
        key: (row, left + column)
        for row, (keys, left) in enumerate(_ROWS)
        for column, key in enumerate(keys)
    }
    for key, (row, column) in places.items():
        near = "".join(
            other
            for other, (other_row, other_column) in places.items()
            if abs(row - other_row) <= 1 and abs(column - other_column) <= 1 and other != key
        )
        yield key, near
        if key.isalpha():
            yield key.upper(), near.upper()


NEIGHBOURS: Mapping[str, str] = dict(_neighbours())
"""The letters and digits on the keys beside that of a letter or digit."""


def _beside(letter: str, draw: random.Random) -> str:
    return draw.choice(NEIGHBOURS.get(letter, letter))


_MISTYPED: Sequence[Callable[[str, random.Random], str]] = (
    _beside,
    lambda letter, draw: letter + _beside(letter, draw),
    lambda letter, _draw: letter * 2,
    lambda _letter, _draw: "",
)


@dataclass(frozen=True)
class Typos(Mangler):
    """Mistype a `share` of the letters, as people do who type fast.

    The five kinds are equally frequent: the key beside it; both keys; twice; left out; exchanged
    with the next letter. Keys are those of an American keyboard; a letter that has none stays in
    the first kind and is written twice in the second.

    >>> Typos(share=0.2)("Bees dance in hives.", random.Random(1), [])
    'Ves dance in hiveex.'
    """

    share: float = 0.02

    def __post_init__(self) -> None:
        check_share("typos", self.share)

    def __call__(self, text: str, draw: random.Random, others: Sequence[str]) -> str:
        typed: list[str] = []
        held = ""  # a letter that is typed behind the next
        for char in text:
            if not _LETTER.match(char) or held or draw.random() >= self.share:
                typed += char, held
                held = ""
                continue
            kind = draw.randrange(len(_MISTYPED) + 1)
            if kind == len(_MISTYPED):
                held = char
            else:
                typed.append(_MISTYPED[kind](char, draw))
        return "".join([*typed, held])
