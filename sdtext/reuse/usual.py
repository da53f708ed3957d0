"""The recipes by which reused text is looked for where none is named."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.recipe import recipe_of

_SHORT_LISTS = ("english", "chinese", "arabic")
_CHAIN = (
    PartSpec.of("chinese", mode="smart"),
    *map(PartSpec, ("cjk-width", "lowercase", "strip-punctuation")),
    *(PartSpec.of("stop-words", language=language, short=True) for language in _SHORT_LISTS),
    PartSpec("arabic-normalization"),
)


@cache
def usual(method: str) -> RecipeSpec:
    """The recipe for "windows" or "sentences": `configs/reuse.toml`, `configs/evidence.toml`.

    >>> usual("windows").aligner
    PartSpec(name='windows', options=())
    """
    chain = recipe_of(_CHAIN)
    if method == "windows":
        return replace(
            chain,
            index=PartSpec("windows"),
            matcher=PartSpec("overlap"),
            aligner=PartSpec("windows"),
        )
    return replace(
        chain,
        unit=PartSpec.of("sentence", length=150),
        shingler=PartSpec.of("words", length=2),
        fingerprint=PartSpec.of("bbit", slots=128),
        index=PartSpec("groups"),
        matcher=PartSpec("hamming"),
        aligner=PartSpec("sentences"),
    )
