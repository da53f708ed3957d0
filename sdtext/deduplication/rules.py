"""Defaults of deduplication: its recipe, and which document of a cluster is kept."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

KEEP = ("first", "longest", "shortest")
"""The rules for the document of a cluster that is kept; the first of equal ones."""

DEFAULT_RECIPE = RecipeSpec(
    tokenizer=PartSpec("words"),
    filters=(PartSpec("lowercase"), PartSpec("strip-punctuation")),
    shingler=PartSpec("words"),
    fingerprint=PartSpec("minhash"),
    index=PartSpec("bands"),
    matcher=PartSpec("jaccard"),
)
"""Words without case and punctuation, five in a row; the same as `configs/deduplicate.toml`."""
