"""Passages that documents share, and the evidence that reports them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sdtext.model.displayed_results import ShortFields, html_table
from sdtext.model.fingerprints import Origin
from sdtext.model.matches import Similarity, least_score
from sdtext.model.problems import Problem
from sdtext.model.texts import Metadata, Span
from sdtext.wording import counted

LEAST_VERBATIM = 20
"""A passage with a smaller percentage of words in verbatim runs is a weak one."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a passage that differs between the two sides, or has moved.

    `kind` is "replace", "delete" (`right` is empty), "insert" (`left` is empty) or "moved": the
    same words, five or more in a row with those around them, stand at the other place. Where the
    other side has them fewer times, an empty span there is at words that are equal already.
    """

    kind: str
    left: Span
    right: Span


@dataclass(frozen=True, slots=True, repr=False)
class Passage(ShortFields):
    """A span of one text and a similar span of another.

    Both are offsets in code points of `Document.text`. `score` is from 0 to 99, `similarity` a
    number from 0 to 1 that knows its exact ratio. `terms` counts the terms of each, `common` those
    that both have; if codes of sentences were compared, all three are 0. `excluded` is the reason
    in one word why the passage does not count, "" if it counts. `verbatim` is the percentage of its
    words, 0 to 99, in runs of five or more that both sides have; None in evidence that does not
    state it. `gaps` are spans of the left and of the right side that correspond to nothing on the
    other one, of more than 15 words each; they do not count in shares. `review` is the note of a
    person who reviewed it, which may be empty; None if nobody did.
    """

    left: Span
    right: Span
    similarity: Similarity
    common: int = 0
    terms: tuple[int, int] = (0, 0)
    edits: tuple[Edit, ...] = ()
    excluded: str = ""
    verbatim: int | None = None
    gaps: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    review: str | None = None

    @property
    def score(self) -> int:
        """The similarity as a score, 0 to 99."""
        return self.similarity.score

    @property
    def is_weak(self) -> bool:
        """Whether next to none of it is verbatim: texts on one topic share their vocabulary."""
        return self.verbatim is not None and self.verbatim < LEAST_VERBATIM

    @property
    def corresponding(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The spans of the left and of the right side between their gaps.

        >>> gaps = (Span(2, 4),), ()
        >>> Passage(Span(0, 9), Span(5, 8), Similarity(1, 1), gaps=gaps).corresponding[0]
        (Span(start=0, end=2, title=''), Span(start=4, end=9, title=''))
        """
        return _between(self.left, self.gaps[0]), _between(self.right, self.gaps[1])


def _between(whole: Span, gaps: Iterable[Span]) -> tuple[Span, ...]:
    starts = whole.start, *(gap.end for gap in gaps)
    ends = *(gap.start for gap in gaps), whole.end
    return tuple(map(Span, starts, ends))


@dataclass(frozen=True, repr=False)
class WordCounts(ShortFields):
    """How many words of a document begin before each of some rising offsets.

    The first offset is 0, the last is behind all words.
    """

    offsets: tuple[int, ...]
    words: tuple[int, ...]

    def within(self, span: Span) -> int | None:
        """The number of words that begin in a span, None where the counts do not say it.

        >>> counts = WordCounts((0, 4, 9), (0, 1, 3))
        >>> counts.within(Span(4, 9)), counts.within(Span(0, 5))
        (2, None)
        """
        ends = (min(place, self.offsets[-1]) for place in (span.start, span.end))
        first, last = map(self._by_offset.get, ends)
        return None if first is None or last is None else last - first

    @cached_property
    def _by_offset(self) -> Mapping[int, int]:
        return dict(zip(self.offsets, self.words, strict=True))


