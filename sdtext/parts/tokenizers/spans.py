"""Words as columns, from the places where they begin and end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from re import Pattern
from typing import TypeAlias

from sdtext.model import Tokens
from sdtext.parts.tokenizers.word_rules import word_spans

Span: TypeAlias = tuple[int, int]
Cut: TypeAlias = Callable[[str], Iterable[str]]


def tokens_at(text: str, spans: Iterable[Span]) -> Tokens:
    """The words of `text` at the places `spans`.

    >>> tokens_at("a cat", [(0, 1), (2, 5)]).words
    ['a', 'cat']
    """
    places = list(spans)
    return Tokens(
        [text[start:end] for start, end in places],
        [start for start, _ in places],
        [end for _, end in places],
    )


def spans_with(text: str, runs: Pattern[str], cut: Cut) -> Iterator[Span]:
    """The words of `text`, by `cut` inside its `runs` and by Unicode's rules between them.

    What `cut` gives of a run is that run in pieces.

    >>> import re
    >>> list(spans_with("ab, xyz", re.compile("[x-z]+"), lambda run: [run[:1], run[1:]]))
    [(0, 2), (4, 5), (5, 7)]
    """
    done = 0
    for run in runs.finditer(text):
        start, end = run.span()
        yield from _moved(word_spans(text[done:start]), done)
        ends = accumulate(map(len, cut(run.group())), initial=start)
        done = end
        first = next(ends)
        for place in ends:
            yield first, place
            first = place
    yield from _moved(word_spans(text[done:]), done)


def _moved(spans: Iterable[Span], shift: int) -> Iterator[Span]:
    return ((start + shift, end + shift) for start, end in spans)
