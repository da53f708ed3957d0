"""Sentence codes and sketches as fingerprints: results are those of the texts, no word is shown."""

from __future__ import annotations

import struct
import tomllib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path

import pytest
from lxml import etree

import sdtext
from sdtext.errors import FormatError, MismatchError, SdtextError
from tests.support.command import ROOT, SCHEMA, check_refused, done, here

SAMPLES = ROOT / "tests" / "samples" / "texts"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_changed(kind: str, text: str | None = None, **attributes: str) -> None:
    """Write a.xml as bad.xml, changed and without its digest."""
    root = etree.parse("a.xml")
    (element,) = root.iter(f"{{*}}{kind}")
    element.text = element.text if text is None else text
    element.attrib.update(attributes)
    for parent in [*root.iter("{*}fingerprint")]:
        parent.remove(*parent.iter("{*}hashdigest"))
    root.write("bad.xml")


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


@pytest.mark.parametrize(
    ("options", "field", "shown"),
    [
        (["--codes", "--names", "key.csv"], "codes", "sentence_codes"),
        (["--sketch", "512", "--names", "key.csv"], "sketch", "sketch_positions"),
    ],
)
def test_they_are_saved_without_words_and_names_loaded_shown_and_named_by_a_key(
    options: list[str], field: str, shown: str
) -> None:
    done("Fingerprint", SAMPLES, *options, "--profile", "minimal", "-o", "a.xml")
    assert "1,a.xml," in Path("key.csv").read_text()
    root = etree.parse("a.xml")
    etree.RelaxNG(file=str(SCHEMA)).assertValid(root)
    known = {"fingerprints", "fingerprint", "fingerprinter", field, "hashdigest"}
    assert {etree.QName(item).localname for item in root.iter()} == known
    text = Path("a.xml").read_text("utf-8")
    assert not [path.name for path in SAMPLES.iterdir() if path.stem in text]
    assert "guid" not in text
    loaded = sdtext.load("a.xml")
    assert isinstance(loaded, list)
    assert all(getattr(item, field) and not item.vectors for item in loaded)
    sdtext.save(loaded, "again.xml")
    assert Path("again.xml").read_bytes() == Path("a.xml").read_bytes()
    assert done("ShowFingerprint", "a.xml", "--format", "json").json["rows"][0][shown]
    if field == "sketch":
        assert sdtext.compare(loaded[0], loaded).rows[0].score == 99


def test_damaged_codes_are_refused() -> None:
    coded("a.xml", SAMPLES / "union.txt")
    (element,) = etree.parse("a.xml").iter("{*}codes")
    rows = b64decode(element.text or "")
    number = len(rows) // 24
    falling = rows[24:48] + rows[:24] + rows[48:]
    backwards = struct.pack("<II", 9, 3) + rows[8:]
    for change in (
        {"sentences": str(number + 1)}, {"sentences": "-1"}, {"width": "0"}, {"width": "99999999"},
        {"width": "15"}, {"text": "!"}, {"text": ""}, {"text": b64encode(falling).decode()},
        {"text": b64encode(backwards).decode()}, {"width": "4", "sentences": str(2 * number)},
    ):  # fmt: skip
        write_changed("codes", **change)
        with pytest.raises(FormatError):
            sdtext.find_reuse("bad.xml", "a.xml")
    write_changed("codes", recipe="0" * 64)
    with pytest.raises(MismatchError):
        sdtext.find_reuse("bad.xml", "a.xml")


def refused_lines(kind: str) -> list[list[str]]:
    """The words of the lines of a kind in refused_lines.toml; SAMPLES is a folder of texts."""
    lists = tomllib.loads(Path(__file__).with_name("refused_lines.toml").read_text("utf-8"))
    known = {"SAMPLES": str(SAMPLES)}
    return [[known.get(word, word) for word in line.split()] for line in lists[kind].splitlines()]


def test_codes_are_compared_by_nothing_else() -> None:
    coded("a.xml", SAMPLES / "union.txt")
    coded("b.xml", SAMPLES)
    done("Fingerprint", SAMPLES / "union.txt", "-d", "english", "-o", "bits.xml")
    for line in refused_lines("codes"):
        outcome = here(*line)
        assert outcome.code in (3, 4), (line, outcome.err)
    check_refused(here("ScoreFingerprints", "a.xml", "a.xml"), 4, "a.xml")
    for line in refused_lines("options_of_codes"):
        check_refused(here(*line), 2)
    done("AddDocuments", "e.sdx", SAMPLES)
    for text in ("FindReuse a.xml e.sdx", "Fingerprint e.sdx --codes -o x.xml"):
        check_refused(here(*text.split()), 4, "e.sdx")
    with pytest.raises(SdtextError):
        sdtext.find_reuse("a.xml")


Scores = dict[str, int]


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


def test_damaged_sketches_are_refused() -> None:
    sketched("a.xml", SAMPLES / "union.txt")
    (element,) = etree.parse("a.xml").iter("{*}sketch")
    packed = b64decode(element.text or "")
    for change in (
        {"positions": "1"}, {"positions": "-1"}, {"text": "!"}, {"text": ""},
        {"text": b64encode(packed[:-9]).decode()}, {"text": b64encode(packed + b"\0").decode()},
        {"text": b64encode(b"\x94" + packed[1:]).decode()},
    ):  # fmt: skip
        write_changed("sketch", **change)
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
    for line in refused_lines("sketches"):
        outcome = here(*line)
        assert outcome.code in (2, 3, 4), (line, outcome.err)
        assert outcome.err.strip(), line
    assert not Path("x.xml").exists()
