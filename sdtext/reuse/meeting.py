"""Documents of two batches beside each other: the passages that they share, and which count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sdtext.model import Span
from sdtext.model.passages import Passage
from sdtext.reuse.by_windows import Found
from sdtext.reuse.coverage import share_of
from sdtext.reuse.exclusions import marked
from sdtext.reuse.plan import Plan
from sdtext.reuse.texts import Text, Texts

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Why passages do not count."""

Reasons = list[tuple[str, Span]]
"""Stretches of a document with the reasons why passages in them do not count."""


@dataclass(frozen=True)
class Common:
    """What two documents share: their places in their batches, and passages that count or not.

    Shares are those of the words of each that stand in passages that count.
    """

    left: int
    right: int
    passages: tuple[Passage, ...]
    shares: tuple[float, float]

    def counted(self, side: int) -> list[Span]:
        """Where on a side, 0 or 1, the passages stand that count."""
        counted = (one for one in self.passages if not one.excluded)
        return [one.right if side else one.left for one in counted]


@dataclass(frozen=True)
class Meeting:
    """Looks for what documents share; `templates` hold text that does not count."""

    plan: Plan
    templates: Sequence[Texts] = ()

    def __call__(self, left: Texts, right: Texts | None = None) -> Iterator[Common]:
        """What each of the left documents shares with each right one, or with those behind it."""
        found = list(self.plan.finder(left, right))
        in_templates = self._in_templates(left, sorted({one.left for one in found}))
        for one in found:
            reasons = in_templates.get(one.left, [])
            there = (right or left).known[one.right]
            yield self._common(one, [*_reasons(left.known[one.left]), *reasons], _reasons(there))

    def _common(self, found: Found, left: Reasons, right: Reasons) -> Common:
        passages = list(found.passages)
        if left or right:
            passages = marked(passages, left, right, *found.sides)
        if self.plan.question.edits:
            passages = list(self.plan.finder.with_edits(passages, *found.sides))
        common = Common(found.left, found.right, tuple(passages), (0, 0))
        shares = [share_of(words, common.counted(side)) for side, words in enumerate(found.sides)]
        return replace(common, shares=(shares[0], shares[1]))

    def _in_templates(self, left: Texts, places: Sequence[int]) -> Mapping[int, Reasons]:
        """Where documents have the text of templates, by their places."""
        reasons: dict[int, Reasons] = {}
        asked = left.taken(places) if self.templates else left
        for template in self.templates:
            for found in self.plan.finder(asked, template):
                spans = [(TEMPLATE, one.left) for one in found.passages]
                reasons.setdefault(places[found.left], []).extend(spans)
        return reasons


def _reasons(text: Text) -> Reasons:
    """The stretches of a document that were marked for being left out."""
    stretches = ((QUOTE, text.marked.quotes), (REFERENCES, text.marked.references))
    return [(reason, span) for reason, spans in stretches for span in spans]
