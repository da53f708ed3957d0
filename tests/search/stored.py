"""Collections on disk made of texts, and what their documents share by Python's own sets."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.stored_collection import StoredCollection
from sdtext.model import Origin, PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.reading.records.record import InputDocument
from sdtext.text.document import Document

RECIPE = RecipeSpec(
    PartSpec("words"),
    (PartSpec("lowercase"), PartSpec("strip-punctuation")),
    fingerprint=PartSpec("minhash"),
    shingler=PartSpec.of("words", length=2),
)
WORDS = [f"{one}{other}" for one in ("bee", "hive", "wax", "queen") for other in "abcdefghij"]
Facts = Sequence[Mapping[str, Any]]


def texts_of(seed: int, number: int = 40) -> list[str]:
    """Texts of which many are similar, two are equal and one is empty of words."""
    draw = Random(seed)
    result = [" ".join(draw.choices(WORDS, k=draw.randrange(12, 60))) for _ in range(number // 4)]
    while len(result) < number - 2:
        words = draw.choice(result).split()
        for place in range(0, len(words), draw.randrange(3, 40)):
            words[place] = draw.choice(WORDS)
        result.append(" ".join(words[: draw.randrange(12, 60)]))
    return [*result, result[0], "..."]


def stored(
    path: Path,
    texts: Sequence[str],
    recipe: RecipeSpec = RECIPE,
    dictionaries: tuple[Dictionary, ...] = (),
    facts: Facts = (),
    guid: str = "",
) -> StoredCollection:
    """The collection of texts called t0, t1, … in two segments, made as AddDocuments makes it."""
    items = [
        InputDocument("/in", f"t{place}", text=text, metadata=facts[place] if facts else {})
        for place, text in enumerate(texts)
    ]
    maker = RowBuilder(recipe, dictionaries)
    half = len(items) // 2
    for some in (items[:half], items[half:]):
        fresh = not path.exists()
        collection = (
            StoredCollection.create(path, recipe, dictionaries, Origin(guid))
            if fresh
            else StoredCollection.open(path)
        )
        result = maker(some, [])
        with collection.writing() as writer:
            if result.rows:
                writer.add(result.rows)
    return StoredCollection.open(path)


def shingles_of(text: str) -> frozenset[Any]:
    """The pairs of neighbouring words of a text; its only word where it has one."""
    words = Chain(RECIPE).terms(text)
    return frozenset([tuple(words)] if len(words) == 1 else pairwise(words))


def document(text: str, name: str = "query") -> Document:
    return Document(text, text, source=name)


CHAIN = RecipeSpec(RECIPE.tokenizer, RECIPE.filters)


# Weights of all kinds: none for what is everywhere, little, and much.
COUNTS = {word: 1 + place * 99 // 35 for place, word in enumerate(WORDS[:36])}


LETTERS = st.text("ab cd", min_size=1, max_size=40).filter(str.strip)


def grams(text: str) -> set[str]:
    """The shingles of the default recipe, by Python's own means."""
    folded = " ".join(re.sub(r"[^\w\s]", "", text.lower()).split())
    return {folded[place : place + 4] for place in range(max(1, len(folded) - 3))}