@dataclass(frozen=True, repr=False)
class Examined(ShortFields):
    """A document that was searched for passages.

    `words` counts its words, but for those of a template if it shares passages, `length` its code
    points (0 if unknown), `short` its sentences that are too short to be compared; `digest` is the
    BLAKE2b of its content. `excluded` are the spans whose words do not count in shares, such as
    quotations. Of documents that share passages, `word_counts` has the words before each offset at
    which a passage, a gap, a chapter or excluded text begins or ends; `text` is `Document.text`
    where the question asked for texts, and it could be had, and `word_starts` are the offsets at
    which its words begin. `chapters` are the chapters of any document where some have titles and
    the question asked for chapters. Texts, starts of words and chapters are no part of evidence
    files.
    """

    name: str
    words: int
    length: int = 0
    digest: str = ""
    short: int = 0
    metadata: Metadata = field(default_factory=dict)
    text: str = field(default="", compare=False, repr=False)
    word_starts: Sequence[int] = field(default=(), compare=False, repr=False)
    excluded: tuple[Span, ...] = field(default=(), repr=False)
    word_counts: WordCounts | None = field(default=None, repr=False)
    chapters: tuple[Span, ...] = field(default=(), compare=False, repr=False)


class _Scored:
    """The score of a similarity, which a share of words may be."""

    share: float

    @property
    def similarity(self) -> float:
        """The share, 0 to 1."""
        return self.share

    @property
    def score(self) -> int:
        """The similarity as a score, 0 to 99."""
        return least_score(self.similarity)


@dataclass(frozen=True, repr=False)
class Shared(_Scored, ShortFields):
    """The passages that two documents share: `left` and `right` are indices into the report.

    Shares are those of words: of the left document in the right one, and the reverse.
    `likeness` has the similarity scores of metadata that both documents have, by field.
    `similarity`, 0 to 1, is the larger share, `score` the same as a whole number from 0 to 99.
    `review` is the note of a person who reviewed the pair, None if nobody did.
    """

    left: int
    right: int
    passages: tuple[Passage, ...]
    left_share: float
    right_share: float
    likeness: Mapping[str, int] = field(default_factory=dict)
    review: str | None = None

    @property
    def similarity(self) -> float:
        """The larger share, 0 to 1."""
        return max(self.left_share, self.right_share)


@dataclass(frozen=True)
class Part(_Scored):
    """A part of a document, such as a chapter, and the share of its words that occurs elsewhere."""

    span: Span
    words: int
    share: float


@dataclass(frozen=True, repr=False)
class Coverage(_Scored, ShortFields):
    """The share of a document that occurs elsewhere; words in several sources count once.

    `document` is its index in the report, `sources` the share of each source by its index.
    `boilerplate` is the share that occurs in many other documents and does not count in the others.
    """

    document: int
    share: float
    sources: Mapping[int, float]
    parts: tuple[Part, ...] = ()
    boilerplate: float = 0.0


@dataclass(frozen=True)
class Evidence:
    """The passages that documents share: the result of a search for reused text.

    `parameters` describe the search, `how` the same in a sentence, `origin` when and on what
    machine it ran, if known.
    """

    documents: tuple[Examined, ...]
    shared: tuple[Shared, ...]
    coverage: tuple[Coverage, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
    how: str = ""
    problems: tuple[Problem, ...] = ()
    origin: Origin = field(default_factory=Origin)

    def __repr__(self) -> str:
        documents = counted(len(self.documents), "document")
        passages = counted(sum(len(pair.passages) for pair in self.shared), "passage")
        what = f"{passages} in {counted(len(self.shared), 'pair')} of {documents}"
        if self.nothing_compared:
            what = f"none of {documents} was compared"
        problems = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        return f"<evidence: {what}{problems}>"

    @property
    def nothing_compared(self) -> Problem | None:
        """The problem that all documents were too short to be compared; None if some were not."""
        return next((item for item in self.problems if item.category == "nothing-compared"), None)

    def _repr_html_(self) -> str:
        columns = ["score", "left", "right", "passages", "left_share", "right_share"]
        rows = [
            [
                pair.score,
                self.documents[pair.left].name,
                self.documents[pair.right].name,
                len(pair.passages),
                pair.left_share,
                pair.right_share,
            ]
            for pair in self.shared
        ]
        return html_table(repr(self).strip("<>"), columns, rows)
