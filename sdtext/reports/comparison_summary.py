"""A comparison as a record, and in lines of text."""

from collections.abc import Iterator
from typing import Any

from sdtext.search.compare import Comparison
from sdtext.wording import counted, printable, shown

_LISTED = 5  # reasons, and fingerprints for which nothing is found


def record_of(comparison: Comparison) -> dict[str, Any]:
    """What JSON has beside the rows and problems."""
    listed = sum(row.reaches(comparison.minimum) for row in comparison.rows)
    return {
        "how": comparison.how,
        "matcher": comparison.matcher,
        "dictionaries": [item.name or item.guid for item in comparison.dictionaries],
        "queries": len(comparison.names),
        "documents": comparison.documents,
        "compared": comparison.compared,
        "without_text": comparison.without_text,
        "unreadable": comparison.unreadable,
        "unmatched": comparison.unmatched(),
        "more": max(0, comparison.reaching - comparison.nothing_rare - listed),
        **({"nothing_rare": number} if (number := comparison.nothing_rare) else {}),
        "not_comparable": [{"reason": why, "count": n} for why, n in comparison.reasons],
    }


def summary_of(comparison: Comparison, *, verbose: bool) -> Iterator[str]:
    """How documents were compared, what is not listed, and how many were compared."""
    for dictionary in comparison.located:
        yield f"dictionary: {dictionary}"
    least = "the recommended score"
    if isinstance(comparison.minimum, int):
        least = str(comparison.minimum)
    else:
        yield f"recommended: {comparison.minimum.described()}"
    yield comparison.how
    if more := record_of(comparison)["more"]:
        yield f"{more:,} more (-k, -s)"
    expected = [row.chance.expected or 0 for row in comparison.rows if row.chance]
    number = sum(each >= 1 for each in expected)
    if number and isinstance(comparison.minimum, int):
        some = f"{number:,} of {counted(len(comparison.rows), 'row')}"
        yield f"{some} with scores that chance gives at least once; --recommended leaves them out"
    is_whole = any(row.score is None for row in comparison.rows)
    for reason, number in comparison.reasons[:_LISTED] if comparison.rows and not is_whole else ():
        yield f"{number:,} not comparable: {printable(reason)} (--all lists them)"
    left_out, reasons = comparison.left_out, sum(number for _, number in comparison.reasons)
    if not (comparison.compared or reasons or left_out or comparison.unreadable):
        return  # the problems say what there was
    queries, documents = len(comparison.names), comparison.documents
    without = comparison.unmatched() if queries > 1 and comparison.compared else ()
    if without:
        named = without if verbose else without[:_LISTED]
        names = ", ".join(map(shown, named))
        names += f" and {len(without) - len(named):,} more" * (len(without) > len(named))
        yield f"nothing found for {len(without):,} of {queries:,} fingerprints: {names}"
    counts = f"{comparison.compared:,} compared, {comparison.reaching:,} at or above {least}"
    parts = [f"{counts}, {reasons:,} not comparable, {comparison.unreadable:,} unreadable"]
    if queries > 1 or comparison.without_text:
        parts.append(f"{counted(documents, 'document')} with {counted(queries, 'fingerprint')}")
    if comparison.without_text:
        parts.append(f"{counted(comparison.without_text, 'file')} without text")
    if left_out:
        parts.append(f"{counted(left_out, 'file')} not compared with itself")
    yield "; ".join(parts)
