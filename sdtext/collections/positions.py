"""Words with their places, chapters and codes of sentences: what a collection keeps for passages.

A collection whose recipe names an aligner keeps all words of its documents, each with the place
where it stands in the text. Rows are those of documents in the order that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.storage.meta import REMEDY
from sdtext.collections.storage.segments import Segment
from sdtext.collections.storage.vocabulary import TOKENS, WORDS, together
from sdtext.errors import FormatError, MismatchError, shown
from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.tokens import LINE_END
from sdtext.kernels.terms.word_offsets import WordOffsets
from sdtext.model import RecipeSpec, Span

if TYPE_CHECKING:
    from sdtext.collections.collection import Collection

WORD_STARTS, WORD_ENDS = "word-starts", "word-ends"
SPANS, TITLES = "spans", "titles"
UNIT_STARTS, UNIT_ENDS, CODES, SHORT = "unit-starts", "unit-ends", "codes", "short"

# The type of their numbers, as numpy spells it.
_PLACES = {
    TOKENS: "<u4",
    WORDS: "|u1",
    WORD_STARTS: "<u4",
    WORD_ENDS: "<u4",
    SPANS: "<u4",
    TITLES: "|u1",
}
_CODES = {UNIT_STARTS: "<u4", UNIT_ENDS: "<u4", CODES: "|u1", SHORT: "<i8"}

CHAPTER, QUOTE, REFERENCES = 0, 1, 2
"""The kinds of `spans`; of chapters the `titles` are kept, too."""

_INDEXES = frozenset(("windows", "groups"))
_SENTENCE = "sentence"


def keeps_places(recipe: RecipeSpec) -> bool:
    """Whether a collection by `recipe` keeps the places of words: where it looks for passages.

    >>> from sdtext.model import PartSpec
    >>> keeps_places(RecipeSpec(PartSpec("words"), index=PartSpec("windows")))
    True
    """
    named = recipe.index.name if recipe.index else ""
    return recipe.aligner is not None or named in _INDEXES or keeps_codes(recipe)


def keeps_codes(recipe: RecipeSpec) -> bool:
    """Whether a collection by `recipe` keeps a code of each sentence, by the recipe's unit."""
    return recipe.unit is not None and recipe.unit.name == _SENTENCE


@dataclass(frozen=True)
class Marked:
    """Stretches of one document that are known by what they are."""

    chapters: tuple[Span, ...] = ()
    quotes: tuple[Span, ...] = ()
    references: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False)
class StoredCodes:
    """The codes of the sentences of documents, a row each, with their places in `Document.text`.

    A row of `codes` holds one row of bytes for each sentence. `short` says how many sentences of
    each document have none.
    """

    starts: Ragged
    ends: Ragged
    codes: Ragged
    short: NDArray[np.int64]


def stored_words(collection: Collection, ids: Iterable[int] | None = None) -> WordOffsets:
    """The words of the documents with these ids, in that order; of all in the order of their ids.

    Numbers are those of one vocabulary in code-point order. Raises MismatchError where the
    collection keeps no places, FormatError where it is damaged, KeyError for an unknown id.
    """
    chosen = _Chosen(collection, ids)
    chosen.check_places()
    try:
        return _taken(together([_words_of(one, rows) for one, rows in chosen.rows]), chosen.order)
    except (ValueError, IndexError) as error:
        raise chosen.damage("places do not fit the words") from error


def stored_marks(collection: Collection, ids: Iterable[int] | None = None) -> list[Marked]:
    """The chapters, quotes and references of documents, chosen as by `stored_words`."""
    chosen = _Chosen(collection, ids)
    chosen.check_places()
    found = []
    for segment, rows in chosen.rows:
        spans, titles = (segment.ragged(name).taken(rows) for name in (SPANS, TITLES))
        if (spans.lengths % 3).any():
            raise chosen.damage("chapters in it have no end")
        found += [_marked(*pair) for pair in zip(spans, titles, strict=True)]
    return [found[place] for place in chosen.order.tolist()]


def stored_codes(collection: Collection, ids: Iterable[int] | None = None) -> StoredCodes:
    """The codes of the sentences of documents, chosen as by `stored_words`."""
    chosen = _Chosen(collection, ids)
    chosen.check_codes()
    starts, ends, codes = map(chosen.ragged, (UNIT_STARTS, UNIT_ENDS, CODES))
    if any(not np.array_equal(starts.offsets, one.offsets) for one in (ends, codes)):
        raise chosen.damage("codes do not fit their sentences")
    short = [np.empty(0, np.int64), *(one.arrays[SHORT][rows] for one, rows in chosen.rows)]
    return StoredCodes(starts, ends, codes, np.concatenate(short)[chosen.order])


def check_codes(collection: Collection) -> None:
    """MismatchError where no codes are kept, FormatError where one is not as it was written."""
    _Chosen(collection, None).check_codes()


def misfit(segment: Segment) -> str:
    """What of the places and codes in a segment does not fit together; "" where all does."""
    in_places = _misfit_places(segment) if _has(segment, _PLACES) else ""
    return in_places or (_misfit_codes(segment) if _has(segment, _CODES) else "")


def _misfit_places(segment: Segment) -> str:
    tokens, starts, ends, spans = map(segment.ragged, (TOKENS, WORD_STARTS, WORD_ENDS, SPANS))
    offsets = np.append(0, np.cumsum(tokens.values != LINE_END))[tokens.offsets]
    if any(not np.array_equal(offsets, one.offsets) for one in (starts, ends)):
        return "places in it do not fit the words"
    if _disordered(starts, ends):
        return "places in it do not follow one another"
    if (spans.lengths % 3).any() or (spans.values[1::3] > spans.values[2::3]).any():
        return "chapters in it have no end"
    return ""


