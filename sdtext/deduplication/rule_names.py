"""Names of the rules of deduplication, and of its default recipe."""

from __future__ import annotations

RULES = ("direct", "cluster")
"""Which documents are removed: those similar to a kept one, or all but one of each cluster."""

KEEP = ("first", "longest", "shortest")
"""The order in which documents are kept; the first of equal ones."""

DEFAULT_RECIPE = "deduplicate"
"""The recipe that comes with sdtext under this name."""
