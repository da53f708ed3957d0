"""Connected components, joined edge by edge: what faster ways are tested against."""

from collections.abc import Iterable


def components(edges: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The sets of nodes that edges connect."""
    result: list[set[int]] = []
    for left, right in edges:
        touched = [item for item in result if left in item or right in item]
        result = [item for item in result if item not in touched]
        result.append({left, right}.union(*touched))
    return result
