"""Terms and their places by the definition, by every path, in bounded memory and time."""

from collections.abc import Callable, Iterable
from importlib.metadata import version
from time import process_time
from unicodedata import unidata_version

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sdtext.analysis import term_and_shingle_encoder, term_numbers
from sdtext.analysis import tokenizer_chain as chain_module
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.term_numbers import CAPITAL_SIGMA
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.registry import build
from sdtext.parts.tokenizers import SpanTokenizer
from sdtext.text.cut_text import cut_at
from sdtext.text.document import Document
from sdtext.text.language import sample_of
from sdtext.text.normal_form import clean, clean_with_map
from tests.support.strategies import BRISK, TEXTS, WORDS, blocks, recipes

UAX29 = RecipeSpec(PartSpec("unicode"))


def filters_of(recipe: RecipeSpec) -> list[Callable[[str], str]]:
    return [build("filters", spec) for spec in recipe.filters]


def filtered(filters: Iterable[Callable[[str], str]], word: str) -> str:
    """The filters on one word, by their definition."""
    for clean_word in filters:
        word = clean_word(word) if word else ""
    return word if len(word) <= chain_module.LONGEST_TERM else ""


def plainly(recipe: RecipeSpec, text: str) -> list[str]:
    """The terms of a clean text by the definition: the tokenizer, then each filter in turn."""
    words, filters = build("tokenizers", recipe.tokenizer)(text).words, filters_of(recipe)
    return [term for word in words if (term := filtered(filters, word))]


def document(text: str) -> Document:
    return Document(text, *clean_with_map(text))


@given(recipe=recipes(), text=TEXTS)
@example(recipe=UAX29, text=" \u064ba")
@example(recipe=UAX29, text="b \u200d😀")
def test_terms_and_places_are_those_of_the_parts_one_by_one(recipe: RecipeSpec, text: str) -> None:
    actual, filters = document(text), filters_of(recipe)
    words = build("tokenizers", recipe.tokenizer)(actual.clean)
    expected = [
        (term, actual.offset_map.start(start), actual.offset_map.end(end))
        if actual.offset_map
        else (term, start, end)
        for word, start, end in zip(words.words, words.starts, words.ends, strict=True)
        if (term := filtered(filters, word))
    ]
    chain = Chain(recipe)
    tokens = chain.tokens(actual)
    assert list(zip(tokens.words, tokens.starts, tokens.ends, strict=True)) == expected
    assert chain.terms(actual.clean) == [term for term, _, _ in expected]


@given(recipe=recipes(), cut=blocks())
def test_distinct_terms_do_not_depend_on_pieces(recipe: RecipeSpec, cut: list[str]) -> None:
    chain = Chain(recipe)
    pieces = map(clean, cut_at(cut, chain.tokenizer.boundaries))
    assert chain.distinct(pieces) == set(plainly(recipe, clean("".join(cut))))


@BRISK
@given(recipe=recipes(), texts=st.lists(TEXTS.map(clean), max_size=4))
def test_too_small_a_memory_changes_nothing(recipe: RecipeSpec, texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain_module, "_MOST_WORDS", 2)
        patch.setattr(chain_module, "_LONGEST_WORD", 3)
        chain = Chain(recipe)
        for text in texts:
            assert chain.distinct([text]) == set(plainly(recipe, text))
            assert chain.terms(text) == plainly(recipe, text)
            for memory in (chain._chunks, chain._single):
                assert len(memory) <= 2
                assert all(len(key) <= 3 for key in memory)


@BRISK
@given(recipe=recipes(), word=WORDS.map(clean).map(lambda word: "".join(word.split())))
def test_an_explanation_names_each_filter_and_the_term(recipe: RecipeSpec, word: str) -> None:
    steps = Chain(recipe).explain(word)
    assert [name for name, _ in steps] == list(map(str, recipe.filters))
    for place, (_, result) in enumerate(steps):
        assert result == filtered(filters_of(recipe)[: place + 1], word)


@given(recipe=recipes(), words=st.lists(WORDS | TEXTS, min_size=1, max_size=5))
@example(
    recipe=RecipeSpec(PartSpec("words"), (PartSpec("strip-punctuation"), PartSpec("lowercase"))),
    words=["Été…", "—", "a\u3000É", "é" * 70],
)
@example(
    recipe=RecipeSpec(PartSpec("words"), (PartSpec("fold"), PartSpec("strip-punctuation"))),
    words=["ω'\u0302", "ｶ'ﾞ"],
)
def test_translated_spans_have_their_terms(recipe: RecipeSpec, words: list[str]) -> None:
    chain = Chain(recipe)
    text = " ".join(words).replace("Σ", "σ")
    if (table := chain.table) and CAPITAL_SIGMA not in text:
        stretches = text.encode("utf-8", "surrogatepass").translate(*table).split()
        stretches = [stretch for stretch in stretches if not stretch.isascii()]
        others = [term for term in chain.terms(text) if not term.isascii()]
        result = [
            term for item in chain.terms_in_translated(stretches) for term in item.split("\n")
        ]
        assert [term for term in result if not term.isascii()] == others


def test_a_term_that_is_too_long_is_dropped_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_module, "LONGEST_TERM", 3)
    chain = Chain(RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),)))
    stretches = [word.encode() for word in ("Éabc", "éab", "é\u3000ÀBCD")]
    assert chain.terms_in_translated(stretches) == ["", "éab", "é"]


def test_libraries_are_those_whose_version_the_terms_depend_on() -> None:
    plain = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
    heavy = RecipeSpec(PartSpec("unicode"), (PartSpec("porter"), PartSpec("porter")))
    always = (("sdtext", version("sdtext")), ("Unicode", unidata_version))
    assert Chain(plain).libraries() == always
    named = tuple((name, version(name)) for name in ("PyStemmer", "regex"))
    assert Chain(heavy).libraries() == always + named


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
