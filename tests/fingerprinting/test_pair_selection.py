"""Rows of a comparison of many fingerprints: those of a comparison of every pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.fingerprinting import pair_selection
from sdtext.fingerprinting.compare_fingerprints import SCAN, Comparer
from sdtext.fingerprinting.compare_folder import Comparison, compare_by
from sdtext.fingerprinting.load_and_save import save
from sdtext.fingerprinting.pair_selection import Tally, Wanted
from sdtext.fingerprinting.query_files import Queries
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import DataSource, Fingerprint, Origin, PartSpec, Place, RecipeSpec, Vector
from sdtext.model.calibration import Calibration, SizeClass, size_classes
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import PARTS, find
from sdtext.reading.parallel_run import Run
from tests.strategies import BRISK

MATCHERS = [
    name for name in PARTS["matchers"] if find("matchers", name).compares in ("sets", "vectors")
]
COUNTS = {f"w{place:02}": 1 + place * 99 // 69 for place in range(70)}
PLAIN = Dictionary.of(COUNTS, 100, RecipeSpec(PartSpec("words")))
OTHER = Dictionary.of(COUNTS, 101, RecipeSpec(PartSpec("words")))


def calibrated(matcher: str) -> Dictionary:
    """The dictionary, calibrated for a matcher, with levels for some sizes."""
    unrelated, related = (900,) * 30 + (0,) * 70, (0,) * 40 + (3,) * 60
    classes = [SizeClass(*sizes, unrelated, related, (27_000,) * 100) for sizes in size_classes()]
    calibration = Calibration(matcher, "2020-01-01T00:00:00Z", 200, 0, ["lines"], classes[1:])
    return replace(PLAIN, calibrations=(calibration,))


def fingerprints(random: Random, number: int) -> Iterator[Fingerprint]:
    """Fingerprints of all kinds: small, empty and full ones, equal ones, of several vectors."""
    pool = random.choice([range(70), range(12)])
    known: list[bytes] = [bytes(9), pack(range(70), 70)]
    for place in range(number):
        size = random.choice([0, 3, 7, 8, 9, 20, 40, 70])
        row = pack(sorted(random.sample(pool, min(size, len(pool)))), 70)
        known.append(row if random.random() < 0.7 else random.choice(known))
        dictionary = OTHER if random.random() < 0.1 else PLAIN
        vector = Vector(known[-1], 70, dictionary.guid)
        vectors: tuple[Vector, ...] = (vector,)
        if random.random() < 0.1:
            vectors = (vector, replace(vector, packed=row, place=Place(0, 9, 0, 9)))
        kind = "other" if random.random() < 0.05 else "bitvector"
        engine = random.choice([(), (("pypdf", "1"),), (("pypdf", "2"),)])
        name = random.choice([f"{place}.txt", "same.txt", ""])
        yield Fingerprint(
            kind,
            vectors,
            (PLAIN.reference(), OTHER.reference()),
            Origin(f"00000000-0000-0000-0000-{place:012}" if random.random() < 0.5 else ""),
            DataSource(name) if name else None,
            libraries=engine,
        )


def listed(
    comparer: Comparer, queries: Queries, folder: Path, wanted: Wanted
) -> tuple[object, ...]:
    """All that is printed of a comparison."""
    run = Run(problems=[])
    comparison: Comparison = compare_by(comparer, queries, folder, run, wanted)
    tally = comparison.tally
    rows = comparison.best(wanted.minimum, wanted.top, not_comparable=False)
    counts = tally.scored.total(), comparison.left_out, tally.by_reason, tally.first_reason
    reaching = sum(row.reaches(wanted.minimum) for row in comparison.rows)
    every = tally.reaching if not wanted.every else reaching
    return rows, counts, every, comparison.problems


@pytest.mark.parametrize("name", MATCHERS)
def test_selected_rows_are_those_of_all_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pair_selection, "_ROWS", 5)
    monkeypatch.setattr(pair_selection, "_QUERIES", 2)
    monkeypatch.setattr(pair_selection, "_UNITS", 3)
    dictionary = calibrated(name)
    known = [dictionary.calibrations[0], 1, 1, 10, 25, 50, 71, 99]

    @BRISK
    @given(
        random=st.randoms(use_true_random=False),
        minimum=st.sampled_from(known),
        top=st.sampled_from([None, 1, 2, 5]),
        dictionaries=st.sampled_from([(), (PLAIN,), (dictionary,)]),
        min_terms=st.sampled_from([0, 1, 8]),
    )
    def check(
        random: Random,
        minimum: int | Calibration,
        top: int | None,
        dictionaries: tuple[Dictionary, ...],
        min_terms: int,
    ) -> None:
        folder = tmp_path / "folder"
        folder.mkdir(exist_ok=True)
        save([*fingerprints(random, random.choice([1, 4, 30]))], folder / "a.xml")
        if random.random() < 0.2:
            whole = (folder / "a.xml").read_bytes()
            lost = min(random.choice([1, 99, 999]), len(whole) // 2)  # its first tag stays
            (folder / "a.xml").write_bytes(whole[:-lost])
        asked = [(f"{place}", each) for place, each in enumerate(fingerprints(random, 6))]
        own = [(f"{folder}/a.xml#{place}.txt", asked[place][1]) for place in range(3)]
        names = frozenset(name for name, _ in own)
        queries = Queries((*asked, *own, asked[0]), dictionaries, files=names)
        comparer = Comparer(name, dictionaries, min_terms)
        every = listed(comparer, queries, folder, Wanted(minimum, top))
        selected = Wanted(minimum, top, every=False)
        assert listed(comparer, queries, folder, selected) == every
        assert listed(replace(comparer, index=SCAN), queries, folder, selected) == every

    check()


def test_few_terms_are_the_reason_only_where_there_is_no_other() -> None:
    tally = Tally()
    tally.add_unscored("only 2 terms of the dictionary on one side", 9, ("a.txt", "key.csv"))
    assert tally.first_reason == "only 2 terms of the dictionary on one side"
    tally.add_unscored("made with different dictionaries", 1, ("b.txt", "share.xml"))
    assert tally.first_reason == "made with different dictionaries"
