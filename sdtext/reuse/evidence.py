"""What was found of many pairs of documents, gathered into evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sdtext.model import Coverage, Evidence, Examined, Shared, Span
from sdtext.reuse.coverage import parts_of, share_of
from sdtext.reuse.metadata import alike, likeness
from sdtext.reuse.pairs import Common, PairFinder, counted
from sdtext.reuse.texts import Text, Texts

Key = tuple[int, int]
"""The side of a document, 0 or 1, and its number there."""


@dataclass(frozen=True)
class _Met:
    """A document, and what of it was found elsewhere: where, and which share, by the source."""

    texts: Texts
    place: int
    spans: list[Span] = field(default_factory=list)
    left_out: list[Span] = field(default_factory=list)
    sources: dict[Key, float] = field(default_factory=dict)

    @property
    def text(self) -> Text:
        """What is known of it."""
        return self.texts.known[self.place]

    def coverage(self, places: Mapping[Key, int], place: int) -> Coverage:
        """The shares of it that are found: anywhere, in each source, of each chapter."""
        worded, chapters = self.texts.worded(self.place), self.text.marked.chapters
        return Coverage(
            place,
            share_of(worded, self.spans, self.left_out),
            {places[key]: share for key, share in self.sources.items() if share},
            tuple(parts_of(worded, chapters, self.spans, self.left_out)),
        )


@dataclass(frozen=True)
class _Pair:
    """What two documents share, by their keys."""

    left: Key
    right: Key
    common: Common

    @property
    def order(self) -> tuple[Key, float, Key]:
        return self.left, -max(self.common.shares), self.right


def _number(common: Common) -> int:
    return len(common.passages)


def _alike(left: Texts, right: Texts | None) -> Iterator[tuple[int, int]]:
    """The places of documents whose titles are alike, though they may share nothing else."""
    one = [known.examined.metadata for known in left.known]
    other = None if right is None else [known.examined.metadata for known in right.known]
    return alike(one, other)


class EvidenceBuilder:
    """Gathers what documents share: those of one collection `within`, or left and right ones.

    Of the left ones coverage is told.
    """

    def __init__(self, finder: PairFinder, *, within: bool) -> None:
        self._finder = finder
        self._within = within
        self._met: dict[Key, _Met] = {}
        self._pairs: list[_Pair] = []
        self._passages = 0

    def named(self, texts: Texts, side: int) -> None:
        """Take note of documents, which are told of though they may share nothing."""
        for place, text in enumerate(texts.known):
            self._met.setdefault((side, text.id), _Met(texts, place))

    def take(self, left: Texts, right: Texts | None = None) -> None:
        """Add what left documents share with right ones, or with each other.

        Raises OptionError where that is more than can be told of.
        """
        other = left if right is None else right
        side = 0 if self._within else 1
        titled = set(_alike(left, right))
        for common in counted(self._finder(left, right), _number, self._passages):
            titled.discard((common.left, common.right))
            keys = self._at(left, common.left, 0), self._at(other, common.right, side)
            self._add(keys, common)
            self._passages += len(common.passages)
        for one, two in sorted(titled):
            keys = self._at(left, one, 0), self._at(other, two, side)
            self._pairs.append(_Pair(*keys, Common(one, two)))

    def _add(self, keys: tuple[Key, Key], common: Common) -> None:
        self._pairs.append(_Pair(*keys, common))
        for own, key in enumerate(keys):
            met = self._met[key]
            met.spans.extend(common.counted(own))
            met.left_out[:] = common.left_out[own]  # beside every other document the same
            met.sources[keys[1 - own]] = common.shares[own]

    def _at(self, texts: Texts, place: int, side: int) -> Key:
        """The key of a document, which has been met now."""
        key = side, texts.known[place].id
        if key not in self._met:
            self._met[key] = _Met(texts.taken([place]), 0)  # for batches are many
        return key

    def evidence(self, told: Evidence) -> Evidence:
        """All that was found: documents and pairs in their order, the pairs of each by shares.

        `told` has the parameters, the sentence and the problems.
        """
        places = {key: place for place, key in enumerate(sorted(self._met))}
        documents = tuple(self._examined(places))
        pairs = sorted(self._pairs, key=lambda pair: pair.order)
        shared = tuple(self._shared(pair, places) for pair in pairs)
        covered = [(key, place) for key, place in places.items() if key[0] == 0]
        coverage = tuple(self._met[key].coverage(places, place) for key, place in covered)
        return replace(told, documents=documents, shared=shared, coverage=coverage)

    def _examined(self, keys: Iterable[Key]) -> Iterator[Examined]:
        """The documents with these keys, by names that tell those of one side apart."""
        texts = {key: self._met[key].text for key in keys}
        names = Counter((side, text.examined.name) for (side, _), text in texts.items())
        for (side, _), text in texts.items():
            examined = text.examined
            if text.path and names[side, examined.name] > 1:
                examined = replace(examined, name=text.path)
            yield examined

    def _shared(self, pair: _Pair, places: Mapping[Key, int]) -> Shared:
        left, right = (self._met[key].text.examined.metadata for key in (pair.left, pair.right))
        common = pair.common
        sides = places[pair.left], places[pair.right]
        return Shared(*sides, common.passages, *common.shares, likeness(left, right))
