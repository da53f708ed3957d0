"""Collections by reuse.toml and evidence.toml as a user has them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from .command import CONFIGS, check_refused, done, here, prose

SHINGLED = 'shingler = { name = "words", length = 3 }\nmatcher = "jaccard"\n'


@pytest.fixture(params=["reuse", "evidence"])
def config(request: pytest.FixtureRequest) -> Path:
    return CONFIGS / f"{request.param}.toml"


@pytest.fixture
def texts(folder: Path) -> Path:
    """Six documents, of which two share most of their sentences."""
    (folder / "texts").mkdir()
    for seed in range(6):
        output = [prose(100 * (seed or 5) + place, 25) for place in range(12)]
        Random(seed).shuffle(output)
        path = folder / "texts" / f"{seed:03}.txt"
        path.write_text("\n\n".join(f"{item.capitalize()}." for item in output), "utf-8")
    return folder / "texts"


def shown(name: str = "x.sdx") -> Any:
    return done("ShowCollection", name, "--format", "json").json


def test_a_collection_is_made_shown_added_to_and_verified(texts: Path, config: Path) -> None:
    first = done("AddDocuments", "x.sdx", texts, "-c", config)
    assert first.errors == ["6 added; 6 documents in x.sdx"]
    record = shown()
    assert record["places"] is True
    assert {"tokens", "word-starts", "word-ends", "spans", "titles"} <= set(record["arrays"])
    codes = config.stem == "evidence"
    assert ("codes" in record["arrays"]) == ("sentences" in record) == codes
    if codes:
        assert record["sentences"] == 72
        assert record["unit"] == "sentence(length=150)"
    assert record["aligner"] == ("sentences" if codes else "windows")
    assert "shingles" not in record["arrays"]
    (texts / "new.txt").write_text(prose(700), "utf-8")
    assert done("AddDocuments", "x.sdx", texts, "-c", config).errors == [
        "1 added, 6 unchanged; 7 documents in x.sdx"
    ]
    done("RemoveDocuments", "x.sdx", "new.txt", "--purge")
    assert shown()["sentences"] == 72 if codes else shown()["documents"] == 6
    assert done("Doctor", "x.sdx").errors == ["1 collection verified: no damage found"]


def test_it_is_asked_for_whole_documents_by_a_recipe_with_a_shingler(
    texts: Path, config: Path
) -> None:
    done("AddDocuments", "x.sdx", texts, "-c", config)
    check_refused(here("FindPairs", "x.sdx", "-c", config), 4)
    parted = config.read_text("utf-8").partition("unit  ")[0].partition("index  ")[0]
    Path("pairs.toml").write_text(parted + SHINGLED, "utf-8")
    rows = done("FindPairs", "x.sdx", "-c", "pairs.toml", "-s", "30", "--format", "json").json[
        "rows"
    ]
    assert [(row["left"], row["right"]) for row in rows] == [("000.txt", "005.txt")]
    assert rows[0]["score"] > 60
    Path("copy.txt").write_bytes((texts / "005.txt").read_bytes())
    similar = ("FindSimilar", "x.sdx", "-i", "copy.txt", "-c", "pairs.toml", "-k", "2")
    assert [row["document"] for row in done(*similar, "--format", "json").json["rows"]] == [
        "005.txt",
        "000.txt",
    ]


def test_it_is_asked_for_whole_documents_by_the_recipe_for_near_duplicates(
    texts: Path, config: Path
) -> None:
    done("AddDocuments", "x.sdx", texts, "-c", config)
    head, _, _ = config.read_text("utf-8").partition("unit  ")[0].partition("index  ")
    near = (CONFIGS / "deduplicate.toml").read_text("utf-8")
    Path("whole.toml").write_text(head + near[near.index("shingler") :], "utf-8")
    whole = ("-c", "whole.toml")
    for asked in (("FindPairs", "x.sdx", "-s", "30"), ("FindSimilar", "x.sdx", "-i", "q.txt")):
        Path("q.txt").write_text((texts / "005.txt").read_text("utf-8"), "utf-8")
        assert done(*asked).table
        assert done(*asked).table == done(*asked, *whole).table
    done("Deduplicate", texts, "--against", "x.sdx", "-o", "kept.txt")
    assert Path("kept.txt").read_text("utf-8") == ""


def test_workers_and_the_order_of_files_change_nothing(texts: Path, config: Path) -> None:
    done("AddDocuments", "one.sdx", texts, "-c", config)
    assert here("AddDocuments", "two.sdx", texts, "-c", config, "--jobs", "2").code == 0
    arrays = [
        {path.name: path.read_bytes() for path in (Path(name) / "segments").rglob("*.npy")}
        for name in ("one.sdx", "two.sdx")
    ]
    assert arrays[0] == arrays[1]


def test_records_are_kept_with_their_places_too(texts: Path, config: Path) -> None:
    rows = [{"id": path.stem, "text": path.read_text("utf-8")} for path in sorted(texts.iterdir())]
    Path("all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done("AddDocuments", "files.sdx", texts, "-c", config)
    done("AddDocuments", "records.sdx", "all.jsonl", "-c", config)
    files, records = shown("files.sdx"), shown("records.sdx")
    for field in ("arrays", "places", "documents", "sentences"):
        assert files.get(field) == records.get(field)


def test_another_recipe_is_refused_in_one_line(texts: Path, config: Path) -> None:
    done("AddDocuments", "x.sdx", texts, "-c", CONFIGS / "deduplicate.toml")
    check_refused(here("AddDocuments", "x.sdx", texts, "-c", config), 4, "x.sdx")
    out = ("-o", "kept", "--removed", "r.jsonl", "--clusters", "c.jsonl")
    check_refused(here("Deduplicate", texts, *out, "-c", config), 2, "shingler")
