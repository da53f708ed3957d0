"""The English chain, from text to document frequencies, beside others on one core.

Run as `python benchmarks/chain.py`. All are measured in the same run, in turns; printed are MB per
second of CPU time, and the median ratio. The slow ones see the first part of the texts, and then
the ratio is to sdtext's speed over the same part.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from measuring import QUICK, in_turns, installed, ratio, seconds, size, table
from texts import english

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.disguises import undisguised
from sdtext.text.normal_form import clean

CONFIG = Path(__file__).parents[1] / "configs" / "english.toml"
Documents = list[bytes]
_TOGETHER = 8  # documents


def split_alone(documents: Documents) -> None:
    """`bytes.split`, the bound: nothing is kept."""
    for document in documents:
        document.split()


def compiled(documents: Documents) -> Counter[str]:
    """sdtext, with an empty memory at the start, as CreateDictionary has it."""
    chain = Chain(load_recipe(CONFIG))
    rows = []
    for start in range(0, len(documents), _TOGETHER):
        some = documents[start : start + _TOGETHER]
        texts = [undisguised(document.decode("utf-8")).clean() for document in some]
        rows += chain.distinct_of_each(texts)
    return Counter(chain.frequencies(np.bincount(np.concatenate(rows)).tolist()))


def one_by_one(documents: Documents, stem: Callable[[str], str] | None = None) -> Counter[str]:
    """The same filters, one after the other over every word."""
    chain = Chain(load_recipe(CONFIG))
    filters = [*chain.filters[:-1], stem or chain.filters[-1]]
    frequencies: Counter[str] = Counter()
    for document in documents:
        words = clean(document.decode("utf-8")).split()
        for keep in filters:
            words = [word for word in map(keep, words) if word]
        frequencies.update(set(words))
    return frequencies


def with_nltk(documents: Documents) -> Counter[str]:
    """The same filters with nltk's Porter stemmer (its mode of Martin's extensions)."""
    from nltk.stem.porter import PorterStemmer

    return one_by_one(documents, PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS).stem)


def count_vectorizer(documents: Documents) -> None:
    """scikit-learn's CountVectorizer as it comes: other words, no stems."""
    from sklearn.feature_extraction.text import CountVectorizer

    CountVectorizer(binary=True, stop_words="english").fit_transform(documents).sum(axis=0)


PEERS: list[tuple[str, Callable[[Documents], object], int, str]] = [
    ("`bytes.split` alone, results discarded", split_alone, 1, "sys"),
    ("the same filters, one after the other over every word", one_by_one, 10, "sys"),
    ("the same, with nltk's Porter stemmer", with_nltk, 40, "nltk"),
    ("scikit-learn's CountVectorizer (other words, no stems)", count_vectorizer, 4, "sklearn"),
]
"""Name, work, the part of the texts that it sees, and the package that it needs."""


def main() -> None:
    """Print the table."""
    documents = english(size(40, 1))
    megabytes = sum(map(len, documents)) / 1e6
    some = documents[: len(documents) // 10]
    if compiled(some) != one_by_one(some):
        sys.exit("the chains do not give the same terms")
    rows, speeds = [], []
    for name, work, part, module in PEERS:
        if not installed(module):
            continue
        share = documents[: 1 + len(documents) // (1 if QUICK else part)]
        taken = in_turns({
            "theirs": lambda work=work, share=share: seconds(lambda: work(share))[0],
            "ours": lambda share=share: seconds(lambda: compiled(share))[0],
        })  # fmt: skip
        spent = sum(map(len, share)) / 1e6
        speeds += [spent / each for each in taken["ours"] if len(share) > len(documents) / 2]
        times = ratio(taken["theirs"], taken["ours"])
        rows.append((name, f"{spent / median(taken['theirs']):.3g}", f"{times:.2g}× as fast"))
    rows.insert(1, ("**sdtext**", f"{median(speeds):.3g}", ""))
    head = f"{megabytes:.0f} MB, {len(documents):,} documents"
    table((head, "MB/s of CPU time", "speed of sdtext"), rows)


if __name__ == "__main__":
    main()
