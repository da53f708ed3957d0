"""Fingerprint: the bits, what each profile says and does not say, and where it is written."""

from __future__ import annotations

import csv
import getpass
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import (
    NOISE,
    check_partly,
    check_refused,
    check_usage,
    done,
    here,
    parsed,
    prose,
    shell,
)

from .conftest import Shelf


def tags(root: Any) -> list[str]:
    return [child.tag.rpartition("}")[2] for child in root]


@pytest.mark.parametrize("several", [False, True])
def test_minimal_names_no_file_host_person_or_time(
    shelf: Shelf, folder: Path, several: bool
) -> None:
    place = folder / "names-of-folders"
    place.mkdir()
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-o", place / "names-of-dict.xml")
    files = [place / "names-of-doc-1.txt", place / "names-of-doc-2.txt"][: 2 if several else 1]
    for seed, path in enumerate(files):
        path.write_text(prose(seed), "utf-8")
    done(
        "Fingerprint",
        "-d",
        place / "names-of-dict.xml",
        "--profile",
        "minimal",
        "-o",
        "m.xml",
        *files,
    )
    output = Path("m.xml").read_text("utf-8")
    uname = os.uname()
    for word in (
        "names-of", "folder", str(folder), uname.nodename, uname.release, uname.sysname,
        uname.machine, getpass.getuser() + "/", ".txt", "created", "name=", "directory",
        "execution_environment", "dataSource", "filename", "<term",
    ):  # fmt: skip
        assert word not in output, word
    assert not re.search(r"20\d\d-\d\d-\d\d", output)
    prints = parsed("m.xml").findall("{*}fingerprint") if several else [parsed("m.xml")]
    for root in prints:
        assert tags(root) == ["fingerprinter", "dictionaryReference", "vector", "hashdigest"]
        assert set(root.attrib) == {"version"}
        (reference,) = root.findall("{*}dictionaryReference")
        assert set(reference.attrib) == {"guid", "digest", "terms", "version"}
        assert reference.get("guid") == parsed(place / "names-of-dict.xml").get("guid")


MINIMAL = ("Fingerprint", "--profile", "minimal", "-d")


def key_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_key_of_a_container_states_which_number_is_which_document(shelf: Shelf) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    Path("noise.txt").write_bytes(NOISE)
    paths = [texts[2], "noise.txt", texts[0], texts[1]]
    outcome = here(*MINIMAL, shelf.trimmed, "-o", "all.xml", "--names", "key.csv", *paths)
    assert stat.S_IMODE(Path("key.csv").stat().st_mode) == 0o600
    check_partly(outcome, 3, "noise.txt")
    assert any("key.csv" in line and "do not share it" in line for line in outcome.errors)
    key = key_of("key.csv")
    assert [row["number"] for row in key] == ["1", "2", "3"]
    assert {row["file"] for row in key} == {"all.xml"}
    documents = [str(texts[number]) for number in (2, 0, 1)]
    assert [row["document"] for row in key] == documents


def test_a_key_among_fingerprints_is_skipped(shelf: Shelf) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    Path("prints").mkdir()
    line = (*MINIMAL, shelf.trimmed, "-o", "prints/all.xml", "--names", "prints/key.csv")
    done(*line, *texts)
    asked = ("--all", "-d", shelf.trimmed, "--format", "json")
    as_queries = done("CompareDirectory", "prints", shelf.texts, *asked)
    as_candidates = done("CompareDirectory", texts[0], "prints", *asked)
    for outcome in (as_queries, as_candidates):
        assert "prints/key.csv: is a <key> file of sdtext, not a document; skipped" in outcome.err
        names = {row[side] for row in outcome.json["rows"] for side in ("path", "fingerprint")}
        assert not [name for name in names if "key.csv" in name]
    assert len(as_queries.json["rows"]) == 3 * len(list(shelf.texts.iterdir()))
    check_refused(
        here("ScoreFingerprints", texts[0], "prints/key.csv", "-d", shelf.trimmed),
        5,
    )
    mine = "number,file,document\nseven,a.xml,b.txt\n"  # no key: it does not begin with 1
    Path("mine.csv").write_text(mine, "utf-8")
    assert done("ExtractText", "mine.csv").out.decode() == mine


def test_a_key_never_goes_where_it_would_be_shared_or_lose_a_file(shelf: Shelf) -> None:
    Path("share").mkdir()
    Path("old.csv").write_text("what was there", "utf-8")
    line = (*MINIMAL, shelf.trimmed, "-i", shelf.document, "--names")
    check_refused(here(*line, "share/key.csv", "-o", "share/"), 6, "share/key.csv", "outside")
    check_refused(here(*line, "old.csv", "-o", "all.xml"), 6, "old.csv")
    check_refused(here(*line, "all.xml", "-o", "all.xml"), 2, "all.xml", "two")
    check_usage(
        here("Fingerprint", "-d", shelf.trimmed, "-i", shelf.document, "--names", "key.csv"),
    )
    assert sorted(path.name for path in Path().iterdir()) == ["old.csv", "share"]
    assert list(Path("share").iterdir()) == []


@pytest.mark.parametrize("out", ["fp/", "a/b/fp/"])
@pytest.mark.parametrize("texts", ["nothing", "empty", "noise"])
def test_a_folder_that_no_fingerprint_is_written_to_is_not_left(
    out: str, texts: str, shelf: Shelf
) -> None:
    Path("empty").mkdir()
    Path("noise").mkdir()
    Path("noise/a.bin").write_bytes(NOISE)
    assert here("Fingerprint", texts, "-d", shelf.trimmed, "-o", out).code == 3
    assert sorted(map(str, Path().iterdir())) == ["empty", "noise"]
    Path(out).mkdir(parents=True)
    assert here("Fingerprint", texts, "-d", shelf.trimmed, "-o", out).code == 3
    assert Path(out).is_dir()


def test_a_full_disk_leaves_no_empty_folder_of_fingerprints(shelf: Shelf) -> None:
    limits = "ulimit -f 4; export PYTHONDONTWRITEBYTECODE=1"  # or bytecode is cut short
    words = ("Fingerprint", shelf.document, "-d", shelf.trimmed, "-o", "fp/")
    outcome = shell(f'{limits}; "$@" {" ".join(map(str, words))}')
    assert outcome.code == 6, outcome.err
    assert "file too large" in outcome.err
    assert list(Path().iterdir()) == []
