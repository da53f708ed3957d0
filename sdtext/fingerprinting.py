"""Fingerprints of documents: of one, and of many files on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sdtext.artefacts import load_dictionary
from sdtext.chain import Chain
from sdtext.corpus import Run, batched, terms_or_problem
from sdtext.dictionary import Dictionary
from sdtext.documents import Reading, Source
from sdtext.errors import OptionError
from sdtext.model import Document, Fingerprint, PartSpec, Problem
from sdtext.parts import build
from sdtext.workers import in_parallel


def fingerprint(
    document: Document | str | Path, *dictionaries: Dictionary | str | Path
) -> Fingerprint:
    """The fingerprint of a document, or of the one in a file: a vector for each dictionary.

    Dictionaries, too, may be named by their files. Raises UnreadableError for a file without
    text, OptionError where no dictionary is given.

    >>> dictionary = create_dictionary(samples, load_recipe("configs/english.toml"))
    >>> fingerprint(samples / "union.txt", dictionary).vectors[0].count > 100
    True
    """
    if not dictionaries:
        raise OptionError("a fingerprint needs a dictionary; none is given")
    known = [one if isinstance(one, Dictionary) else load_dictionary(one) for one in dictionaries]
    return fingerprint_of([_terms(document, one) for one in known], known)


def _terms(document: Document | str | Path, dictionary: Dictionary) -> set[str]:
    """The distinct terms of a document under the recipe of a dictionary."""
    chain = Chain(dictionary.recipe)
    if isinstance(document, Document):
        return chain.distinct([document.clean])
    return chain.distinct(Source.at(document).clean_pieces(chain.tokenizer.boundaries))


def fingerprint_of(
    terms: Iterable[Iterable[str]], dictionaries: Sequence[Dictionary]
) -> Fingerprint:
    """The fingerprint of a document that has these terms, for each dictionary its own."""
    part: Any = build("fingerprints", PartSpec("bitvector"))
    vectors = tuple(part(*pair) for pair in zip(terms, dictionaries, strict=True))
    return Fingerprint(part.kind, vectors, tuple(one.reference() for one in dictionaries))


@dataclass(frozen=True)
class _Fingerprinting:
    """Fingerprints a batch of files: for each the fingerprint, or the problem it has."""

    dictionaries: tuple[Dictionary, ...]
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> list[Fingerprint | Problem]:
        return [self._one(path) for path in files]

    def _one(self, path: Path) -> Fingerprint | Problem:
        found = []
        for chain in self._chains:
            terms = terms_or_problem(Source.at(path, self.reading), chain)
            if isinstance(terms, Problem):
                return replace(terms, severity="error")  # it was asked for by name
            found.append(terms)
        return fingerprint_of(found, self.dictionaries)

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(dictionary.recipe) for dictionary in self.dictionaries]


def fingerprints(
    files: Sequence[Path], dictionaries: Sequence[Dictionary], run: Run
) -> Iterator[tuple[Path, Fingerprint]]:
    """The fingerprints of `files`, in their order, without those that cannot be read."""
    batches = list(batched(files))
    work = _Fingerprinting(tuple(dictionaries), run.reading)
    for batch, found in zip(batches, in_parallel(work, batches, run.jobs), strict=True):
        for path, item in zip(batch, found, strict=True):
            if isinstance(item, Problem):
                run.note(item)
            else:
                yield path, item
        run.step(len(batch), len(files))
