"""Comparisons of fingerprints, files and folders, against slow ones of a few lines."""

import math
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, getcontext
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.fingerprinting.load_and_save import save
from sdtext.kernels.arrays.packed_bits import pack
from sdtext.model import (
    DataSource,
    Fingerprint,
    Origin,
    PartSpec,
    Place,
    RecipeSpec,
    Similarity,
    Vector,
)
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import PARTS, build, find, parse
from sdtext.reading import walk
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.search import fingerprint_scores, ways_to_compare
from sdtext.search.compare import compare
from sdtext.search.fingerprint_scores import FingerprintScorer, other_engine
from sdtext.search.list_files import list_files
from sdtext.search.score import score
from sdtext.search.search_plan import default_matcher
from tests.support.command import ROOT
from tests.support.dictionaries import fingerprint_of
from tests.support.strategies import FEW

MATCHERS = [
    name for name in PARTS["matchers"] if find("matchers", name).compares in ("sets", "vectors")
]
COUNTS = {f"w{place:02}": 1 + place * 99 // 69 for place in range(70)}
PLAIN = Dictionary.of(COUNTS, 100, RecipeSpec(PartSpec("words")))
OTHER = Dictionary.of(COUNTS, 101, RecipeSpec(PartSpec("words")))


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


def similarity_of(matcher: str, left: Vector, right: Vector) -> Similarity | None:
    """The similarity by whole numbers alone; None where two vectors have none."""
    ours, theirs = left.number, right.number
    is_placed = bool(left.place or right.place)
    part: Any = build("matchers", parse(matcher))
    if ours == theirs and part.symmetric and ours.bit_count() >= (8 if is_placed else 1):
        return Similarity(1, 1)
    if min(ours.bit_count(), theirs.bit_count()) < 8:
        return None
    dictionary = PLAIN if left.dictionary == PLAIN.guid else OTHER
    weights = part.weights(dictionary) or [1] * 70
    sums = [sum(weights[place] for place in range(70) if bits >> place & 1)
            for bits in (ours & theirs, ours, theirs)]  # fmt: skip
    if not (sums[1] and sums[2]):
        return None
    if part.compares == "vectors":
        part = part.over(dictionary)
        similarity: Similarity = part.similarity(sums[0], left.packed, right.packed)
        return similarity
    of_sets: Similarity = part(*sums)
    return of_sets


def naive_rows(
    matcher: str, queries: Sequence[tuple[str, Fingerprint]], named: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """All rows with a score, best first, by comparing every vector with every other."""
    rows = []
    for query, item in queries:
        for path, other in named:
            pairs = [
                (similarity_of(matcher, left, right), left, right)
                for left in item.vectors
                for right in other.vectors
                if item.kind == other.kind and left.dictionary == right.dictionary
            ]
            scored = [pair for pair in pairs if pair[0] is not None]
            if scored:
                best, left, right = max(scored, key=lambda pair: float(pair[0] or 0))
                assert best is not None
                counts = (left.number & right.number).bit_count(), left.count, right.count
                rows.append((best.score, float(best), path, query, *counts))
    return sorted(rows, key=lambda row: (-row[0], -row[1], row[2], row[3]))


@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("index", [None, "scan", "columns"])
def test_rows_are_those_of_all_pairs_by_whole_numbers(
    name: str, index: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ways_to_compare, "_PART", 50)
    monkeypatch.setattr(fingerprint_scores, "_MANY", 2)

    @FEW
    @given(
        random=st.randoms(use_true_random=False),
        least=st.sampled_from([0, 1, 10, 25, 50, 71, 99]),
        top=st.sampled_from([None, 1, 2, 5]),
    )
    def check(random: Random, least: int, top: int | None) -> None:
        queries, folder = (
            [replace(item, document=f"{side}{place:02}", source=None)
             for place, item in enumerate(fingerprints(random, number))]
            for side, number in (("q", 5), ("d", random.choice([1, 4, 30])))
        )  # fmt: skip
        asked: dict[str, Any] = {"matcher": name, "similarity": least / 100, "index": index}
        try:
            found = compare(queries, folder, dictionary=[PLAIN, OTHER], top=top, **asked)
        except OptionError:
            assert index == "columns"
            return
        named = [[(item.document, item) for item in side] for side in (queries, folder)]
        every = naive_rows(name, named[0], named[1])
        wanted = [row for row in every if row[0] >= least]
        if top is not None and least:
            ranks: Counter[str] = Counter()
            kept = []
            for row in wanted:
                ranks[row[3]] += 1
                kept += [row] if ranks[row[3]] <= top else []
            wanted = kept
        rows = [row for row in found.rows if row.score is not None]
        shown = [
            (row.score, row.similarity, row.path, row.fingerprint, row.common, row.a, row.b)
            for row in rows
        ]
        assert shown == wanted or least == 0
        assert found.compared == len(every)
        assert found.compared + sum(number for _, number in found.reasons) == 5 * len(folder)
        if least:
            assert found.reaching == sum(row[0] >= least for row in every)
            whole = compare(queries, folder, dictionary=[PLAIN, OTHER], matcher=name, similarity=0)
            part = whole.restricted(least / 100, top)
            assert (part.rows, part.reaching) == (tuple(rows), found.reaching)
            assert part.minimum == found.minimum

    check()


TERMS = [f"term{number:03}" for number in range(60)]
DICTIONARY = Dictionary.of(
    {term: 1 + place % 37 for place, term in enumerate(TERMS)}, 40, RecipeSpec(PartSpec("words"))
)
SETS = st.sets(st.sampled_from(TERMS), min_size=0, max_size=60)


def fingerprint_with(terms: set[str], dictionary: Dictionary = DICTIONARY) -> Fingerprint:
    return fingerprint_of([terms], [dictionary])


def by_definition(matcher: str, left: set[str], right: set[str]) -> Decimal:
    """The similarity of two sets of terms, to 60 digits."""
    getcontext().prec = 60
    common, first, other = len(left & right), len(left), len(right)
    if matcher == "idf-cosine":
        weights = dict(zip(TERMS, DICTIONARY.weights(), strict=True))
        sums = [sum(weights[term] ** 2 for term in terms) for terms in (left & right, left, right)]
        common, first, other = sums
    if matcher in ("cosine", "idf-cosine"):
        return common / (Decimal(first) * Decimal(other)).sqrt()
    return {
        "jaccard": Decimal(common) / (first + other - common),
        "containment": Decimal(common) / first,
        "dice": Decimal(2 * common) / (first + other),
        "exact": Decimal(left == right),
    }[matcher]


@given(
    SETS, SETS, st.sampled_from(["cosine", "idf-cosine", "jaccard", "containment", "dice", "exact"])
)
def test_scores_are_the_percentage_rounded_down(
    left: set[str], right: set[str], matcher: str
) -> None:
    match = FingerprintScorer(matcher, (DICTIONARY,)).best(
        fingerprint_with(left), fingerprint_with(right)
    )
    assert (match.common, match.left, match.right) == (len(left & right), len(left), len(right))
    equal = left == right and left and matcher != "containment"
    if min(len(left), len(right)) < 8 and not equal:
        assert match.score is None
        assert match.problem is not None
        assert match.problem.category == "too-few-terms"
        return
    wanted = by_definition(matcher, left, right)
    assert match.score == min(99, int(100 * wanted))
    assert match.similarity is not None
    assert math.isclose(float(match.similarity), float(wanted), abs_tol=1e-9)


def test_what_is_not_comparable_is_so_by_its_reason() -> None:
    whole, some = fingerprint_with(set(TERMS)), (set(TERMS[:20]), set(TERMS[5:30]))
    other = Dictionary.of(dict.fromkeys(TERMS, 2), 41, DICTIONARY.recipe)
    match = FingerprintScorer().best(whole, fingerprint_with(set(TERMS), other))
    assert match.score is None
    assert match.problem is not None
    assert match.problem.category == "other-dictionary"
    with pytest.raises(MismatchError, match="different dictionaries"):
        score(whole, fingerprint_with(set(TERMS), other))
    with pytest.raises(MismatchError, match="cosine"):
        score(*map(fingerprint_with, some), matcher="idf-cosine")
    counts = dict.fromkeys(TERMS[:30], 39) | {"rare": 1}
    light = Dictionary.of(counts, 39, DICTIONARY.recipe)
    left, right = (fingerprint_with(terms, light) for terms in some)
    match = FingerprintScorer("idf-cosine", (light,)).best(left, right)
    assert match.problem is not None
    assert match.problem.category == "no-weight"


def test_the_best_pair_of_several_vectors_counts() -> None:
    other = Dictionary.of(dict.fromkeys(TERMS, 2), 41, DICTIONARY.recipe)
    left = fingerprint_of([set(TERMS[:30]), set(TERMS[:30])], [DICTIONARY, other])
    right = fingerprint_of([set(TERMS[:20]), set(TERMS[:30])], [DICTIONARY, other])
    result = score(left, right, matcher="cosine")
    assert (result.score, result.best.vectors) == (99, (1, 1))
    assert [pair.score for pair in result.pairs] == [81, None, None, 99]


def test_equal_ends_of_different_documents_are_no_similarity() -> None:
    def cut(*segments: list[str]) -> Fingerprint:
        vectors = [fingerprint_with(set(terms)).vectors[0] for terms in segments]
        placed = (replace(vector, place=Place(0, 9, 0, 9)) for vector in vectors)
        return replace(fingerprint_with(set()), vectors=tuple(placed))

    left, right = cut(TERMS[:15], TERMS[-1:]), cut(TERMS[15:30], TERMS[-1:])
    whole = fingerprint_with(set(TERMS[-1:]))
    assert FingerprintScorer("cosine").best(left, right).score == 0
    assert FingerprintScorer("cosine", min_terms=1).best(left, right).score == 99
    assert FingerprintScorer("cosine").best(whole, whole).score == 99


def test_the_default_matcher_weighs_where_it_can() -> None:
    small = Dictionary.of({"a": 1}, 2, DICTIONARY.recipe)
    assert default_matcher([DICTIONARY]) == default_matcher([small, DICTIONARY])
    assert default_matcher([DICTIONARY]) == "idf-cosine(power=2)"
    trimmed = DICTIONARY.trim(0.2, 0.9)
    assert default_matcher([trimmed]) == default_matcher([DICTIONARY, trimmed]) == "idf-cosine"
    assert default_matcher([small]) == default_matcher([]) == "cosine"


def test_a_file_in_the_folder_is_not_compared_with_itself(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    for name in ("a.txt", "same.txt", "below/a.txt"):
        (folder / name).write_text(" ".join(TERMS), "utf-8")
    (tmp_path / "link").symlink_to(folder)
    for query in (folder / "a.txt", tmp_path / "link" / "a.txt", str(folder / "below/../a.txt")):
        result = compare(query, folder, matcher="cosine", dictionary=DICTIONARY)
        assert [row.path for row in result.rows] == ["below/a.txt", "same.txt"]
        assert result.left_out == 1
    both = [folder, folder / "below"]
    below = compare(both[1] / "a.txt", both, matcher="cosine", dictionary=DICTIONARY)
    assert len(below.rows) == 2
    document = read(folder / "a.txt")
    assert len(compare(document, folder, matcher="cosine", dictionary=DICTIONARY).rows) == 3
    itself = compare(folder / "a.txt", folder / "a.txt", matcher="cosine", dictionary=DICTIONARY)
    assert itself.rows[0].score == 99
    prints = [fingerprint(folder / name, DICTIONARY) for name in ("a.txt", "same.txt")]
    save(prints, folder / "both.xml", dictionary=DICTIONARY)
    rows = compare(folder / "both.xml", folder, matcher="cosine").rows
    of_container = [(row.path, row.fingerprint) for row in rows if "both" in row.path]
    assert of_container == [
        ("both.xml#1", f"{folder}/both.xml#2"),
        ("both.xml#2", f"{folder}/both.xml#1"),
    ]
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "a.txt").write_text(" ".join(TERMS), "utf-8")
    nothing = compare(alone / "a.txt", alone, matcher="cosine", dictionary=DICTIONARY)
    assert (nothing.compared, nothing.left_out) == (0, 1)
    (alone / "b.xml").write_text(f"<?xml version='1.0'?><p>{' '.join(TERMS)}</p>", "utf-8")
    (row,) = compare(alone / "b.xml", alone, matcher="cosine", dictionary=DICTIONARY).rows
    assert (row.path, row.score) == ("a.txt", 99)


def test_only_dictionaries_before_whole_fingerprints_of_a_container_are_used(
    tmp_path: Path,
) -> None:
    path, run = tmp_path / "queries.xml", Run(problems=[])
    terms = [set(TERMS[first : first + 40]) for first in (0, 10, 20)]
    save([fingerprint_with(some) for some in terms], path, dictionary=DICTIONARY)
    text = path.read_text("utf-8")
    begin, end = text.index("<dictionary "), text.index("</dictionary>") + len("</dictionary>")
    moved = (text[:begin] + text[end:]).replace("</fingerprints>", text[begin:end])
    for xml, expected in (
        (text, (3, 1)),
        (text[: text.rindex("<fingerprint ") + 30], (2, 0)),
        (f"{moved}</fingerprints>", (3, 0)),
    ):
        path.write_text(xml, "utf-8")
        listed = list_files([path], run, queries=True)
        assert (len([*listed.read_fingerprints()]), len(listed.dictionaries)) == expected
    assert [problem.category for problem in run.problems or ()] == ["damaged"]


def test_containment_of_segments_over_a_trimmed_dictionary_gives_a_warning() -> None:
    samples = ROOT / "tests" / "samples" / "texts"
    whole = create_dictionary(samples, load_recipe(ROOT / "configs" / "english.toml"))
    trimmed = whole.trim(0.3, 0.8)
    for matcher, dictionary, segment, warned in (
        ("containment", trimmed, "40/20", True),
        ("containment", whole, "40/20", False),
        ("containment", trimmed, None, False),
        ("idf-cosine", trimmed, "40/20", False),
    ):
        query = fingerprint(samples / "union.txt", dictionary, segment=segment)
        comparison = compare(query, samples, matcher=matcher, dictionary=dictionary)
        categories = [problem.category for problem in comparison.problems]
        assert ("saturated" in categories) == warned


def test_files_too_long_for_memory_are_compared_as_short_ones_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = ROOT / "tests" / "samples"
    for path in [*samples.glob("texts/*.txt"), samples / "documents" / "harbour.epub"]:
        shutil.copy(path, tmp_path)
    with ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in samples.glob("texts/*.txt"):
            archive.write(path, path.name)
    (tmp_path / "damaged.txt.gz").write_bytes(b"\x1f\x8b no")
    save(fingerprint(samples / "texts" / "bees.txt", "english"), tmp_path / "bees.xml")
    query, usual = samples / "texts" / "union.txt", walk._LONGEST
    for segment in (None, "40/20"):
        results = []
        for longest in (usual, 100, -1):
            monkeypatch.setattr(walk, "_LONGEST", longest)
            results.append(compare(query, tmp_path, dictionary="english", segment=segment))
        assert results[0] == results[1] == results[2]
        assert len(results[0].rows) == 18
        assert "unreadable" in {problem.category for problem in results[0].problems}


def _read_by(*libraries: tuple[str, str]) -> Fingerprint:
    return Fingerprint("bitvector", (), (), libraries=libraries)


PDFIUM = ("pypdfium2", "5.1.0")
MINER = ("pdfminer.six", "20251107")


def test_other_engines_for_one_format_are_reported() -> None:
    for left, right in (
        (PDFIUM, MINER),
        (PDFIUM, ("pypdfium2", "4.30.0")),
        (("LibreOffice", "7.4"), ("LibreOffice", "25.2")),
    ):
        problem = other_engine(_read_by(left), _read_by(right))
        assert problem is not None
        assert all(f"{name} {version}" in problem.message for name, version in (left, right))
    for others in ([], [PDFIUM], [("striprtf", "0.0.35")], [("antiword", "0.37")]):
        assert other_engine(_read_by(PDFIUM), _read_by(*others)) is None
