"""All words of documents with their places: those that a chain keeps, and those it drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sdtext.chain import Chain
from sdtext.kernels.placed import LEFT_OUT, PlacedWords
from sdtext.kernels.tokens import renumbered
from sdtext.language import sample_of
from sdtext.model import Document, RecipeSpec
from sdtext.parts import translated

_STOP_WORDS = "stop-words"


@dataclass(frozen=True)
class Wording:
    r"""The words of documents as numbers, with their places in `Document.text`.

    A word that the chain of the recipe keeps is a term, in the form that the chain gives it. One
    that only filters of stop words drop keeps the form that the other filters make of it; one
    that another filter drops stays as it stands. Both begin with `LEFT_OUT` then.

    >>> from sdtext.model import PartSpec
    >>> stop = PartSpec.of("stop-words", words=("the",))
    >>> recipe = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), stop))
    >>> placed = Wording(recipe)([Document("The bees", "The bees")])
    >>> sorted(bytes(word) for word in placed.words), placed.starts[0].tolist()
    ([b'\rthe', b'bees'], [0, 4])

    Numbers are those of `renumbered`: they depend on the documents alone.
    """

    recipe: RecipeSpec

    def __reduce__(self) -> tuple[type[Wording], tuple[RecipeSpec]]:
        return Wording, (self.recipe,)

    @cached_property
    def chain(self) -> Chain:
        """The tokenizer and the filters."""
        return Chain(RecipeSpec(self.recipe.tokenizer, self.recipe.filters))

    def __call__(self, documents: Sequence[Document]) -> PlacedWords:
        """The words of each document."""
        placed = PlacedWords.of([list(self._rows(one)) for one in documents])
        block = renumbered(placed.tokens, placed.words)
        return PlacedWords(block.tokens, block.words, placed.starts, placed.ends)

    def _rows(self, document: Document) -> Iterator[tuple[str, int, int]]:
        """The words of a document, each with its start and its end."""
        chain = self.chain.suited_to(sample_of([document.clean]))
        tokens = chain.tokenizer(document.clean)
        forms = Forms(chain)
        known = {word: forms(word) for word in set(tokens.words)}
        back = document.back
        for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
            yield (
                known[word],
                back.start(start) if back else start,
                back.end(end) if back else end,
            )


@dataclass(frozen=True)
class Forms:
    """What becomes of a word: its term, or the form in which it is left out."""

    chain: Chain

    def __call__(self, word: str) -> str:
        """The form of `word`; it begins with `LEFT_OUT` where the chain drops the word."""
        if term := self.chain.term(word):
            return term
        return LEFT_OUT + (self._without_lists.term(word) or word)

    @cached_property
    def _without_lists(self) -> Chain:
        """The chain without its lists of stop words."""
        recipe = self.chain.recipe
        kept = (one for one in recipe.filters if translated("filters", one).name != _STOP_WORDS)
        return Chain(RecipeSpec(recipe.tokenizer, tuple(kept)), self.chain.language)
