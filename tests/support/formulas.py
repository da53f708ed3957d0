"""Vectors, weights and scores worked out anew from the XML, as DESIGN.md words them."""

from __future__ import annotations

import math
from base64 import b64decode
from pathlib import Path

from .command import parsed


def bits_of(container: Path) -> dict[str, int]:
    """The vector of each document as an integer, by the document's name, read from the XML."""
    return {
        element.findtext("{*}dataSource/{*}filename"): int.from_bytes(
            b64decode(element.findtext("{*}vector")), "little"
        )
        for element in parsed(container).iterfind("{*}fingerprint")
    }


def weights_of(dictionary: Path, power: float = 1.0) -> list[int]:
    """The weight of each term: its IDF (to a power) in 2**-20ths, none below zero."""
    root = parsed(dictionary)
    documents = int(root.findtext("{*}documents"))
    counts = [int(term.get("df")) for term in root.iterfind("{*}terms/{*}term")]
    return [
        max(0, round(max(0.0, math.log(documents / (1 + count))) ** power * 2**20))
        for count in counts
    ]


def total(vector: int, weights: list[int]) -> int:
    return sum(weight**2 for place, weight in enumerate(weights) if vector >> place & 1)


def expected_score(matcher: str, a: int, b: int, weights: list[int]) -> int:
    """The score by DESIGN.md's formulas, by integers alone."""
    common, left, right = (a & b).bit_count(), a.bit_count(), b.bit_count()
    if matcher.startswith("idf-cosine"):
        both = total(a & b, weights)
        return min(99, math.isqrt(10_000 * both**2 // (total(a, weights) * total(b, weights))))
    return {
        "cosine": min(99, math.isqrt(10_000 * common**2 // (left * right))),
        "exact": 99 if a == b else 0,
        "jaccard": min(99, 100 * common // (left + right - common)),
        "containment": min(99, 100 * common // left),
        "dice": min(99, 200 * common // (left + right)),
    }[matcher]
