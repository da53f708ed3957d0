"""PAN's measures equal those computed by hand, and their definition over sets of places."""

from collections.abc import Mapping, Sequence
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.evaluation.evaluate_pan_folders import EvaluationRow, evaluate_cases
from sdtext.formats.pan import ReuseCase, TextRange
from tests.support.command import check_partly, here

Places = set[tuple[str, int]]
Known = Mapping[str, Sequence[ReuseCase]]


def _side(span: TextRange, side: str) -> Places:
    return {(side + span.document, place) for place in range(span.start, span.end)}


def _places(case: ReuseCase) -> Places:
    return _side(case.this, "this ") | _side(case.source, "source ")


def _flat(known: Known) -> list[tuple[str, ReuseCase]]:
    return [(name, case) for name, cases in known.items() for case in cases]


def _shares(known: Known, others: Known) -> list[tuple[float, Places, int]]:
    """Of each case the share that others cover, what they cover, and how many they are."""
    rows = []
    for name, case in _flat(known):
        meeting = [
            other
            for other in others.get(name, [])
            if _side(case.this, "this ") & _side(other.this, "this ")
            and _side(case.source, "source ") & _side(other.source, "source ")
        ]
        covered = _places(case) & {place for other in meeting for place in _places(other)}
        rows.append((len(covered) / len(_places(case)), covered, len(meeting)))
    return rows


def _plagdet(precision: float, recall: float, granularity: float) -> float:
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall) / log2(1 + granularity)


def figures(true: Known, actual: Known) -> dict[str, tuple[float, float, float, float]]:
    """Precision, recall, granularity and plagdet, macro and micro."""
    recalled, exact = _shares(true, actual), _shares(actual, true)
    numbers = [number for _, _, number in recalled if number]
    granularity = sum(numbers) / len(numbers) if numbers else 1.0
    if not (recalled and exact):
        share = 0.0 if recalled or exact else 1.0
        macro = micro = (share, share)
    else:
        macro = (
            sum(share for share, _, _ in exact) / len(exact),
            (sum(share for share, _, _ in recalled) / len(recalled)),
        )
        both = len({place for _, covered, _ in recalled for place in covered})
        all_true, all_found = (
            len({place for _, case in _flat(known) for place in _places(case)})
            for known in (true, actual)
        )
        micro = both / all_found, both / all_true
    return {
        name: (*shares, granularity, _plagdet(*shares, granularity))
        for name, shares in (("macro", macro), ("micro", micro))
    }


def case(start: int, size: int, source: int, source_size: int = 0, of: str = "b") -> ReuseCase:
    """A span of text "a" and one of a source, of the same size by default."""
    there = TextRange(of, source, source + (source_size or size))
    return ReuseCase(TextRange("a", start, start + size), there)


def of_one_file(
    true: list[ReuseCase], actual: list[ReuseCase]
) -> tuple[EvaluationRow, EvaluationRow]:
    return evaluate_cases({"pair.xml": true}, {"pair.xml": actual})


def rounded(of: EvaluationRow) -> tuple[float, ...]:
    return tuple(round(x, 9) for x in (of.precision, of.recall, of.granularity, of.plagdet))


CASE = case(0, 100, 1000)


def test_measures_equal_those_computed_by_hand() -> None:
    """The first of three cases is found as it is, the second in two halves; one match is false.

    macro: precision (1 + 1 + 1 + 0) / 4, recall (1 + 1 + 0) / 3, granularity (1 + 2) / 2;
    micro: of 2 (100 + 20 + 80) = 400 places 240 are found; in all, 2 (100 + 10 + 10 + 40) = 320.
    """
    true = [CASE, case(200, 20, 2000), case(300, 80, 3000)]
    actual = [CASE, case(200, 10, 2000), case(210, 10, 2010), case(500, 40, 4000)]
    for row, recall in zip(of_one_file(true, actual), (2 / 3, 0.6), strict=True):
        plagdet = 2 * 0.75 * recall / (0.75 + recall) / log2(1 + 1.5)
        assert rounded(row) == pytest.approx((0.75, recall, 1.5, plagdet))
        assert (row.cases, row.found, row.detections, row.false) == (3, 2, 4, 1)


def test_texts_are_matched_without_their_folders() -> None:
    elsewhere = ReuseCase(TextRange("x/y/a", 0, 100), TextRange("c:\\b", 1000, 1100))
    assert of_one_file([CASE], [elsewhere])[1].plagdet == 1


@st.composite
def cases(draw: st.DrawFn) -> ReuseCase:
    spans = [
        TextRange(draw(st.sampled_from(names)), start, start + draw(st.integers(1, 9)))
        for names, start in (("ab", draw(st.integers(0, 12))), ("xy", draw(st.integers(0, 12))))
    ]
    return ReuseCase(*spans)


KNOWN = st.dictionaries(st.sampled_from("123"), st.lists(cases(), max_size=6, unique=True))


@given(true=KNOWN, actual=KNOWN)
def test_measures_equal_those_of_sets_of_places(
    true: dict[str, list[ReuseCase]], actual: dict[str, list[ReuseCase]]
) -> None:
    wanted = figures(true, actual)
    for row in evaluate_cases(true, actual):
        assert rounded(row) == pytest.approx(wanted[row.average])


def test_offsets_may_be_as_large_as_integers_allow() -> None:
    huge = case(10**15 - 1, 10**15 - 1, 0)
    assert of_one_file([huge], [huge])[1].plagdet == 1


@pytest.mark.parametrize("side", ["truth", "found"])
def test_damaged_files_are_a_line_each_and_the_rest_is_measured(side: str, tmp_path: Path) -> None:
    feature = (
        '<feature name="plagiarism" this_offset="0" this_length="9" source_reference="b.txt" '
        'source_offset="0" source_length="9"/>'
    )
    for folder in ("truth", "found"):
        (tmp_path / folder).mkdir()
        for name, content in (("1", feature), ("2", ""), ("3", "")):
            text = f'<document reference="a.txt">{content}</document>'
            (tmp_path / folder / f"{name}.xml").write_text(text)
    (tmp_path / side / "2.xml").write_text("<!DOCTYPE document><document/>")
    (tmp_path / side / "3.xml").write_text("<document")
    outcome = here("EvaluateReuse", tmp_path / "truth", tmp_path / "found", "--format", "json")
    check_partly(outcome, 5, "2.xml", "3.xml")
    assert [row["plagdet"] for row in outcome.json["rows"]] == [1, 1]
    assert len(outcome.json["problems"]) == 2
