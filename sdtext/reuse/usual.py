"""The recipes by which reused text is looked for where none is named."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

_FILTERS = (
    PartSpec("lowercase"),
    PartSpec("strip-punctuation"),
    PartSpec.of("stop-words", language="english"),
)

USUAL = {
    "windows": RecipeSpec(PartSpec("words"), _FILTERS),
}
