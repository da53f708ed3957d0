"""What a decontamination finds, as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sdtext.decontamination.find_items import ItemMatch
from sdtext.reports.readable_values import one_line
from sdtext.reports.terminal_table import INDENT


def strongest_rows(matches: Iterable[ItemMatch], most: int) -> list[ItemMatch]:
    """So many of the items that occur, the strongest first, with passages of one line.

    Those are the ones of the highest score, of equal ones the longest, and last those that differ
    from their item in what matters; a second one of the same
    item comes after the first of all others, so that one common item does not hide the others.
    """
    number_of_item = Counter[str]()
    ranked = []
    for match in sorted(matches, key=_weakness):
        weakness = _weakness(match)
        ranked.append((number_of_item[match.item], weakness, match))
        number_of_item[match.item] += 1
    first_of_each = sorted(ranked, key=lambda entry: entry[0])[:most]
    strongest = sorted(first_of_each, key=lambda entry: entry[1])
    return [replace(match, passage=_cut_to_line(match.passage)) for *_, match in strongest]


def _weakness(match: ItemMatch) -> tuple[bool, int, float, int]:
    return bool(match.differs), -match.score, -match.share, -match.words


def _cut_to_line(text: str) -> str:
    """A text for a line below a row: without line breaks, and with an ellipsis where it is cut."""
    from rich.console import Console
    from rich.text import Text

    line = Text(one_line(" ".join(text.split())))
    line.truncate(Console().width - INDENT, overflow="ellipsis")
    return line.plain
