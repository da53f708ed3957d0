"""10,000 short strings: indexed and searched by a collection in memory, and by datasketch.

    python benchmarks/short_strings.py [NUMBER]

Both take shingles of 4 characters of the same lower-case strings, MinHash of 128 slots, and bands
for a Jaccard similarity of 0.5. datasketch gives candidates, sdtext verified similarities; the time
of a query includes its MinHash, or its shingles. Times are of the processor; each figure is the
least of four runs, which alternate. sdtext prepares a search at its first two queries, which count
as indexing here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import accumulate, product
from random import Random
from time import process_time

from datasketch import MinHash, MinHashLSH

import sdtext

QUERIES = 1000
_SYLLABLES = (
    ("har", "bre", "obs", "uni", "let", "win", "riv", "con", "tow", "sal", "mor", "pla"),
    ("bo", "ad", "er", "on", "te", "ti", "me", "nu", "li", "ca"),
    ("", "va", "so", "rin", "del", "pu", "gat", "mis"),
    ("ur", "ly", "ry", "s", "ing", "ion", "et", "am"),
)
WORDS = ["".join(parts) for parts in product(*_SYLLABLES)]
Random(6).shuffle(WORDS)  # noqa: S311 (test data)
FREQUENCIES = [*accumulate(1 / rank for rank in range(1, len(WORDS) + 1))]  # Zipf's law


def strings(number: int) -> list[str]:
    """Strings of 4 to 12 words, of which a tenth differ from an earlier one in one word."""
    draw = Random(7)  # noqa: S311 (test data)
    result: list[str] = []
    for place in range(number):
        words = draw.choices(WORDS, cum_weights=FREQUENCIES, k=draw.randrange(4, 13))
        if place % 10 == 9:
            words = draw.choice(result).split()
            words[draw.randrange(len(words))] = draw.choice(WORDS)
        result.append(" ".join(words))
    return result


def minhash(text: str) -> MinHash:
    """The sketch of a string, as datasketch's own page makes it."""
    sketch = MinHash(num_perm=128)
    sketch.update_batch([text[i : i + 4].encode() for i in range(max(1, len(text) - 3))])
    return sketch


def with_datasketch(texts: Sequence[str], queries: Sequence[str]) -> tuple[float, float, int]:
    """Seconds to index, seconds a query, and the number of results."""
    start = process_time()
    index = MinHashLSH(threshold=0.5, num_perm=128)
    for place, text in enumerate(texts):
        index.insert(place, minhash(text))
    ended = process_time()
    results = sum(len(index.query(minhash(query))) for query in queries)
    return ended - start, (process_time() - ended) / len(queries), results


def prepare(collection: sdtext.Collection, queries: Sequence[str]) -> None:
    """Ask twice, so that the search is prepared."""
    for query in queries[:2]:
        collection.similar(sdtext.Document.of(query), similarity=0.5)


def with_sdtext(texts: Sequence[str], queries: Sequence[str]) -> tuple[float, float, int]:
    """Seconds to index, seconds a query, and the number of results."""
    start = process_time()
    with sdtext.create(recipe="short-texts") as collection:
        collection.add({"id": place, "text": text} for place, text in enumerate(texts))
        prepare(collection, queries)
        ended = process_time()
        results = sum(
            len(collection.similar(sdtext.Document.of(query), similarity=0.5).rows)
            for query in queries
        )
        return ended - start, (process_time() - ended) / len(queries), results


def at_once(texts: Sequence[str], queries: Sequence[str]) -> tuple[float, float, int]:
    """As `with_sdtext`, with all queries in one call."""
    start = process_time()
    with sdtext.create(recipe="short-texts") as collection:
        collection.add({"id": place, "text": text} for place, text in enumerate(texts))
        prepare(collection, queries)
        ended = process_time()
        documents = [sdtext.Document.of(query) for query in queries]
        results = len(collection.similar(documents, similarity=0.5).rows)
        return ended - start, (process_time() - ended) / len(queries), results


def main(number: int) -> None:
    """Print the least times of four runs of each."""
    texts = strings(number)
    queries = Random(8).sample(texts, min(QUERIES, number))  # noqa: S311 (test data)
    ways: dict[str, Callable[[Sequence[str], Sequence[str]], tuple[float, float, int]]] = {
        "datasketch": with_datasketch,
        "sdtext": with_sdtext,
        "sdtext, queries at once": at_once,
    }
    with_sdtext(texts[:100], queries[:5])  # loads libraries
    runs = [[way(texts, queries) for way in ways.values()] for _ in range(4)]
    print(f"{number:,} strings, {len(queries)} queries, processor time")
    print(f"{'':26}{'index':>10}{'a query':>12}{'results':>10}")
    for name, *rows in zip(ways, *runs, strict=True):
        indexed, asked = (min(row[column] for row in rows) for column in (0, 1))
        print(f"{name:26}{indexed:>8.2f} s{1000 * asked:>9.2f} ms{rows[0][2]:>10,}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
