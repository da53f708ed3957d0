"""Names in messages are one short line."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.model import Problem
from sdtext.wording import shown


@given(name=st.text() | st.builds(lambda text, times: text * times, st.text(), st.integers(0, 900)))
def test_a_name_is_shortened_in_its_middle(name: str) -> None:
    line = shown(name)
    assert line.isprintable()
    assert len(line) <= 300
    assert shown(line) == line
    for message in (str(UnreadableError("why", file=name)), Problem.at("error", "x", name, "why")):
        assert len(str(message)) < 400
