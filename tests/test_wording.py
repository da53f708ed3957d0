"""Words with their places against the chain, word by word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sdtext.chain import Chain
from sdtext.kernels.placed import LEFT_OUT, PlacedWords
from sdtext.language import sample_of
from sdtext.model import Document, PartSpec, RecipeSpec
from sdtext.readers.normal import clean_with_map
from sdtext.wording import Wording
from tests.strategies import BRISK, TEXTS, THOROUGH, recipes

Row = list[tuple[str, int, int]]


def document(text: str) -> Document:
    return Document(text, *clean_with_map(text))


def spelled(placed: PlacedWords, place: int) -> Row:
    """The words of a document as texts, each with its start and its end."""
    row = placed.document(place)
    words = [bytes(placed.words[token - 1]).decode("utf-8", "surrogatepass") for token in row.words]
    return list(zip(words, row.starts.tolist(), row.ends.tolist(), strict=True))


def kept(rows: Row) -> Row:
    return [row for row in rows if not row[0].startswith(LEFT_OUT)]


def plainly(recipe: RecipeSpec, one: Document) -> Row:
    """The words of a document by the definition."""
    chain = Chain(recipe).suited_to(sample_of([one.clean]))
    others = tuple(spec for spec in chain.recipe.filters if spec.name != "stop-words")
    without = Chain(RecipeSpec(recipe.tokenizer, others))
    tokens = chain.tokenizer(one.clean)
    found = []
    for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
        form = chain.term(word) or LEFT_OUT + (without.term(word) or word)
        back = one.back
        found.append((form, back.start(start) if back else start, back.end(end) if back else end))
    return found


@THOROUGH
@given(recipe=recipes(), texts=st.lists(TEXTS, max_size=3))
def test_terms_are_those_of_the_chain_with_their_places(
    recipe: RecipeSpec, texts: list[str]
) -> None:
    placed = Wording(recipe)([document(text) for text in texts])
    assert len(placed) == len(texts)
    for place, text in enumerate(texts):
        tokens = Chain(recipe).tokens(document(text))
        expected = list(zip(tokens.words, tokens.starts, tokens.ends, strict=True))
        assert kept(spelled(placed, place)) == expected


@THOROUGH
@given(recipe=recipes(), texts=st.lists(TEXTS, max_size=3))
def test_all_words_are_there_and_those_left_out_have_their_forms(
    recipe: RecipeSpec, texts: list[str]
) -> None:
    documents = [document(text) for text in texts]
    placed = Wording(recipe)(documents)
    for place, one in enumerate(documents):
        assert spelled(placed, place) == plainly(recipe, one)


STOPPED = RecipeSpec(
    PartSpec("unicode"),
    (
        PartSpec("lowercase"),
        PartSpec.of("min-length", length=2),
        PartSpec.of("stop-words", words=("the", "of")),
        PartSpec("porter"),
    ),
)


def test_a_stop_word_keeps_its_form_and_what_else_is_dropped_stands_as_it_is() -> None:
    placed = Wording(STOPPED)([document("The Ways of A cafe\u0301 OF")])
    assert spelled(placed, 0) == [
        ("\rthe", 0, 3),
        ("wai", 4, 8),
        ("\rof", 9, 11),
        ("\rA", 12, 13),
        ("café", 14, 19),
        ("\rof", 20, 22),
    ]


@BRISK
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), data=st.data())
def test_numbers_depend_on_the_documents_alone(texts: list[str], data: st.DataObject) -> None:
    documents = [document(text) for text in texts]
    before = data.draw(st.lists(TEXTS, max_size=2))
    experienced = Wording(STOPPED)
    experienced([document(text) for text in before])
    one, other = Wording(STOPPED)(documents), experienced(documents)
    for name in ("tokens", "words", "starts", "ends"):
        assert getattr(one, name).values.tolist() == getattr(other, name).values.tolist()
