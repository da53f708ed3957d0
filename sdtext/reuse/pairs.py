"""Documents of two batches beside each other: the passages that they share, and which count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sdtext.errors import OptionError
from sdtext.model import Passage, Span
from sdtext.reuse.by_windows import Found
from sdtext.reuse.coverage import shares_of
from sdtext.reuse.exclusions import Excluded, left_out, marked
from sdtext.reuse.plan import Plan
from sdtext.reuse.texts import Text, Texts

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Why passages do not count."""

MOST = 1 << 20
"""Passages that are told of at the most: a gigabyte of memory."""


Has = TypeVar("Has")


def counted(every: Iterable[Has], passages: Callable[[Has], int], so_far: int = 0) -> Iterator[Has]:
    """The same. Raises OptionError where all together have more passages than can be told of."""
    for one in every:
        so_far += passages(one)
        if so_far > MOST:
            raise OptionError(
                f"find_reuse: there are more than {MOST} passages, which no one can look through; "
                "choose among the documents (--where), take longer windows or a smaller distance, "
                "or leave out what all of them have (--exclude)"
            )
        yield one


@dataclass(frozen=True)
class Common:
    """What two documents share: their places in their batches, and passages that count or not.

    Shares are those of the words of each that stand in passages that count, without what is
    `left_out` of either document.
    """

    left: int
    right: int
    passages: tuple[Passage, ...] = ()
    shares: tuple[float, float] = (0.0, 0.0)
    left_out: tuple[Sequence[Span], Sequence[Span]] = ((), ())

    def counted(self, side: int) -> list[Span]:
        """Where on a side, 0 or 1, the passages stand that count."""
        counted = (one for one in self.passages if not one.excluded)
        return [one.right if side else one.left for one in counted]


@dataclass(frozen=True)
class PairFinder:
    """Finds what pairs of documents share; `templates` hold text that does not count."""

    plan: Plan
    templates: Sequence[Texts] = ()

    def __call__(self, left: Texts, right: Texts | None = None) -> Iterator[Common]:
        """What each of the left documents shares with each right one, or with those behind it."""
        found = list(counted(self.plan.finder(left, right), lambda one: len(one.passages)))
        places = {one.left for one in found}, {one.right for one in found}
        if right is None:
            here = there = self._excluded(left, places[0] | places[1])
        else:
            here, there = self._excluded(left, places[0]), self._excluded(right, places[1])
        for one in found:
            yield self._common(one, here[one.left], there[one.right])

    def _common(self, found: Found, left: Excluded, right: Excluded) -> Common:
        passages = found.passages
        if left or right:
            passages = marked(passages, left, right, *found.sides)
        if self.plan.question.edits:
            passages = self.plan.finder.with_edits(passages, *found.sides)
        out = left_out(left), left_out(right)
        shares = shares_of(passages, found.sides, out)
        return Common(found.left, found.right, tuple(passages), shares, out)

    def _excluded(self, texts: Texts, places: Collection[int]) -> Mapping[int, Excluded]:
        """What does not count of the documents at some places."""
        chosen = sorted(places)
        excluded = {place: _marked_in(texts.known[place]) for place in chosen}
        if not self.templates or not chosen:
            return excluded
        some = texts.taken(chosen)
        for template in self.templates:
            for found in self.plan.finder.for_templates(some, template):
                spans = [(TEMPLATE, one.left) for one in found.passages]
                excluded[chosen[found.left]] += spans
        return excluded


def _marked_in(text: Text) -> list[tuple[str, Span]]:
    """The stretches of a document that were marked for being left out."""
    stretches = ((QUOTE, text.marked.quotes), (REFERENCES, text.marked.references))
    return [(reason, span) for reason, spans in stretches for span in spans]
