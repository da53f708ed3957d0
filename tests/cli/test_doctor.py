"""Doctor: what each file is taken for, what reads it, how much comes out, and why not."""

import zipfile
from pathlib import Path
from shutil import copy

from tests.cli.conftest import Shelf
from tests.parts.readers.pdfs import scan
from tests.support.command import ROOT, here

SAMPLES = ROOT / "tests" / "samples"


def test_the_reason_for_an_empty_text_is_reported(shelf: Shelf, tmp_path: Path) -> None:
    bad = {
        "empty.txt": (b"", "is empty"),
        "binary.bin": (bytes(range(256)) * 9, "is not text"),
        "scan.pdf": (scan(), "holds no text"),
        "cut.pdf": (b"%PDF-1.7\n1 0 obj", "is a damaged PDF file"),
        "cut.zip": (b"PK\x03\x04" + bytes(99), "damaged"),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(99), "not text"),
    }
    for name, (data, _) in bad.items():
        (tmp_path / name).write_bytes(data)
    copy(shelf.dictionary, tmp_path / "dictionary.xml")
    outcome = here("Doctor", tmp_path, tmp_path / "missing.txt", "--format", "json")
    assert outcome.code == 3
    rows = {Path(row["path"]).name: row for row in outcome.json["rows"]}
    assert rows.pop("dictionary.xml")["kind"] == "<dictionary> of sdtext"
    assert set(rows) == set(bad)
    for name, (_, why) in bad.items():
        assert why in rows[name]["problem"], name
        assert str(tmp_path) not in rows[name]["problem"]
    assert len(outcome.json["problems"]) == len(bad) + 1
    assert [line for line in outcome.errors if "error:" in line] == [
        f"error: {tmp_path / 'missing.txt'}: no such file or directory"
    ]


def test_files_of_its_own_are_read_to_their_end(tmp_path: Path, shelf: Shelf) -> None:
    formats = SAMPLES / "formats"
    sound = here("Doctor", formats, "--format", "json")
    assert (sound.code, {row["problem"] for row in sound.json["rows"]}) == (0, {None})
    whole = {
        "dictionary.xml": shelf.dictionary,
        "fingerprint.xml": shelf.full,
        "fingerprints.xml": formats / "1.0" / "container.xml",
        "evidence.xml": formats / "evidence-1.0.xml",
    }
    for name, path in whole.items():
        (tmp_path / name).write_bytes(Path(path).read_bytes()[:-20])
    cut = here("Doctor", tmp_path, "--format", "json")
    assert cut.code == 5
    assert {Path(row["path"]).name for row in cut.json["rows"]} == set(whole)
    assert all(row["kind"].startswith("<") for row in cut.json["rows"])
    assert all(row["problem"].startswith("is damaged") for row in cut.json["rows"])
    assert {item["category"] for item in cut.json["problems"]} == {"damaged"}


def test_one_bad_file_among_others_costs_its_own_row(tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b\x08\0\0\0garbage")
    (tmp_path / "plain.txt").write_text("plain words", "utf-8")
    with zipfile.ZipFile(tmp_path / "some.zip", "w") as archive:
        archive.writestr("a.txt", "first text")
        archive.writestr("b.docx", b"PK\x03\x04" + bytes(26) + b"word/x.xml")
        archive.writestr("c.txt", "third text")
    (tmp_path / "unpacks.exe").write_bytes(
        b"MZ" + bytes(999) + (tmp_path / "some.zip").read_bytes()
    )
    rows = here("Doctor", tmp_path, "--format", "json").json["rows"]
    read = [row["path"].removeprefix(f"{tmp_path}/") for row in rows if row["characters"]]
    inside = ["!a.txt", "!c.txt"]
    assert read == [
        "plain.txt", *(f"{name}{item}" for name in ("some.zip", "unpacks.exe") for item in inside)
    ]  # fmt: skip
    extracted = here("ExtractText", "-i", tmp_path / "some.zip")
    assert extracted.code == 3
    assert extracted.text == "first text\nthird text\n"
