from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdtext.analysis import term_and_shingle_encoder as encoder
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.kernels.terms import term_caches
from sdtext.kernels.terms.document_words import LEFT_OUT, WordOffsets
from sdtext.model import PartSpec, RecipeSpec
from sdtext.text.document import Document
from sdtext.text.language import sample_of
from sdtext.text.line_joins import dehyphenated_with_map
from sdtext.text.normal_form import clean, clean_with_map
from tests.support.strategies import BRISK, TEXTS, recipes

Row = list[tuple[str, int, int]]


def document(text: str) -> Document:
    return Document(text, *clean_with_map(text))


def spelled(placed: WordOffsets, place: int) -> Row:
    """The words of a document as texts, each with its start and its end."""
    row = placed.document(place)
    words = [bytes(placed.words[token - 1]).decode("utf-8", "surrogatepass") for token in row.words]
    return list(zip(words, row.starts.tolist(), row.ends.tolist(), strict=True))


def plainly(recipe: RecipeSpec, first: Document) -> Row:
    """The words of a document by the definition."""
    chain = Chain(recipe).suited_to(sample_of([first.clean]))
    others = tuple(spec for spec in chain.recipe.filters if spec.name != "stop-words")
    without = Chain(RecipeSpec(recipe.tokenizer, others))
    tokens = chain.tokenizer(first.clean)
    result = []
    for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
        form = chain.term(word) or LEFT_OUT + (without.term(word) or word)
        back = first.offset_map
        result.append((form, back.start(start) if back else start, back.end(end) if back else end))
    return result


@pytest.fixture
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are cut at nearly every boundary, and next to nothing is remembered."""
    monkeypatch.setattr(encoder, "_WORD_BATCH", 7)
    monkeypatch.setattr(encoder, "_MAX_CACHES", 1)
    monkeypatch.setattr(term_caches, "_MOST_PLACED", 3)
    monkeypatch.setattr(term_caches, "_SLOTS", 1)


@given(recipe=recipes(), texts=st.lists(TEXTS, max_size=3))
def test_all_words_are_there_and_have_their_forms(recipe: RecipeSpec, texts: list[str]) -> None:
    documents = [document(text) for text in texts]
    placed = Encoder(recipe).words(documents)
    for place, first in enumerate(documents):
        assert spelled(placed, place) == plainly(recipe, first)


STOPPED = RecipeSpec(
    PartSpec("unicode"),
    (
        PartSpec("lowercase"),
        PartSpec.of("min-length", length=2),
        PartSpec.of("stop-words", words=("the", "of")),
        PartSpec("porter"),
    ),
)


@BRISK
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
def test_numbers_depend_on_the_documents_alone(texts: list[str], data: st.DataObject) -> None:
    documents = [document(text) for text in texts]
    before = data.draw(st.lists(TEXTS, max_size=2))
    experienced = Encoder(STOPPED)
    experienced.words([document(text) for text in before])
    first, other = Encoder(STOPPED).words(documents), experienced.words(documents)
    for name in ("tokens", "words", "starts", "ends"):
        assert getattr(first, name).values.tolist() == getattr(other, name).values.tolist()


@pytest.mark.usefixtures("short_pieces")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(recipe=recipes(), texts=st.lists(TEXTS, max_size=3))
def test_long_texts_go_through_in_pieces(recipe: RecipeSpec, texts: list[str]) -> None:
    documents = [document(text) for text in texts]
    small = Encoder(recipe)
    for _ in range(2):
        placed = small.words(documents)
        for place, first in enumerate(documents):
            assert spelled(placed, place) == plainly(recipe, first)


AUTO = RecipeSpec(
    PartSpec("unicode"), (PartSpec("lowercase"), PartSpec.of("stop-words", language="auto"))
)
GREEK, GERMAN = (
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι",
    "Alle Menschen sind frei und gleich an Würde",
)


@pytest.mark.parametrize("pieces", ["whole", "short_pieces"])
def test_each_document_has_filters_of_its_own(pieces: str, request: pytest.FixtureRequest) -> None:
    if pieces != "whole":
        request.getfixturevalue(pieces)
    documents = [document(text) for text in (GERMAN, GREEK, "", GERMAN)]
    placed = Encoder(AUTO).words(documents)
    for place, first in enumerate(documents):
        assert spelled(placed, place) == plainly(AUTO, first)
    assert spelled(placed, 0)[2] == ("\rsind", 14, 18)
    assert spelled(placed, 1)[1] == ("\rοι", 5, 7)


@given(texts=st.lists(TEXTS, max_size=3), tokenizer=st.sampled_from(["words", "lines", "unicode"]))
def test_words_know_their_lines(texts: list[str], tokenizer: str) -> None:
    cleaned = [clean_with_map(text)[0] for text in texts]
    placed, lines = Encoder(RecipeSpec(PartSpec(tokenizer))).words_with_lines(
        [Document(text, text) for text in cleaned]
    )
    for text, starts, result in zip(cleaned, placed.starts, lines, strict=True):
        before = [text[:start] for start in starts.tolist()]
        ends = "\n\r\u2028\u2029"
        assert result.tolist() == [sum(map(part.count, ends)) for part in before]


@pytest.mark.usefixtures("short_pieces")
def test_words_know_their_lines_in_pieces() -> None:
    texts = ["one two\nthree four five\n\nsix\rseven", "", "eight\u2028nine ten\n", "eleven"]
    documents = [Document(text, text) for text in texts]
    _, lines = Encoder(RecipeSpec(PartSpec("words"))).words_with_lines(documents)
    assert [row.tolist() for row in lines] == [[0, 0, 1, 1, 1, 3, 4], [], [0, 1, 1], [0]]


PIECES = st.sampled_from([
    *("bees", "honey-\nbees", "co\u00adop", "\ufb01ne o\ufb03ce", "cafe\u0301", "e\u0323\u0301"),
    *("\U0001d5d7x", "中国\n人民", "\uff26\uff35", " ", "\r\n", "\t", "-\r\n"),
])  # fmt: skip


@given(text=st.lists(PIECES, max_size=25).map("".join))
def test_offsets_are_led_back_all_at_once_as_one_by_one(text: str) -> None:
    whole, then = dehyphenated_with_map(text)
    cleaned, back = clean_with_map(whole, "NFKC")
    maps = [replace(back, then=then) if back else None, back, then]
    for first, reached in zip(maps, (cleaned, cleaned, whole), strict=True):
        if first is not None:
            places = np.arange(len(reached))
            assert first.starts(places).tolist() == [
                first.start(place) for place in places.tolist()
            ]
            assert first.ends(places + 1).tolist() == [
                first.end(end + 1) for end in places.tolist()
            ]


def test_halves_of_characters_are_words_like_others() -> None:
    text = "a\ud83d \ude00b caf\u0065\u0301 \udcff"
    placed = Encoder(RecipeSpec(PartSpec("words"))).words([document(text)])
    result = [text[start:end] for _, start, end in spelled(placed, 0)]
    assert result == text.split()


@given(text=st.lists(PIECES, max_size=25).map("".join))
def test_places_lead_back_through_joined_lines_and_the_normal_form(text: str) -> None:
    recipe = RecipeSpec(PartSpec.of("chinese", mode="smart", join_lines=True))
    for word, start, end in spelled(Encoder(recipe).words([document(text)]), 0):
        assert "".join(clean(text[start:end]).split()) == word
