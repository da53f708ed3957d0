"""Matches of sentences and passages equal those of brute force, in memory and stored."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext import Evidence, MismatchError, OptionError, find_reuse, load_recipe
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.hamming_join import BitPartition, distance_plain
from sdtext.model import PartSpec
from sdtext.parts.aligners.sentence_passages import SentencePassages
from sdtext.parts.code_groups import Groups, Way
from sdtext.reuse import documents as reuse_documents
from sdtext.reuse import sentence_finder
from sdtext.reuse.sentence_finder import (
    SentenceMatches,
    TooManyPairs,
    match_sentences,
    similar_documents,
)
from sdtext.text.document import Document
from tests.kernels.rows import codes_of
from tests.search.stored import RECIPE, stored
from tests.support.command import prose
from tests.support.strategies import BRISK

EVIDENCE = load_recipe("evidence")
ASKED: dict[str, Any] = {"method": "sentences", "edits": False}


def texts(seed: int, number: int) -> list[Document]:
    """Texts that have some paragraphs in common, partly edited."""
    draw = Random(seed)
    common = [prose(100 + place, words=60) for place in range(6)]
    result = []
    for place in range(number):
        paragraphs = [prose(1000 * seed + 10 * place + item, words=60) for item in range(4)]
        for paragraph in draw.sample(common, 2):
            words = paragraph.split()
            words[draw.randrange(len(words))] = "edited"
            paragraphs.insert(draw.randrange(4), " ".join(words))
        text = "\n\n".join(paragraphs)
        result.append(Document(text, text, source=f"{seed}-{place}"))
    return result


def plain_passages(left: Document, right: Document, radius: int) -> list[object]:
    """The passages of two documents by each sentence of one beside each of the other."""
    coded = UnitCodes(EVIDENCE)([left, right])
    apart = [
        (i, j, int(np.unpackbits(first ^ other).sum()))
        for i, first in enumerate(coded.codes[0])
        for j, other in enumerate(coded.codes[1])
    ]
    near = np.array([row for row in apart if row[2] <= radius], np.int64).reshape(-1, 3)
    first, other = (
        (coded.starts[side].astype(int), coded.ends[side].astype(int)) for side in (0, 1)
    )
    return [(item.left, item.right) for item in SentencePassages()(near, first, other, 128)]


def found_by(evidence: Evidence) -> dict[tuple[str, str], list[object]]:
    names = [item.name for item in evidence.documents]
    return {
        (names[pair.left], names[pair.right]): [(item.left, item.right) for item in pair.passages]
        for pair in evidence.shared
    }


def test_passages_equal_those_of_brute_force() -> None:
    left, right = texts(1, 4), texts(2, 4)
    radius = int(find_reuse(left, right, **ASKED).parameters["radius"])
    plain = {
        (item.source, two.source): result
        for item in left
        for two in right
        if (result := plain_passages(item, two, radius))
    }
    assert len(plain) > 4
    assert found_by(find_reuse(left, right, **ASKED)) == plain


def coded(path: Path, seed: int, prefix: str = "") -> sdtext.Collection:
    """A collection with the codes of three texts, which are called 0.txt and so on."""
    collection = sdtext.create(path, recipe=EVIDENCE)
    for place, document in enumerate(texts(seed, 3)):
        collection.add({"id": f"{prefix}{place}.txt", "text": document.text})
    return collection


@pytest.fixture
def archive(tmp_path: Path) -> sdtext.Collection:
    return coded(tmp_path / "x.sdx", 2)


def test_stored_documents_share_what_they_share_in_memory(archive: sdtext.Collection) -> None:
    left, right = texts(1, 3), texts(2, 3)
    in_memory = found_by(find_reuse(left, right, **ASKED))
    named = {(first, f"{two[2:]}.txt"): passages for (first, two), passages in in_memory.items()}
    assert found_by(find_reuse(left, archive)) == named
    within = found_by(find_reuse(archive))
    assert within == {
        (f"{i}.txt", f"{j}.txt"): result
        for i in range(3)
        for j in range(i + 1, 3)
        if (result := plain_passages(right[i], right[j], 19))
    }


def test_the_radius_follows_from_the_question(archive: sdtext.Collection) -> None:
    def radius(**asked: Any) -> str:
        return find_reuse(archive, method="sentences", **asked).parameters["radius"]

    assert radius() == "19"
    assert radius(distance=2) == "2"


def test_sentences_that_are_too_short_are_counted() -> None:
    text = "Page 1\n\n" + prose(1, words=60)
    result = find_reuse(Document(text, text), Document(text, text), **ASKED)
    assert [document.short for document in result.documents] == [1, 1]


def test_options_of_windows_are_refused() -> None:
    with pytest.raises(OptionError, match="is for windows"):
        find_reuse(texts(1, 1), texts(2, 1), method="sentences", w=20)


def test_codes_of_another_shingler_are_refused(archive: sdtext.Collection) -> None:
    other = replace(EVIDENCE, shingler=PartSpec.of("words", length=3))
    with pytest.raises(MismatchError, match="its shingler is"):
        find_reuse(texts(1, 1), archive, recipe=other)
    bare = replace(EVIDENCE, unit=None, shingler=None, fingerprint=None)
    assert find_reuse(texts(1, 1), archive, recipe=bare).shared


def test_sentences_of_a_template_do_not_count(archive: sdtext.Collection, tmp_path: Path) -> None:
    left = texts(1, 1)
    plain = find_reuse(left, archive)
    (tmp_path / "form.txt").write_text(
        "\n\n".join(prose(100 + place, words=60) for place in range(6))
    )
    without = find_reuse(left, archive, template=tmp_path / "form.txt")
    passages = [passage for pair in without.shared for passage in pair.passages]
    assert passages
    assert {item.excluded for item in passages} == {"template"}
    assert plain.coverage[0].share > 0 == without.coverage[0].share


def test_results_do_not_depend_on_the_size_of_batches(
    archive: sdtext.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = coded(tmp_path / "y.sdx", 1, "one")
    whole = [found_by(find_reuse(*sides)) for sides in ((archive,), (other, archive))]
    monkeypatch.setattr(reuse_documents, "_BATCH_DOCUMENTS", 1)
    assert [found_by(find_reuse(*sides)) for sides in ((archive,), (other, archive))] == whole
    in_memory = found_by(find_reuse(texts(1, 3), archive))
    assert whole[1] == {
        (f"one{first[2:]}.txt", two): result for (first, two), result in in_memory.items()
    }


def test_omitted_matches_of_boilerplate_are_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_finder, "BUCKET_PAIRS", 1)
    boilerplate = prose(1, words=60)
    documents = [
        Document(text, text, source=f"{place}")
        for place, text in enumerate(
            [f"{prose(2 + n, words=60)}\n\n{boilerplate}" for n in range(4)]
        )
    ]
    complete = find_reuse(documents[:1], documents[1:], **ASKED)
    assert [problem.category for problem in complete.problems] == []
    evidence = find_reuse(documents, documents, **ASKED)
    (warning,) = evidence.problems
    assert (warning.severity, warning.category) == ("warning", "crowded-sentences")


CODED = replace(RECIPE, fingerprint=PartSpec("bbit"), unit=PartSpec.of("sentence", length=150))
EQUAL = Way(9, BitPartition(512, 9, 11, equal=2))
WAYS = (Way(20), Way(20, BitPartition(512, 20, 21)), Way(20, BitPartition(512, 20, 11)))
Rows = list[tuple[int, int, int, int, int]]


def rows_of(codes: Ragged) -> list[tuple[int, int, bytes]]:
    """Each code with its document and its place there."""
    return [
        (document, unit, code.tobytes())
        for document, row in enumerate(codes)
        for unit, code in enumerate(row)
    ]


def plain(left: Ragged, right: Ragged | None, radius: int) -> Rows:
    """All matches, pair by pair."""
    return [
        (first, unit, other, at, apart)
        for first, unit, code in rows_of(left)
        for other, at, there in rows_of(left if right is None else right)
        if (right is not None or first < other) and (apart := distance_plain(code, there)) <= radius
    ]


def listed(actual: SentenceMatches) -> Rows:
    return sorted(
        (left, int(first), right, int(other), int(apart))
        for left, right, rows in actual.by_documents()
        for first, other, apart in rows
    )


@st.composite
def documents(draw: st.DrawFn) -> tuple[Ragged, Ragged]:
    """Codes of the sentences of some documents, and of others, of which many are similar."""
    lengths = draw(st.lists(st.integers(0, 6), min_size=2, max_size=8))
    offsets = offsets_of(lengths)
    codes = Ragged(codes_of(int(offsets[-1]), 64, draw(st.integers(0, 999))), offsets)
    half = len(lengths) // 2
    return codes.take(range(half)), codes.take(range(half, len(lengths)))


@BRISK
@given(sides=documents(), radius=st.integers(0, 9), groups=st.integers(0, 2))
def test_matches_equal_those_of_brute_force(
    sides: tuple[Ragged, Ragged], radius: int, groups: int
) -> None:
    way = Way(radius, BitPartition(64, radius, radius + groups) if groups else None)
    for left in sides:
        assert listed(match_sentences(left, None, way)) == plain(left, None, radius)
    assert listed(match_sentences(*sides, way)) == plain(*sides, radius)


def test_an_oversized_bucket_lists_first_and_last_and_counts_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sentence_finder, "BUCKET_PAIRS", 9)
    codes = np.zeros((8, 8), np.uint8)
    codes[:3, 0] = 240
    some = Ragged(codes, offsets_of([1] * 8))
    result = match_sentences(some, None, Way(2))
    listed_pairs = [(first, other) for first, _, other, _, _ in listed(result) if first > 2]
    assert listed_pairs == [(3, 4), (3, 5), (3, 6), (3, 7), (4, 7), (5, 7), (6, 7)]
    assert (len(result), result.omitted) == (3 + 7, 3)


@st.composite
def boilerplate(draw: st.DrawFn) -> tuple[Ragged, Ragged]:
    """Codes of the sentences of two times some documents, most of which are equal or near."""
    lengths = draw(st.lists(st.integers(0, 5), min_size=2, max_size=10))
    offsets = offsets_of(lengths)
    codes = np.zeros((int(offsets[-1]), 8), np.uint8)
    values = st.sampled_from([0, 0, 0, 1, 255])
    codes[:, 0] = draw(st.lists(values, min_size=len(codes), max_size=len(codes)))
    result, half = Ragged(codes, offsets), len(lengths) // 2
    return result.take(range(half)), result.take(range(half, len(lengths)))


@BRISK
@given(sides=boilerplate(), bucket=st.integers(0, 9), of_two=st.sampled_from([1, 4, 1000]))
def test_each_sentence_of_an_oversized_bucket_keeps_a_match(
    sides: tuple[Ragged, Ragged], bucket: int, of_two: int
) -> None:
    """So shares found anywhere are right, and those of two documents that have a match."""
    for left, right in ((sides[0], None), (sides[1], None), sides):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sentence_finder, "BUCKET_PAIRS", bucket)
            patch.setattr(sentence_finder, "_DOCUMENT_PAIRS", of_two)
            output = match_sentences(left, right, Way(2))
        result, every = listed(output), plain(left, right, 2)
        assert len(set(result)) == len(result) == len(every) - output.omitted
        assert set(result) <= set(every)
        assert _sentences(result, within=right is None) == _sentences(every, within=right is None)
        pairs = {(row[0], row[2]) for row in result}
        of_known = [row for row in every if (row[0], row[2]) in pairs]
        assert _of_two(result) == _of_two(of_known)
        if of_two == 1000:
            assert result == of_known


def _sentences(rows: Rows, *, within: bool) -> set[tuple[int, int, int]]:
    """The sentences that have a match, with their sides."""
    return {(0, row[0], row[1]) for row in rows} | {(1 - within, row[2], row[3]) for row in rows}


def _of_two(rows: Rows) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """The sentences that have a match in a document, with that document."""
    return {(row[0], row[1], row[2]) for row in rows}, {(row[0], row[2], row[3]) for row in rows}


def test_matches_over_the_limit_are_omitted_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_finder, "BUCKET_PAIRS", 0)
    codes = Ragged(np.zeros((40, 8), np.uint8), offsets_of([10] * 4))
    # The second and the third document have no match but these; the first has 30 with the last
    # sentence, and the last has as many with the first.
    for most, count in ((10_000, 5 * 100), (200, 30 + 30 - 1)):
        monkeypatch.setattr(sentence_finder, "MOST_PAIRS", most)
        result = match_sentences(codes, None, Way(2))
        assert (len(result), result.omitted) == (count, 600 - count)
    monkeypatch.setattr(sentence_finder, "MOST_PAIRS", 100)
    with pytest.raises(TooManyPairs):
        match_sentences(codes, None, Way(2))


MAY = "The bees of the first hive were counted in May, and there were more of them than ever."
WAX = "Wax was sold in the town at the price of the year before, and nobody was glad of it."
OWLS = "Nobody knows how many owls there are in the wood behind the house of the old keeper."
TEXTS = [f"{MAY} {WAX}", OWLS, f"Nothing here.\n\nIn the end, {MAY}\n\n{WAX}", WAX]


@pytest.fixture
def collection(tmp_path: Path) -> StoredCollection:
    return stored(tmp_path / "c.sdx", TEXTS, CODED)


def asked(*texts: str) -> Ragged:
    return UnitCodes(CODED)([Document(text, text) for text in texts]).codes


@pytest.mark.parametrize("way", [*WAYS, EQUAL])
def test_every_index_finds_the_stored_sentences(collection: StoredCollection, way: Way) -> None:
    query = asked(WAX, "Of tigers nothing has been said so far in any of these short texts.")
    expected = sorted({row[2] + 1 for row in plain(query, asked(*TEXTS), way.radius)})
    assert expected == [3, 4]
    for _ in range(2):  # made, then kept
        assert similar_documents(query, collection.segments(), way).tolist() == expected


def test_keys_of_each_index_are_cached_on_their_own(collection: StoredCollection) -> None:
    for cut in (BitPartition(512, 2, 5), BitPartition(512, 2, 5, equal=2)):
        similar_documents(asked(WAX), collection.segments(), Way(2, cut))
    cached = {path.stem.split(".")[0] for path in collection.path.glob("segments/*/derived/*.npy")}
    assert len(cached) == 2


def test_removed_documents_are_not_found(collection: StoredCollection) -> None:
    with collection.writing() as writer:
        writer.remove([3])
    again = StoredCollection.open(collection.path)
    assert similar_documents(asked(WAX), again.segments(), WAYS[1]).tolist() == [4]


def test_codes_of_another_width_are_reported_as_damage(collection: StoredCollection) -> None:
    other = replace(CODED, fingerprint=PartSpec.of("bbit", slots=64))
    query = UnitCodes(other)([Document(TEXTS[1], TEXTS[1])]).codes
    with pytest.raises(
        FormatError, match="codes do not have the 8 bytes that its recipe specifies"
    ):
        similar_documents(query, collection.segments(), Way(2))


def test_the_limit_on_matches_does_not_apply_to_candidates(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentence_finder, "MOST_PAIRS", 1)
    with pytest.raises(TooManyPairs, match="at least 2 pairs are within the radius"):
        match_sentences(asked(WAX), asked(WAX, WAX), Way(2))
    for way in WAYS:
        assert similar_documents(asked(WAX, WAX), collection.segments(), way).tolist() == [3, 4]


def test_no_sentences_match_nothing(collection: StoredCollection) -> None:
    none = asked("Short.")
    assert len(similar_documents(none, collection.segments(), WAYS[1])) == 0
    assert list(match_sentences(none, None, Groups().way(512)).by_documents()) == []
