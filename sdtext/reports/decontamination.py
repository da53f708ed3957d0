"""What a decontamination finds, as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sdtext.decontamination.find_items import ItemMatch
from sdtext.reports.readable_values import one_line
from sdtext.reports.terminal_table import INDENT


def strongest_rows(matches: Iterable[ItemMatch], most: int) -> list[ItemMatch]:
    """So many of the items that occur, the strongest first, with passages cut to one line.

    Those that differ from their item in what matters come last. A second one of an item is chosen
    after the first of all others, so that a common item does not hide the others.
    """
    from rich.console import Console
    from rich.text import Text

    def weakness(match: ItemMatch) -> tuple[bool, int, float, int]:
        return bool(match.differs), -match.score, -match.share, -match.words

    number_of_item, ranked = Counter[str](), list[tuple[int, ItemMatch]]()
    for match in sorted(matches, key=weakness):
        ranked.append((number_of_item[match.item], match))
        number_of_item[match.item] += 1
    chosen = [match for _, match in sorted(ranked, key=lambda entry: entry[0])[:most]]
    strongest, width = [], Console().width - INDENT
    for match in sorted(chosen, key=weakness):
        line = Text(one_line(" ".join(match.passage.split())))
        line.truncate(width, overflow="ellipsis")
        strongest.append(replace(match, passage=line.plain))
    return strongest
