"""Batches of documents: one vocabulary for the words of two."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.reuse.document_batch import DocumentBatch
from tests.support.strategies import BRISK

from .word_documents import texts

DOCUMENTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "A", "C", "D"])), max_size=4)


def spelled(result: DocumentBatch) -> list[list[bytes]]:
    """The words of each document."""
    vocabulary = [word.tobytes() for word in result.words.words]
    return [[vocabulary[token - 1] for token in row] for row in result.words.tokens]


@BRISK
@given(left=DOCUMENTS, right=DOCUMENTS)
def test_renumbered_words_have_the_numbers_of_the_other_batch(
    left: list[list[str]], right: list[list[str]]
) -> None:
    first, other = texts(left), texts(right)
    spoken = first.renumbered_as(other)
    assert spelled(spoken) == spelled(first)
    numbers = {word.tobytes(): number for number, word in enumerate(spoken.words.words, 1)}
    assert len(numbers) == len(spoken.words.words)
    assert other.numbers.items() <= numbers.items()
    assert [row.tolist() for row in spoken.words.starts] == [
        row.tolist() for row in first.words.starts
    ]


@BRISK
@given(documents=DOCUMENTS)
def test_terms_are_the_words_that_the_chain_keeps(documents: list[list[str]]) -> None:
    result = texts(documents)
    terms = [
        [result.words.words[token - 1].tobytes().decode() for token in row] for row in result.terms
    ]
    assert terms == [[word for word in words if word.islower()] for words in documents]
    assert len(result.terms) == len(documents)
