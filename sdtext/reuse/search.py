"""A search of reused text, batch by batch: what is compared with what, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sdtext.collections.collection import Collection
from sdtext.collections.filters import Condition
from sdtext.collections.ingest.inputs import Inputs
from sdtext.errors import UnreadableError, counted
from sdtext.model import Evidence, Problem
from sdtext.reading.batches import Run, with_reason
from sdtext.reuse.evidence import EvidenceBuilder
from sdtext.reuse.pairs import PairFinder
from sdtext.reuse.plan import Plan
from sdtext.reuse.queries import Given, Maker, Queries
from sdtext.reuse.short_texts import ShortTexts
from sdtext.reuse.stored import Stored
from sdtext.reuse.texts import SENTENCES, Texts

Batches = Queries | Stored


@dataclass(frozen=True)
class ReuseSearch:
    """Looks for what left documents share with right ones; without these, with each other."""

    plan: Plan
    run: Run
    left: Batches
    right: Batches | None = None

    @classmethod
    def of(
        cls, plan: Plan, left: Collection | Given, right: Collection | Given | None, run: Run
    ) -> ReuseSearch:
        """The same, of what is stored and what is to be read.

        Of two collections the condition of the question is about the first.
        """
        where = plan.question.where
        there = where if isinstance(left, Given) else None
        sides = ((left, where), (right, there))
        made = [_batches(plan, one, about, run) for one, about in sides if one is not None]
        return cls(plan, run, *made)

    def evidence(self) -> Evidence:
        """What is found. Raises UnreadableError where nothing can be compared."""
        if isinstance(self.right, Queries):
            self.right.read()
        finder = PairFinder(self.plan, _templates(self.plan, self.run))
        found = EvidenceBuilder(finder, within=self.right is None)
        short = ShortTexts(self.plan.finder.window)
        for place, texts in enumerate(self.left.texts()):
            short.count(texts, self.left)
            for others in self._others(place, texts):
                found.take(texts, others)
                if place == 0:
                    short.count(others, self.right)
        for side, texts in self._named():
            found.named(texts, side)
        told = Evidence((), (), (), self.plan.parameters, self._how(), tuple(self._problems(short)))
        return found.evidence(told)

    def _others(self, place: int, texts: Texts) -> Iterator[Texts | None]:
        """What the left documents of a batch are compared with; None stands for each other."""
        if self.right is None:
            yield None
            yield from self.left.texts(place + 1)
        elif isinstance(self.right, Stored):
            near = self.plan.finder.candidates(texts, self.right.collection)
            yield from self.right.texts() if near is None else self.right.among(near)
        else:
            yield from self.right.texts()

    def _named(self) -> Iterator[tuple[int, Texts]]:
        """The documents that were named, with their sides. Raises UnreadableError."""
        for number, side in enumerate((self.left, self.right)):
            if isinstance(side, Queries):
                if not side.documents:
                    raise UnreadableError(with_reason(self.run, "there is nothing to compare"))
                yield from ((number, texts) for texts in side.texts())

    def _problems(self, short: ShortTexts) -> Iterator[Problem]:
        """What a person should know."""
        read = [side for side in (self.left, self.right) if isinstance(side, Queries)]
        if not any(side.is_told_of for side in read):
            for side in read[:1]:
                yield from side.unused()
        yield from self.plan.finder.problems
        yield from short.problems()

    def _how(self) -> str:
        """How it was looked for, in a sentence."""
        compared = counted(self.left.documents, "document")
        others = str(self.right.documents) if self.right is not None else "each other"
        return f"{self.plan.finder.told}; {compared} compared with {others}"


def _batches(plan: Plan, side: Collection | Given, where: Condition | None, run: Run) -> Batches:
    if isinstance(side, Collection):
        return Stored(side, plan.wants, where)
    return Queries(side, Maker(plan.recipe, run.reading, plan.wants), run)


def _templates(plan: Plan, run: Run) -> list[Texts]:
    """The texts that do not count. Raises UnreadableError where one cannot be read."""
    given = Given(Inputs(plan.question.templates))
    maker = Maker(plan.recipe, run.reading, plan.wants & {SENTENCES})
    return list(Queries(given, maker, Run(reading=run.reading)).texts())
