"""Evidence as rows in all formats, as a JSON record, and as a summary."""

import csv
import io
import json
from dataclasses import replace

from hypothesis import given

from sdtext.model import Evidence, Examined, Passage, Shared, Similarity, Span
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import (
    COLUMNS,
    DOCUMENT_COLUMNS,
    LISTS,
    PAIR_COLUMNS,
    by_weight,
    document_rows,
    listed_passages,
    pair_rows,
    passage_rows,
    record_of,
    summary_of,
)
from sdtext.reports.row_formats import FORMATS, write_rows
from tests.formats.evidence import evidences, example
from tests.support.strategies import BRISK


def printed(form: str, evidence: Evidence) -> bytes:
    file = io.BytesIO()
    whole = {"schema": LISTS["passage"][1], **record_of(evidence)}
    write_rows(file, form, COLUMNS, passage_rows(evidence), whole)
    return file.getvalue()


@BRISK
@given(evidences())
def test_every_evidence_is_printed_in_every_format(evidence: Evidence) -> None:
    rows = list(passage_rows(evidence))
    assert [tuple(row) for row in rows] == [COLUMNS] * len(rows)
    every = list(passage_rows(evidence, unfolded=True))
    assert len(every) == sum(
        len(shared.passages) or bool(shared.likeness) for shared in evidence.shared
    )
    pairs = list(pair_rows(evidence, unfolded=True))
    assert len(pairs) == sum(bool(pair.passages or pair.likeness) for pair in evidence.shared)
    are_listed, are_all = (
        [row for row in some if row["left_offset"] is not None and not row["excluded"]]
        for some in (rows, every)
    )  # a pair whose passages are all in one row with others may have a row of its metadata
    assert are_listed == are_all
    for form in FORMATS:
        printed(form, evidence)
    json.loads(printed("json", evidence))
    assert len(printed("tsv", evidence).splitlines()) == 1 + len(rows)
    assert all(line.isprintable() for line in summary_of(evidence))


def test_formulas_in_csv_are_neutralised() -> None:
    names = ["=cmd|' /C calc'!A0", "+1-1", "-2+3", "@sum(a)"]
    documents = tuple(Examined(name, 1) for name in names)
    passage = Passage(Span(0, 1), Span(0, 1), Similarity(1, 1), excluded="=1+1")
    pairs = [(0, 1), (2, 3)]
    shared = tuple(Shared(left, right, (passage,), 1.0, 1.0) for left, right in pairs)
    lines = printed("csv", Evidence(documents, shared, ())).decode().splitlines()
    _, *rows = csv.reader(lines)
    cells = [cell for row in rows for cell in (row[0], row[1], row[-3])]
    assert [cell[:1] for cell in cells] == ["'"] * 6


def test_a_whole_percentage_is_printed_exactly_and_no_share_is_rounded_up() -> None:
    assert [percent(whole / 100) for whole in range(101)] == [f"{n} %" for n in range(101)]
    assert percent(0.9999) == "99 %"


def test_pairs_and_documents_are_rows_with_the_largest_shares_first() -> None:
    assert record_of(example())["pairs"][0]["likeness"] == {"title": 80, "applicant": 45}
    first, titled = pair_rows(by_weight(example()))
    assert first == {
        "score": 25,
        "left": "A.docx",
        "right": "b.pdf",
        "left_share": 0.25,
        "right_share": 0.125,
        "passages": 1,
        "metadata": 62,
    }
    assert (titled["right"], titled["score"], titled["passages"]) == ("c.txt", 0, 0)
    documents = list(document_rows(example()))
    assert documents[0] == {
        "score": 25,
        "document": "A.docx",
        "share": 0.25,
        "sources": 1,
        "source": "b.pdf",
        "source_share": 0.25,
        "boilerplate": 0.0,
        "words": 60,
    }
    assert (documents[1]["document"], documents[1]["source"]) == ("c.txt", None)


def test_of_equal_shares_the_most_similar_passage_comes_first() -> None:
    evidence = example()
    pair = evidence.shared[0]
    copied = replace(pair.passages[0], similarity=Similarity(1, 1))
    copy = replace(pair, right=2, passages=(pair.passages[1], copied))
    ordered = by_weight(replace(evidence, shared=(pair, copy)))
    assert [shared.right for shared in ordered.shared] == [2, pair.right]


@BRISK
@given(evidences())
def test_verbatim_passages_come_first_and_weak_ones_last(evidence: Evidence) -> None:
    passages = [item for item in listed_passages(evidence, unfolded=True) if item.passage]
    rows = [item.row for item in passages]
    assert all(row["weak"] == (row["verbatim"] in range(20)) for row in rows)
    for is_weak in (False, True):
        verbatim = [
            row["verbatim"] * max(row["left_length"], row["right_length"])
            for row in rows
            if row["weak"] is is_weak and row["verbatim"] is not None
        ]
        assert verbatim == sorted(verbatim, reverse=True)
    assert [row["weak"] for row in rows] == sorted(row["weak"] for row in rows)


@BRISK
@given(evidences())
def test_weight_orders_pairs_and_passages_and_loses_none(evidence: Evidence) -> None:
    weighty = by_weight(evidence)
    shares = [max(pair.left_share, pair.right_share) for pair in weighty.shared]
    assert shares == sorted(shares, reverse=True)
    keys = sorted((pair.left, pair.right, len(pair.passages)) for pair in evidence.shared)
    assert sorted((pair.left, pair.right, len(pair.passages)) for pair in weighty.shared) == keys
    assert len(list(passage_rows(weighty))) == len(list(passage_rows(evidence)))
    for columns, rows in (
        (PAIR_COLUMNS, pair_rows(weighty)),
        (DOCUMENT_COLUMNS, document_rows(weighty)),
    ):
        assert all(tuple(row) == columns and 0 <= row["score"] <= 99 for row in rows)
