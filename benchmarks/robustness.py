"""Edited copies found by fuzzy hashes, MinHash and the matchers of sdtext: a table.

Run as `python benchmarks/robustness.py [DOCUMENTS [QUERIES]]`; needs the extra `benchmarks`,
the program man and manual pages (manual_pages.py). Of 393 manual pages 300 are copied in each of
the ways of `MANGLERS`, and each copy is compared with all pages. `level` is the score that one in a
thousand unrelated pairs exceeds, one for all edits together, so that no method knows how a text was
edited. A cell has the percentage of the copies whose originals score above all others, and that of
those whose originals score above the level, with its 95 % interval.

Copies, unrelated pairs and the scores of sdtext are those of an experiment (`PLAN`): its dictionary
is made of the pages of other folds, and pages of which a copy has text, or that share a quarter of
their terms with the original, are no unrelated ones.
Fuzzy hashes read the text as UTF-8.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import edits  # noqa: F401 (registers its manglers)
import iscc_lib
import mrsh
import numpy as np
import ssdeep
import tlsh
from manual_pages import manual_pages
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.experiment.dataset import load_datasets
from sdtext.experiment.plan import plan_of
from sdtext.experiment.trial import Query, Trial
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.binomial_limits import share_interval
from sdtext.parts.fingerprints.minhash import MinHash
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.text.document import Document

DOCUMENTS, QUERIES = 393, 300
RATE = 0.001
MANGLERS = (
    *(f"keep-lines(share={share})" for share in (0.8, 0.6, 0.5, 0.4, 0.2)),
    *(f"fragment(share={share})" for share in (0.5, 0.25, 0.1)),
    *("reflow(width=60)", "capitals", "shuffle(of=lines)", "shuffle"),
    *("replace-words(share=0.3)", "drop-words(share=0.3)", "typos(share=0.05)", "ocr(share=0.05)"),
)
PLAN = {
    "groups": "english",
    "matcher": ["cosine", "idf-cosine", "idf-cosine(power=2)", "surprise"],
    "min_idf": [0.0, 0.2],
    "max_idf": [0.9, 1.0],
    "manglers": [*MANGLERS],
    "min_terms": 1,
    "duplicates": 0.25,
}
OURS = ((0, 2), (1, 2), (3, 2), (2, 1), (3, 1))
"""The matchers and ranges of the plan that are shown, by their numbers."""
Rows = NDArray[np.float64]
Compare = Callable[[Sequence[Any], Any], Rows]


def one_by_one(similarity: Callable[[Any, Any], float]) -> Compare:
    """The similarities of one hash with many."""
    return lambda many, own: np.array([similarity(own, item) for item in many], np.float64)


def iscc_bits(text: str) -> NDArray[np.uint8]:
    """The 256 bits of the text code of ISCC, packed."""
    code = iscc_lib.gen_text_code_v0(text, bits=256)["iscc"]
    return np.frombuffer(iscc_lib.iscc_decode(code)[-1], np.uint8)


def mrsh_of(text: str) -> Any:
    """The fingerprint of mrsh-v2."""
    fingerprint = mrsh.Fingerprint()
    fingerprint.update(utf_8(text))
    return fingerprint


WORDS = PartSpec.of("words", length=3)
ENCODER = Encoder(RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),), shingler=WORDS))


def minhash_of(text: str) -> NDArray[np.uint32]:
    """A sketch of 128 slots of shingles of three words."""
    return MinHash(128)(ENCODER.shingle_sets([Document.of(text).clean]))[0]


def tlsh_similarity(left: str, right: str) -> float:
    """The distance of TLSH as a similarity; short or poor texts have no hash."""
    has_no_hash = "TNULL" in (left, right) or not left or not right
    return -10_000.0 if has_no_hash else -float(tlsh.diff(left, right))


def utf_8(text: str) -> bytes:
    """What fuzzy hashes read."""
    return text.encode("utf-8", "replace")


PEERS: Mapping[str, tuple[Callable[[str], Any], Compare]] = {
    "ssdeep": (lambda text: ssdeep.hash(utf_8(text)), one_by_one(ssdeep.compare)),
    "mrsh-v2": (mrsh_of, one_by_one(lambda left, right: float(left.compare(right)))),
    "TLSH": (lambda text: tlsh.hash(utf_8(text)), one_by_one(tlsh_similarity)),
    "ISCC 256 bits": (
        iscc_bits,
        lambda many, own: -np.bitwise_count(np.stack(many) ^ own).sum(axis=1).astype(np.float64),
    ),
    "MinHash 128": (minhash_of, lambda many, own: (np.stack(many) == own).mean(axis=1)),
}


@dataclass
class Method:
    """The scores of a method: by edit those of originals and best others, and unrelated ones."""

    originals: dict[str, list[float]] = field(default_factory=dict)
    best_others: dict[str, list[float]] = field(default_factory=dict)
    unrelated: list[Rows] = field(default_factory=list)

    def add(self, edit: str, scores: Rows, query: Query) -> None:
        """Add the scores of a copy with all documents."""
        original = query.document
        others = np.delete(scores, np.union1d(query.excluded, [original]))
        self.originals.setdefault(edit, []).append(float(scores[original]))
        self.best_others.setdefault(edit, []).append(float(others.max()))
        self.unrelated.append(others)

    @property
    def level(self) -> float:
        """The score that one in a thousand unrelated pairs exceeds."""
        return float(np.quantile(np.concatenate(self.unrelated), 1 - RATE, method="higher"))

    def cell(self, edit: str) -> str:
        """The percentages of an edit."""
        scores = np.array(self.originals[edit])
        first = 100 * (scores > np.array(self.best_others[edit])).mean()
        reached = int((scores > self.level).sum())
        low, high = share_interval(reached, len(scores), len(scores))
        share = 100 * reached / len(scores)
        return f"{first:.0f} / {share:.0f} ({100 * low:.0f}–{100 * high:.0f})"


def measured(folder: Path, queries: int) -> dict[str, Method]:
    """The scores of all methods with the documents of a folder."""
    plan = plan_of({"dataset": str(folder), "queries": queries, **PLAN})
    dataset = load_datasets([plan])[0]
    hashes = {name: [*map(hash_of, dataset.texts)] for name, (hash_of, _) in PEERS.items()}
    names = {place: f"{plan.matchers[place[0]]}, {plan.cells[place[1]]}" for place in OURS}
    methods = {name: Method() for name in [*PEERS, *names.values()]}
    for fold in range(plan.folds):
        trial = Trial(dataset, 0, 0, fold)
        scorer = trial.scorer(plan.matchers, plan.cells)
        for number, mangler in enumerate(plan.manglers):
            asked = [*trial.queries(number)]
            for place, matcher, scores in scorer([query.terms for query in asked]):
                for cell in {cell for own, cell in OURS if own == matcher}:
                    row = scores[scorer.row_of[cell]].astype(float)
                    methods[names[matcher, cell]].add(str(mangler), row, asked[place])
            copies = DocumentCopies(mangler, dataset.texts)
            for query in asked:
                text, _ = copies.of(query.document, plan.seed)
                for name, (hash_of, compare) in PEERS.items():
                    methods[name].add(str(mangler), compare(hashes[name], hash_of(text)), query)
    return methods


def main(documents: int, queries: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in manual_pages(documents).items():
            Path(folder, f"{name}.txt").write_text(text, "utf-8")
        methods = measured(Path(folder), queries)
    pairs = len(np.concatenate(next(iter(methods.values())).unrelated))
    print(f"{documents} documents, {queries} copies of each kind, {pairs:,} unrelated pairs\n")
    print("|", " | ".join(["edit", *methods]), "|")
    print("|---" * (len(methods) + 1) + "|")
    print("|", " | ".join(["level", *(f"{method.level:.3g}" for method in methods.values())]), "|")
    for edit in MANGLERS:
        print("|", " | ".join([edit, *(method.cell(edit) for method in methods.values())]), "|")


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    main(*[*arguments, *(DOCUMENTS, QUERIES)[len(arguments) :]])
