"""How reused text is looked for: what the question leaves open, settled by the recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import ceil
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.collection import Collection
from sdtext.collections.positions import keeps_codes
from sdtext.errors import MismatchError, OptionError, shown
from sdtext.kernels.terms.word_offsets import Worded
from sdtext.model import PartSpec, Passage, Problem, RecipeSpec
from sdtext.parts.catalogue import build
from sdtext.reading.walk import listed
from sdtext.reuse.by_sentences import BySentences
from sdtext.reuse.by_windows import ByWindows, Found
from sdtext.reuse.question import ReuseQuestion
from sdtext.reuse.texts import CHAPTERS, QUOTES, REFERENCES, SENTENCES, Texts
from sdtext.reuse.usual import usual

WINDOWS = "windows"
_METHODS = {"windows": WINDOWS, "sentences": SENTENCES, "groups": SENTENCES}
_LITTLE = 1e-9


class Finder(Protocol):
    """Finds the passages that documents share."""

    @property
    def window(self) -> int:
        """Documents of fewer terms are compared in another way; 0 where there are none such."""

    @property
    def told(self) -> str:
        """How, in a sentence."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """By which settings."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What was left out."""

    @property
    def for_templates(self) -> Finder:
        """The same for texts that do not count: short passages, too."""

    def candidates(self, texts: Texts, collection: Collection) -> NDArray[np.int64] | None:
        """The numbers of the stored documents that may share a passage; None if all may."""

    def __call__(self, left: Texts, right: Texts | None = None) -> Iterator[Found]:
        """The passages of pairs of documents; without `right`, of every two of the left ones."""

    def with_edits(
        self, passages: Sequence[Passage], left: Worded, right: Worded
    ) -> Sequence[Passage]:
        """The same passages with what differs inside of them."""


@dataclass(frozen=True)
class Plan:
    """The recipe by which documents are put into words, and what finds the passages."""

    question: ReuseQuestion
    recipe: RecipeSpec
    finder: Finder
    collections: Sequence[Collection] = ()

    @property
    def wants(self) -> frozenset[str]:
        """What is needed of documents beside their words."""
        question = self.question
        wanted = {
            CHAPTERS: question.chapters,
            QUOTES: question.without_quotes,
            REFERENCES: question.without_references,
            SENTENCES: isinstance(self.finder, BySentences),
        }
        return frozenset(name for name, needed in wanted.items() if needed)

    @property
    def parameters(self) -> dict[str, str]:
        """All that what is found depends on, in words."""
        question, chain = self.question, self.recipe
        left_out = {QUOTES: question.without_quotes, REFERENCES: question.without_references}
        told = {
            **self.finder.parameters,
            "tokenizer": str(chain.tokenizer),
            "filters": " ".join(map(str, chain.filters)),
            "chain SHA-256": sha256(chain.canonical().encode("utf-8")).hexdigest(),
            "collections": ", ".join(map(_called, self.collections)),
            "left out": ", ".join(name for name, out in left_out.items() if out),
            "templates": ", ".join(map(shown, listed(question.templates))),
            "where": question.where.text if question.where else "",
            "program": f"sdtext {__version__}",
        }
        return {name: words for name, words in told.items() if words}


def planned(question: ReuseQuestion, collections: Sequence[Collection] = ()) -> Plan:
    """How the question is answered, of those collections or of none.

    Raises OptionError, and MismatchError where collections or recipes do not go together.
    """
    if question.where and not collections:
        raise OptionError("where chooses among stored documents, and there is no collection")
    method = question.method or _method_of(question.recipe or _stored(collections))
    recipe = question.recipe or _stored(collections) or usual(method)
    for collection in collections:
        _check_chain(collection, recipe)
    if method == WINDOWS:
        return Plan(question, recipe, _by_windows(question, recipe), collections)
    for collection in collections:
        recipe = _with_units(collection, recipe)
    return Plan(question, recipe, _by_sentences(question, recipe), collections)


def _called(collection: Collection) -> str:
    """The path of a collection, and its GUID, by which a copy of it is known."""
    guid = f" ({collection.guid})" if collection.guid else ""
    return f"{shown(collection.path)}{guid}"


