"""Numbers in files: each is read, or refused with the file, the element and the text."""

import re
from dataclasses import replace
from itertools import product
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml.etree import Element

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load, save
from sdtext.formats.configuration_xml import literal, spelled
from sdtext.formats.hardened_xml import Item, number_or_none, whole_number
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from tests.support.dictionaries import fingerprint_of

NEARLY = st.text("0129.-+eEinfINFaN_ ٣", max_size=12)
DICTIONARY = Dictionary.of({"bees": 2, "wax": 3, "hive": 4}, 9, RecipeSpec(PartSpec("words"))).trim(
    -1, 1
)
NUMBERS = r'<documents>(9)<|<rarest>(2)<|minimum="([^"]+)|maximum="([^"]+)|count="(3)|df="(2)'
NUMBERS_OF_FINGERPRINT = r'terms="(3)|bits="(3)|set="(2)'
WRONG = [
    ".", "-", "1.2.3", "1e", "e3", "--1", "", "ten", "٣", "1_0", "0x1", "9" * 5000, "nan", "INF",
    "1e999",
]  # fmt: skip


@given(NEARLY)
@example(".")
@example("1.2.3")
@example("-.")
@example("1e999")
def test_a_number_is_one_that_python_knows_or_is_refused(text: str) -> None:
    number = number_or_none(text)
    trimmed = Item(Element("trimmed", minimum=text), "bees.xml")
    if number is None:
        with pytest.raises(FormatError, match=r"^bees\.xml: .*<trimmed> .* it must be a number"):
            trimmed.decimal("minimum")
    else:
        assert trimmed.decimal("minimum") == number == float(text)
        assert isfinite(number)
    if re.fullmatch("[0-9]{1,15}", text):
        assert whole_number(text, "count", "bees.xml") == number
    else:
        with pytest.raises(FormatError, match=r"^bees\.xml: count is .*must be a whole number$"):
            whole_number(text, "count", "bees.xml")


@given(st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_as_it_was_written(number: float) -> None:
    assert literal(spelled(number)) == number
    assert type(literal(spelled(number))) is type(number)


def test_each_number_of_a_dictionary_or_fingerprint_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "bees.xml"
    for item, pattern, count in (
        (DICTIONARY, NUMBERS, 6),
        (fingerprint_of([["bees", "wax"]], [DICTIONARY]), NUMBERS_OF_FINGERPRINT, 3),
    ):
        save(item, path, replaces=True)
        xml = path.read_text("utf-8")
        kinds = {match.lastindex or 0: match for match in re.finditer(pattern, xml)}
        assert len(kinds) == count
        for (kind, match), text in product(kinds.items(), WRONG):
            path.write_text(xml[: match.start(kind)] + text + xml[match.end(kind) :], "utf-8")
            with pytest.raises(FormatError, match=r"it must be a (whole )?number") as caught:
                load(path)
            assert str(caught.value).startswith(f"{path}: ")
            assert len(str(caught.value)) < 200 + len(str(path))
        path.write_text(xml, "utf-8")


@pytest.mark.parametrize(("low", "high"), [(-1.5, 1), (0.5, 1.5), (0.6, 0.5)])
def test_a_trimmed_range_is_one_of_normalized_idf(low: float, high: float, tmp_path: Path) -> None:
    save(replace(DICTIONARY, trimmed=(low, high)), tmp_path / "bees.xml")
    with pytest.raises(FormatError, match=r"bees\.xml"):
        load(tmp_path / "bees.xml")
