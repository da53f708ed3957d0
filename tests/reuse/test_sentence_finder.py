"""Passages by sentences equal those of brute force, for documents in memory and stored ones."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import sdtext
from sdtext import Document, Evidence, MismatchError, OptionError, find_reuse, load_recipe
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.model import PartSpec
from sdtext.parts.aligners.sentence_passages import SentencePassages
from sdtext.reuse import documents as reuse_documents
from sdtext.reuse import sentence_finder
from tests.support.command import prose

RECIPE = load_recipe("evidence")
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
    coded = UnitCodes(RECIPE)([left, right])
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


@pytest.fixture
def stored(tmp_path: Path) -> sdtext.Collection:
    """A collection with the codes of three texts, which are called 0.txt and so on."""
    for place, document in enumerate(texts(2, 3)):
        (tmp_path / f"{place}.txt").write_text(document.text)
    files = [tmp_path / f"{place}.txt" for place in range(3)]
    add_documents(tmp_path / "x.sdx", files, CollectionSpec(RECIPE))
    return sdtext.open(tmp_path / "x.sdx")


def test_stored_documents_share_what_they_share_in_memory(stored: sdtext.Collection) -> None:
    left, right = texts(1, 3), texts(2, 3)
    in_memory = found_by(find_reuse(left, right, **ASKED))
    named = {(first, f"{two[2:]}.txt"): passages for (first, two), passages in in_memory.items()}
    assert found_by(find_reuse(left, stored)) == named
    within = found_by(find_reuse(stored))
    assert within == {
        (f"{i}.txt", f"{j}.txt"): result
        for i in range(3)
        for j in range(i + 1, 3)
        if (result := plain_passages(right[i], right[j], 19))
    }


def test_the_radius_follows_from_the_question(stored: sdtext.Collection) -> None:
    def radius(**asked: Any) -> str:
        return find_reuse(stored, method="sentences", **asked).parameters["radius"]

    assert radius() == "19"
    assert radius(distance=2) == "2"


def test_sentences_that_are_too_short_are_counted() -> None:
    text = "Page 1\n\n" + prose(1, words=60)
    result = find_reuse(Document(text, text), Document(text, text), **ASKED)
    assert [document.short for document in result.documents] == [1, 1]


@pytest.mark.parametrize("asked", [{"w": 20}, {"short": True}])
def test_options_of_windows_are_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="is for windows"):
        find_reuse(texts(1, 1), texts(2, 1), method="sentences", **asked)


def test_codes_of_another_shingler_are_refused(stored: sdtext.Collection) -> None:
    other = replace(RECIPE, shingler=PartSpec.of("words", length=3))
    with pytest.raises(MismatchError, match="its shingler is"):
        find_reuse(texts(1, 1), stored, recipe=other)
    bare = replace(RECIPE, unit=None, shingler=None, fingerprint=None)
    assert find_reuse(texts(1, 1), stored, recipe=bare).shared


def test_sentences_of_a_template_do_not_count(stored: sdtext.Collection, tmp_path: Path) -> None:
    left = texts(1, 1)
    plain = find_reuse(left, stored)
    (tmp_path / "form.txt").write_text(
        "\n\n".join(prose(100 + place, words=60) for place in range(6))
    )
    without = find_reuse(left, stored, template=tmp_path / "form.txt")
    passages = [passage for pair in without.shared for passage in pair.passages]
    assert passages
    assert {item.excluded for item in passages} == {"template"}
    assert plain.coverage[0].share > 0 == without.coverage[0].share


def test_results_do_not_depend_on_the_size_of_batches(
    stored: sdtext.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, document in enumerate(texts(1, 3)):
        (tmp_path / f"one{place}.txt").write_text(document.text)
    files = [tmp_path / f"one{place}.txt" for place in range(3)]
    add_documents(tmp_path / "y.sdx", files, CollectionSpec(RECIPE))
    whole = [found_by(find_reuse(*sides)) for sides in ((stored,), (tmp_path / "y.sdx", stored))]
    monkeypatch.setattr(reuse_documents, "_BATCH_DOCUMENTS", 1)
    assert [
        found_by(find_reuse(*sides)) for sides in ((stored,), (tmp_path / "y.sdx", stored))
    ] == whole
    in_memory = found_by(find_reuse(texts(1, 3), stored))
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
