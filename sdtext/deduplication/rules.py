"""Defaults of deduplication: its recipe, and which document of a cluster is kept."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

KEEP = ("first", "longest", "shortest")
"""The rules by which one document of a cluster is kept; of equal ones the first."""

USUAL = RecipeSpec(
    tokenizer=PartSpec("words"),
    filters=(PartSpec("lowercase"), PartSpec("strip-punctuation")),
    shingler=PartSpec("words"),
    fingerprint=PartSpec("minhash"),
    index=PartSpec("bands"),
    matcher=PartSpec("jaccard"),
)
"""Words without case and punctuation, five in a row; `configs/deduplicate.toml` says the same."""
