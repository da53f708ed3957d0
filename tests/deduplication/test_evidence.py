"""Evidence for removals: what pairs share, and the least similar ones with their differences."""

from pathlib import Path

import pytest

import sdtext
from tests.support.command import prose
from tests.support.deduplication import edited, mixture, shingles, similarity

TEXTS = [text for text in mixture(4) if len(text) > 20]
ROWS = [{"id": f"t{place}", "text": text} for place, text in enumerate(TEXTS)]


def words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


@pytest.mark.parametrize("rule", ["direct", "cluster", "contained"])
@pytest.mark.parametrize("keep", ["longest", pytest.param("none", marks=pytest.mark.deep)])
def test_shared_shingles_are_counted_and_shown(rule: str, keep: str) -> None:
    if (rule, keep) == ("contained", "none"):
        return
    result = sdtext.deduplicate(ROWS, rule=rule, keep=keep, explain=True)
    assert result.removed
    for row in result.removed:
        names = row.document, row.kept or str(row.duplicate)
        left, right = (TEXTS[int(name[1:])] for name in names)
        assert row.shared == len(shingles(left) & shingles(right))
        passage = " ".join(words(str(row.passage).rstrip("…")))
        assert all(passage in " ".join(words(text)) for text in (left, right))
        assert passage or not row.shared


def test_the_least_similar_pairs_come_first() -> None:
    result = sdtext.deduplicate(ROWS, rule="cluster", review=7)
    least = sorted(result.removed, key=lambda row: row.similarity)[:7]
    assert [row.document for row in result.reviewed] == [row.document for row in least]
    for row in result.reviewed:
        left, right = (TEXTS[int(name[1:])] for name in (row.document, row.kept))
        assert row.similarity == pytest.approx(float(similarity(left, right)))
        for shown, text in ((row.text, left), (row.kept_text, right)):
            assert str(shown).strip("… ") in " ".join(text.split())
    assert "text" in repr(result.reviewed[0])


def test_stored_texts_are_evidence_where_they_are_at_hand(tmp_path: Path) -> None:
    text = prose(1, 80)
    row = {"id": "new", "text": edited(text, 1)}
    for keep_text in (True, False):
        path = tmp_path / f"{keep_text}.sdx"
        sdtext.create(path, recipe="deduplicate", keep_text=keep_text).add(
            [{"id": "old", "text": text}]
        )
        result = sdtext.deduplicate([row], against=path, explain=True, review=1)
        assert (result.removed[0].shared is not None) == keep_text
        assert (result.reviewed[0].kept_text is not None) == keep_text
