"""The recipe by which documents are deduplicated where none is named."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

USUAL = RecipeSpec(
    tokenizer=PartSpec("words"),
    filters=(PartSpec("lowercase"), PartSpec("strip-punctuation")),
    shingler=PartSpec("words"),
    fingerprint=PartSpec("minhash"),
    index=PartSpec("bands"),
    matcher=PartSpec("jaccard"),
)
"""Words without case and punctuation, five in a row; `configs/deduplicate.toml` says the same."""
