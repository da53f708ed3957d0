"""Codes of sentences: which there are, where they stand, and that each is that of its text."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis import sentence_codes as unit_codes
from sdtext.analysis.sentence_codes import LEAST_SHINGLES, SHORTEST, UnitCodes, texts_of
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, RecipeSpec, Span
from sdtext.parts.fingerprints.minhash import BBit
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from sdtext.text.normal_form import clean_with_map
from tests.support.strategies import BRISK, TEXTS

PLAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
BEES = "The whole number of bees in the hive was counted again on the first day of May."
OWLS = "Owls are counted at night, when they call, and nobody has ever seen all of them."


def document(text: str) -> Document:
    return Document(text, *clean_with_map(text, "NFKC"))


@BRISK
@given(texts=st.lists(TEXTS, max_size=4), slots=st.sampled_from([64, 100, 128]))
def test_each_code_is_that_of_its_unit_alone(texts: list[str], slots: int) -> None:
    """Unit by unit, of the clean text: what many at once give for whole documents."""
    recipe = replace(PLAIN, fingerprint=PartSpec.of("bbit", slots=slots))
    documents = [document(text) for text in texts]
    coded = UnitCodes(recipe)(documents)
    assert coded.codes.values.shape[1] == (slots + 7) // 8
    shingling = Encoder(replace(recipe, shingler=PartSpec.of("words", length=2)))
    for place, first in enumerate(documents):
        units = Sentence(length=150)(first)
        assert len(units) == len(coded.starts[place]) + coded.short[place]
        spans = zip(coded.starts[place].tolist(), coded.ends[place].tolist(), strict=True)
        chosen = [Span(*span) for span in spans]
        assert set(chosen) <= set(units)
        assert chosen == sorted(chosen, key=lambda span: span.start)
        sets = [shingling([text])[0] for text in texts_of(first, chosen)]
        assert all(len(set(row.tolist())) >= LEAST_SHINGLES for row in sets)
        assert np.array_equal(coded.codes[place], BBit(slots=slots)(Ragged.of(sets)))


@BRISK
@given(text=TEXTS)
def test_the_clean_texts_of_units_are_all_there_is(text: str) -> None:
    """Nothing that can be seen is lost between units, nor stands in two."""
    first = document(text)
    pieces = texts_of(first, Sentence(length=20)(first))
    assert "".join("".join(pieces).split()) == "".join(first.clean.split())


@pytest.mark.parametrize(("paragraph", "short"), [
    ("Page 1 of the very last report of the year.", 1),  # 43 columns
    ("Page 1 of the report. It is the last of the year.", 0),  # two sentences
    ("Page 1 of the very last report that was written this whole year.", 0),
    ("三百四十二名学生参加了今年在北京举行的新的数学竞赛。", 1),  # 26 characters, 52 columns
    ("三百四十二名学生参加了今年九月在北京举行的全国数学竞赛的决赛。", 0),
    ("One two three four, and so to the end.\n\n" * 2, 2),
    ("one one one one one one one one one one one one one one one one one one one one", 1),
    ("", 0),
])  # fmt: skip
def test_short_paragraphs_of_one_sentence_are_counted(paragraph: str, short: int) -> None:
    recipe = RecipeSpec(PartSpec("chinese")) if "学" in paragraph else PLAIN
    coded = UnitCodes(recipe)([document(f"{paragraph}\n\n{BEES}")])
    assert coded.short.tolist() == [short]
    assert len(coded.starts[0]) == (2 if paragraph and not short else 1)


def test_a_short_sentence_within_a_paragraph_stays() -> None:
    unit = RecipeSpec(PartSpec("words"), unit=PartSpec("sentence"))
    text = f"{BEES} It is the year of the bees, and so it ends. {OWLS}"
    coded = UnitCodes(unit)([document(text)])
    assert coded.short.tolist() == [0]
    assert len(coded.starts[0]) == 3
    assert min(coded.ends[0] - coded.starts[0]) < SHORTEST


def test_clean_texts_follow_the_map_back() -> None:
    text = "ﬁne ﬁsh. Mere soup"
    assert [*texts_of(document(text), [Span(4, 8), Span(9, 13)])] == ["fish.", "Mere"]


def test_units_are_worked_on_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [document(text) for text in (f"{BEES}\n\n{OWLS}", OWLS, "", BEES)]
    whole = UnitCodes(PLAIN)(documents).codes
    monkeypatch.setattr(unit_codes, "_BATCH", 2)
    again = UnitCodes(PLAIN)(documents).codes
    assert np.array_equal(whole.values, again.values)
    assert whole.offsets.tolist() == again.offsets.tolist() == [0, 2, 3, 3, 4]


def test_the_parts_are_those_of_the_recipe() -> None:
    text = "今年有三百四十二名学生参加了在北京举行的全国数学竞赛。\n" * 8
    recipe = RecipeSpec(
        PartSpec.of("chinese", mode="smart"),
        unit=PartSpec("document"),
        shingler=PartSpec.of("characters", length=3),
        fingerprint=PartSpec.of("bbit", slots=50, bits=2),
    )
    coded = UnitCodes(recipe)([document(text)])
    assert coded.codes[0].shape == (1, 13)
    assert coded.ends[0].tolist() == [len(text) - 1]
    words = replace(recipe, shingler=PartSpec.of("words", length=3))
    assert not np.array_equal(UnitCodes(words)([document(text)]).codes[0], coded.codes[0])


def test_the_language_of_a_sentence_is_that_of_its_document() -> None:
    recipe = RecipeSpec(
        PartSpec("words"), (PartSpec("lowercase"), PartSpec.of("stop-words", language="auto"))
    )
    german = "Die Bienen im Stock wurden am ersten Tag des Monats Mai noch einmal alle gezählt. "
    english = f"{BEES} {OWLS} " * 4
    first = document(english + german)
    coded = UnitCodes(recipe)([document(german * 4), first])
    (last,) = texts_of(first, [Span(int(coded.starts[1][-1]), int(coded.ends[1][-1]))])
    chain = Chain(recipe).suited_to(english)
    assert chain.language == "english"
    fixed = UnitCodes(
        RecipeSpec(PartSpec("words"), chain.recipe.filters, unit=PartSpec("document"))
    )
    assert np.array_equal(coded.codes[1][-1:], fixed([document(last)]).codes[0])
