"""What readers yield, and the headings before titles."""

from __future__ import annotations

from itertools import groupby
from typing import TypeAlias, cast

from sdtext.model import Heading, QuotationMark

Block: TypeAlias = str | Heading | QuotationMark
MAX_TITLE = 1000
"""Characters of the longest title; what is longer is text that was only marked as one."""


def insert_heading(blocks: list[Block], start: int, level: int) -> None:
    r"""Put a heading before the blocks from `start` on, if their text can be a title.

    >>> blocks = ["One.\n", "The  bees", "\n"]
    >>> insert_heading(blocks, 1, 2)
    >>> blocks[1]
    Heading(level=2, title='The bees', offset=0)
    """
    text = "".join(block for block in blocks[start:] if isinstance(block, str))
    if len(text) <= MAX_TITLE and (title := " ".join(text.split())):
        blocks.insert(start, Heading(level, title))


def joined(blocks: list[Block]) -> list[Block]:
    r"""The blocks, adjacent texts as one.

    >>> joined(["One.", "\n", Heading(1, "Two"), "Two"])
    ['One.\n', Heading(level=1, title='Two', offset=0), 'Two']
    """
    result: list[Block] = []
    for kind, run in groupby(blocks, type):
        same = [*run]
        result += ["".join(cast("list[str]", same))] if kind is str else same
    return result
