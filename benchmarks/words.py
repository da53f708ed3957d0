"""Words and sentences of any script, by rules of their own: not those of the parts measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SENTENCE_END = re.compile(r"[.!?؟][\"'”’)\]]*\s+|[。！？]+[”’」）]*\s*")
_MANY = 0.3  # of the letters of a text


@dataclass(frozen=True)
class Word:
    """The code points `start` to `end`, exclusive, of a text."""

    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of a text; of Han and Japanese script those that jieba finds."""
    words = []
    for item in _WORD.finditer(text):
        if _UNSPACED.search(item[0]):
            words += _cut(item[0], item.start())
        else:
            words.append(Word(item.start(), item.end()))
    return words


def _cut(run: str, place: int) -> list[Word]:
    import jieba

    jieba.setLogLevel("WARNING")

    words = []
    for word in jieba.cut(run, HMM=False):
        words.append(Word(place, place + len(word)))
        place += len(word)
    return words


def is_spaced(text: str) -> bool:
    """Whether the text has blanks between words."""
    return sum(map(len, _UNSPACED.findall(text))) < _MANY * max(1, len(text))


def sentence_ends(text: str) -> list[int]:
    """Where sentences begin, but for the first: behind a stop and the white space after it."""
    return [item.end() for item in _SENTENCE_END.finditer(text) if item.end() < len(text)]
