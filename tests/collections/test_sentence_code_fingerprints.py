"""Sentence codes as fingerprints: the passages are those of the texts, and no word is shown."""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest
from lxml import etree

import sdtext
from sdtext.errors import FormatError, MismatchError, SdtextError
from tests.support.command import ROOT, check_refused, done, here

SAMPLES = ROOT / "tests" / "samples" / "texts"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def coded(name: str, *paths: Path) -> str:
    done("Fingerprint", *paths, "--codes", "--profile", "minimal", "-o", name)
    return name


def places(evidence: sdtext.Evidence) -> Sequence[tuple[int, ...]]:
    """Passages by their places and scores, without the names of the documents."""
    return sorted(
        (item.left.start, item.left.end, item.right.start, item.right.end, item.score)
        for shared in evidence.shared
        for item in shared.passages
    )


@pytest.mark.usefixtures("folder")
def test_passages_are_those_that_are_found_in_the_texts() -> None:
    hers = [SAMPLES / f"{name}.txt" for name in ("union", "bees", "letter")]
    his = [SAMPLES / f"{name}.txt" for name in ("union-edited", "union-excerpt", "bread")]
    expected = sdtext.find_reuse(his, hers, recipe="evidence", method="sentences")
    assert len(places(expected)) > 2
    a, b = coded("his.xml", *his), coded("hers.xml.gz", *hers)
    assert places(sdtext.find_reuse(a, b)) == places(expected)
    assert places(sdtext.find_reuse([str(path) for path in his], b)) == places(expected)
    rows = done("FindReuse", a, b).table
    assert {(row["left"], row["right"]) for row in rows} >= {("his.xml#1", "hers.xml.gz#1")}
    assert {row["weak"] for row in rows} == {"false"}


