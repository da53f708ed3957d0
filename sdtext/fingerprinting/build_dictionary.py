"""Build a dictionary from many files, on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from sdtext.analysis.dictionary_language_fit import RecipeFit, in_other_languages
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import (
    OptionError,
    UnreadableError,
    check_options,
    naming_arguments,
    shown,
)
from sdtext.model import Problem, RecipeSpec
from sdtext.model.dictionary import SAMPLE, Dictionary, Seen
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Amount,
    AmountLike,
    Run,
    batched,
    nothing_left,
    process_document,
    run_batches,
)
from sdtext.reading.read_document import DocumentPieces, TextPieces
from sdtext.reading.text_arguments import DocumentInputs, held_and_named
from sdtext.reading.walk import documents_in, sampled
from sdtext.text.document import Document

Pieces = TypeVar("Pieces", bound=TextPieces)
_HELD_BATCH = 1000  # documents in memory


def _without_files(paths: Sequence[str | Path]) -> UnreadableError:
    names = ", ".join(map(shown, paths))
    return UnreadableError(f"{names}: contains no files" if names else "no file is named")


class DictionaryOptions(TypedDict, total=False):
    """Further options of `create_dictionary`.

    `name` is the name of the dictionary; without one, its GUID stands for it in messages.
    """

    name: str | None


@naming_arguments
def create_dictionary(
    paths: DocumentInputs,
    recipe: RecipeLike,
    sample: AmountLike | None = None,
    max_terms: AmountLike | None = None,
    run: Run | None = None,
    **options: Unpack[DictionaryOptions],
) -> Dictionary:
    """Build the dictionary of the documents at `paths`: files, or folders with all files below.

    Documents in memory may stand among the paths, or in place of them. `recipe` may be given by
    its name or its file; its chain goes into the dictionary. `sample` takes that many of the files
    (500, or "10%" of them), by a rule that depends on their names and sizes, and all documents in
    memory; `max_terms` keeps so many of the terms, those with the highest document frequencies;
    ties are broken by code-point order. Files of sdtext are skipped. The option of
    `DictionaryOptions` is the `name`. Raises OptionError, UnreadableError if no document or no term
    is left.

    >>> dictionary = create_dictionary(samples, "english")
    >>> dictionary.documents, "constitut" in dictionary.places
    (8, True)
    """
    check_options("create_dictionary", options, _OPTIONS)
    taken, kept = (
        None if amount is None else Amount.given("create_dictionary", option, amount)
        for option, amount in (("sample", sample), ("max_terms", max_terms))
    )
    name = _checked_name(options.get("name"))
    run = run or Run()
    chosen = recipe_from(recipe)
    recipe = RecipeSpec(chosen.tokenizer, chosen.filters)
    run = replace(run, reading=run.reading.preferring(chosen.reader))
    held, named = held_and_named("create_dictionary", "paths", paths)
    files = list(documents_in(named, run.reading, run.note))
    if not files and not held and not run.problems:
        raise _without_files(named)
    if taken:
        files = sampled(files, taken.of(len(files)))
    counted = _count(files, held, recipe, run)
    if not counted.documents:
        raise nothing_left(run, "no document could be read")
    for problem in in_other_languages(counted.foreign):
        run.note(problem)
    return dictionary_of(counted, recipe, kept).labelled(name)


_OPTIONS = ("sample", "max_terms", "run", *DictionaryOptions.__annotations__)


def _checked_name(name: object) -> str | None:
    """The name of a dictionary. OptionError for one that is not printable."""
    if name is None or (isinstance(name, str) and name.isprintable()):
        return name
    raise OptionError.of("create_dictionary", "name", name, "printable text")


def dictionary_of(
    counted: DocumentTotals, recipe: RecipeSpec, max_terms: Amount | None = None
) -> Dictionary:
    """The dictionary of documents that are counted. UnreadableError if they hold no term."""
    frequencies: Mapping[str, int] = counted.frequencies
    if not frequencies:
        raise UnreadableError("no dictionary is made: the documents hold no term")
    if max_terms:
        frequencies = _most_frequent(frequencies, max_terms.of(len(frequencies)))
    dictionary = Dictionary.of(frequencies, counted.documents, recipe)
    seen = Seen.of((terms.split("\n") for terms in counted.samples), frequencies)
    libraries = (*Chain(recipe).libraries(), *sorted(counted.engines))
    return replace(dictionary.labelled(libraries=libraries), seen=seen)


def _most_frequent(frequencies: Mapping[str, int], number: int) -> dict[str, int]:
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:number])


def _count(
    files: Sequence[Path], held: Sequence[Document], recipe: RecipeSpec, run: Run
) -> DocumentTotals:
    """The totals of the readable ones of `files` and of documents in memory."""
    total = DocumentTotals()
    work = _CountTerms(recipe, run.reading, frozenset(sampled(files, SAMPLE)))
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        total.add(batch)
    for start in range(0, len(held), _HELD_BATCH):
        total.add(work.held(held[start : start + _HELD_BATCH]))
    return total


@dataclass
class _BatchCounts:
    """Terms of a batch, joined by line feeds, and the document frequency of each.

    `engines` are the libraries that extracted texts, with their versions; `samples` the terms of
    single documents, joined by line feeds.
    """

    terms: str = ""
    counts: Sequence[int] = ()
    documents: int = 0
    problems: list[Problem] = field(default_factory=list)
    engines: set[tuple[str, str]] = field(default_factory=set)
    samples: list[str] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)


@dataclass
class DocumentTotals:
    """Document frequencies of all batches.

    `engines` are the libraries that extracted texts, with their versions; `samples` the terms of
    single documents, joined by line feeds; `foreign` the documents that are in another language
    than the recipe, each with how.
    """

    frequencies: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    engines: set[tuple[str, str]] = field(default_factory=set)
    samples: list[str] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)

    def add(self, batch: _BatchCounts) -> None:
        """Add a batch."""
        self.documents += batch.documents
        self.engines |= batch.engines
        self.samples += batch.samples
        self.foreign += batch.foreign
        terms = batch.terms.split("\n") if batch.terms else ()
        known = self.frequencies.get
        for term, count in zip(terms, batch.counts, strict=True):
            self.frequencies[term] = known(term, 0) + count


@dataclass(frozen=True)
class _CountTerms:
    """Counts a batch; also keeps the terms of each document in `sample`."""

    recipe: RecipeSpec
    reading: Reading
    sample: frozenset[Path]

    def __call__(self, files: Sequence[Path]) -> _BatchCounts:
        frequencies: Counter[str] = Counter()
        batch = _BatchCounts()
        for path in files:
            result = process_document(path, self.reading, self._terms)
            if isinstance(result, Problem):
                batch.problems.append(result)
                continue
            terms, source = result
            frequencies.update(terms)
            batch.documents += 1
            batch.problems += source.problems
            batch.engines.update(source.libraries)
            if what := self._fit.foreign(source.beginning):
                batch.foreign.append((path, what))
            if path in self.sample and terms:
                batch.samples.append("\n".join(terms))
        batch.terms, batch.counts = "\n".join(frequencies), list(frequencies.values())
        return batch

    def held(self, documents: Sequence[Document]) -> _BatchCounts:
        """The counts of documents in memory, of which the first ones are in the sample."""
        frequencies: Counter[str] = Counter()
        batch = _BatchCounts(documents=len(documents))
        for document in documents:
            terms, source = self._terms(DocumentPieces(document))
            frequencies.update(terms)
            batch.engines.update(source.libraries)
            if what := self._fit.foreign(source.beginning):
                batch.foreign.append((Path(document.source), what))
            if len(self.sample) + len(batch.samples) < SAMPLE and terms:
                batch.samples.append("\n".join(terms))
        batch.terms, batch.counts = "\n".join(frequencies), list(frequencies.values())
        return batch

    def _terms(self, source: Pieces) -> tuple[set[str], Pieces]:
        """The distinct terms of a document, and its source."""
        chain = self._chain
        if chain.is_automatic:
            chain = chain.suited_to(source.sample)
        return chain.distinct(source.clean_pieces(chain.tokenizer.cuts)), source

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)

    @cached_property
    def _fit(self) -> RecipeFit:
        return RecipeFit(self.recipe)
