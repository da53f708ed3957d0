"""Dictionaries built from many files, read on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sdtext.analysis.chain import Chain
from sdtext.errors import UnreadableError, shown
from sdtext.model import Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.model.drift import SAMPLE, Seen
from sdtext.parts.recipe import load_recipe
from sdtext.reading.batches import (
    Amount,
    Run,
    batched,
    process_document,
    run_batches,
    with_reason,
)
from sdtext.reading.options import Reading
from sdtext.reading.source import Source
from sdtext.reading.walk import Paths, documents_in, listed, sampled

Made = TypeVar("Made")


def create_dictionary(
    paths: Paths,
    recipe: RecipeSpec | str | Path,
    sample: Amount | None = None,
    max_terms: Amount | None = None,
    run: Run | None = None,
) -> Dictionary:
    """The dictionary of the documents at `paths`: files, or folders with all files below.

    `recipe` may be named by its file; its chain goes into the dictionary.
    `sample` takes that many of the files, by a rule that depends on their names and sizes;
    `max_terms` keeps the terms with the highest document frequencies, in code-point order where
    equal. sdtext's own files are passed over. Raises UnreadableError where no document or no
    term is left.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> dictionary.documents, "constitut" in dictionary.places
    (8, True)
    """
    run = run or Run()
    chosen = recipe if isinstance(recipe, RecipeSpec) else load_recipe(recipe)
    recipe = RecipeSpec(chosen.tokenizer, chosen.filters)
    run = replace(run, reading=run.reading.preferring(chosen.reader))
    files = list(documents_in(paths, run.reading, run.note))
    if not files and not run.problems:
        raise UnreadableError(f"{', '.join(map(shown, listed(paths)))}: holds no files to count")
    if sample:
        files = sampled(files, sample.of(len(files)))
    chain = Chain(recipe)
    counted = _counted(files, recipe, run)
    frequencies: Mapping[str, int] = counted.frequencies
    if not frequencies:
        what = "no dictionary is made, for the documents hold no term"
        none = with_reason(run, "no document could be read")
        raise UnreadableError(what if counted.documents else none)
    if max_terms:
        frequencies = _most_frequent(frequencies, max_terms.of(len(frequencies)))
    dictionary = Dictionary.of(frequencies, counted.documents, recipe)
    seen = Seen.of((one.split("\n") for one in counted.samples), frequencies)
    libraries = (*chain.libraries(), *sorted(counted.engines))
    return replace(dictionary.labelled(libraries=libraries), seen=seen)


def _most_frequent(frequencies: Mapping[str, int], number: int) -> dict[str, int]:
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:number])


def _counted(files: Sequence[Path], recipe: RecipeSpec, run: Run) -> _Counted:
    """What is counted in the readable ones of `files`."""
    total = _Counted()
    work = _Counting(recipe, run.reading, frozenset(sampled(files, SAMPLE)))
    for batch in run_batches(work, batched(files, run.jobs), run, len(files)):
        total.add(batch)
    return total


@dataclass
class _Batch:
    """What a batch holds: its terms joined by line ends, and the document frequency of each.

    `engines` are the libraries that extracted texts, with their versions; `samples` the terms of
    single documents, joined by line ends.
    """

    terms: str = ""
    counts: Sequence[int] = ()
    documents: int = 0
    problems: list[Problem] = field(default_factory=list)
    engines: set[tuple[str, str]] = field(default_factory=set)
    samples: list[str] = field(default_factory=list)


@dataclass
class _Counted:
    """What all batches hold."""

    frequencies: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    engines: set[tuple[str, str]] = field(default_factory=set)
    samples: list[str] = field(default_factory=list)

    def add(self, batch: _Batch) -> None:
        """Add a batch."""
        self.documents += batch.documents
        self.engines |= batch.engines
        self.samples += batch.samples
        terms = batch.terms.split("\n") if batch.terms else ()
        for term, count in zip(terms, batch.counts, strict=True):
            self.frequencies[term] += count


@dataclass(frozen=True)
class _Counting:
    """Counts a batch; the terms of the documents in `sample` are kept one by one."""

    recipe: RecipeSpec
    reading: Reading
    sample: frozenset[Path]

    def __call__(self, files: Sequence[Path]) -> _Batch:
        frequencies: Counter[str] = Counter()
        batch = _Batch()
        for path in files:
            found = process_document(path, self.reading, self._counted)
            if isinstance(found, Problem):
                batch.problems.append(found)
                continue
            terms, source = found
            frequencies.update(terms)
            batch.documents += 1
            batch.problems += source.problems
            batch.engines.update(source.libraries)
            if path in self.sample and terms:
                batch.samples.append("\n".join(terms))
        batch.terms, batch.counts = "\n".join(frequencies), list(frequencies.values())
        return batch

    def _counted(self, source: Source) -> tuple[set[str], Source]:
        """The terms of a document, and where they come from."""
        chain = self._chain
        if chain.is_automatic:
            chain = chain.suited_to(source.sample)
        return chain.distinct(source.clean_pieces(chain.tokenizer.boundaries)), source

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)