@pytest.mark.parametrize("language", ["arb", "cmn_hans"])
def test_passages_in_other_languages_are_those_of_the_texts(
    folder: Path, data: Path, language: str
) -> None:
    whole = (data / "languages" / "udhr" / f"{language}.txt").read_text("utf-8")
    (folder / "whole.txt").write_text(whole, "utf-8")
    (folder / "part.txt").write_text(whole[len(whole) // 4 : len(whole) // 2], "utf-8")
    expected = sdtext.find_reuse("part.txt", "whole.txt", method="sentences")
    part, all_of_it = (coded(f"{name}.xml", folder / f"{name}.txt") for name in ("part", "whole"))
    assert places(sdtext.find_reuse(part, all_of_it)) == places(expected)
    assert places(expected)


@pytest.mark.usefixtures("folder")
def test_codes_are_compared_with_those_of_a_collection() -> None:
    his = coded("his.xml", SAMPLES / "union-edited.txt", SAMPLES / "bees.txt")
    expected = places(sdtext.find_reuse(his, coded("hers.xml", SAMPLES)))
    done("AddDocuments", "hers.sdx", SAMPLES, "-c", "evidence")
    assert places(sdtext.find_reuse(his, "hers.sdx")) == expected
    done("RemoveDocuments", "hers.sdx", "bees.txt")
    done("Fingerprint", "hers.sdx", "--codes", "--profile", "minimal", "-o", "stored.xml")
    left = places(sdtext.find_reuse(his, "hers.sdx"))
    assert left == places(sdtext.find_reuse(his, "stored.xml"))
    assert 0 < len(left) < len(expected)
    some = sdtext.find_reuse(his, "hers.sdx", where="name = 'letter.txt'")
    assert not places(some)
    assert "of its sentences in" in done("FindReuse", his, "hers.sdx").err


def test_codes_and_sketches_under_a_key_fit_each_other_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("KeyDictionary", "-d", "english", "-k", "both.key", "--new-key", "-o", "keyed.xml")
    hers, his = [*SAMPLES.glob("*.txt")], SAMPLES / "union-edited.txt"
    for name, paths in (("hers", hers), ("his", [his])):
        for kind in (["--codes"], ["--sketch", "512"]):
            line = ["Fingerprint", *paths, *kind, "--profile", "minimal"]
            done(*line, "-o", f"{name}-open{kind[0]}.xml")
            keyed = [*line, "-d", "keyed.xml", "-o", f"{name}{kind[0]}.xml"]
            check_refused(here(*keyed), 4)
            with monkeypatch.context() as environment:
                environment.setenv("SDTEXT_KEY", str(folder / "both.key"))
                done(*keyed)
    found, opened = (
        places(sdtext.find_reuse(f"his{kind}--codes.xml", f"hers{kind}--codes.xml"))
        for kind in ("", "-open")
    )
    equal = [item for item in opened if item[-1] == 99]  # other estimates are drawn anew
    assert [item for item in found if item[-1] == 99] == equal != []
    ranks = [
        [row["path"].rpartition("#")[2] for row in done("CompareDirectory", *pair).table]
        for pair in (("his--sketch.xml", "hers--sketch.xml"),
                     ("his-open--sketch.xml", "hers-open--sketch.xml"))
    ]  # fmt: skip
    assert ranks[0] == ranks[1]
    lines: list[tuple[object, ...]] = [
        ("FindReuse", "his--codes.xml", "hers-open--codes.xml"),
        ("FindReuse", "his--codes.xml", SAMPLES),
        ("CompareDirectory", "his--sketch.xml", "hers-open--sketch.xml"),
        ("CompareDirectory", "his--sketch.xml", SAMPLES),
        ("ScoreFingerprints", "his--sketch.xml", his),
    ]
    for pair in lines:
        check_refused(here(*pair), 4)
    monkeypatch.setenv("SDTEXT_KEY", str(folder / "both.key"))
    row = done("CompareDirectory", "his--sketch.xml", SAMPLES, "-d", "keyed.xml").table[0]
    assert (row["path"], row["score"]) == ("union-edited.txt", "99")


@pytest.mark.usefixtures("folder")
def test_codes_are_saved_and_loaded_and_named_by_a_key() -> None:
    done(
        *("Fingerprint", SAMPLES, "--codes", "--profile", "minimal"),
        *("-o", "a.xml", "--names", "key.csv"),
    )
    assert "1,a.xml," in Path("key.csv").read_text()
    loaded = sdtext.load("a.xml")
    assert isinstance(loaded, list)
    assert all(item.codes and not item.vectors for item in loaded)
    sdtext.save(loaded, "again.xml")
    assert Path("again.xml").read_bytes() == Path("a.xml").read_bytes()
    assert done("ShowFingerprint", "a.xml", "--format", "json").json["rows"][0]["sentence_codes"]


def _changed(**attributes: str) -> None:
    root = etree.parse("a.xml")
    (element,) = root.iter("{*}codes")
    rows = attributes.pop("rows", None)
    element.text = element.text if rows is None else rows
    element.attrib.update(attributes)
    for parent in [*root.iter("{*}fingerprint")]:
        parent.remove(*parent.iter("{*}hashdigest"))
    root.write("bad.xml")


@pytest.mark.usefixtures("folder")
def test_damaged_codes_are_refused() -> None:
    coded("a.xml", SAMPLES / "union.txt")
    (element,) = etree.parse("a.xml").iter("{*}codes")
    rows = b64decode(element.text or "")
    number = len(rows) // 24
    falling = rows[24:48] + rows[:24] + rows[48:]
    backwards = struct.pack("<II", 9, 3) + rows[8:]
    for change in (
        {"sentences": str(number + 1)},
        {"sentences": "-1"},
        {"width": "0"},
        {"width": "99999999"},
        {"width": "15"},
        {"rows": "!"},
        {"rows": ""},
        {"rows": b64encode(falling).decode()},
        {"rows": b64encode(backwards).decode()},
        {"width": "4", "sentences": str(2 * number)},
    ):
        _changed(**change)
        with pytest.raises(FormatError):
            sdtext.find_reuse("bad.xml", "a.xml")
    _changed(recipe="0" * 64)
    with pytest.raises(MismatchError):
        sdtext.find_reuse("bad.xml", "a.xml")


@pytest.mark.usefixtures("folder")
def test_codes_are_compared_by_nothing_else() -> None:
    coded("a.xml", SAMPLES / "union.txt")
    coded("b.xml", SAMPLES)
    done("Fingerprint", SAMPLES / "union.txt", "-d", "english", "-o", "bits.xml")
    lines: list[tuple[object, ...]] = [
        ("ScoreFingerprints", "a.xml", "a.xml"),
        ("ScoreFingerprints", "a.xml", "bits.xml"),
        ("CompareDirectory", "a.xml", "b.xml"),
        ("CompareDirectory", "b.xml", "b.xml"),
        ("CompareDirectory", "bits.xml", "b.xml"),
        ("CompareDirectory", "a.xml", SAMPLES, "-d", "english"),
        ("AddDocuments", "c.sdx", "b.xml"),
        ("AddDocuments", "c.sdx", "b.xml", "-d", "english"),
        ("FindReuse", "a.xml", "bits.xml"),
    ]
    for line in lines:
        outcome = here(*line)
        assert outcome.code in (3, 4), (line, outcome.err)
        assert "Traceback" not in outcome.err
    check_refused(here("ScoreFingerprints", "a.xml", "a.xml"), 4, "a.xml")
    lines = [
        ("FindReuse", "a.xml", "b.xml", "--show"),
        ("FindReuse", "a.xml", "b.xml", "-c", "reuse"),
        ("FindReuse", "a.xml", "b.xml", "--unit", "chapter"),
        ("Fingerprint", SAMPLES, "--codes", "-d", "english", "-o", "x.xml"),
    ]
    for line in lines:
        check_refused(here(*line), 2)
    done("AddDocuments", "e.sdx", SAMPLES)
    lines = [
        ("FindReuse", "a.xml", "e.sdx"),
        ("Fingerprint", "e.sdx", "--codes", "-o", "x.xml"),
    ]
    for line in lines:
        check_refused(here(*line), 4, "e.sdx")
    with pytest.raises(SdtextError):
        sdtext.find_reuse("a.xml")
