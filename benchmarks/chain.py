"""The English chain, from text to document frequencies, beside others on one core.

Run as `python benchmarks/chain.py [MEGABYTES]`; needs `benchmarks/requirements.txt`. All
are measured in the same run, several times in turn; the median of each is printed, as MB per
second of CPU time, with its ratio to sdtext's. The slow ones see the first part of the texts,
and then the ratio is to sdtext's speed over the same part.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from texts import english

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.parts.load_recipe import load_recipe
from sdtext.text.normal_form import clean

CONFIG = Path(__file__).parents[1] / "configs" / "english.toml"
ROUNDS = 3
Documents = list[bytes]


def split_alone(documents: Documents) -> None:
    """`bytes.split`, the bound: nothing is kept."""
    for document in documents:
        document.split()


def compiled(documents: Documents) -> Counter[str]:
    """sdtext, with an empty memory at the start."""
    chain = Chain(load_recipe(CONFIG))
    texts = (clean(document.decode("utf-8")) for document in documents)
    return Counter(chain.frequencies([chain.distinct_numbers([text]) for text in texts]))


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


def speed(work: Callable[[Documents], object], documents: Documents) -> float:
    """MB per second of CPU time, once."""
    start = time.process_time()
    work(documents)
    return sum(map(len, documents)) / 1e6 / (time.process_time() - start)


def in_memory(documents: Documents) -> None:
    """Print the table of what happens in one process, texts in memory."""
    rows = [
        ("bytes.split alone", split_alone, 1),
        ("sdtext", compiled, 1),
        ("filter by filter", one_by_one, 10),
        ("filter by filter, nltk's Porter", with_nltk, 40),
        ("scikit-learn CountVectorizer", count_vectorizer, 4),
    ]
    check_equal(documents[: len(documents) // 10])
    print(f"{'':34}{'MB/s':>8}{'sdtext is':>12}")
    for name, work, part in rows:
        share = documents[: len(documents) // part]
        pairs = [(speed(work, share), speed(compiled, share)) for _ in range(ROUNDS)]
        ratio = statistics.median(ours / theirs for theirs, ours in pairs)
        print(f"{name:34}{statistics.median(pair[0] for pair in pairs):8.1f}{ratio:11.2f}x")


def check_equal(documents: Documents) -> None:
    """What is compared must do the same."""
    if not compiled(documents) == one_by_one(documents) == with_nltk(documents):
        sys.exit("the chains do not give the same terms")


def whole_process(documents: Documents) -> None:
    """Print what the whole command takes, files and start included."""
    with tempfile.TemporaryDirectory() as folder:
        for place, document in enumerate(documents):
            Path(folder, f"{place}.txt").write_bytes(document)
        script = (
            "import sys, pathlib\n"
            "for path in pathlib.Path(sys.argv[1]).iterdir(): path.read_bytes().split()"
        )
        commands = {
            "bytes.split over the files": [sys.executable, "-c", script, folder],
            "sdtext CreateDictionary --jobs 1": [
                sys.executable, "-m", "sdtext", "CreateDictionary", "--jobs", "1", "-p", folder,
                "-c", str(CONFIG), "-o", "/dev/null",
            ],
        }  # fmt: skip
        taken = {name: [cpu(command) for _ in range(ROUNDS)] for name, command in commands.items()}
    first, second = taken.values()
    ratio = statistics.median(b / a for a, b in zip(first, second, strict=True))
    print(f"\n{'whole process, files in the page cache':40}{'CPU s':>8}")
    for name, seconds in taken.items():
        print(f"{name:40}{statistics.median(seconds):8.2f}")
    print(f"ratio {ratio:.1f}")


def cpu(command: list[str]) -> float:
    """The CPU seconds of a command."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    texts = english(float(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print(f"{len(texts)} documents, {sum(map(len, texts)) / 1e6:.1f} MB")
    in_memory(texts)
    whole_process(texts)
