"""Passages by sentences: those whose codes differ in few bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.sentence_codes import CodedUnits
from sdtext.collections.collection import Collection
from sdtext.kernels.terms.word_offsets import Worded
from sdtext.model import Passage, Problem, Span
from sdtext.parts.aligners.sentences import SentencePassages
from sdtext.parts.fingerprints.bbit import BBit
from sdtext.parts.indexes.groups import MANY, Groups, Way
from sdtext.reuse.by_codes import UnitMatches, documents_near, matches
from sdtext.reuse.by_windows import Found
from sdtext.reuse.texts import Texts


@dataclass(frozen=True, eq=False)
class BySentences:
    """Finds passages by the codes of sentences, which `part` makes, and `groups` finds.

    Passages of fewer words than `shortest` are left out. `problems` has what was not compared.
    """

    groups: Groups
    aligner: SentencePassages
    part: BBit
    shortest: int = 0
    problems: list[Problem] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    """How many codes were searched at a time: the way to do it depends on that."""

    @property
    def window(self) -> int:
        """There are no windows."""
        return 0

    @property
    def told(self) -> str:
        """How, in a sentence: with the way in which most codes were searched."""
        most = max(self.counts, default=MANY)
        return self.groups.told(self.part.slots, self.part.bits, most)

    @property
    def parameters(self) -> dict[str, str]:
        """By which settings."""
        slots, bits = self.part.slots, self.part.bits
        return {
            "method": "sentences",
            "bits": str(slots * bits),
            "radius": str(self.groups.radius_for(slots, bits)),
            "index": _told(asdict(self.groups)),
            "aligner": _told(asdict(self.aligner)),
            "fingerprint": _told(asdict(self.part)),
        }

    def __call__(self, left: Texts, right: Texts | None = None) -> Iterator[Found]:
        """The passages of pairs of documents; without `right`, of every two of the left ones.

        Raises TooManyPairs.
        """
        other = left if right is None else right
        spoken = left.speaking_as(other)
        ones, others = left.coded, other.coded
        way = self._way(len(others.codes.values))
        found = matches(ones.codes, None if right is None else others.codes, way)
        self._note(found)
        width = self.part.slots * self.part.bits
        for one, two, rows in found.by_documents():
            sides = spoken.worded(one), other.worded(two)
            places = _places(ones, one), _places(others, two)
            passages = [
                passage
                for passage in self.aligner(rows, *places, width)
                if self._is_long(passage, sides)
            ]
            if passages:
                yield Found(one, two, passages, sides)

    def with_edits(
        self, passages: Sequence[Passage], left: Worded, right: Worded
    ) -> Sequence[Passage]:
        """The same passages with what differs inside of them."""
        return self.aligner.with_edits(passages, left, right)

    @property
    def for_templates(self) -> BySentences:
        """The same for templates, in which no length is asked for."""
        return replace(self, shortest=0)

    def candidates(self, texts: Texts, collection: Collection) -> NDArray[np.int64]:
        """The numbers of the stored documents that have a sentence like one of those."""
        segments = collection.segments()
        number = sum(len(one.arrays["codes"]) for one in segments)
        return documents_near(texts.coded.codes, segments, self._way(number))

    def _way(self, codes: int) -> Way:
        self.counts.append(max(1, codes))
        return self.groups.way(self.part.slots, self.part.bits, self.counts[-1])

    def _is_long(self, passage: Passage, sides: tuple[Worded, Worded]) -> bool:
        spans = zip((passage.left, passage.right), sides, strict=True)
        return not self.shortest or min(_words(*pair) for pair in spans) >= self.shortest

    def _note(self, found: UnitMatches) -> None:
        """Say what was left out."""
        if found.left_out:
            message = (
                f"{found.left_out} pairs of sentences that hundreds of others are equal to are "
                "left out: documents that share these alone are told of beside the first and the "
                "last that have them, so that not every source is named"
            )
            self.problems.append(Problem("warning", "crowded-sentences", message))


def _told(options: dict[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _places(coded: CodedUnits, place: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the sentences of a document start, and where they end."""
    starts, ends = (column[place].astype(np.int64) for column in (coded.starts, coded.ends))
    return starts, ends


def _words(span: Span, worded: Worded) -> int:
    """How many words begin within a span."""
    first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
    return int(last - first)
