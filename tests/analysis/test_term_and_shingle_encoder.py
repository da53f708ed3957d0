"""From clean texts to shingles, all at once, against one text after the other."""

import pickle
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sdtext.analysis import term_and_shingle_encoder as encoder
from sdtext.analysis import term_numbers
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import LONGEST_TERM, Chain
from sdtext.errors import OptionError
from sdtext.kernels.terms import term_caches
from sdtext.kernels.terms.document_words import LEFT_OUT, WordOffsets
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts import sliding_windows
from sdtext.parts.registry import build, parse
from sdtext.text.document import Document
from sdtext.text.language import sample_of
from sdtext.text.line_joins import dehyphenated_with_map
from sdtext.text.normal_form import clean, clean_with_map
from tests.support.plain_shingles import FORMULAS, lines_of, windows_of
from tests.support.strategies import BRISK, TEXTS, recipes, specs

CLEAN = st.lists(TEXTS.map(clean), max_size=4)
PLAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), PartSpec("strip-punctuation")))
SHINGLERS = specs("shinglers").filter(lambda spec: spec != PartSpec("characters"))


def with_shingler(recipe: RecipeSpec, name: str, **options: Any) -> RecipeSpec:
    return RecipeSpec(recipe.tokenizer, recipe.filters, shingler=PartSpec.of(name, **options))


def lines_in_block(block: TokenBlock, place: int) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    for token in block.tokens[place].tolist():
        if token:
            lines[-1].append(block.spelled[token - 1])
        else:
            lines.append([])
    return [line for line in lines if line]


def same(first: TokenBlock, other: TokenBlock) -> bool:
    pairs = [(first.tokens, other.tokens), (first.words, other.words)]
    return all(
        np.array_equal(left.values, right.values) and np.array_equal(left.offsets, right.offsets)
        for left, right in pairs
    )


@given(recipe=recipes(), texts=CLEAN)
@example(recipe=PLAIN, texts=["AΣ-B ΑΣ", "a\u2028b\u2029\r\nc"])
@example(recipe=PLAIN, texts=["", "\n", "--", "a\u3000b"])
@example(recipe=PLAIN, texts=[" ", " "])
def test_tokens_are_the_terms_of_each_line(recipe: RecipeSpec, texts: list[str]) -> None:
    chain, block = Chain(recipe), Encoder(recipe).tokens(texts)
    assert [block.terms_of(place) for place in range(len(texts))] == list(map(chain.terms, texts))
    result = [lines_in_block(block, place) for place in range(len(texts))]
    assert result == [lines_of(chain, text) for text in texts]


@BRISK
@given(recipe=recipes(), texts=CLEAN, piece=st.integers(1, 20))
def test_pieces_give_the_same_block(recipe: RecipeSpec, texts: list[str], piece: int) -> None:
    shingled = with_shingler(recipe, "words", length=2)
    whole, shingles = Encoder(recipe).tokens(texts), Encoder(shingled)(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_numbers, "_TERM_BATCH", piece)
        assert same(Encoder(recipe).tokens(texts), whole)
        result = Encoder(shingled)(texts)
    assert result.values.tolist() == shingles.values.tolist()
    assert result.offsets.tolist() == shingles.offsets.tolist()


@BRISK
@given(recipe=recipes(), before=CLEAN, texts=CLEAN)
def test_nothing_before_matters(recipe: RecipeSpec, before: list[str], texts: list[str]) -> None:
    shingling, expected = Encoder(recipe), Encoder(recipe).tokens(texts)
    shingling.tokens(before)
    assert same(shingling.tokens(texts), expected)


@pytest.mark.parametrize("option", [{"hash": "xxhash"}, {"within": "line"}])
def test_what_asks_for_more_than_hashes_gets_tokens(option: dict[str, str]) -> None:
    shingling = Encoder(with_shingler(PLAIN, "words", length=2, **option))
    block = shingling.block(["to be\nor not"])
    assert isinstance(block, TokenBlock)
    assert block.terms_of(0) == ["to", "be", "or", "not"]


@given(chain=recipes() | st.just(PLAIN), shingler=SHINGLERS, texts=CLEAN)
@example(
    chain=PLAIN,
    shingler=PartSpec.of("characters", length=3, white_space="removed", within="line"),
    texts=["a  b\n\n \nc, d", " \nee - \n ff \n"],
)
@example(
    chain=PLAIN,
    shingler=PartSpec.of("words", length=2, within="line"),
    texts=["a  b\n\n \nc, d e", " \nee - \n ff gg hh\n"],
)
def test_shingles_are_those_of_each_text_by_the_definition(
    chain: RecipeSpec, shingler: PartSpec, texts: list[str]
) -> None:
    shingling = Encoder(with_shingler(chain, shingler.name, **dict(shingler.options)))
    actual = shingling(texts)
    part, hashed = shingling.shingler, parse(shingling.shingler.hash)
    formula, by = FORMULAS[hashed.name], build("hashes", hashed)
    for row, text in zip(actual, texts, strict=True):
        windows = windows_of(part, lines_of(Chain(chain), text))
        expected = [formula(by, window) for window in windows]
        assert row.tolist() == expected


