"""The recipes by which reused text is looked for where none is named."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

USUAL = {
    "windows": RecipeSpec(
        tokenizer=PartSpec("words"),
        filters=(
            PartSpec("lowercase"),
            PartSpec("strip-punctuation"),
            PartSpec.of("stop-words", language="english"),
        ),
        index=PartSpec("windows"),
        aligner=PartSpec("windows"),
    ),
}
"""By the method; `configs/reuse.toml` says the same."""
