"""PAN's measures by their definition, with a set of places for each case."""

from collections.abc import Mapping, Sequence
from math import log2

from sdtext.formats.pan import ReuseCase, TextRange

Places = set[tuple[str, int]]
Known = Mapping[str, Sequence[ReuseCase]]


def _side(span: TextRange, side: str) -> Places:
    return {(side + span.document, place) for place in range(span.start, span.end)}


def _places(case: ReuseCase) -> Places:
    return _side(case.this, "this ") | _side(case.source, "source ")


def _meet(first: ReuseCase, other: ReuseCase) -> bool:
    on_this = _side(first.this, "this ") & _side(other.this, "this ")
    return bool(on_this and _side(first.source, "source ") & _side(other.source, "source "))


def _flat(known: Known) -> list[tuple[str, ReuseCase]]:
    return [(name, case) for name, cases in known.items() for case in cases]


def _shares(known: Known, others: Known) -> list[tuple[float, Places, int]]:
    """Of each case the share that others cover, what they cover, and how many they are."""
    rows = []
    for name, case in _flat(known):
        meeting = [other for other in others.get(name, []) if _meet(case, other)]
        covered = _places(case) & {place for other in meeting for place in _places(other)}
        rows.append((len(covered) / len(_places(case)), covered, len(meeting)))
    return rows


def _plagdet(precision: float, recall: float, granularity: float) -> float:
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall) / log2(1 + granularity)


def figures(true: Known, actual: Known) -> dict[str, tuple[float, float, float, float]]:
    """Precision, recall, granularity and plagdet, macro and micro."""
    recalled, exact = _shares(true, actual), _shares(actual, true)
    numbers = [number for _, _, number in recalled if number]
    granularity = sum(numbers) / len(numbers) if numbers else 1.0
    if not (recalled and exact):
        share = 0.0 if recalled or exact else 1.0
        macro = micro = (share, share)
    else:
        macro = (
            sum(share for share, _, _ in exact) / len(exact),
            (sum(share for share, _, _ in recalled) / len(recalled)),
        )
        both = len({place for _, covered, _ in recalled for place in covered})
        all_true, all_found = (
            len({place for _, case in _flat(known) for place in _places(case)})
            for known in (true, actual)
        )
        micro = both / all_found, both / all_true
    return {
        name: (*shares, granularity, _plagdet(*shares, granularity))
        for name, shares in (("macro", macro), ("micro", micro))
    }
