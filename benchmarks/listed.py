"""What CompareDirectory lists by default: edited copies, and pairs of unrelated documents.

Run as `python benchmarks/listed.py FOLDER...`, with documents of one kind in each. Of documents
that have a Jaccard similarity of 0.25 or more, or half of the shingles of the smaller one in
common, one stays. Of at most 300, 120 are copied in ten ways. Printed are the percentages of the
copies whose document is listed, on average and for the worst way, of pairs of unrelated documents,
and of such pairs that share no run of 20 words: by default, which leaves out pairs that share
nothing rare, and with the minimum score 1.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import edits  # noqa: F401 (registers its manglers)

from sdtext import Run, compare
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import UnreadableError
from sdtext.model import PartSpec
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
RUN = PartSpec.of("words", length=20)


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


def listed(documents: Sequence[Document], similarity: float | None) -> str:
    """The percentages of copies and of unrelated pairs that are listed."""
    found = []
    for way in (*WAYS, EMBEDDED):
        made = [*copies(documents, way)]
        rows = compare(made, documents, similarity=similarity, run=Run(problems=[])).rows
        hits = sum(row.fingerprint == f"copy of {row.path}" for row in rows)
        found.append(100 * hits / len(made))
    rows = compare(documents, documents, similarity=similarity, run=Run(problems=[])).rows
    wrong = [(int(row.fingerprint), int(row.path)) for row in rows if row.fingerprint != row.path]
    encoder = Encoder(replace(load_recipe("deduplicate"), shingler=RUN))
    runs = [{*row.tolist()} for row in encoder.shingle_sets([item.clean for item in documents])]
    apart = sum(runs[left].isdisjoint(runs[right]) for left, right in wrong)
    pairs = len(documents) * (len(documents) - 1) / 100
    rates = f"{len(wrong) / pairs:.2f} | {apart / pairs:.2f}"
    return f"{sum(found) / len(found):.1f} | {min(found):.0f} | {rates}"


def main() -> None:
    """Print a row for each folder."""
    columns = "copies | worst way | unrelated | without a run"
    print(f"| folder | documents | {columns} | -s 1: {columns} |")
    for folder in sys.argv[1:]:
        documents = unrelated(folder)
        ways = (listed(documents, similarity) for similarity in (None, 0.01))
        print(f"| {folder} | {len(documents)} | {' | '.join(ways)} |", flush=True)


if __name__ == "__main__":
    main()