def test_the_language_of_each_text_decides_where_it_is_automatic() -> None:
    texts = ["Όλοι οι άνθρωποι γεννιούνται", "Բոլոր մարդիկ ծնվում են ազատ", "Όλοι"]
    chain = RecipeSpec(
        PartSpec("words"),
        (PartSpec.of("lowercase", language="auto"), PartSpec.of("snowball", language="auto")),
    )
    block = Encoder(chain).tokens(texts)
    expected = [Chain(chain).suited_to(text).terms(text) for text in texts]
    assert [block.terms_of(place) for place in range(3)] == expected
    assert expected[0] != texts[0].split()


def test_a_shingling_travels_without_its_memory() -> None:
    recipe = with_shingler(PLAIN, "words", length=1)
    shingling = Encoder(recipe)
    shingling(["one two"])
    sent = pickle.dumps(shingling)
    assert len(sent) < 1000
    again = pickle.loads(sent)  # noqa: S301 (our own bytes)
    assert again == shingling
    assert again(["one two"]).values.tolist() == shingling(["one two"]).values.tolist()


def test_a_term_that_is_too_long_is_dropped() -> None:
    text = f"a {'b' * LONGEST_TERM} {'c' * (LONGEST_TERM + 1)} é{'d' * LONGEST_TERM} e"
    assert Encoder(PLAIN).tokens([text]).terms_of(0) == Chain(PLAIN).terms(text)


def test_without_a_shingler_or_with_an_unknown_hash_there_are_tokens_alone() -> None:
    assert Encoder(PLAIN).tokens(["A b"]).terms_of(0) == ["a", "b"]
    with pytest.raises(OptionError, match="shingler"):
        Encoder(PLAIN)(["a"])
    with pytest.raises(OptionError, match="modulo"):
        _ = Encoder(with_shingler(PLAIN, "words", hash="modulo")).hash


@pytest.mark.deep
@pytest.mark.parametrize(("shingler", "words", "times"), [
    (PartSpec.of("characters", length=9), 100_000, 15),
    (PartSpec.of("characters", length=9, within="line", white_space="removed"), 100_000, 15),
    (PartSpec.of("words", length=5), 300_000, 5),
])  # fmt: skip
def test_memory_for_one_long_text_is_some_times_its_length(
    shingler: PartSpec, words: int, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sliding_windows, "_RUN", 1 << 16)
    lines = (f"word{number % 997}" + " \n"[number % 9 == 0] for number in range(words))
    text = "".join(lines)
    shingling = Encoder(with_shingler(PLAIN, shingler.name, **dict(shingler.options)))
    shingling(["a"])
    tracemalloc.start()
    block = shingling.tokens([text])
    result = shingling.sets(block)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(result.values, np.unique(shingling.shingles(block).values))
    assert peak < times * len(text)


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


@pytest.fixture(params=["whole", "in pieces"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As usual, or texts are cut at nearly every boundary and next to nothing is remembered."""
    if request.param == "in pieces":
        monkeypatch.setattr(encoder, "_WORD_BATCH", 7)
        monkeypatch.setattr(encoder, "_MAX_CACHES", 1)
        monkeypatch.setattr(term_caches, "_MOST_PLACED", 3)
        monkeypatch.setattr(term_caches, "_SLOTS", 1)


unhurried = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


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


@pytest.mark.usefixtures("_pieces")
@unhurried
@given(recipe=recipes(), texts=st.lists(TEXTS, max_size=3))
def test_all_words_are_there_and_have_their_forms(recipe: RecipeSpec, texts: list[str]) -> None:
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


@pytest.mark.usefixtures("_pieces")
def test_each_document_has_filters_of_its_own() -> None:
    documents = [document(text) for text in (GERMAN, GREEK, "", GERMAN)]
    placed = Encoder(AUTO).words(documents)
    for place, first in enumerate(documents):
        assert spelled(placed, place) == plainly(AUTO, first)
    assert spelled(placed, 0)[2] == ("\rsind", 14, 18)
    assert spelled(placed, 1)[1] == ("\rοι", 5, 7)


@pytest.mark.usefixtures("_pieces")
@unhurried
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
