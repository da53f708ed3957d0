"""Text that comes in blocks, cut anew at boundaries such as line ends."""

from collections.abc import Iterable, Iterator
from re import Pattern


def cut_at(blocks: Iterable[str], boundaries: str | Pattern[str]) -> Iterator[str]:
    r"""The text in `blocks`, cut anew so that each piece but the last ends at a boundary.

    Boundaries are some characters, or the matches of a pattern that searches backwards.

    >>> list(cut_at(["one\ntw", "o th", "ree\n"], "\n"))
    ['one\n', 'two three\n']
    """
    held: list[str] = []
    for block in filter(None, blocks):
        if held:
            last = held.pop()
            if isinstance(boundaries, str):
                end = max(last.rfind(boundary) for boundary in boundaries) + 1
            else:
                match = boundaries.search(last)
                end = match.end() if match else 0
            if end:
                yield "".join([*held, last[:end]])
                held = []
            held.append(last[end:])
        held.append(block)
    if rest := "".join(held):
        yield rest
