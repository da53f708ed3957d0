"""Documents of generated words, and passages by brute force."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np

from sdtext.kernels.terms.document_words import LEFT_OUT, WordOffsets
from sdtext.model import Examined, Passage
from sdtext.parts.aligners.window_passages import WindowPassages
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo
from tests.support.word_offsets import offsets_of

Words = Sequence[str]


def placed(documents: Sequence[Words]) -> WordOffsets:
    """The words of documents, a blank behind each; those in small letters are terms."""
    return offsets_of(
        [word if word.islower() else LEFT_OUT + word.lower() for word in words]
        for words in documents
    )


def texts(documents: Sequence[Words], first: int = 0) -> DocumentBatch:
    """The documents, numbered from `first`."""
    known = [
        DocumentInfo(number, Examined(f"{number}.txt", len(words)))
        for number, words in enumerate(documents, first)
    ]
    return DocumentBatch(known, placed(documents))


def plain_passages(
    left: DocumentBatch, right: DocumentBatch, w: int, tau: int, align: WindowPassages
) -> list[Passage]:
    """The passages of two texts by each window of one beside each of the other."""
    first, other = left.renumbered_as(right).words_of(0), right.words_of(0)
    x, y = first.terms.tolist(), other.terms.tolist()
    boxes = [
        (i, i + w, j, j + w)
        for i in range(len(x) - w + 1)
        for j in range(len(y) - w + 1)
        if (Counter(x[i : i + w]) & Counter(y[j : j + w])).total() >= w - tau
    ]
    if not boxes:
        return []
    return align(np.array(boxes, np.int64), first, other, w)


def words(seed: int, number: int, kinds: int) -> list[str]:
    """So many words of so many kinds; one in five is no term."""
    draw = Random(seed)
    result = [f"w{draw.randrange(kinds)}" for _ in range(number)]
    return [word.upper() if draw.random() < 0.2 else word for word in result]
