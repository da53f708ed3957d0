"""The digest: read back to the terms it was made of, and harmless whatever it says."""

import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from struct import pack, unpack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.analysis.tokenizer_chain import LONGEST_TERM
from sdtext.errors import FormatError
from sdtext.formats.fingerprint_xml import read_fingerprints, write_fingerprint
from sdtext.model import Fingerprint, PartSpec, RecipeSpec, TokenDigest
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.compressed_tokens import MOST_TOKENS, Digest, tokens_of
from tests.support.cases import cases
from tests.support.dictionaries import fingerprint_of, written

RECIPE = RecipeSpec(PartSpec("words"))
KNOWN = ("bee", "dance", "naïve", "中", "😀😀")
DICTIONARY = Dictionary.of(dict.fromkeys(KNOWN, 1), 5, RECIPE)
MOST_TEXT = 10_000_000  # of one element, which is what libxml2 allows
OTHERS = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029"), min_size=1
)
TERMS = st.lists(st.sampled_from(KNOWN) | OTHERS | st.sampled_from(["z" * 5000, "𝔘" * 300]))


def read_back(digests: Sequence[TokenDigest], dictionary: Dictionary = DICTIONARY) -> list[str]:
    return [term for digest in digests for term in tokens_of(digest, dictionary)]


def by_the_documentation(digest: TokenDigest, terms: Sequence[str]) -> list[str]:
    """The terms as one reads them who knows the schema's comment alone."""
    sign = {2: "H", 4: "I"}[digest.width]
    numbers = unpack(f"<{digest.tokens}{sign}", zlib.decompress(digest.packed))
    words = zlib.decompress(digest.unknown).decode("utf-8").split("\n") if digest.unknown else []
    assert len(words) == digest.unknown_words
    return [terms[number] if number < len(terms) else words[number - len(terms)]
            for number in numbers]  # fmt: skip


def in_a_file(digests: Sequence[TokenDigest], dictionary: Dictionary = DICTIONARY) -> bytes:
    result = replace(fingerprint_of([()], [dictionary]), digests=tuple(digests))
    return written(write_fingerprint, result)


@given(TERMS, st.integers(1, 9), st.integers(1, 50))
def test_a_digest_is_read_back_as_its_terms(terms: list[str], level: int, tokens: int) -> None:
    digests = list(Digest(tokens, level)(iter(terms), DICTIONARY))
    assert read_back(digests) == terms
    for place, digest in enumerate(digests):
        assert by_the_documentation(digest, KNOWN) == tokens_of(digest, DICTIONARY)
        held = terms[place * tokens : (place + 1) * tokens]
        assert (digest.first, digest.tokens) == (place * tokens, len(held))
        assert digest.unknown_words == len({*held} - {*KNOWN})
        assert bool(digest.unknown) == bool(digest.unknown_words)
        assert digest.dictionary == DICTIONARY.guid
    (result,) = read_fingerprints(io.BytesIO(in_a_file(digests)), "f")
    assert isinstance(result, Fingerprint)
    assert result.digests == tuple(digests)


@cases("more, width", [(-1, 2), (0, 2), (1, 4), (2, 4)])
def test_numbers_are_as_wide_as_the_words_need(more: int, width: int) -> None:
    terms = [f"{number:05x}" for number in range((1 << 16) + more)]
    of_all = Dictionary.of(dict.fromkeys(terms, 1), 5, RECIPE)
    of_half = Dictionary.of(dict.fromkeys(terms[::2], 1), 5, RECIPE)
    for dictionary in (of_all, of_half):
        (digest,) = Digest(level=1)(reversed(terms), dictionary)
        assert digest.width == width
        assert tokens_of(digest, dictionary) == terms[::-1]
        assert by_the_documentation(digest, dictionary.terms) == terms[::-1]


def incompressible(length: int, seed: int = 0) -> str:
    """Characters of four bytes each, drawn from all that are assigned or private beyond the BMP."""
    draw = Random(seed)
    return "".join(map(chr, draw.choices(range(0x20000, 0x10FFFE), k=length)))


