"""Programs that find near-duplicates among texts, each used as its users do.

Each is given the texts some at a time by `sketch`, keeps what it needs, and gives the pairs of
Jaccard 0.8 and more by their places, as it finds them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONFIG = Path(__file__).parents[1] / "configs" / "deduplicate.toml"
SLOTS = 128
LENGTH = 5  # words of a shingle
LEAST = 80  # of a hundred: the similarity from which on pairs count
_ROOM = 1 << 27  # shingles; memory that is not written to is never allocated
_WORD = re.compile(r"\w+")
# Of the scripts without blanks between words in these texts, each letter is a word.
_LETTERS = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3005\u3400-\u4dbf\u4e00-\u9fff"
_LETTER_OR_WORD = re.compile(f"[{_LETTERS}]|[^\\s{_LETTERS}]+")
Pairs = list[tuple[int, int]]


def shingles(words: list[str]) -> list[str]:
    """Each five words in a row; all of them if there are fewer."""
    return [" ".join(words[at : at + LENGTH]) for at in range(max(1, len(words) - LENGTH + 1))]


def their_words(text: str) -> list[str]:
    """Words as users of the peers split them."""
    return _WORD.findall(text.lower())


def our_words(text: str) -> list[str]:
    """The words of Deduplicate's recipe, in plain Python."""
    normal = unicodedata.normalize("NFC", text)
    dropped = {
        ord(char): None for char in set(normal) if unicodedata.category(char).startswith("P")
    }
    return _LETTER_OR_WORD.findall(normal.translate(dropped).lower())


class Sdtext:
    """The library, with sketches and sets of shingles in memory."""

    def __init__(self) -> None:
        import numpy as np
        import regex  # noqa: F401 (which sdtext loads when it needs it; peers are loaded whole)

        from sdtext.analysis.term_and_shingle_encoder import Encoder
        from sdtext.collections.memory import MemoryCollection
        from sdtext.parts.load_recipe import load_recipe
        from sdtext.parts.registry import build
        from sdtext.search.find import links
        from sdtext.search.search_plan import Question

        self.held, self.question, self.links = MemoryCollection, Question(minimum=LEAST), links

        self.recipe = load_recipe(CONFIG)
        self.shingling = Encoder(self.recipe)
        assert self.recipe.fingerprint is not None  # noqa: S101 (the recipe names it)
        self.minhash = build("fingerprints", self.recipe.fingerprint)
        self.sketches: list[Any] = []
        self.values, self.lengths = np.empty(_ROOM, np.uint64), [np.empty(0, np.int64)]
        self.count = 0

    def sketch(self, texts: list[str]) -> Any:
        """The shingles of some documents, of which it keeps the sketches."""
        rows = self.shingling(texts)
        self.sketches.append(self.minhash(rows))
        return rows

    def keep(self, rows: Any) -> None:
        """Keep the shingles, to verify pairs by, in one array of sets."""
        from sdtext.kernels.arrays.ragged import sorted_distinct

        rows = sorted_distinct(rows)
        before = self.count
        self.count += len(rows.values)
        self.values[before : self.count] = rows.values
        self.lengths.append(rows.lengths)

    def pairs(self) -> Pairs:
        """The pairs, verified."""
        import numpy as np

        from sdtext.kernels.arrays.ragged import Ragged, offsets_of

        sets = Ragged(self.values[: self.count], offsets_of(np.concatenate(self.lengths)))
        sketches = {"sketches": np.concatenate(self.sketches)}
        held = self.held(self.recipe, sets, [*map(str, range(len(sets)))], sketches)
        found = self.links(held, self.question)
        return list(zip(found.left.tolist(), found.right.tolist(), strict=True))


class Peer:
    """What both peers have in common."""

    def __init__(self) -> None:
        self.sketches: list[Any] = []

    def sketch(self, texts: list[str]) -> None:
        """The sketches of some documents."""
        for text in texts:
            self.sketches.append(self.of(shingles(their_words(text))))

    def keep(self, sketches: Any) -> None:
        """Nothing more."""

    def pairs(self) -> Pairs:
        """The pairs that the index finds and the estimate confirms."""
        index = self.index()
        for place, sketch in enumerate(self.sketches):
            index.insert(place, sketch)
        return [
            (place, other)
            for place, sketch in enumerate(self.sketches)
            for other in index.query(sketch)
            if place < other and sketch.jaccard(self.sketches[other]) >= LEAST / 100
        ]

    def of(self, shingle_list: list[str]) -> Any:
        raise NotImplementedError

    def index(self) -> Any:
        raise NotImplementedError


class Datasketch(Peer):
    """datasketch with the layout that it chooses."""

    def __init__(self) -> None:
        from datasketch import MinHash, MinHashLSH

        super().__init__()
        self.minhash, self.bands = MinHash, MinHashLSH

    def of(self, shingle_list: list[str]) -> Any:
        sketch = self.minhash(num_perm=SLOTS)
        sketch.update_batch([shingle.encode("utf-8") for shingle in shingle_list])
        return sketch

    def index(self) -> Any:
        return self.bands(threshold=LEAST / 100, num_perm=SLOTS)


class Rensa(Peer):
    """rensa with 16 bands of 8 rows."""

    def __init__(self) -> None:
        from rensa import RMinHash, RMinHashLSH

        super().__init__()
        self.minhash, self.bands = RMinHash, RMinHashLSH

    def of(self, shingle_list: list[str]) -> Any:
        sketch = self.minhash(num_perm=SLOTS, seed=42)
        sketch.update(shingle_list)
        return sketch

    def index(self) -> Any:
        return self.bands(threshold=LEAST / 100, num_perm=SLOTS, num_bands=16)


CONTENDERS: dict[str, Callable[[], Sdtext | Peer]] = {
    "sdtext": Sdtext,
    "datasketch": Datasketch,
    "rensa": Rensa,
}
