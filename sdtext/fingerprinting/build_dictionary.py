"""Build a dictionary from many files, on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain as chained
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import RecipeFit, in_other_languages
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem, RecipeSpec
from sdtext.model.dictionary import SAMPLE, Dictionary, Seen
from sdtext.parts.load_recipe import RecipeLike, checked_recipe, recipe_from
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Amount,
    AmountLike,
    Run,
    batched,
    cut_batches,
    nothing_left,
    process_each,
    run_batches,
)
from sdtext.reading.read_document import DocumentPieces, Source, TextPieces
from sdtext.reading.walk import documents_in, sampled
from sdtext.text.document import Document
from sdtext.wording import shown

Numbers = NDArray[np.int32]
_Rows = dict[int, tuple[Chain, list[Numbers]]]
"""Of chains, by their ids: the distinct terms of each document, as places in `spelled`."""

_BATCH = 1000  # documents in memory
_SHORT = 1 << 16  # code points: shorter texts are counted together, until they are
_TOGETHER = 1 << 18


def create_dictionary(
    documents: DocumentInputs,
    recipe: RecipeLike,
    *,
    sample: AmountLike | None = None,
    max_terms: AmountLike | None = None,
    name: str = "",
    run: Run | None = None,
) -> Dictionary:
    """Build the dictionary of documents: files, folders with all files below, and Documents.

    `recipe` may be given by its name or its file; its chain goes into the dictionary. A language
    `auto` becomes that of the documents where all are in one language. `sample`
    takes that many of the files (500, or "10%" of them), by a rule that depends on their names and
    sizes, and all documents in memory; `max_terms` keeps so many of the terms, those with the
    highest document frequencies; ties are broken by code-point order. `name` is the name of the
    dictionary; without one, its GUID stands for it in messages. Files of sdtext are skipped. Raises
    OptionError, UnreadableError if no document or no term is left.

    >>> dictionary = create_dictionary(samples, "english")
    >>> dictionary.documents, "constitut" in dictionary.places
    (8, True)
    """
    if not name.isprintable():
        raise OptionError.of("create_dictionary", "name", name, "printable text")
    files_to_take, terms_to_keep = (
        None if amount is None else Amount.parse(amount, option)
        for option, amount in (("sample", sample), ("max_terms", max_terms))
    )
    run = run or Run()
    chosen = recipe_from(recipe)
    recipe = RecipeSpec(chosen.tokenizer, chosen.filters)
    run = replace(run, reading=run.reading.preferring(chosen.reader))
    in_memory, paths = documents_and_paths(documents)
    files = list(documents_in(paths, run.reading, run.note))
    if not files and not in_memory and not run.problems:
        names = ", ".join(map(shown, paths))
        raise UnreadableError(f"{names}: contains no files" if names else "no file is named")
    if files_to_take:
        files = sampled(files, files_to_take.of(len(files)))
    total = TermCounts()
    count = CountTerms(recipe, run.reading, frozenset(sampled(files, SAMPLE)))
    for batch in run_batches(count, batched(files, run.jobs), run, len(files)):
        total.add(batch)
    for start in range(0, len(in_memory), _BATCH):
        total.add(count.in_memory(in_memory[start : start + _BATCH], len(total.samples)))
    if not total.documents:
        raise nothing_left(run, "no document could be read")
    for problem in in_other_languages(total.foreign):
        run.note(problem)
    return dictionary_of(total, recipe, terms_to_keep, name)


def dictionary_of(
    total: TermCounts, recipe: RecipeSpec, terms_to_keep: Amount | None, name: str
) -> Dictionary:
    """The dictionary of documents with these counts. Raises UnreadableError without a term."""
    if len(total.languages) == 1 and (language := min(total.languages)):
        # Documents in several languages go on with `auto`: each term was counted by the chain for
        # its document, and one chain for all would give other terms.
        recipe = checked_recipe(Chain(recipe).in_language(language).recipe)
    frequencies: dict[str, int] = total.frequencies
    if not frequencies:
        raise UnreadableError("no dictionary is made: the documents hold no term")
    if terms_to_keep:
        ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
        frequencies = dict(ranked[: terms_to_keep.of(len(frequencies))])
    return replace(
        Dictionary.of(frequencies, total.documents, recipe),
        name=name,
        libraries=(*Chain(recipe).libraries(), *sorted(total.engines)),
        seen=Seen.of((terms.split("\n") for terms in total.samples), frequencies),
    )


@dataclass
class TermCounts:
    """Document frequencies of a batch, or of all.

    `engines` are the libraries that extracted texts, with their versions; `samples` the terms of
    single documents, joined by line feeds; `foreign` the documents that are in another language
    than the recipe, each with how; `languages` those of the documents, where that is `auto`.
    """

    frequencies: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    engines: set[tuple[str, str]] = field(default_factory=set)
    samples: list[str] = field(default_factory=list)
    foreign: list[tuple[Path, str]] = field(default_factory=list)
    languages: set[str] = field(default_factory=set)

    def with_rows(self, rows: _Rows) -> TermCounts:
        """With the frequencies of the terms of documents."""
        for chain, numbers in rows.values():
            counts = np.bincount(np.concatenate(numbers))
            self.frequencies.update(chain.frequencies(counts.tolist()))
        return self

    def add(self, batch: TermCounts) -> None:
        """Add a batch."""
        self.frequencies.update(batch.frequencies)
        self.documents += batch.documents
        self.engines |= batch.engines
        self.samples += batch.samples
        self.foreign += batch.foreign
        self.languages |= batch.languages


@dataclass(frozen=True)
class CountTerms:
    """Counts a batch; also keeps the terms of each document in `sample`."""

    recipe: RecipeSpec
    reading: Reading
    sample: frozenset[Path]

    def __call__(self, files: Sequence[Path], problems: list[Problem]) -> TermCounts:
        batch = TermCounts()
        rows: _Rows = {}

        def read(source: Source) -> tuple[_Read, Sequence[Problem]]:
            return self._read(source), source.problems

        documents = process_each(files, self.reading, read, problems)
        for some in cut_batches(documents, lambda item: len(item[1].text), _TOGETHER, _BATCH):
            numbers, counted = work_on_each(
                _numbers, some, self.reading.limits, lambda item: str(item[0]), problems.append
            )
            for (path, document), row in zip(counted, numbers or (), strict=True):
                self._count(batch, rows, path, document, row, is_sampled=path in self.sample)
        return batch.with_rows(rows)

    def in_memory(self, documents: Sequence[Document], samples: int) -> TermCounts:
        """The counts of documents in memory, of which the first ones are in the sample."""
        batch = TermCounts()
        rows: _Rows = {}
        for document in documents:
            path, read = Path(document.source), self._read(DocumentPieces(document))
            is_sampled = samples + len(batch.samples) < SAMPLE
            for row in _numbers([(path, read)]):
                self._count(batch, rows, path, read, row, is_sampled=is_sampled)
        return batch.with_rows(rows)

    def rows(self, texts: Iterable[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
        """What is counted in rows with a `text`: the number of each `term` of a `kind`."""
        counts = self.in_memory([Document.of(row["text"]) for row in texts], SAMPLE)
        known = {"document": {"": counts.documents}, "term": counts.frequencies}
        known["language"] = dict.fromkeys(counts.languages, 1)
        for kind, terms in known.items():
            yield from ({"kind": kind, "term": term, "number": terms[term]} for term in terms)

    def _count(
        self,
        batch: TermCounts,
        rows: _Rows,
        path: Path,
        document: _Read,
        numbers: Numbers,
        *,
        is_sampled: bool,
    ) -> None:
        chain = document.chain
        rows.setdefault(id(chain), (chain, []))[1].append(numbers)
        batch.documents += 1
        batch.engines.update(document.libraries)
        if what := self._fit.foreign(document.beginning):
            batch.foreign.append((path, what))
        if len(numbers):
            batch.languages.add(chain.language)
            if is_sampled:
                batch.samples.append("\n".join(map(chain.spelled.__getitem__, numbers.tolist())))

    def _read(self, source: TextPieces) -> _Read:
        """A document, with the chain for it."""
        chain = self._chain
        if chain.is_automatic:
            chain = chain.suited_to(source.sample)
        pieces = source.clean_pieces(chain.tokenizer.cuts)
        first = [*islice(pieces, 2)]
        text, numbers = "".join(first), None
        if len(first) > 1 or len(text) > _SHORT:
            text, numbers = "", chain.distinct_numbers(chained(first, pieces))
        return _Read(source.libraries, source.beginning, chain, text, numbers)

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)

    @cached_property
    def _fit(self) -> RecipeFit:
        return RecipeFit(self.recipe)


class _Read(NamedTuple):
    """A document that was read: the text of a short one, the distinct terms of another one."""

    libraries: Sequence[tuple[str, str]]
    beginning: str
    chain: Chain
    text: str
    numbers: Numbers | None


def _numbers(documents: Sequence[tuple[Path, _Read]]) -> list[Numbers]:
    """The distinct terms of each document, as numbers of its chain."""
    rows: list[Numbers] = []
    # Equal chains may number terms each in its own way.
    for _, some in groupby((document for _, document in documents), lambda each: id(each.chain)):
        known, texts, chains = zip(
            *((each.numbers, each.text, each.chain) for each in some), strict=True
        )
        found = chains[0].distinct_of_each(texts)
        rows += [row if own is None else own for own, row in zip(known, found, strict=True)]
    return rows
