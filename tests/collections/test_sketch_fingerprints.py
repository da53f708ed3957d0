"""Sketches as fingerprints: every verb scores them alike, and no word or name is in the file."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from lxml import etree

import sdtext
from sdtext.errors import FormatError
from tests.support.command import ROOT, SCHEMA, check_refused, done, here

SAMPLES = ROOT / "tests" / "samples" / "texts"
Scores = dict[str, int]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sketched(name: str, *paths: object, size: int = 512) -> str:
    done("Fingerprint", *paths, "--sketch", size, "--profile", "evidence", "-o", name)
    return name


def scores(*line: object, column: str) -> Scores:
    """The scores by the file names of the documents."""
    rows = done(*line, "-s", "1").table
    return {row[column].rpartition("#")[2].rpartition("/")[2]: int(row["score"]) for row in rows}


def test_every_verb_gives_the_same_scores() -> None:
    hers, his = sketched("hers.xml", SAMPLES), sketched("his.xml", SAMPLES / "union-excerpt.txt")
    expected = scores("CompareDirectory", his, hers, column="path")
    assert expected["union-excerpt.txt"] == 99
    assert expected["union.txt"] > 10 > expected.get("bees.txt", 0)
    (Path("texts")).mkdir()
    for path in SAMPLES.glob("*.txt"):
        Path("texts", path.name).write_bytes(path.read_bytes())
    assert scores("CompareDirectory", his, "texts", column="path") == expected
    text = Path("excerpt.txt")
    text.write_bytes((SAMPLES / "union-excerpt.txt").read_bytes())
    assert scores("CompareDirectory", text, hers, column="path") == expected
    done("AddDocuments", "prints.sdx", hers)
    done("AddDocuments", "texts.sdx", "texts", "-c", "sketch")
    for name in ("prints.sdx", "texts.sdx"):
        assert scores("FindSimilar", name, his, column="document") == expected
        assert scores("FindSimilar", name, text, column="document") == expected
        done("Fingerprint", name, "--sketch", 512, "--profile", "evidence", "-o", f"{name}.xml")
        assert scores("CompareDirectory", his, f"{name}.xml", column="path") == expected
        pairs = {int(row["score"]) for row in done("FindPairs", name).table}
        assert {expected["union.txt"], expected["union-edited.txt"]} < pairs
    alone = done("ScoreFingerprints", his, SAMPLES / "union.txt", "--format", "json").json
    assert alone["score"] > expected["union.txt"]  # without weights


def test_sketches_of_other_sizes_are_compared() -> None:
    for size in (128, 256):
        small = sketched(f"{size}.xml", SAMPLES, size=size)
        (element, *_) = etree.parse(small).iter("{*}sketch")
        assert size - 8 < len(b64decode(element.text or "")) <= size
        found = scores("CompareDirectory", sketched("a.xml", SAMPLES / "union.txt"), small,
                       column="path")  # fmt: skip
        assert found["union.txt"] == 99
        assert found["union-excerpt.txt"] > 10
    done("AddDocuments", "c.sdx", "128.xml")
    done("Fingerprint", "c.sdx", "--sketch", 512, "--profile", "evidence", "-o", "again.xml")
    first, again = (Path(name).read_text().count("positions=") for name in ("128.xml", "again.xml"))
    assert first == again == 8


@pytest.mark.parametrize("language", ["arb", "cmn_hans"])
def test_fragments_in_other_languages_are_found(data: Path, language: str) -> None:
    Path("texts").mkdir()
    for path in (data / "languages" / "udhr").glob("*.txt"):
        Path("texts", path.name).write_bytes(path.read_bytes())
    whole = Path("texts", f"{language}.txt").read_text("utf-8")
    Path("part.txt").write_text(whole[len(whole) // 2 : len(whole) * 3 // 5], "utf-8")
    found = scores("CompareDirectory", sketched("p.xml", "part.txt"), sketched("t.xml", "texts"),
                   column="path")  # fmt: skip
    assert max(found, key=lambda name: found[name]) == f"{language}.txt"
    assert found[f"{language}.txt"] >= 6


@pytest.mark.parametrize(
    ("kind", "options"), [("sketch", ["--sketch", "256"]), ("codes", ["--codes"])]
)
def test_a_file_of_sketches_or_codes_has_neither_words_nor_names(
    kind: str, options: list[str]
) -> None:
    done("Fingerprint", SAMPLES, *options, "--profile", "minimal", "-o", "hers.xml")
    root = etree.parse("hers.xml")
    etree.RelaxNG(file=str(SCHEMA)).assertValid(root)
    known = {"fingerprints", "fingerprint", "fingerprinter", kind, "hashdigest"}
    assert {etree.QName(item).localname for item in root.iter()} == known
    text = Path("hers.xml").read_text("utf-8")
    assert not [path.name for path in SAMPLES.iterdir() if path.stem in text]
    assert "guid" not in text


def test_sketches_are_saved_and_loaded_and_shown() -> None:
    sketched("a.xml", SAMPLES)
    loaded = sdtext.load("a.xml")
    assert isinstance(loaded, list)
    assert all(item.sketch and not item.vectors for item in loaded)
    sdtext.save(loaded, "again.xml")
    assert Path("again.xml").read_bytes() == Path("a.xml").read_bytes()
    assert done("ShowFingerprint", "a.xml", "--format", "json").json["rows"][0]["sketch_positions"]
    best = sdtext.compare(loaded[0], loaded).rows[0]
    assert best.score == 99


def test_damaged_sketches_are_refused() -> None:
    sketched("a.xml", SAMPLES / "union.txt")
    (element,) = etree.parse("a.xml").iter("{*}sketch")
    packed = b64decode(element.text or "")
    for change in (
        {"positions": "1"},
        {"positions": "-1"},
        {"text": "!"},
        {"text": ""},
        {"text": b64encode(packed[:-9]).decode()},
        {"text": b64encode(packed + b"\0").decode()},
        {"text": b64encode(b"\x94" + packed[1:]).decode()},
    ):
        root = etree.parse("a.xml")
        (element,) = root.iter("{*}sketch")
        element.text = change.pop("text", element.text)
        element.attrib.update(change)
        for parent in [*root.iter("{*}fingerprint")]:
            parent.remove(*parent.iter("{*}hashdigest"))
        root.write("bad.xml")
        with pytest.raises(FormatError):
            sdtext.load("bad.xml")
        check_refused(here("ScoreFingerprints", "bad.xml", "a.xml"), 5, "bad.xml")


def test_other_fingerprints_and_options_are_refused() -> None:
    sketched("a.xml", SAMPLES / "union.txt")
    done("Fingerprint", SAMPLES / "union.txt", "-d", "english", "-o", "bits.xml")
    done("Fingerprint", SAMPLES / "union.txt", "--codes", "-o", "codes.xml")
    done("AddDocuments", "bits.sdx", "bits.xml")
    done("AddDocuments", "texts.sdx", SAMPLES)
    done("AddDocuments", "s.sdx", "a.xml")
    lines: list[tuple[object, ...]] = [
        ("ScoreFingerprints", "a.xml", "bits.xml"),
        ("ScoreFingerprints", "bits.xml", "a.xml"),
        ("ScoreFingerprints", "a.xml", "codes.xml"),
        ("CompareDirectory", "a.xml", "bits.xml"),
        ("CompareDirectory", "bits.xml", "a.xml"),
        ("CompareDirectory", "a.xml", SAMPLES, "-d", "english"),
        ("CompareDirectory", "a.xml", SAMPLES, "-m", "surprise"),
        ("CompareDirectory", "a.xml", SAMPLES, "--segment", "200/100"),
        ("AddDocuments", "s.sdx", "bits.xml"),
        ("AddDocuments", "bits.sdx", "a.xml"),
        ("AddDocuments", "texts.sdx", "a.xml"),
        ("FindSimilar", "bits.sdx", "a.xml"),
        ("FindSimilar", "texts.sdx", "a.xml"),
        ("FindSimilar", "s.sdx", "bits.xml"),
        ("FindReuse", "a.xml", SAMPLES),
        ("Fingerprint", "texts.sdx", "--sketch", 512, "-o", "x.xml"),
        ("Fingerprint", SAMPLES, "--sketch", 512, "-d", "english", "-o", "x.xml"),
        ("Fingerprint", SAMPLES, "--sketch", 512, "--codes", "-o", "x.xml"),
        ("Fingerprint", SAMPLES, "--sketch", 512, "--segment", "200", "-o", "x.xml"),
        ("FindPairs", "s.sdx", "-c", "deduplicate"),
    ]
    for line in lines:
        outcome = here(*line)
        assert outcome.code in (2, 3, 4), (line, outcome.err)
        assert "Traceback" not in outcome.err, line
        assert outcome.err.strip(), line
    assert not Path("x.xml").exists()
