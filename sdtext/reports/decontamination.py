"""What a decontamination finds, as rows and as a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from sdtext.decontamination.find_items import ItemMatch
from sdtext.decontamination.run import Decontaminated

COLUMNS = [field.name for field in fields(ItemMatch)]


def rows_of(done: Decontaminated) -> Iterator[dict[str, Any]]:
    """The items that occur, in the order of the corpus."""
    return map(asdict, done.matches)


def summary_of(done: Decontaminated) -> dict[str, int]:
    """How much was read, and how much of it holds items."""
    return {
        "read": done.read,
        "contaminated": done.contaminated,
        "items": done.items,
        "occurring": done.occurring,
        "too_short": done.short,
        "too_common": done.common,
    }
