"""Documents of 2 to 5 KB, some of them near-duplicates: pieces of texts that packages bring.

The texts are the files below the folders named whose names end as `ENDINGS` says; change logs are
left out, and of a long one no more than `_PIECES` pieces count. `Passages` draws the pieces and
plants the mutants: copies in which a share of the words was replaced by words of other documents
that makes the Jaccard similarity of word 5-shingles about what was drawn, between 0.15 and 0.98.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from edits import ReplaceWords

ENDINGS = (".txt", ".rst", ".md", ".pod", ".txt.gz", ".rst.gz", ".md.gz", ".dict.dz")
PACKAGES = (
    "anarchism cmake-doc debian-reference-en dict-gcide git-doc linux-doc perl-doc python3-doc"
)
"""The Debian packages that the published figures are of."""

_SHORTEST, _LONGEST = 2_100, 4_900  # characters of a piece
_PIECES = 3_000  # that one text gives: a dictionary is not like other texts
_LEAST, _MOST = 0.15, 0.98  # the Jaccard similarity of a mutant
_LENGTH = 5  # words of a shingle
_LEFT_OUT = re.compile("change", re.IGNORECASE)


@dataclass(frozen=True)
class Passages:
    """How many documents, how many of them mutants, and by which draw."""

    count: int = 20_000
    mutants: int = 3_000
    seed: int = 1

    def of(self, folders: Sequence[Path]) -> list[str]:
        """The documents, in random order. Raises SystemExit if there are not enough texts."""
        chance = random.Random(self.seed)  # noqa: S311 (drawn to be the same each time)
        pieces = [
            piece for text in texts(folders) for piece in islice(_pieces(text, chance), _PIECES)
        ]
        wanted = self.count - self.mutants
        if len(pieces) < wanted:
            raise SystemExit(
                f"the folders have {len(pieces)} pieces of {wanted}; Debian's packages {PACKAGES} "
                "have enough"
            )
        originals = chance.sample(pieces, wanted)
        lending = originals[:2000]
        output = [_mutant(chance.choice(originals), lending, chance) for _ in range(self.mutants)]
        result = originals + output
        chance.shuffle(result)
        return result


def texts(folders: Sequence[Path]) -> Iterator[str]:
    """The texts below `folders`, each content once, in the order of their names."""
    seen: set[int] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.name.endswith(ENDINGS) and not _LEFT_OUT.search(str(path)) and path.is_file():
                packed = path.suffix in (".gz", ".dz")
                data = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
                if hash(data) not in seen:
                    seen.add(hash(data))
                    yield data.decode("utf-8", "replace")


def _pieces(text: str, chance: random.Random) -> Iterator[str]:
    """The text in pieces that end with lines; what is too short or too long is left out."""
    lines, size = [], 0
    wanted = chance.uniform(_SHORTEST, _LONGEST)
    for line in text.splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size >= wanted:
            if size <= _LONGEST:
                yield "".join(lines)
            lines, size = [], 0
            wanted = chance.uniform(_SHORTEST, _LONGEST)


def _mutant(text: str, others: Sequence[str], chance: random.Random) -> str:
    """The text with some words replaced by words of others."""
    jaccard = chance.uniform(_LEAST, _MOST)
    share = 2 * jaccard / (1 + jaccard)  # of the shingles of either that are common
    kept = share ** (1 / _LENGTH)
    return ReplaceWords(1 - kept)(text, chance, others)