def _misfit_codes(segment: Segment) -> str:
    starts, ends, codes = map(segment.ragged, (UNIT_STARTS, UNIT_ENDS, CODES))
    if any(not np.array_equal(codes.offsets, one.offsets) for one in (starts, ends)):
        return "codes in it do not fit their sentences"
    if _disordered(starts, ends) or (segment.arrays[SHORT] < 0).any():
        return "sentences in it do not follow one another"
    return ""


def _disordered(starts: Ragged, ends: Ragged) -> bool:
    """Whether a stretch ends before it starts, or starts before the one in front of it."""
    falls = np.flatnonzero(starts.values[1:] < starts.values[:-1]) + 1
    first = np.isin(falls, starts.offsets)
    return not first.all() or bool((ends.values < starts.values).any())


def _has(segment: Segment, kinds: Mapping[str, str]) -> bool:
    """Whether a segment has arrays of these names, and they are what they have to be."""
    arrays = segment.arrays
    if not arrays.keys() >= {*kinds, *(f"{name}.offsets" for name in kinds if name != SHORT)}:
        return False
    return all(
        (arrays[name].dtype.str, arrays[name].ndim) == (dtype, 1 + (name == CODES))
        for name, dtype in kinds.items()
    )


class _Chosen:
    """Documents of a collection: the rows of its segments, and their order."""

    def __init__(self, collection: Collection, ids: Iterable[int] | None) -> None:
        self.name = shown(collection.path)
        wanted = collection.ids() if ids is None else np.array([*map(int, ids)], np.int64)
        self.rows: list[tuple[Segment, NDArray[np.int64]]] = []
        found = [np.empty(0, np.int64)]
        for segment in collection.segments():
            rows = np.flatnonzero(segment.alive & np.isin(segment.ids, wanted))
            self.rows.append((segment, rows))
            found.append(segment.ids[rows])
        there = np.concatenate(found)
        if missing := set(wanted.tolist()) - set(there.tolist()):
            raise KeyError(min(missing))
        self.order = np.searchsorted(there, wanted)
        self._recipe = collection.recipe

    def check_places(self) -> None:
        """MismatchError where no places of words are kept."""
        if not keeps_places(self._recipe):
            raise self._without("places of words", "configs/reuse.toml")
        self._check(_PLACES, _misfit_places)

    def check_codes(self) -> None:
        """MismatchError where no codes of sentences are kept."""
        if not keeps_codes(self._recipe):
            raise self._without("codes of sentences", "configs/evidence.toml")
        self._check(_CODES, _misfit_codes)

    def _without(self, what: str, recipe: str) -> MismatchError:
        return MismatchError(
            f"{self.name}: was made without {what}; make it again with a recipe that asks for "
            f"them, as {recipe}"
        )

    def _check(self, kinds: Mapping[str, str], fault: Callable[[Segment], str]) -> None:
        """FormatError where a segment has not the arrays that its recipe asks for, whole.

        What places and codes say cannot be held to anything else, so that their bytes are.
        """
        for segment, rows in self.rows:
            if not _has(segment, kinds):
                raise self.damage("it has not what its recipe asks for")
            if len(rows) and segment.check_content(kinds) and (words := fault(segment)):
                raise self.damage(words)

    def ragged(self, name: str) -> Ragged:
        """The rows of that array, in order."""
        pieces = [one.ragged(name).taken(rows) for one, rows in self.rows]
        return joined(pieces).taken(self.order) if pieces else Ragged.of([], "uint8")

    def damage(self, words: str) -> FormatError:
        """The error where what is stored does not fit together."""
        return FormatError(f"{self.name}: is damaged: {words}; {REMEDY}")


def _words_of(segment: Segment, rows: NDArray[np.int64]) -> WordOffsets:
    """The words of some rows of a segment, without the ends of lines; ValueError if damaged."""
    tokens, starts, ends = (
        segment.ragged(name).taken(rows) for name in (TOKENS, WORD_STARTS, WORD_ENDS)
    )
    is_word = tokens.values != LINE_END
    offsets = np.append(0, np.cumsum(is_word))[tokens.offsets]
    if not (np.array_equal(offsets, starts.offsets) and np.array_equal(offsets, ends.offsets)):
        raise ValueError(segment.number)
    return WordOffsets(Ragged(tokens.values[is_word], offsets), segment.ragged(WORDS), starts, ends)


def _taken(placed: WordOffsets, order: NDArray[np.int64]) -> WordOffsets:
    """The documents in another order."""
    if (order[1:] > order[:-1]).all() and len(order) == len(placed):
        return placed
    tokens, starts, ends = (
        column.taken(order) for column in (placed.tokens, placed.starts, placed.ends)
    )
    return WordOffsets(tokens, placed.words, starts, ends)


def _marked(spans: NDArray[np.uint32], titles: NDArray[np.uint8]) -> Marked:
    """What the rows of one document tell."""
    triples = spans.reshape(-1, 3).tolist()
    named = bytes(titles).decode("utf-8", "replace").split("\n")
    kinds: dict[int, list[Span]] = {CHAPTER: [], QUOTE: [], REFERENCES: []}
    for kind, start, end in triples:
        kinds.setdefault(kind, []).append(Span(start, end))
    chapters = _titled(kinds[CHAPTER], named)
    return Marked(tuple(chapters), tuple(kinds[QUOTE]), tuple(kinds[REFERENCES]))


def _titled(spans: Sequence[Span], titles: Sequence[str]) -> Iterator[Span]:
    for span, title in zip_longest(spans, titles[: len(spans)], fillvalue=""):
        if isinstance(span, Span):
            yield Span(span.start, span.end, str(title))
