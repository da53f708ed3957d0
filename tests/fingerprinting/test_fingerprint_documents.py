"""Fingerprints: the fast path, segments and digests say the same; several dictionaries."""

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError, OutputError, UnreadableError
from sdtext.fingerprinting import save_fingerprints
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.fingerprinting.save_fingerprints import _FileNames
from sdtext.model import PartSpec, RecipeSpec, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.compressed_tokens import Digest, tokens_of
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.read_document import Source, read
from sdtext.text.document import Document
from sdtext.text.normal_form import clean_with_map
from tests.support.strategies import BRISK, TEXTS, recipes

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "samples" / "texts"
ENGLISH = load_recipe(ROOT / "configs" / "english.toml")
LETTERS = RecipeSpec(PartSpec("unicode"), (PartSpec("casefold"),))
Options = tuple[dict[str, Any], ...]
SEGMENTS = st.integers(1, 40).flatmap(
    lambda tokens: st.builds(Segment, st.just(tokens), st.integers(0, tokens))
)


def document(text: str) -> Document:
    return Document(text, *clean_with_map(text))


def union(vectors: Sequence[Vector]) -> int:
    return reduce(int.__or__, (vector.number for vector in vectors), 0)


def terms_set(vector: Vector, dictionary: Dictionary) -> set[str]:
    return {term for place, term in enumerate(dictionary.terms) if vector.number >> place & 1}


@pytest.fixture(scope="module")
def pair() -> tuple[Dictionary, Dictionary]:
    return create_dictionary(SAMPLES, ENGLISH), create_dictionary(SAMPLES, LETTERS).trim(-1, 0.9)


@BRISK
@given(recipes(), TEXTS, SEGMENTS, st.data())
def test_the_fast_path_and_the_others_find_the_same_terms(
    recipe: RecipeSpec, text: str, segment: Segment, data: st.DataObject
) -> None:
    whole = document(text)
    terms = Chain(recipe).terms(whole.clean)
    known = data.draw(st.sets(st.sampled_from(terms)) if terms else st.just(set[str]()))
    dictionary = Dictionary.of(dict.fromkeys([*known, "else"], 1), 5, recipe)

    fast = fingerprint(whole, dictionary)
    digested = fingerprint(whole, dictionary, digest=Digest(tokens=7))
    cut = fingerprint(whole, dictionary, segment=segment)
    both = fingerprint(whole, dictionary, segment=segment, digest=Digest())

    assert len(fast.vectors) == 1
    assert terms_set(fast.vectors[0], dictionary) == set(terms) & set(dictionary.terms)
    assert digested.vectors == fast.vectors
    assert union(cut.vectors) == fast.vectors[0].number
    assert both.vectors == cut.vectors
    for item in (digested, both):
        assert [entry for it in item.digests for entry in tokens_of(it, dictionary)] == terms
    assert not fast.digests + cut.digests
    places = [vector.place for vector in cut.vectors if vector.place]
    assert len(places) == (len(cut.vectors) if terms else 0)
    for vector, place in zip(cut.vectors, places, strict=False):
        held = set(terms[place.first : place.first + place.tokens])
        assert terms_set(vector, dictionary) == held & set(dictionary.terms)


@BRISK
@given(TEXTS, SEGMENTS)
def test_a_document_at_hand_gives_what_its_file_gives(text: str, segment: Segment) -> None:
    dictionary = Dictionary.of({"the": 1, "run": 1, "running": 1, "a": 1}, 5, LETTERS)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_bytes(("the word and " + text).encode("utf-8-sig"))
        try:
            at_hand = read(path)
        except UnreadableError:
            return  # zero bytes, say
        choices: Options = ({}, {"segment": segment}, {"segment": segment, "digest": Digest()})
        for options in choices:
            result = fingerprint(at_hand, dictionary, **options)
            assert result == fingerprint(path, dictionary, **options)
            save(dictionary, Path(folder) / "d.xml")
            assert result == fingerprint(path, Path(folder) / "d.xml", **options)


