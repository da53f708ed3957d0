"""A text in memory becomes a document; spans of hidden text are those in which it stands."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.text.document import are_clean, hidden_spans
from tests.support.strategies import BRISK, TEXTS


def test_a_document_of_a_text_is_what_reading_its_file_gives(tmp_path: Any) -> None:
    text = "Cafe\u0301 \u0441\u043e\u043ap\u00ada\u200bss\r\nend"
    (tmp_path / "a.txt").write_bytes(text.encode())
    read, document = sdtext.read(tmp_path / "a.txt"), sdtext.Document.of(text, name="a")
    assert (document.text, document.clean) == (read.text, read.clean)
    assert document.source == "a"
    assert [problem.category for problem in document.problems] == [
        problem.category for problem in read.problems
    ]


@BRISK
@given(text=TEXTS)
def test_without_offsets_the_document_is_the_same(text: str) -> None:
    document, other = sdtext.Document.of(text, "a"), sdtext.Document.of(text, "a", offsets=False)
    assert (other.text, other.clean, other.source) == (text, document.clean, "a")
    assert other.problems == document.problems


@given(st.lists(st.one_of(TEXTS, st.sampled_from(["Bees “dance”.\r\n", "Ø — café", "Bi\xa0ene"]))))
def test_texts_that_are_clean_at_first_sight_stay_as_they_are(texts: list[str]) -> None:
    for text in texts if are_clean(texts) else ():
        assert sdtext.Document.of(text, "a") == sdtext.Document(text, text, source="a")


PIECES = st.lists(
    st.tuples(st.booleans(), st.text("ab .", min_size=1, max_size=6), st.sampled_from([" ", "\n"])),
    max_size=8,
)


@given(pieces=PIECES)
def test_pieces_that_stand_nowhere_else_have_spans(pieces: list[tuple[bool, str, str]]) -> None:
    named = [
        (is_hidden, f"<{place} {text}>", space)
        for place, (is_hidden, text, space) in enumerate(pieces)
    ]
    text = "".join(piece + space for _, piece, space in named)
    hidden = [piece for is_hidden, piece, _ in named if is_hidden]
    covered = {
        place for span in hidden_spans(text, hidden) for place in range(span.start, span.end)
    }
    expected = {text.index(piece) + at for piece in hidden for at in range(len(piece))}
    assert expected <= covered
    assert all(text[place].isspace() for place in covered - expected)


def test_a_piece_that_is_seen_elsewhere_has_a_span_only_behind_another() -> None:
    text = "a b c. seen a c."
    assert hidden_spans(text, ["a", "c."]) == []
    assert [(span.start, span.end) for span in hidden_spans(text, ["b", "c."])] == [(2, 6)]
    assert [(span.start, span.end) for span in hidden_spans("x y x", ["x", "x"])] == [
        (0, 1),
        (4, 5),
    ]
