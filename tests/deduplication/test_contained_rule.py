"""The rule `contained`: nothing is removed that is not in a document that is kept."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import sdtext
from sdtext.errors import OptionError
from sdtext.search.candidates import exact_join
from sdtext.search.candidates.exact_join import JoinLimits
from tests.support.command import chance, prose
from tests.support.deduplication import (
    Removal,
    deduplicated,
    edited,
    mixture,
    removals_of,
    shingles,
)


def containment(inner: str, outer: str) -> Fraction:
    return Fraction(len(shingles(inner) & shingles(outer)), len(shingles(inner)) or 1)


def parts(seed: int) -> list[str]:
    """Texts, parts of these, parts with a word of their own, and texts that share parts."""
    draw = chance(seed)
    texts = mixture(seed)
    for place in range(25):
        words = draw.choice(texts).split()
        start = draw.randrange(max(1, len(words) - 20))
        part = " ".join(words[start : start + draw.randint(8, 60)])
        texts.append(part if place % 3 else edited(part, 1, place))
    texts += [f"{texts[place]} {prose(place, 30)}" for place in range(6)]
    draw.shuffle(texts)
    return texts


def plain_removals(texts: Sequence[str], least: int) -> list[Removal]:
    """The removals by comparing each text with all kept ones that have as many shingles."""
    kept: list[int] = []
    removals = []
    for place in sorted(range(len(texts)), key=lambda n: (-len(shingles(texts[n])), n)):
        shares = [containment(texts[place], texts[other]) for other in kept]
        best = max(shares, default=Fraction(0))
        if shingles(texts[place]) and 100 * best >= least:
            other = kept[shares.index(best)]
            removals.append((f"t{place}", f"t{other}", min(99, int(100 * best))))
        else:
            kept.append(place)
    for left in kept:
        assert all(
            100 * containment(texts[left], texts[other]) < least
            for other in kept
            if other != left and shingles(texts[left])
        )
    return sorted(removals, key=lambda row: int(row[0][1:]))


@pytest.mark.parametrize(
    ("minimum", "seed"), [(None, 1), (80, 3), pytest.param(50, 4, marks=pytest.mark.deep)]
)
def test_only_what_is_in_a_kept_document_is_removed(
    minimum: int | None, seed: int, tmp_path: Path
) -> None:
    texts = parts(seed)
    done = deduplicated(texts, tmp_path, similarity=minimum and minimum / 100, rule="contained")
    assert removals_of(done) == plain_removals(texts, minimum or 99)
    removed = {row.document for row in done.removed}
    assert len(removed) > 15
    for row in done.removed:
        share = containment(*(texts[int(name[1:])] for name in (row.document, row.kept)))
        assert row.similarity == pytest.approx(float(share))
        assert 100 * share >= (minimum or 99)
        assert row.kept not in removed


def test_a_scope_and_stored_documents_count_for_contained_ones(tmp_path: Path) -> None:
    text = prose(1, 80)
    part = " ".join(text.split()[10:50])
    rows = [
        {"id": "whole", "lang": "de", "text": text},
        {"id": "part", "lang": "en", "text": part},
        {"id": "more", "lang": "de", "text": f"{part} {prose(2, 30)}"},
    ]
    result = sdtext.deduplicate(rows, rule="contained")
    assert [(row.document, row.kept, row.score) for row in result.removed] == [
        ("part", "whole", 99)
    ]
    assert not sdtext.deduplicate(rows, rule="contained", scope="within:lang").removed
    copies = [{**rows[1], "lang": f"l{n}", "id": str(n)} for n in range(90)]
    across = sdtext.deduplicate(copies, rule="contained", scope="across:lang")
    assert len(across.removed) == 89
    collection = sdtext.create(tmp_path / "x.sdx", recipe="deduplicate")
    collection.add(rows[:1])
    new = sdtext.deduplicate(rows[1:], rule="contained", against=tmp_path / "x.sdx")
    assert [row["id"] for row in new.kept] == ["more"]


def test_what_the_rule_cannot_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"text": prose(1)}, {"text": prose(2)}]
    with pytest.raises(OptionError, match="the document is kept that holds the others"):
        sdtext.deduplicate(rows, rule="contained", keep="none")
    monkeypatch.setattr(exact_join, "MOST", JoinLimits(10, 10, 10))
    with pytest.raises(OptionError, match="more than 10"):
        sdtext.deduplicate(rows, rule="contained")
