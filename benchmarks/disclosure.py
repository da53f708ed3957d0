"""What shared files reveal to someone with other documents of the kind, as a table.

Run as `python benchmarks/disclosure.py`; SDTEXT_DATA names the folder of real texts. The Federalist
papers and the inaugural addresses are cut into pieces of 8,000 characters. Every second piece is
shared, and the others are what an attacker has. The dictionary is made of the shared pieces,
trimmed to 0.3 to 0.8, and keyed; the attacker has no key.

- Known pairs: the attacker has the texts of some shared fingerprints. A position is found if it and
  one term alone are in the same ones of these.
- Frequencies: the positions by how many fingerprints have them, or by the document frequency that
  the keyed dictionary states, are matched in order with the terms of the attacker's documents.
- Codes: the sentences that have a code near that of a sentence of the attacker's documents, and
  near one of their own text, where it is suspected.
- Known pairs of keyed sketches (512 bytes): a position is read as the one pair of words that is in
  the same known texts, of those with a cut above it, unless another is read as that, too. Counted
  are positions in the sketches whose texts are not known.
- Sketches (512 bytes): each position is read as the most frequent pair of words that gives it: of
  the pairs in the attacker's documents, or of all pairs of their 2,000 most frequent words, by the
  product of the frequencies. Of positions that are read, so many are read rightly.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from texts import data

import sdtext
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.wordless_fingerprints import sketch_recipe
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of, mixed
from sdtext.kernels.arrays.packed_bits import places_in
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.bottom_k import END, unpacked
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.sliding_windows import HashedTerms, mixed_hashes
from sdtext.reuse.sentence_finder import near_pairs
from sdtext.sharing.keyed_dictionaries import key_dictionary, new_dictionary_key
from sdtext.text.document import Document

LENGTH, PAIRS, RADIUS, WORDS = 8_000, (5, 10, 20, 40, 80), 19, 2_000
Pair = tuple[str, str]


def pieces() -> list[Document]:
    """The texts in pieces, without their last ones, which are shorter."""
    paths = [path for name in ("federalist", "inaugural") for path in (data() / name).glob("*.txt")]
    texts = [path.read_text("utf-8", "replace") for path in sorted(paths)]
    cut = (text[at : at + LENGTH] for text in texts for at in range(0, len(text), LENGTH))
    return [Document.of(text, name=str(n)) for n, text in enumerate(cut) if len(text) == LENGTH]


def places_of(documents: Sequence[Document], dictionary: Dictionary) -> list[set[int]]:
    """The places that are set in the fingerprint of each document."""
    prints = sdtext.fingerprint(documents, dictionary)
    return [set(places_in(item.vectors[0].packed)) for item in prints]


def columns(rows: Sequence[set[int]]) -> dict[int, tuple[int, ...]]:
    """For each place the numbers of the rows that have it."""
    found: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        for place in row:
            found.setdefault(place, []).append(number)
    return {place: tuple(numbers) for place, numbers in found.items()}


def alone(values: Mapping[int, Hashable]) -> dict[Hashable, int]:
    """The places by those values that one place alone has."""
    counts = Counter(values.values())
    return {value: place for place, value in values.items() if counts[value] == 1}


def ranked(frequencies: Mapping[int, int]) -> list[int]:
    """Places from the most frequent on; of equal ones in a random order, which is all one knows."""
    chance = random.Random(1)  # noqa: S311 (drawn to be the same each time)
    places = sorted(frequencies)
    chance.shuffle(places)
    return sorted(places, key=lambda place: -frequencies[place])


def share(pairs: Iterable[tuple[int, int]], truth: Sequence[int]) -> float:
    """How many of all places, in per cent, are matched with their term."""
    return 100 * sum(truth[place] == term for place, term in pairs) / len(truth)


def positions(firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.int64]:
    """The positions in sketches of pairs of words."""
    words = {word: place for place, word in enumerate(dict.fromkeys([*firsts, *seconds]))}
    spelled = [np.frombuffer(word.encode(), np.uint8) for word in words]
    keys = hashes_of(Ragged.of(spelled, "uint8"))
    both = np.array([[words[word] for word in side] for side in (firsts, seconds)])
    symbols = HashedTerms(keys[both.T.ravel()])
    hashes = mixed_hashes(symbols, 2, np.arange(0, 2 * len(firsts), 2))
    return (mixed(hashes) >> np.uint64(44)).astype(np.int64)


def read_as(pairs: Mapping[Pair, int]) -> dict[int, Pair]:
    """The most frequent of the pairs that give each position."""
    ordered = sorted(pairs, key=lambda pair: -pairs[pair])
    every = positions(*zip(*ordered, strict=True)).tolist()
    return dict(zip(every[::-1], ordered[::-1], strict=True))


def read_as_products(words: Mapping[str, int]) -> dict[int, Pair]:
    """The same of all pairs of some words, by the products of their frequencies."""
    found: dict[int, tuple[int, Pair]] = {}
    for first, count in words.items():
        every = positions([first] * len(words), [*words]).tolist()
        for position, (second, other) in zip(every, words.items(), strict=True):
            if count * other > found.get(position, (0, ()))[0]:
                found[position] = count * other, (first, second)
    return {position: pair for position, (_, pair) in found.items()}


def print_readings(shared: Sequence[Document], others: Sequence[Document]) -> None:
    """Print how many positions of sketches are read, and how many of these rightly."""
    words_of = Chain(sketch_recipe()).terms
    known = [words_of(item.clean) for item in others]
    frequent = dict(Counter(word for words in known for word in words).most_common(WORDS))
    for what, readings in (
        ("pairs of others", read_as(Counter(pair for words in known for pair in pairwise(words)))),
        ("all pairs of words", read_as_products(frequent)),
    ):
        counts: Counter[str] = Counter()
        for document in shared:
            pairs = [*dict.fromkeys(pairwise(words_of(document.clean)))]
            own: dict[int, set[Pair]] = {}
            for pair, position in zip(pairs, positions(*zip(*pairs, strict=True)), strict=True):
                own.setdefault(int(position), set()).add(pair)
            made = sdtext.sketch(document).sketch
            stored = unpacked(made.packed)[:-1].tolist() if made else []
            read = [at for at in stored if at in readings]
            counts.update(
                pairs=len(pairs),
                stored=len(stored),
                read=len(read),
                right=sum(readings[at] in own[at] for at in read),
            )
        shares = counts["read"] / counts["stored"], counts["right"] / counts["read"]
        print(f"sketches, {what}: {shares[0]:.1%} of positions read, {shares[1]:.1%} rightly,")
        print(f"  which is {counts['right'] / counts['pairs']:.1%} of the pairs of a document")


def print_known_sketches(shared: Sequence[Document], keyed: Dictionary) -> None:
    """Print how many positions of keyed sketches are read by someone who has some of the texts."""
    opened, under_key = (Chain(sketch_recipe(keyed=each)).terms for each in ((), [keyed]))
    holders: Counter[Pair] = Counter()  # a bit for each text
    truth: dict[int, set[Pair]] = {}
    sketches = [unpacked(sdtext.sketch(item, dictionary=keyed).sketch.packed) for item in shared]
    below: list[tuple[int, set[int]]] = []
    for number, (item, row) in enumerate(zip(shared, sketches, strict=True)):
        below.append((int(row[-1]) - END, set(row[:-1].tolist())))
        pairs, spelled = ([*pairwise(terms(item.clean))] for terms in (opened, under_key))
        for pair, place in zip(pairs, positions(*zip(*spelled, strict=True)).tolist(), strict=True):
            holders[pair] |= 1 << number
            truth.setdefault(place, set()).add(pair)
    for number in PAIRS:
        readings: dict[int, Pair] = {}
        for cut in sorted({cut for cut, _ in below[:number]}, reverse=True):
            # Of positions between this cut and the next lower one, these sketches have all.
            whole = [at for at in range(number) if below[at][0] >= cut]
            mask = sum(1 << at for at in whole)
            least = max((other for other, _ in below[:number] if other < cut), default=0)
            columns_of = columns([{p for p in below[at][1] if least <= p < cut} for at in whole])
            bits = {p: sum(1 << whole[at] for at in rows) for p, rows in columns_of.items()}
            known = Counter(held & mask for held in holders.values())
            pair_of = {
                held & mask: pair for pair, held in holders.items() if known[held & mask] == 1
            }
            readings |= {place: pair_of[value] for place, value in bits.items() if value in pair_of}
        claims = Counter(readings.values())
        readings = {place: pair for place, pair in readings.items() if claims[pair] == 1}
        rest = [place for _, places in below[number:] for place in places]
        read = [place for place in rest if place in readings]
        right = sum(readings[place] in truth[place] for place in read)
        shares = len(read) / len(rest), right / max(1, len(read))
        print(f"known pairs of keyed sketches: {number}: {shares[0]:.1%} of positions of others")
        print(f"  read, {shares[1]:.1%} rightly")


def main() -> None:
    """Print the table."""
    documents = pieces()
    shared, others = documents[::2], documents[1::2]
    opened = sdtext.create_dictionary(shared, "english").trim(0.3, 0.8)
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "key")
        new_dictionary_key(key)
        keyed = key_dictionary(opened, key)
        os.environ["SDTEXT_KEY"] = str(key)
        prints = places_of(shared, keyed)
        print_known_sketches(shared, keyed)
        spelled = Chain(keyed.recipe).filters[-1]
        term_of = {keyed.places[spelled(term)]: place for term, place in opened.places.items()}
    truth = [term_of[place] for place in range(len(keyed.terms))]
    texts = places_of(shared, opened)
    print(f"{len(shared)} pieces shared, {len(others)} others; {len(truth):,} terms")
    for number in PAIRS:
        terms, positions = alone(columns(texts[:number])), alone(columns(prints[:number]))
        pairs = [(positions[rows], terms[rows]) for rows in positions.keys() & terms.keys()]
        print(f"known pairs: {number}: {share(pairs, truth):.1f} %")
    known = places_of(others, opened)
    frequencies = {place: len(rows) for place, rows in columns(known).items()}
    terms_by_rank = ranked({place: frequencies.get(place, 0) for place in range(len(truth))})
    for what, counts in (
        ("in the fingerprints", {place: len(rows) for place, rows in columns(prints).items()}),
        ("in the dictionary", dict(enumerate(keyed.counts))),
    ):
        pairs = [*zip(ranked(counts), terms_by_rank, strict=False)]
        first = share(pairs[:100], truth) * len(truth) / 100
        print(f"frequencies {what}: {share(pairs, truth):.1f} %, {first:.0f} of the first 100")
    coded = [UnitCodes(load_recipe("evidence"))(side).codes.values for side in (shared, others)]
    near = len(np.unique(near_pairs(coded[0], coded[1], RADIUS).left))
    print_readings(shared, others)
    print(f"codes: of {len(coded[0]):,} sentences {near} are near one of other documents")


if __name__ == "__main__":
    main()
