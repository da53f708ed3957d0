"""Deduplicate records, documents and the passages in them, in memory or in files, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby
from math import isclose
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import SHINGLES, SKETCH_COLUMNS
from sdtext.collections.stored_collection import StoredCollection
from sdtext.deduplication.choose_documents import Choice, Removal, choose_documents
from sdtext.deduplication.order_and_scope import with_fields
from sdtext.deduplication.outputs import (
    Marks,
    Places,
    converts,
    kept_format,
    kept_output,
    temporary_place,
)
from sdtext.deduplication.repeated_passages.find_repeats import (
    RemovedLog,
    RepeatedPassages,
    repeated_passages,
    write_cut,
)
from sdtext.deduplication.repeated_passages.removed_passages import RemovedPassage, restored
from sdtext.deduplication.rule_names import DEFAULT_RECIPE, DOCUMENT, KEEP, RULES
from sdtext.deduplication.rules_and_removals import (
    Deduplication,
    DuplicateCluster,
    RemovedDocument,
    ReviewedPair,
    Rules,
)
from sdtext.deduplication.source_documents import FILES, PATH, Sources, sources_of
from sdtext.deduplication.temporary_collection import Workspace, fill_workspace, temporary_folder
from sdtext.errors import MismatchError, OptionError
from sdtext.io.remote_files import forget_fetched
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.displayed_results import ArrowRows
from sdtext.model.record_formats import JSON_LINES, TSV, RecordFormat
from sdtext.parts.load_recipe import RecipeLike, load_recipe, recipe_from
from sdtext.parts.registry import build, find
from sdtext.reading.overwrite_guard import PLAIN, Output
from sdtext.reading.parallel_run import EXPLAINING, Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import Fields, check_cuts
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import SearchPlan, plan_search, recipe_of_whole_documents
from sdtext.search.searchable import Derivation
from sdtext.search.shared_pieces import SharedPieces
from sdtext.text.document import Document
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")
Documents = str | Path | Document | ArrowStream | Iterable[Any]


def deduplicate(  # noqa: PLR0913 (options are spelled out)
    documents: Documents,
    *,
    similarity: float | None = None,
    unit: str = DOCUMENT,
    rule: str = RULES[0],
    keep: str = KEEP[0],
    scope: str = "",
    recipe: RecipeLike | None = None,
    recall: float | None = None,
    against: StoredCollection | str | Path | None = None,
    explain: bool = False,
    review: int = 0,
    min_tokens: int | None = None,
    text_field: str = "text",
    id_field: str = "",
    output: str | Path = "",
    mark: bool = False,
    force: bool = False,
    run: Run | None = None,
) -> Deduplication:
    """Keep one of similar documents or records, as the verb Deduplicate does.

    `documents` is the path of a file, folder, archive or file of records, or several of them, or
    records (mappings with a text) and Documents in memory, among which paths of documents may
    stand, or a frame: whatever gives an Arrow stream (pyarrow, polars, DuckDB, pandas), or a
    dataset of Hugging Face. A string is a path; a text is given as `Document.of(text)`. Of no
    documents, such as an empty list, nothing is kept and nothing is removed.

    - `unit`: what is compared and removed: "document", or with what is left of the texts kept,
      repeated parts of them: "paragraph", "sentence" or "passage" (sentences within words that
      stand elsewhere, too).
    - `recipe`: a recipe with a shingler, its name, or its file; the default is `deduplicate`.
    - `text_field`, `id_field`: the fields of records; the id is by default "id", or the position.
    - `output`: a file for what is kept of documents and records in files, such as "kept.jsonl.gz";
      "-" is the standard output. Of parts of documents nothing is `kept` in memory then. `force`:
      it replaces an existing file, but never an input.
    - `run`: processes, limits and progress.

    For documents:

    - `similarity`: what scores this much is a duplicate: 0 to 0.99; the default is the recipe's.
    - `rule`: "direct" removes what is similar to a kept document, "cluster" all but one of each
      cluster of links, "contained" what is in a kept document (`similarity` is then the share of
      its shingles, by default 0.99).
    - `keep`: which of similar documents is kept: "first", "longest", "shortest", "newest" (files by
      their times, records by the field `date`), "newest:FIELD", "best:FIELD" (the largest number)
      or "none".
    - `scope`: "within:FIELD" for pairs of records with the same value in a field alone, or
      "across:FIELD" for pairs with different values.
    - `recall`: the required probability of finding a pair of that similarity.
    - `against`: a collection, or its path; what is similar to one of its documents is removed, too.
    - `explain`: whether removed documents have the number of shingles that they share with those
      kept instead, and the longest shared passage.
    - `review`: the number of removals, the least similar first, to list with their texts.

    - `mark`: all documents are written to `output`, with the number of their cluster in a column
      (of records, a field) called cluster.

    For parts of documents:

    - `min_tokens`: the fewest words of a passage that is removed; 50 by default for "passage",
      else 1.

    Raises OptionError, UnreadableError where nothing can be read, MismatchError or OutputError.

    >>> records = [{"id": 1, "text": "The bees dance in the hive, and the others follow."}]
    >>> records += [{"id": 2, "text": "The bees dance in the hive; and the others follow!"}]
    >>> result = deduplicate(records, similarity=0.8)
    >>> [record["id"] for record in result.kept]
    [1]
    >>> [(row.document, row.kept, row.score) for row in result.removed]
    [('2', '1', 99)]
    """
    stored = StoredCollection.open(against) if isinstance(against, PATH) else against
    searched = None if recipe is None else recipe_from(recipe)
    least = None if similarity is None else score_of("deduplicate", similarity)
    rules = Rules(
        searched, least, recall, keep, stored, rule, scope, unit, min_tokens, mark, explain, review
    )
    run = (run or Run()).anew()
    run = run if run.problems is not None else replace(run, problems=[])
    named = Fields(text_field, id_field)
    forget_fetched()  # what is remote may have changed
    if is_frame(documents):
        items: Any = Frame.of("deduplicate", documents, named)
    else:
        is_one = isinstance(documents, (*PATH, Document))
        items = [documents] if is_one else [*documents]  # type: ignore[misc] # a frame is above
    if not items:
        row_type = RemovedDocument if unit == DOCUMENT else RemovedPassage
        nothing = items.table if isinstance(items, Frame) else ()
        return Deduplication(ArrowRows[Any](row_type, ()), _kept=lambda: nothing)
    target = Output(output, PLAIN, force) if output else None
    if target:
        target.check(str(item) for item in items if isinstance(item, PATH))
    sources, form = sources_of(items, named, run), None
    if target:
        of_files = JSON_LINES if unit != DOCUMENT else TSV if mark else None  # else their paths
        form = kept_format(sources, target.path, of_files)
        sources = replace(sources, converted=mark or converts(sources, form))
    if unit != DOCUMENT:
        done = _without_passages(sources, rules, run, target, form)
    else:
        done, places, marks = find_duplicates(sources, rules, run, temporary_place(str(output)))
        if target:
            with kept_output(target, sources, form, run) as kept:
                if mark:
                    kept.write_marked(marks)
                else:
                    kept.write_kept(places)
        done = replace(done, _kept=partial(sources.kept, places, Run(reading=run.reading)))
    return replace(done, problems=tuple(run.problems or ()))


def _without_passages(
    sources: Sources, rules: Rules, run: Run, target: Output | None, form: RecordFormat | None
) -> Deduplication:
    """The items with what is left of their texts; paths that were read become Documents."""
    folder = temporary_place(str(target.path)) if target else None
    with repeated_passages(sources, rules, run, folder) as repeated:
        removed: Sequence[RemovedPassage]
        if target:
            kept, removed = (), RemovedLog(folder)
            with kept_output(target, sources, form, run) as output:
                write_cut(repeated, removed, output)
        else:
            kept, removed = _cut_items(sources, repeated, run)
        rows = ArrowRows(RemovedPassage, removed)
        summary, counts = str(repeated), repeated.counts
    return Deduplication(rows, summary=summary, counts=counts, _kept=lambda: kept)


def _cut_items(
    sources: Sources, repeated: RepeatedPassages, run: Run
) -> tuple[Any, tuple[RemovedPassage, ...]]:
    """The items with what is left of their texts, and what is removed."""
    removed: list[RemovedPassage] = []
    kept: list[Any] = []
    texts: dict[int, str] = {}
    field, corpus = sources.fields.text, repeated.corpus
    numbers = range(len(corpus)) if sources.has_files else ()
    read = {corpus.origin(document): document for document in numbers}
    for position, (file, place, given) in enumerate(sources.placed(run)):
        item = given
        if (file, place) in read and isinstance(item, PATH):
            item = Document.of(corpus.text(read[file, place]), sources.name_of(file, item))
        if (document := repeated.documents.get(file, {}).get(place)) is not None:
            if not isinstance(item, Document):
                check_cuts(item, field)
            text = item.text if isinstance(item, Document) else item[field]
            texts[position], passages = repeated.cut(document, text, position + 1)
            removed += passages
            item = _with_text(item, field, texts[position])
        if sources.frame is None:
            kept.append(item)
    whole = sources.frame.with_texts(field, texts) if sources.frame is not None else tuple(kept)
    return whole, tuple(removed)


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
def restore(
    documents: Iterable[Item] | ArrowStream,
    removed: Iterable[RemovedPassage],
    *,
    text_field: str = "text",
) -> list[Item] | ArrowStream:
    r"""The records or Documents from which the passages were `removed`, with their original texts.

    `documents` are those that one result of `deduplicate` keeps; of a frame it is a table of Arrow.
    Rows of a file of `--removed` are passages as `RemovedPassage(**row)`. Raises FormatError where
    they do not fit.

    >>> from sdtext import deduplicate
    >>> records = [{"text": "Bees dance.\n\nBuy now!"}, {"text": "Buy now!\n\nThey sing."}]
    >>> result = deduplicate(records, unit="paragraph")
    >>> result.kept[1]["text"], restore(result.kept, result.removed) == records
    ('They sing.', True)
    """
    rows = sorted(removed, key=attrgetter("record"))
    by_record = {record: list(group) for record, group in groupby(rows, attrgetter("record"))}
    if is_frame(documents):
        frame = Frame.of("restore", documents, Fields(text=text_field))
        column = frame.table[text_field]
        places = [record - 1 for record in by_record if record <= len(frame)]
        kept = {place: column[place].as_py() for place in places}
        texts = {place: restored(text, by_record[place + 1]) for place, text in kept.items()}
        restored_table: ArrowStream = frame.with_texts(text_field, texts)
        return restored_table
    originals = list[Any]()
    for record, item in enumerate(documents, 1):  # type: ignore[arg-type] # a frame is above
        if record in by_record:
            text = item.text if isinstance(item, Document) else item[text_field]  # type: ignore[index]
            originals.append(_with_text(item, text_field, restored(text, by_record[record])))
        else:
            originals.append(item)
    return originals


def score_of(caller: str, similarity: float) -> int:
    """The score of a similarity that was given as an argument. Raises OptionError.

    >>> score_of("deduplicate", 0.8)
    80
    """
    for score in range(100):
        if isclose(100 * similarity, score, abs_tol=1e-9):
            return score
    raise OptionError.of(caller, "similarity", similarity, "from 0 to 0.99, in hundredths")


_MANY = 20  # documents of one cluster


def find_duplicates(
    sources: Sources, rules: Rules, run: Run, folder: str | Path | None = None
) -> tuple[Deduplication, Places, Marks]:
    """What to remove of the documents of `sources`, and where that stands in them.

    The places are those of removed documents, by the number of their file (0 for the file itself);
    the marks are in the same way the numbers of the clusters of documents, 0 for one that is
    similar to a stored one. Documents that could not be read are kept. Temporary files are below
    `folder`. Raises OptionError, UnreadableError, MismatchError or OutputError.
    """
    recipe = recipe_for(rules)
    sources = with_fields(sources, rules, run)
    keeps_texts = rules.explain or rules.review > 0
    with temporary_folder(folder) as place:
        documents = fill_workspace(sources, recipe, place, run, texts=keeps_texts)
        choice = choose_documents(documents, rules, run)
        plan = plan_search(documents.collection, rules.question)
        cluster_of = choice.cluster_of()
        names = documents.names(sorted(cluster_of))
        median = None if rules.is_contained else _Median.of(documents, plan)
        default = plan_search(documents.collection, replace(rules.question, minimum=None)).minimum
        # Who states another minimum knows what it asks for.
        if median and median.scores[1] < plan.minimum == default:
            run.note(_few_shingles(median, plan.minimum))
        largest = max((len(cluster.members) for cluster in choice.clusters), default=0)
        if largest > max(_MANY, len(documents) // 2) and plan.scorer.matcher.name == "jaccard":
            what = f"one cluster has {largest:,} of {len(documents):,} documents; for texts of "
            what += "one form, the recipe deduplicate-idf weighs words by their rarity"
            run.note(Problem("warning", "large-cluster", what))
        if choice.split:
            what = f"{counted(choice.split, 'group')} of linked documents, compared in parts; "
            what += "duplicates may be kept"
            run.note(Problem("warning", "large-bucket", what))
        more = dict.fromkeys(_of_choice(choice, names, plan.minimum))
        run.note(*(problem for problem in more if problem not in run.found))
        shared, differing = evidence_of(documents, choice.removals, rules, run)
    is_none = rules.keep == "none"
    removed: dict[int, RemovedDocument] = {}
    places: dict[int, set[int]] = {}
    marks: dict[int, dict[int, int]] = {}
    origins = documents.origins([row.number for row in choice.removals])
    for row, (file, at) in zip(choice.removals, origins, strict=True):
        other = names[row.other] if row.cluster else choice.stored_names[row.other]
        removed[row.number] = RemovedDocument(
            names[row.number],
            "" if is_none and row.cluster else other,
            row.score,
            row.similarity,
            row.cluster or None,
            other if is_none else None,
            *shared.get(row.number, (None, None)),
        )
        places.setdefault(file, set()).add(at)
    for number, (file, at) in zip(cluster_of, documents.origins([*cluster_of]), strict=True):
        marks.setdefault(file, {})[at] = cluster_of[number]
    clusters = (
        DuplicateCluster(
            number,
            len(cluster.members),
            "" if cluster.kept < 0 else names[cluster.kept],
            round(cluster.weakest, 6),  # a sum of many has errors in its last digits
            round(cluster.mean, 6),
            tuple(names[member] for member in cluster.members),
        )
        for number, cluster in enumerate(choice.clusters, 1)
    )
    reviewed = []
    for number, texts in differing:
        pair = removed[number]
        kept_name = pair.kept if pair.duplicate is None else pair.duplicate
        values = (pair.document, kept_name, pair.score, pair.similarity, pair.cluster)
        reviewed.append(ReviewedPair(*values, *texts))
    stored = sum(row.cluster is None for row in removed.values())
    counts = {
        "documents": len(documents),
        "kept": len(documents) - len(removed),
        "removed": len(removed),
        "clusters": len(choice.clusters),
        "stored": stored,
    }
    unread = len(sources.paths) - len(documents) if sources.kind == FILES else 0
    return (
        Deduplication(
            ArrowRows(RemovedDocument, (*removed.values(),)),
            ArrowRows(DuplicateCluster, (*clusters,)),
            how=choice.how + (_meaning(median, plan.minimum) if median else ""),
            reviewed=ArrowRows(ReviewedPair, (*reviewed,)),
            curve=choice.curve,
            summary=summary_of(counts, unread, mark=rules.mark),
            counts=counts,
        ),
        {file: frozenset(some) for file, some in places.items()},
        marks,
    )


def summary_of(counts: Mapping[str, int], unread: int, *, mark: bool) -> str:
    """What a deduplication did, in words."""
    removed, stored = counts["removed"], counts["stored"]
    copies, clusters = removed - stored, counted(counts["clusters"], "cluster")
    if mark:
        done = f"{counts['documents']:,} read, none removed"
        marked = f"; the column cluster numbers {clusters} with {copies:,} removable"
        marked += f", and has 0 for {stored:,} similar to stored documents" * bool(stored)
    else:
        done = f"{counts['documents']:,} read, {counts['kept']:,} kept, {removed:,} removed"
        marked = f" in {clusters}"
        if stored:
            marked = f": {stored:,} similar to stored documents, {copies:,}{marked}"
    rest = f"; {counted(unread, 'unread file')} {'is' if unread == 1 else 'are'} kept, too"
    return done + marked * bool(removed) + rest * (unread > 0)


def _of_choice(choice: Choice, names: Mapping[int, str], minimum: int) -> Iterator[Problem]:
    """Warnings where removed documents are not similar to those that are kept instead."""

    def both(pair: tuple[int, int]) -> str:
        return f"{shown(names[pair[0]])} and {shown(names[pair[1]])}"

    yield from refused_pairs(choice.refused, both)
    below = [row for row in choice.removals if row.score < minimum]
    far = sum((min(row[:2]), max(row[:2])) not in choice.refused for row in below)
    if far:
        what = f"{far:,} of {counted(len(choice.removals), 'removed document')} "
        what += f"{'scores' if far == 1 else 'score'} below {minimum} with the document kept "
        what += "instead: they are linked to it through other documents"
        yield Problem("warning", "chain", what)


def recipe_for(rules: Rules) -> RecipeSpec:
    """The recipe of the rules, else that of the collection to compare with, else the default.

    Raises OptionError where the recipe is for other things than shingles, MismatchError where
    the documents could not be compared with the collection's.
    """
    wrong = ""
    if rules.recipe:
        fingerprint, matcher = rules.recipe.fingerprint, rules.recipe.matcher
        part = find("matchers", matcher.name) if matcher else None
        is_of_terms = getattr(part, "needs_dictionary", False)
        if rules.recipe.shingler is None:
            wrong = "names no shingler"
        elif fingerprint and fingerprint.name not in (*SKETCH_COLUMNS, "shingles"):
            wrong = f"is for the fingerprint {fingerprint.name}"
        elif matcher and is_of_terms and not getattr(part, "weighs_shingles", False):
            wrong = f"is for the matcher {matcher.name}"
    if wrong:
        raise OptionError(f"the recipe {wrong}; name one with a shingler, such as deduplicate")
    if rules.against is None:
        return rules.recipe or load_recipe(DEFAULT_RECIPE)
    stored = rules.against.recipe
    whole = recipe_of_whole_documents(stored)
    if whole.shingler is None:
        what = "stores no shingles; create a collection with a recipe that names a shingler"
        raise MismatchError(what, file=rules.against.path)
    recipe = rules.recipe or whole
    Derivation(stored, recipe)
    return recipe


class _Median(NamedTuple):
    """Half of the documents have so many shingles of so many words, or characters, or more.

    `scores` has for each number of changed ones the score of such a document with its original:
    each is in as many shingles as a shingle has words or characters.
    """

    unit: str
    shingles: int
    length: int
    scores: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, documents: Workspace, plan: SearchPlan) -> _Median | None:
        """That of the documents that have any; None without shingles of a length."""
        if plan.compares != "shingles" or plan.recipe.shingler is None:
            return None
        segments = documents.collection.segments()
        sizes = np.concatenate([segment.ragged(SHINGLES).lengths for segment in segments])
        length = getattr(build("shinglers", plan.recipe.shingler), "length", 1)
        if len(sizes := sizes[sizes > 0]) < 2 or not isinstance(length, int):
            return None
        size = int(np.median(sizes))
        common = np.arange(size, -1, -length)
        common = common if common[-1] == 0 else np.append(common, 0)
        scores = plan.scorer(common, *np.full((2, len(common)), size)).score
        return cls(plan.recipe.shingler.name.removesuffix("s"), size, length, scores)


def _few_shingles(median: _Median, minimum: int) -> Problem:
    """A warning that one changed word is too much for the minimum, in half of the documents."""
    what = f"half of the documents have at most {counted(median.shingles, 'shingle')}: one changed "
    what += f"{median.unit} lowers their score to {median.scores[1]}, below the minimum {minimum}; "
    what += "use a lower one" + ", or the recipe short-texts" * (median.unit == "word")
    return Problem("warning", "few-shingles", what)


def _meaning(median: _Median, minimum: int) -> str:
    """What a minimum means for a text of the median length."""
    words = counted(median.shingles + median.length - 1, median.unit)
    changes = int((median.scores >= minimum).sum()) - 1
    return f", at which {changes:,} of {words} may differ in a text of the median length"


_CACHED = 64  # texts of kept documents
_CONTEXT = 4  # words before the first difference


Shared = tuple[int, str]
Differing = tuple[str | None, str | None]


def evidence_of(
    documents: Workspace, removals: Sequence[Removal], rules: Rules, run: Run
) -> tuple[dict[int, Shared], list[tuple[int, Differing]]]:
    """What is shared with the documents kept instead, and the removals that are to be reviewed.

    For removed documents, if that is explained, the number of shared shingles, and the longest
    shared passage. The least similar removals come with the passages where they differ.
    """
    recipe, against = documents.collection.recipe, rules.against
    pieces = None
    if against is not None:
        pieces = SharedPieces(against, against, recipe, 1, run.reading)

    @lru_cache(maxsize=_CACHED)
    def text_of(number: int) -> str:
        return Document.of(documents.collection.text_with_id(number)).clean

    def kept_text(removal: Removal) -> str | None:
        if removal.cluster or against is None or pieces is None:
            return text_of(removal.other)
        return pieces.stored_text(against, removal.other)

    shared: dict[int, Shared] = {}
    if rules.explain:
        compare = TextComparer(recipe, PartSpec("jaccard"))
        for removal in removals:
            if (other := kept_text(removal)) is not None:
                texts = text_of(removal.number), other
                terms = compare.shared(*texts)
                passage = shortened(" ".join(terms[0].term.split())) if terms else ""
                shared[removal.number] = compare.match(*texts).common, passage
            run.step(1, len(removals), EXPLAINING)
    reviewed: list[tuple[int, Differing]] = []
    least = sorted(removals, key=lambda row: (row.similarity, row.number))[: rules.review]
    for removal in least:
        other = kept_text(removal)
        both = (None, None) if other is None else differing(text_of(removal.number), other)
        reviewed.append((removal.number, both))
    return shared, reviewed


def differing(left: str, right: str) -> tuple[str, str]:
    """The passages of two texts from their first different words on, with some words before.

    >>> differing("In the old hive the bees dance at noon.", "In the old hive the bees sleep.")
    ('… old hive the bees dance at noon.', '… old hive the bees sleep.')
    """
    words, others = left.split(), right.split()
    pairs = enumerate(zip(words, others, strict=False))
    first = next((place for place, pair in pairs if pair[0] != pair[1]), None)
    start = max(0, (min(len(words), len(others)) if first is None else first) - _CONTEXT)
    sign = "… " if start else ""
    passages = (shortened(sign + " ".join(side[start:])) for side in (words, others))
    return next(passages), next(passages)
