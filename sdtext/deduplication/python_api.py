"""Deduplicate records, documents and the passages in them, in memory or in files, from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import groupby
from math import isclose, isfinite
from numbers import Real
from operator import attrgetter
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Self,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
)

from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.removal_evidence import ReviewedPair
from sdtext.deduplication.repeated_passages.find_repeats import (
    RepeatedPassages,
    repeated_passages,
)
from sdtext.deduplication.repeated_passages.passage_rules import PassageRules
from sdtext.deduplication.repeated_passages.removed_passages import (
    RemovedPassage,
    restored,
    without_ranges,
)
from sdtext.deduplication.rule_names import DOCUMENT, KEEP, RULES, UNITS
from sdtext.deduplication.rules_and_removals import (
    CoveredDocument,
    DuplicateCluster,
    RemovedDocument,
    Rules,
)
from sdtext.deduplication.run import Deduplicated
from sdtext.deduplication.run import deduplicate as run_deduplication
from sdtext.deduplication.source_documents import (
    FILES,
    HELD,
    WANTED,
    FrameDocuments,
    HeldDocuments,
    Sources,
    held_documents,
    sources_in,
)
from sdtext.errors import OptionError, check_options, counted, naming_arguments
from sdtext.io.remote_files import forget_fetched
from sdtext.model import Problem
from sdtext.model.displayed_results import ArrowRows, html_table, shorten_tuples
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.records import Fields
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.text.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

_REMOVED = "the removed passages of a result of deduplicate(…, unit=…)"
_RESTORED = "the records, Documents or table that a result of deduplicate keeps"

Item = TypeVar("Item")
PassageUnit = Literal["paragraph", "sentence", "passage"]

_PATH = (str, PathLike)
_MOST = 99
_RESULTS = {"mark": "cluster_numbers"}
_RESULTS |= {name: name for name in ("removed", "clusters", "covered")}
"""What the result has in place of options of the command line."""


class PassageOptions(TypedDict, total=False):
    """Options of `deduplicate` with a unit, with the names of those of the verb Deduplicate.

    - `min_tokens`: the fewest words of a passage that is removed; 50 by default for
      `unit="passage"`, else 1.
    - `min_copies`: how many copies of a passage stay, 1 by default.
    - `min_frequency`: what stands fewer times than this stays everywhere; 2 by default.
    - `distance`: how many of `min_tokens` words may be changed in a passage that is removed, for
      `unit="passage"`; 0 by default.
    - `recipe`: how words are normalized: a recipe, its name, or its file.
    - `text_field`, `id_field`: the fields of records; the id is by default "id", or the position.
    - `run`: processes, limits and progress.
    """

    min_tokens: int | None
    min_copies: int
    min_frequency: int
    distance: int
    recipe: RecipeLike | None
    text_field: str
    id_field: str
    run: Run


@dataclass(frozen=True)
class PassageDeduplication(Generic[Item]):
    """The result of a deduplication of passages.

    `kept` are all items in their order, those from which something is removed with what is left of
    their texts: records, and Documents in place of paths. `removed` are the passages, each with its
    place in the original text and the place that is kept. `restore(kept, removed)` gives the
    original texts. What could not be read stays as it is, and stands in `problems`.
    """

    kept: tuple[Item, ...]
    removed: ArrowRows[RemovedPassage]
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        shorten_tuples(self, "kept", "problems")

    def __repr__(self) -> str:
        counts = f"{len(self.kept):,} kept, {len(self.removed):,} passages removed"
        noted = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        return f"<deduplication: {counts}{noted}>"

    def _repr_html_(self) -> str:
        """What is removed as a table, for notebooks."""
        columns = [column.name for column in fields(RemovedPassage)]
        rows = [[getattr(row, name) for name in columns] for row in self.removed]
        return html_table(repr(self).strip("<>"), columns, rows)


@dataclass(frozen=True, repr=False)
class FramePassageDeduplication(PassageDeduplication[Any]):
    """The result for a frame: `kept` is a table of Arrow with its columns."""

    kept: pa.Table


def deduplicate_passages(
    sources: Sources, items: Frame | Sequence[Any], rules: PassageRules, field: str, run: Run
) -> PassageDeduplication[Any]:
    """The `items` of which `sources` are made, without what repeats."""
    removed: list[RemovedPassage] = []
    with repeated_passages(sources, rules, run) as repeated:
        if isinstance(items, Frame):
            table = items.with_texts(field, _cut_texts(repeated, items, field, removed))
        else:
            kept = tuple(_kept(repeated, items, field, run, removed))
    rows, problems = ArrowRows(RemovedPassage, tuple(removed)), tuple(run.problems or ())
    if isinstance(items, Frame):
        return FramePassageDeduplication(table, rows, problems)
    return PassageDeduplication(kept, rows, problems)


def _cut_texts(
    repeated: RepeatedPassages, frame: Frame, field: str, removed: list[RemovedPassage]
) -> dict[int, str]:
    """What is left of the texts of a frame from which something is removed, by their places."""
    texts = dict[int, str]()
    for place, row in enumerate(frame.rows([field])):
        document = repeated.documents.get((0, place))
        if document is not None:
            text = row[field]
            removed += repeated.passages(document, text, place + 1)
            texts[place] = without_ranges(text, repeated.ranges(document, text))
    return texts


def _kept(
    repeated: RepeatedPassages,
    items: Sequence[Any],
    field: str,
    run: Run,
    removed: list[RemovedPassage],
) -> Iterator[Any]:
    """The items with what is left of their texts; what is removed is appended to `removed`."""
    for record, (origin, item) in enumerate(_items(repeated, items, run), 1):
        document = repeated.documents.get(origin)
        if document is None:
            yield item
            continue
        text = item.text if isinstance(item, Document) else item[field]
        removed += repeated.passages(document, text, record)
        yield _with_text(item, field, without_ranges(text, repeated.ranges(document, text)))


def _items(
    repeated: RepeatedPassages, items: Sequence[Any], run: Run
) -> Iterator[tuple[tuple[int, int], Any]]:
    """The items with the numbers of their files and their places there."""
    sources, corpus = repeated.sources, repeated.corpus
    if sources.kind == HELD:
        read = {corpus.origin(document): document for document in range(len(corpus))}
        for place, item in enumerate(items):
            origin = 0, place
            if isinstance(item, _PATH) and origin in read:
                yield origin, Document.of(corpus.text(read[origin]), str(item))
            else:
                yield origin, item
    elif sources.kind == FILES:
        for document in range(len(corpus)):
            name = sources.name_of(corpus.origin(document)[0], "")
            yield corpus.origin(document), Document.of(corpus.text(document), name)
    else:
        for number in range(len(sources.paths)):
            yield from (((number, place), row) for place, row in sources.rows(number, run))


def _with_text(item: Any, field: str, text: str) -> Any:
    if isinstance(item, Document):
        return Document.of(text, item.source)
    return {**item, field: text}


@overload
def restore(
    documents: ArrowStream, removed: Iterable[RemovedPassage], *, text_field: str = ...
) -> pa.Table: ...
@overload
def restore(
    documents: Iterable[Item], removed: Iterable[RemovedPassage], *, text_field: str = ...
) -> list[Item]: ...
@naming_arguments
def restore(
    documents: Iterable[Item] | ArrowStream,
    removed: Iterable[RemovedPassage],
    *,
    text_field: str = "text",
) -> list[Item] | ArrowStream:
    r"""The records or Documents from which the passages were `removed`, with their original texts.

    `documents` are those that one result of `deduplicate` keeps; of a frame it is a table of Arrow.
    Raises FormatError where they do not fit, OptionError for anything else, such as a path or the
    documents that a result without a unit removes.

    >>> from sdtext import deduplicate
    >>> records = [{"text": "Bees dance.\n\nBuy now!"}, {"text": "Buy now!\n\nThey sing."}]
    >>> result = deduplicate(records, unit="paragraph")
    >>> result.kept[1]["text"], restore(result.kept, result.removed) == records
    ('They sing.', True)
    """
    rows = sorted(_passages(removed), key=attrgetter("record"))
    by_record = {record: list(group) for record, group in groupby(rows, attrgetter("record"))}
    if is_frame(documents):
        frame = Frame.of("restore", documents, Fields(text=text_field))
        column = frame.table[text_field]
        places = [record - 1 for record in by_record if record <= len(frame)]
        kept = {place: column[place].as_py() for place in places}
        texts = {place: restored(text, by_record[place + 1]) for place, text in kept.items()}
        restored_table: ArrowStream = frame.with_texts(text_field, texts)
        return restored_table
    one = str, PathLike, Mapping, Document
    if isinstance(documents, one) or not isinstance(documents, Iterable):
        raise OptionError.of("restore", "documents", documents, _RESTORED)
    originals = list[Any]()
    for record, item in enumerate(documents, 1):
        if record not in by_record:
            originals.append(item)
            continue
        if not isinstance(item, Document | Mapping):
            raise OptionError.of("restore", f"documents[{record - 1}]", item, _RESTORED)
        text = item.text if isinstance(item, Document) else item[text_field]
        originals.append(_with_text(item, text_field, restored(text, by_record[record])))
    return originals


def _passages(removed: object) -> list[RemovedPassage]:
    """The removed passages that `restore` is given. Raises OptionError for anything else."""
    items = [*removed] if isinstance(removed, Iterable) and not isinstance(removed, str) else None
    if items and all(isinstance(item, RemovedDocument) for item in items):
        what = (
            "removed: these are removed documents, not passages; nothing was cut from the kept ones"
        )
        raise OptionError(what, place="restore")
    if items is None or not all(isinstance(item, RemovedPassage) for item in items):
        raise OptionError.of("restore", "removed", removed, _REMOVED)
    return items


class DeduplicationOptions(TypedDict, total=False):
    """Options of `deduplicate`, with the names of those of the verb Deduplicate.

    - `similarity`: what scores this much is a duplicate: 0.01 to 0.99; the default is the recipe's.
    - `recipe`: a recipe with a shingler, its name, or its file; the default is `deduplicate`.
    - `recall`: the required probability of finding a pair of that similarity.
    - `keep`: which of similar documents is kept: "first", "longest", "shortest", "newest" (files by
      their times, records by the field `date`), "newest:FIELD", "best:FIELD" (the largest number)
      or "none".
    - `rule`: "direct" removes what is similar to a kept document, "cluster" all but one of each
      cluster of links, "contained" what is in a kept document (`similarity` is then the share of
      its shingles, by default 0.99).
    - `scope`: "within:FIELD" for pairs of records with the same value in a field alone, or
      "across:FIELD" for pairs with different values.
    - `explain`: whether removed documents have the number of shingles that they share with those
      kept instead, and the longest shared passage.
    - `review`: the number of removals, the least similar first, to list with their texts.
    - `against`: a collection, or its path; what is similar to one of its documents is removed, too.
    - `text_field`, `id_field`: the fields of records; the id is by default "id", or the position.
    - `run`: processes, limits and progress.
    """

    similarity: float | None
    recipe: RecipeLike | None
    recall: float | None
    keep: str
    rule: str
    scope: str | None
    explain: bool
    review: int
    against: StoredCollection | str | Path | None
    text_field: str
    id_field: str
    run: Run


class _AnyOptions(DeduplicationOptions, PassageOptions, total=False):
    """The options of `deduplicate` for all units."""


@dataclass(frozen=True)
class Deduplication(Generic[Item]):
    """The result of a deduplication.

    `kept` are the items that are kept, in their order: the records and documents that were given,
    the paths of files, or the records in files. `removed` says for each other one which
    `document` it is, which one is `kept` instead, and their `score` (0 to 99) and `similarity` (0
    to 1). `clusters` has the duplicates of each kept document. What could not be read is kept, and
    stands in `problems`. `covered` has the documents of the collection `against` that are similar
    to one of the items, `reviewed` the least similar removals, with the passages where they differ.
    `cluster_numbers` has the number of the cluster of each item, those that are removed included;
    0 for one that is similar to a document of `against`, None for one in no cluster.
    """

    kept: tuple[Item, ...]
    removed: ArrowRows[RemovedDocument]
    clusters: ArrowRows[DuplicateCluster]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    covered: ArrowRows[CoveredDocument] = field(
        default_factory=lambda: ArrowRows(CoveredDocument, ())
    )
    reviewed: ArrowRows[ReviewedPair] = field(default_factory=lambda: ArrowRows(ReviewedPair, ()))
    cluster_numbers: tuple[int | None, ...] = field(default=(), repr=False)
    _again: Callable[[float], Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        shorten_tuples(self, "kept", "problems", "cluster_numbers")

    def rethreshold(self, similarity: float) -> Self:
        """The result at a higher similarity, from the links that are known, without reading again.

        It is that of `deduplicate` with this similarity. Evidence and a review are there for pairs
        that had it before. Raises OptionError for a lower similarity, and where so many documents
        are similar that not all their pairs are known.
        """
        if self._again is None:
            raise OptionError("this result was not made by deduplicate()", place="rethreshold")
        result: Self = self._again(similarity)
        return result

    def __repr__(self) -> str:
        counts = f"{len(self.kept):,} kept, {len(self.removed):,} removed"
        noted = f", {counted(len(self.problems), 'problem')}" if self.problems else ""
        return f"<deduplication: {counts}{noted}>"

    def _repr_html_(self) -> str:
        """What is removed as a table, for notebooks."""
        columns = [column.name for column in fields(RemovedDocument)]
        for name in ("duplicate", "shared", "passage"):
            if all(getattr(row, name) is None for row in self.removed):
                columns.remove(name)
        rows = [[getattr(row, name) for name in columns] for row in self.removed]
        return html_table(repr(self).strip("<>"), columns, rows)


@dataclass(frozen=True, repr=False)
class FrameDeduplication(Deduplication[Any]):
    """The result of the deduplication of a frame: `kept` is a table of Arrow with its columns.

    `polars.DataFrame(result.kept)`, `pandas.DataFrame.from_arrow(result.kept)` and DuckDB read it
    without a copy of the texts in Python; so they do `removed` and `clusters`.
    """

    kept: pa.Table


@overload
def deduplicate(
    documents: ArrowStream,
    *,
    unit: Literal["document"] = "document",
    **options: Unpack[DeduplicationOptions],
) -> FrameDeduplication: ...


@overload
def deduplicate(
    documents: ArrowStream, *, unit: PassageUnit, **options: Unpack[PassageOptions]
) -> FramePassageDeduplication: ...


@overload
def deduplicate(
    documents: str | Path | Document, *, unit: PassageUnit, **options: Unpack[PassageOptions]
) -> PassageDeduplication[Any]: ...


@overload
def deduplicate(
    documents: Iterable[Item], *, unit: PassageUnit, **options: Unpack[PassageOptions]
) -> PassageDeduplication[Item]: ...


@overload
def deduplicate(
    documents: str | Path | Document,
    *,
    unit: Literal["document"] = "document",
    **options: Unpack[DeduplicationOptions],
) -> Deduplication[Any]: ...


@overload
def deduplicate(
    documents: Iterable[Item],
    *,
    unit: Literal["document"] = "document",
    **options: Unpack[DeduplicationOptions],
) -> Deduplication[Item]: ...


@naming_arguments
def deduplicate(
    documents: str | Path | Document | ArrowStream | Iterable[Item],
    *,
    unit: str = DOCUMENT,
    **options: Unpack[_AnyOptions],
) -> Deduplication[Item] | PassageDeduplication[Item]:
    """Keep one of similar documents or records, as the verb Deduplicate does.

    `documents` is the path of a file, folder, archive or file of records, or several of them, or
    records (mappings with a text) and Documents in memory, among which paths of documents may
    stand, or a frame: whatever gives an Arrow stream (pyarrow, polars, DuckDB, pandas), or a
    dataset of Hugging Face. A string is a path; a text is given as `Document.of(text)`. The options
    are those of `DeduplicationOptions`. With another `unit` than "document" repeated paragraphs,
    sentences or passages are removed from the texts; the options then are those of
    `PassageOptions`. Of no documents, such as an empty list, nothing is kept and nothing is
    removed. Raises OptionError, UnreadableError where nothing can be read, MismatchError or
    OutputError.

    >>> records = [{"id": 1, "text": "The bees dance in the hive, and the others follow."}]
    >>> records += [{"id": 2, "text": "The bees dance in the hive; and the others follow!"}]
    >>> result = deduplicate(records, similarity=0.8)
    >>> [record["id"] for record in result.kept]
    [1]
    >>> [(row.document, row.kept, row.score) for row in result.removed]
    [('2', '1', 99)]
    """
    asked = _Options.of(unit, options)
    run = asked.run or Run()
    run = run if run.problems is not None else replace(run, problems=[])
    items = _items_of(documents, asked)
    rules = asked.rules if unit == DOCUMENT else asked.passage_rules
    if not items:
        return _nothing(items, unit)
    sources = _sources_of(items, asked, rules.fields, run)
    if isinstance(rules, PassageRules):
        return deduplicate_passages(sources, items, rules, asked.text_field, run)
    done = run_deduplication(sources, rules, run)
    noted = tuple(run.problems or ())
    placed = items if isinstance(items, Frame) else tuple(_placed(items, done.sources, run))
    return _result(done, placed, noted)


def _nothing(items: Frame | list[Any], unit: str) -> Deduplication[Any] | PassageDeduplication[Any]:
    """The result for no documents at all."""
    if unit != DOCUMENT:
        passages = ArrowRows(RemovedPassage, ())
        if isinstance(items, Frame):
            return FramePassageDeduplication(items.table, passages)
        return PassageDeduplication((), passages)
    rows = ArrowRows(RemovedDocument, ()), ArrowRows(DuplicateCluster, ())

    def again(similarity: float) -> Deduplication[Any]:
        score_of("rethreshold", similarity)
        return result

    if isinstance(items, Frame):
        result: Deduplication[Any] = FrameDeduplication(items.table, *rows, _again=again)
    else:
        result = Deduplication((), *rows, _again=again)
    return result


def _result(
    done: Deduplicated, items: Frame | tuple[_PlacedItem, ...], noted: tuple[Problem, ...]
) -> Deduplication[Any]:
    """The result for a frame, or for the documents of the sources in their order.

    `noted` has the problems of reading.
    """
    nothing = frozenset[int]()
    places, marks = done.places, done.marks or {}
    if isinstance(items, Frame):
        keys = [(0, place) for place in range(len(items))]
    else:
        keys = [(file, place) for file, place, _ in items]
    result = (
        ArrowRows(RemovedDocument, done.removed),
        ArrowRows(DuplicateCluster, done.clusters),
        (*noted, *done.problems),
        done.how,
        ArrowRows(CoveredDocument, done.covered),
        ArrowRows(ReviewedPair, done.reviewed),
        tuple(marks.get(file, {}).get(place) for file, place in keys),
        partial(_again, done, items, noted),
    )
    if isinstance(items, Frame):
        return FrameDeduplication(items.without(places.get(0, nothing)), *result)
    kept = (item for file, place, item in items if place not in places.get(file, nothing))
    return Deduplication(tuple(kept), *result)


def _again(
    done: Deduplicated,
    items: Frame | tuple[_PlacedItem, ...],
    noted: tuple[Problem, ...],
    similarity: float,
) -> Deduplication[Any]:
    minimum = score_of("rethreshold", similarity)
    if minimum < done.minimum:
        wanted = (
            f"{done.minimum / 100} or more: pairs below were not searched for; deduplicate again "
            "for fewer"
        )
        raise OptionError.of("rethreshold", "similarity", similarity, wanted)
    return _result(done.at_least(minimum), items, noted)


_PlacedItem = tuple[int, int, Any]
"""An item with the number of its file and its place there."""


def _placed(items: Sequence[Any], sources: Sources, run: Run) -> Iterator[_PlacedItem]:
    """The items, the paths of files, or the records in files."""
    if sources.kind == HELD:
        yield from ((0, place, item) for place, item in enumerate(items))
    elif sources.kind == FILES:
        yield from ((number, 0, path) for number, path in enumerate(sources.paths))
    else:
        for number in range(len(sources.paths)):
            yield from ((number, place, row) for place, row in sources.rows(number, run))


def _items_of(documents: object, asked: _Options) -> Frame | list[Any]:
    """The frame, or the paths, records and documents; what is remote is fetched anew."""
    forget_fetched()
    if is_frame(documents):
        return Frame.of("deduplicate", documents, asked.fields)
    if isinstance(documents, (*_PATH, Document)):
        return [documents]
    if not isinstance(documents, Iterable) or isinstance(documents, Mapping):
        raise OptionError.of("deduplicate", "documents", documents, f"{WANTED}, or a frame")
    return [*documents]


def _sources_of(
    items: Frame | list[Any], asked: _Options, carried: Sequence[str], run: Run
) -> Sources:
    if isinstance(items, Frame):
        return FrameDocuments((), HELD, asked.fields, carried=tuple(carried), frame=items)
    if all(isinstance(item, _PATH) for item in items):
        return sources_in(Inputs([*items], asked.fields), run)
    held = tuple(held_documents("deduplicate", items, asked.fields, run, carried))
    first = next((item for item in items if isinstance(item, Mapping)), {})
    return HeldDocuments((), HELD, Fields(), held=held, known=(*map(str, first),))


@dataclass(frozen=True)
class _Options:
    """The options of a deduplication, as a program gives them."""

    similarity: float | None = None
    recipe: RecipeLike | None = None
    recall: float | None = None
    keep: str = KEEP[0]
    rule: str = RULES[0]
    scope: str | None = None
    explain: bool = False
    review: int = 0
    against: StoredCollection | str | Path | None = None
    text_field: str = "text"
    id_field: str = ""
    run: Run | None = None
    unit: str = DOCUMENT
    min_tokens: int | None = None
    min_copies: int = 1
    min_frequency: int = 2
    distance: int = 0

    @classmethod
    def of(cls, unit: str, options: _AnyOptions) -> _Options:
        """The options of a deduplication of that unit. Raises OptionError for those of another."""
        if unit not in UNITS:
            raise OptionError.of("deduplicate", "unit", unit, f"one of {', '.join(UNITS)}")
        known = DeduplicationOptions if unit == DOCUMENT else PassageOptions
        results = _RESULTS if unit == DOCUMENT else {}
        check_options("deduplicate", options, ("unit", *known.__annotations__), results)
        return cls(unit=unit, **options)

    @property
    def passage_rules(self) -> PassageRules:
        """The same as rules for passages. Raises OptionError."""
        recipe = None if self.recipe is None else recipe_from(self.recipe)
        return PassageRules(
            self.unit, self.min_tokens, self.min_copies, self.min_frequency, recipe, self.distance
        )

    @property
    def fields(self) -> Fields:
        """The fields of records."""
        return Fields(self.text_field, self.id_field)

    @property
    def rules(self) -> Rules:
        """The same as rules. Raises OptionError, and for a collection as `open` does."""
        recipe = None if self.recipe is None else recipe_from(self.recipe)
        if isinstance(self.review, bool) or not isinstance(self.review, int) or self.review < 0:
            raise OptionError.of("deduplicate", "review", self.review, "a whole number, 0 or more")
        stored = (
            StoredCollection.open(self.against) if isinstance(self.against, _PATH) else self.against
        )
        if not isinstance(stored, StoredCollection | None):
            wanted = "a collection, or the path of one"
            raise OptionError.of("deduplicate", "against", stored, wanted)
        given = self.similarity
        minimum = None if given is None else score_of("deduplicate", given)
        scope = "" if self.scope is None else self.scope
        return Rules(
            recipe,
            minimum,
            self.recall,
            self.keep,
            stored,
            self.rule,
            scope,
            lists_covered=stored is not None,
            explains=self.explain,
            reviewed=self.review,
            marks=True,
            retains=True,
        )


def score_of(caller: str, similarity: object) -> int:
    """The score of a similarity that was given as an argument. Raises OptionError.

    >>> score_of("deduplicate", 0.8)
    80
    """
    wanted = "from 0.01 to 0.99, in hundredths"
    if isinstance(similarity, Real) and not isinstance(similarity, bool):
        percent = 100 * float(similarity)
        score = round(percent) if isfinite(percent) else 0
        if 1 <= score <= _MOST and isclose(score, percent, abs_tol=1e-9):
            return score
        if percent == 100:
            wanted += "; equal documents score 99: write 0.99"
    elif isinstance(similarity, str):
        wanted = f"a number {wanted}, and this is a text{_as_number(similarity)}"
    raise OptionError.of(caller, "similarity", similarity, wanted)


def _as_number(text: str) -> str:
    """The advice to write a text without quotes, where it is a similarity; else ""."""
    try:
        number = float(text)
    except ValueError:
        return ""
    return f"; write {number:g} without quotes" if 0 < number < 1 else ""
