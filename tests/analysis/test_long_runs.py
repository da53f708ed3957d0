"""Texts without blanks: the same words by every path, in memory and time that are bounded."""

from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdtext.analysis import term_and_shingle_encoder, term_numbers
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.registry import build
from sdtext.parts.tokenizers import SpanTokenizer
from sdtext.text.cut_text import cut_at
from sdtext.text.document import Document
from sdtext.text.language import sample_of

TOKENIZERS = [
    PartSpec("unicode"), PartSpec.of("unicode", lucene=True),
    *(
        PartSpec.of("chinese", mode=mode, join_lines=joins)
        for mode in ("individual", "smart", "bigram")
        for joins in (False, True)
    ),
    PartSpec.of("japanese", engine="bigram"), PartSpec.of("thai", engine="bigram"),
]  # fmt: skip
TEXTS = st.text("ab1.,'_南京ア\u0301\u200d👨กﾞ \n", max_size=60) | st.text("a南. ", max_size=200)
UNITS = ["a.b.", "1.2,", "o'o'", "a_", "ア_", "1\u202f", "👨\u200d", "南京", "ก", 'א"א', "🇦"]


@pytest.mark.parametrize("spec", TOKENIZERS, ids=str)
@given(text=TEXTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_run_is_cut_at_the_same_places_by_every_path(
    spec: PartSpec, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SpanTokenizer, "longest_run", 16)
    monkeypatch.setattr(term_and_shingle_encoder, "_WORD_BATCH", 24)
    monkeypatch.setattr(term_numbers, "_TERM_BATCH", 24)
    tokenizer = build("tokenizers", spec)
    joined = tokenizer.joined(text)[0]
    pieces = list(tokenizer.pieces(joined))
    assert "".join(pieces) == joined
    assert all(len(piece) <= 16 for piece in pieces)
    words = [word for piece in pieces for word in tokenizer.split(piece)]
    assert tokenizer.split(text) == words
    tokens = tokenizer(text)
    assert list(tokens.words) == words
    places = zip(tokens.starts, tokens.ends, strict=True)
    assert [tokenizer.joined(text[start:end])[0] for start, end in places] == words
    chain, recipe = Chain(RecipeSpec(spec)), RecipeSpec(spec, shingler=PartSpec("words"))
    document = Document(text, text)
    assert chain.terms(text) == list(chain.tokens(document).words) == words
    assert chain.distinct([text]) == set(words)
    if len(joined) <= 16:  # a longer run is cut elsewhere in pieces
        assert chain.distinct(cut_at(text, tokenizer.cuts)) == set(words)
    assert [word for row in chain.token_pieces(document) for word in row.words] == words
    assert Encoder(recipe).tokens([text]).terms_of(0) == words
    placed = Encoder(recipe).words([document])
    assert placed.starts[0].tolist() == list(tokens.starts)
    assert placed.ends[0].tolist() == list(tokens.ends)


def test_a_text_without_blanks_takes_little_memory(rounds: Callable[[int], int]) -> None:
    chain = Chain(RecipeSpec(PartSpec("unicode"), (PartSpec("lowercase"),)))
    for unit in UNITS:
        text = unit * (rounds(600_000) // len(unit))
        assert chain.distinct([text]), unit
        assert sum(len(tokens.words) for tokens in chain.token_pieces(Document(text, text)))


def test_the_words_of_a_language_are_not_searched_to_the_end_of_the_text() -> None:
    began = process_time()
    assert len(sample_of(["a b " * 5_000_000])) == 8000 - 1
    assert process_time() - began < 3