def _with_units(collection: Collection, recipe: RecipeSpec) -> RecipeSpec:
    """The recipe with the sentences of the collection. Raises MismatchError."""
    stored, name = collection.recipe, shown(collection.path)
    if not keeps_codes(stored):
        raise MismatchError(
            f"{name}: was made without codes of sentences; make it again with a recipe that asks "
            "for them, as configs/evidence.toml, or compare windows"
        )
    parts = {key: getattr(stored, key) for key in ("unit", "shingler", "fingerprint")}
    for key, part in parts.items():
        if (given := getattr(recipe, key)) not in (None, part):
            raise MismatchError(
                f"{name}: its {key} is {part or 'not named'}, and that of the recipe {given}; "
                "codes of sentences that were made otherwise cannot be compared"
            )
    return replace(recipe, **parts)


def _stored(collections: Sequence[Collection]) -> RecipeSpec | None:
    return collections[0].recipe if collections else None


def _method_of(recipe: RecipeSpec | None) -> str:
    """The method that the aligner or the index of a recipe stands for, else windows."""
    parts = (recipe.aligner, recipe.index) if recipe else ()
    return next((_METHODS[one.name] for one in parts if one and one.name in _METHODS), WINDOWS)


def _check_chain(collection: Collection, recipe: RecipeSpec) -> None:
    if collection.recipe.canonical() != recipe.canonical():
        raise MismatchError(
            f"{shown(collection.path)}: its words were made by another tokenizer or other filters; "
            "take the recipe by which it was made, or make it again"
        )


def _by_windows(question: ReuseQuestion, recipe: RecipeSpec) -> ByWindows:
    """The windows asked for, else those of the recipe, with its aligner."""
    if question.recall is not None:
        raise OptionError(
            "recall is for sentences: windows are found exactly; leave it out, or ask for sentences"
        )
    index = build("indexes", _named(recipe.index, WINDOWS))
    aligner = build("aligners", _named(recipe.aligner, WINDOWS))
    w = int(question.w or index.w)  # for numbers of NumPy may be too small to calculate with
    tau = _distance(question, w, index.tau * w // index.w)
    # A passage may be as short as half a window that is asked for, but not be asked to be longer.
    usual = aligner.shortest if question.w is None else min(aligner.shortest, max(1, w // 2))
    shortest = question.shortest or usual
    ordered = question.ordered or aligner.ordered
    index = replace(index, w=w, tau=tau)  # which checks them
    aligner = replace(aligner, shortest=shortest, ordered=ordered)
    return ByWindows(w, tau, aligner, question.shortest or 0)


def _by_sentences(question: ReuseQuestion, recipe: RecipeSpec) -> BySentences:
    """The sentences asked for, else those of the recipe, with its aligner."""
    for name, asked in (("w", question.w), ("ordered", question.ordered)):
        if asked:
            raise OptionError(f"{name} is for windows, and sentences are compared; leave it out")
    groups = build("indexes", _named(recipe.index, "groups"))
    if question.distance is not None:
        groups = replace(groups, radius=question.distance)
    elif question.similarity is not None or question.recall is not None:
        similarity = question.similarity or groups.similarity
        groups = replace(
            groups, similarity=similarity, recall=question.recall or groups.recall, radius=-1
        )
    aligner = build("aligners", _named(recipe.aligner, SENTENCES))
    part = UnitCodes(recipe).part
    groups.way(part.slots, part.bits)  # which checks them
    return BySentences(groups, aligner, part, question.shortest or 0)


def _named(spec: PartSpec | None, name: str) -> PartSpec:
    """The part that a recipe names, if it is of that name, else the part as it comes."""
    return spec if spec and spec.name == name else PartSpec(name)


def _distance(question: ReuseQuestion, w: int, usual: int) -> int:
    """How many terms of a window may differ."""
    if question.distance is not None:
        return int(question.distance)
    if question.similarity is not None:
        return w - ceil(w * question.similarity - _LITTLE)
    return usual
