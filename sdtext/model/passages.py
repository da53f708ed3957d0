"""Where two documents share text, and what a report on that says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sdtext.model.fingerprints import Origin
from sdtext.model.matches import Problem, Similarity
from sdtext.model.texts import Span

Metadata = Mapping[str, str | int | float | None]
"""What is known of a document beside its text, by the names of the fields."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a passage that is not the same on both sides.

    `kind` is "replace", "delete" (`right` is empty) or "insert" (`left` is empty).
    """

    kind: str
    left: Span
    right: Span


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one text and the stretch of another that it is like.

    Both spans are offsets in code points of `Document.text`. `terms` counts the terms of each,
    `common` those that both have; where codes of sentences were compared all three are 0.
    `excluded` says in a word why the passage does not count, "" where it does.
    """

    left: Span
    right: Span
    similarity: Similarity
    common: int = 0
    terms: tuple[int, int] = (0, 0)
    edits: tuple[Edit, ...] = ()
    excluded: str = ""


@dataclass(frozen=True)
class Examined:
    """A document of which passages were looked for.

    `words` are all of its words, `length` its code points (0 where that is not known), `digest`
    the BLAKE2b of its content, `short` how many of its sentences were too short to be compared.
    """

    name: str
    words: int
    length: int = 0
    digest: str = ""
    short: int = 0
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True)
class Shared:
    """The passages that two documents share: `left` and `right` are places in the report.

    Shares are those of words: of the left document in the right one, and the other way.
    `likeness` has the scores of metadata that both documents have, by the name of the field.
    """

    left: int
    right: int
    passages: tuple[Passage, ...]
    left_share: float
    right_share: float
    likeness: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A chapter or the like of a document, and the share of its words that is found elsewhere."""

    span: Span
    words: int
    share: float


@dataclass(frozen=True)
class Coverage:
    """How much of a document is found elsewhere: words that several sources have count once.

    `document` is its place in the report, `sources` the share of each source by its place.
    """

    document: int
    share: float
    sources: Mapping[int, float]
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """What documents share, and where: the result of looking for reused text.

    `parameters` say how it was looked for, `how` the same in a sentence, `origin` when and on
    what machine, where that is known.
    """

    documents: tuple[Examined, ...]
    shared: tuple[Shared, ...]
    coverage: tuple[Coverage, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)
    how: str = ""
    problems: tuple[Problem, ...] = ()
    origin: Origin = field(default_factory=Origin)