HARD: dict[str, Callable[[], list[str]]] = {
    "long words": lambda: [incompressible(LONGEST_TERM, seed) for seed in range(20)],
    "a last word that goes over": lambda: [
        *(incompressible(100, seed) for seed in range(10_000)),
        incompressible(LONGEST_TERM),
    ],
    "single characters": lambda: list(incompressible(600_000)),
    "known words": lambda: Random(1).choices(KNOWN, k=1_200_000),
}


@pytest.mark.parametrize("kind", [
    pytest.param("long words", marks=pytest.mark.deep), "a last word that goes over",
    pytest.param("single characters", marks=pytest.mark.deep), "known words",
])  # fmt: skip
def test_what_is_written_can_be_read_however_hard_it_is_to_compress(kind: str) -> None:
    words = HARD[kind]()
    digests = list(Digest(MOST_TOKENS, 1)(words, DICTIONARY))
    xml = in_a_file(digests)
    assert max(len(each.text or "") for each in etree.fromstring(xml).iter()) < MOST_TEXT
    (result,) = read_fingerprints(io.BytesIO(xml), "f")
    assert isinstance(result, Fingerprint)
    assert read_back(result.digests) == words


# What a stranger may write in a digest.
def squeezed(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def bomb(size: int) -> bytes:
    """What unpacks to at least `size` zero bytes; only its end is damaged."""
    packer = zlib.compressobj(9)
    head = packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + block * -(-size >> 20) + packer.flush()


(GOOD,) = Digest()(["bee", "zebra", "dance", "bee", "yak"], DICTIONARY)
GIGABYTES = bomb(2 << 30)

HOSTILE: dict[str, dict[str, Any]] = {
    "places that are a bomb": {"packed": GIGABYTES},
    "places that are a bomb, with the right number": {"packed": GIGABYTES, "tokens": 1 << 30},
    "as many terms as can be": {"packed": bomb(1 << 20), "tokens": 10**15 - 1, "width": 4},
    "unknown words that are a bomb": {"unknown": GIGABYTES},
    "unknown words that are a bomb, with the right number": {
        "unknown": GIGABYTES, "unknown_words": 1,
    },
    "a bomb where there are no unknown words": {"unknown": GIGABYTES, "unknown_words": 0},
    "one term too many": {"packed": squeezed(bytes(12))},
    "half a number": {"packed": squeezed(bytes(9))},
    "nothing packed": {"packed": b""},
    "more terms said": {"tokens": 6},
    "other width": {"width": 4},
    "a number beyond the words": {"packed": squeezed(pack("<5H", 0, 1, 2, 3, 7))},
    "one word too many": {"unknown": squeezed(b"zebra\nyak\nemu")},
    "many words": {"unknown": squeezed(b"\n" * 5_000_000)},
    "as many words as can be said": {"unknown_words": 10**15 - 1},
    "words not said": {"unknown_words": 0},
    "words that are not UTF-8": {"unknown": squeezed(b"zebra\n\xff")},
    "words that are surrogates": {"unknown": squeezed(b"zebra\n\xed\xa0\x80")},
    "places that are not zlib": {"packed": b"no zlib"},
    "places cut short": {"packed": GOOD.packed[:-3]},
    "a preset dictionary": {"packed": b"x\xbb\x00\x00\x00\x01"},
}  # fmt: skip


@cases("damage", HOSTILE)
def test_a_damaged_or_hostile_digest_is_a_format_error(damage: str) -> None:
    assert tokens_of(GOOD, DICTIONARY) == ["bee", "zebra", "dance", "bee", "yak"]
    hostile = replace(GOOD, **HOSTILE[damage])
    with pytest.raises(FormatError) as caught:
        tokens_of(hostile, DICTIONARY)
    assert str(caught.value).isprintable()


@given(st.data())
def test_any_change_of_bytes_is_a_format_error_or_gives_as_many_terms(data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(["packed", "unknown"]))
    changed = bytearray(getattr(GOOD, field))
    place = data.draw(st.integers(0, len(changed)))
    changed[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    damage: dict[str, Any] = {field: bytes(changed)}
    try:
        result = tokens_of(replace(GOOD, **damage), DICTIONARY)
    except FormatError:
        return
    assert len(result) == 5
