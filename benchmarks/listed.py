"""What CompareDirectory lists by default: edited copies, and pairs of unrelated documents.

Run as `python benchmarks/listed.py FOLDER...`, with documents of one kind in each. Of documents
that have a Jaccard similarity of 0.25 or more, or half of the shingles of the smaller one in
common, one stays. Of at most 300, 120 are copied in ten ways; the same is done with small folders
drawn from them. Printed are the percentages of the copies whose document is listed, on average and
for the worst way, of pairs of unrelated documents, and of such pairs neither of which has half of
its words in runs of five words or more that the other has, too: by default, which leaves out pairs
that share nothing rare, and with the minimum score 1.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence

import edits  # noqa: F401 (registers its manglers)

from sdtext import Run, compare
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import UnreadableError
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import parse, translated
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reading.read_document import read
from sdtext.reading.walk import walk
from sdtext.text.document import Document

FRAGMENT = "fragment(share=0.1)"
WAYS = (
    *(f"keep-lines(share={share})" for share in (0.8, 0.5, 0.2)),
    *("fragment(share=0.25)", FRAGMENT),
    *("replace-words(share=0.3)", "drop-words(share=0.3)", "typos(share=0.05)", "ocr(share=0.05)"),
)
EMBEDDED = "a tenth in another document"
DOCUMENTS, COPIED = 300, 120
LEAST = 1500  # characters
RUN = 5  # words
HALF = 0.5  # of the words in such runs: then the documents are versions, or one is of the other
DRAWN = {5: 12, 10: 6, 20: 3, 49: 2}  # documents of a small folder: how many folders


def unrelated(folder: str) -> list[Document]:
    """Documents of which no two are similar, called by their numbers."""
    texts: dict[str, None] = {}
    for path in sorted(walk([folder], lambda _: None)):
        try:
            texts[read(path).clean] = None
        except UnreadableError:
            continue
    long = [text for text in texts if len(text) >= LEAST]
    random.Random(7).shuffle(long)  # noqa: S311 (drawn to be the same each time)
    documents = [Document.of(text, str(place)) for place, text in enumerate(long)]
    related = {
        (int(row.fingerprint), int(row.path))
        for matcher, least in (("jaccard", 0.25), ("overlap", 0.5))
        for row in compare(
            documents, documents, matcher=matcher, similarity=least, run=Run(problems=[])
        ).rows
    }
    kept: list[int] = []
    for place in range(len(documents)):
        if len(kept) < DOCUMENTS and all((place, other) not in related for other in kept):
            kept.append(place)
    return [Document.of(long[place], str(number)) for number, place in enumerate(kept)]


def copies(documents: Sequence[Document], way: str) -> Iterator[Document]:
    """Copies of some of the documents by one way, with their names."""
    texts = [document.clean for document in documents]
    mangler = FRAGMENT if way == EMBEDDED else way
    making = DocumentCopies(translated("manglers", parse(mangler)), texts)
    number = min(COPIED, len(texts))
    for place in sorted(random.Random(1).sample(range(len(texts)), number)):  # noqa: S311
        text = making.of(place, 1)[0]
        if way == EMBEDDED:
            host = texts[(place + 7) % len(texts)]
            middle = len(host) // 2
            text = f"{host[:middle]}\n{text}\n{host[middle:]}"
        yield Document.of(text, f"copy of {place}")


def share_in_runs(words: Sequence[str], other: Sequence[str]) -> float:
    """The share of the words that stand in runs of five or more that the other text has."""
    known = {tuple(other[place : place + RUN]) for place in range(len(other) - RUN + 1)}
    covered = {
        place + behind
        for place in range(len(words) - RUN + 1)
        if tuple(words[place : place + RUN]) in known
        for behind in range(RUN)
    }
    return len(covered) / max(1, len(words))


def listed(folders: Sequence[Sequence[Document]], similarity: float | None) -> str:
    """The percentages of copies and of unrelated pairs that are listed, of folders of one size."""
    found = dict.fromkeys((*WAYS, EMBEDDED), 0)
    copied = pairs = unrelated_pairs = apart = 0
    encoder = Encoder(load_recipe("deduplicate"))
    for documents in folders:
        for way in found:
            made = [*copies(documents, way)]
            rows = compare(made, documents, similarity=similarity, run=Run(problems=[])).rows
            found[way] += sum(row.fingerprint == f"copy of {row.path}" for row in rows)
        rows = compare(documents, documents, similarity=similarity, run=Run(problems=[])).rows
        wrong = [(int(row.fingerprint), int(row.path)) for row in rows]
        wrong = [(left, right) for left, right in wrong if left != right]
        words = encoder.terms([item.clean for item in documents])
        half = {
            frozenset(pair)
            for pair in wrong
            if share_in_runs(words[pair[0]], words[pair[1]]) >= HALF
        }
        copied += len(made)
        pairs += len(documents) * (len(documents) - 1)
        unrelated_pairs += len(wrong)
        apart += sum(frozenset(pair) not in half for pair in wrong)
    shares = [100 * hits / copied for hits in found.values()]
    rates = f"{100 * unrelated_pairs / pairs:.2f} | {100 * apart / pairs:.2f}"
    return f"{sum(shares) / len(shares):.1f} | {min(shares):.0f} | {rates}"


def small_folders(documents: Sequence[Document], size: int) -> Iterator[list[Document]]:
    """Folders of some of the documents, called by their numbers."""
    draw = random.Random(11)  # noqa: S311
    for _ in range(DRAWN[size]):
        drawn = draw.sample(documents, size)
        yield [Document.of(item.clean, str(number)) for number, item in enumerate(drawn)]


def main() -> None:
    """Print a row for each folder, and for the small folders drawn from it."""
    columns = "copies | worst way | unrelated | less than half shared"
    print(f"| folder | documents | {columns} | -s 1: {columns} |")
    for folder in sys.argv[1:]:
        documents = unrelated(folder)
        sizes = {len(documents): [documents]}
        sizes |= {
            size: [*small_folders(documents, size)] for size in DRAWN if size < len(documents)
        }
        for size, folders in sizes.items():
            ways = (listed(folders, similarity) for similarity in (None, 0.01))
            print(f"| {folder} | {size} | {' | '.join(ways)} |", flush=True)


if __name__ == "__main__":
    main()
