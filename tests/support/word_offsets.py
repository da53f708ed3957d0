"""Small texts for collections with word offsets and sentence codes, and words spelled out."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

from sdtext.kernels.terms.document_words import LEFT_OUT, DocumentWords, WordOffsets
from sdtext.model import PartSpec, RecipeSpec

CHAIN = RecipeSpec(
    PartSpec("unicode"), (PartSpec("lowercase"), PartSpec.of("stop-words", words=("of", "the")))
)


PASSAGES = replace(CHAIN, aligner=PartSpec("windows"))


SENTENCES = replace(
    PASSAGES,
    unit=PartSpec.of("sentence", length=60),
    shingler=PartSpec.of("words", length=2),
    fingerprint=PartSpec.of("bbit", slots=128),
)


WORDS = ["bees", "hive", "The", "of", "honey", "wax", "cafe\u0301", "queen", "A", "swarm", "中国"]


Row = list[tuple[str, int, int]]


def text_of(seed: int, sentences: int = 8) -> str:
    draw = Random(seed)
    output = [" ".join(draw.choices(WORDS, k=draw.randrange(9, 16))) for _ in range(sentences)]
    return "\n".join(f"{item[0].upper()}{item[1:]}." for item in output)


def written(folder: Path, seeds: Iterable[int]) -> Path:
    folder.mkdir(exist_ok=True)
    for seed in seeds:
        (folder / f"{seed:02}.txt").write_text(text_of(seed), "utf-8")
    return folder


def spelled(placed: WordOffsets) -> list[Row]:
    words = [bytes(word).decode() for word in placed.words]
    return [
        [(words[token - 1], int(start), int(end)) for token, start, end in zip(*row, strict=True)]
        for row in zip(placed.tokens, placed.starts, placed.ends, strict=True)
    ]


def offsets_of(texts: Iterable[Iterable[str]]) -> WordOffsets:
    """Documents of those words, a blank between them."""
    rows = []
    for words in texts:
        place, row = 0, []
        for word in words:
            row.append((word, place, place + len(word.removeprefix(LEFT_OUT))))
            place = row[-1][2] + 1
        rows.append(row)
    return WordOffsets.of(rows)


def placed(*texts: list[str]) -> list[DocumentWords]:
    documents = offsets_of(texts)
    return [documents.document(place) for place in range(len(texts))]
