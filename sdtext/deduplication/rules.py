"""Names of the rules of deduplication, and its default recipe."""

from __future__ import annotations

from sdtext.model import PartSpec, RecipeSpec

RULES = ("direct", "cluster")
"""Which documents are removed: those similar to a kept one, or all but one of each cluster."""

KEEP = ("first", "longest", "shortest")
"""The order in which documents are kept; the first of equal ones."""

DEFAULT_RECIPE = RecipeSpec(
    tokenizer=PartSpec("words-or-characters"),
    filters=(PartSpec("lowercase"), PartSpec("strip-punctuation"), PartSpec("cjk-width")),
    shingler=PartSpec("words"),
    fingerprint=PartSpec("minhash"),
    index=PartSpec("bands"),
    matcher=PartSpec("jaccard"),
)
"""Words or characters without case and punctuation, five in a row: `configs/deduplicate.toml`."""
