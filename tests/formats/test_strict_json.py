"""JSON without numbers that JSON has not."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sdtext.formats.strict_json import cell_text, json_text
from sdtext.reports.row_formats import _json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def refused(word: str) -> None:
    raise AssertionError(word)


@given(value=VALUES)
def test_no_value_is_written_as_infinity_or_nan(value: object) -> None:
    for text in (json_text(value), json_text(value, ensure_ascii=True), _json({"a": value})):
        json.loads(text, parse_constant=refused)
    if not isinstance(value, str | None):
        json.loads(cell_text(value), parse_constant=refused)