def test_a_long_document_in_pieces_gives_what_it_gives_at_hand(
    tmp_path: Path, pair: tuple[Dictionary, Dictionary], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(path.read_text("utf-8") for path in sorted(SAMPLES.iterdir()))
    # The marks make text and clean text differ.
    text = "".join(text.replace("o ", f"o\u0308\x0c {number} ", 9) for number in range(6))
    path = tmp_path / "long.txt"
    path.write_text(text, "utf-8", newline="")
    monkeypatch.setattr("sdtext.io.decompressed_content.BLOCK", 5000)
    monkeypatch.setattr("sdtext.reading.read_document._SHORTEST_BLOCK", 5000)
    pieces = list(Source(path).clean_pieces(" \n"))
    assert len(pieces) > 10
    whole = document(text)
    options: dict[str, Any] = {"segment": "500/200", "digest": Digest(tokens=999)}
    at_hand = fingerprint(whole, pair, **options)
    in_pieces = fingerprint(path, pair, **options)
    assert in_pieces == at_hand
    assert fingerprint(path, pair).vectors == fingerprint(whole, pair).vectors
    last = at_hand.vectors[-1].place
    assert last
    assert len(text) - 40 < last.offset + last.length <= len(text)


def test_each_dictionary_gets_what_it_gets_alone(pair: tuple[Dictionary, Dictionary]) -> None:
    digests: Options = ({"digest": Digest(tokens=70)}, {"segment": "60", "digest": Digest()})
    for options in ({}, {"segment": "60/30"}, *digests):
        together = fingerprint(SAMPLES / "union.txt", pair, **options)
        first, other = (fingerprint(SAMPLES / "union.txt", item, **options) for item in pair)
        assert together.vectors == first.vectors + other.vectors
        assert together.digests == first.digests + other.digests
        assert together.dictionaries == tuple(item.reference() for item in pair)
        for vector in together.vectors:
            assert together.reference(vector).terms == vector.length


def test_without_terms_a_document_has_no_bits(pair: tuple[Dictionary, Dictionary]) -> None:
    choices: Options = ({}, {"segment": "10"}, {"digest": Digest()})
    for options in choices:
        result = fingerprint(document("... 1 2 3"), pair[0], **options)
        assert [(vector.count, vector.place) for vector in result.vectors] == [(0, None)]
        assert result.digests == ()
    with pytest.raises(OptionError, match="dictionary"):
        fingerprint(document("a"), [])


def test_names_that_differ_in_case_are_numbered_where_case_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def identity(path: Path) -> tuple[int, int] | None:
        name = path.name.lower()
        is_there = name in [entry.name.lower() for entry in path.parent.iterdir()]
        return (1, hash(name)) if is_there else None

    def written() -> list[str]:
        names = _FileNames(tmp_path, [tmp_path / "C.txt.xml"])
        documents = map(Path, ("x/A.txt", "y/a.txt", "z/A.TXT", "x/b.txt", "x/c.txt"))
        chosen = []
        for path in map(names, documents):
            path.touch()
            chosen.append(path.name)
        return chosen

    (tmp_path / "C.txt.xml").touch()
    assert written() == ["A.txt.xml", "a.txt.xml", "A.TXT.xml", "b.txt.xml", "c.txt.xml"]
    for path in tmp_path.iterdir():
        path.unlink()
    (tmp_path / "C.txt.xml").touch()
    monkeypatch.setattr(save_fingerprints, "identity_of", identity)
    assert written() == ["A.txt.xml", "a.txt-2.xml", "A.TXT-3.xml", "b.txt.xml", "c.txt-2.xml"]


def test_saving_in_python_replaces_results_of_the_same_kind_alone(tmp_path: Path) -> None:
    dictionary = load_dictionary("english")
    made = sdtext.fingerprint(sdtext.Document.of("Bees dance in their hive."), dictionary)
    text = tmp_path / "essay.txt"
    text.write_text("An essay.")
    sdtext.save(made, tmp_path / "f.xml")
    for item, name in ((dictionary, "essay.txt"), (made, "essay.txt"), (dictionary, "f.xml")):
        with pytest.raises(OutputError, match="already exists and is not"):
            sdtext.save(item, tmp_path / name)
    assert text.read_text() == "An essay."
    sdtext.save(made, tmp_path / "f.xml")
    sdtext.save(dictionary, tmp_path / "f.xml", replaces=True)
    assert sdtext.load(tmp_path / "f.xml") == dictionary
