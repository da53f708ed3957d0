"""The JSON of every verb is what the published JSON Schema files say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from .command import ROOT, Argument, done, here, prose
from .conftest import Shelf

FOLDER = ROOT / "docs" / "schemas"
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
PAN = (
    '<document reference="a.txt"><feature name="plagiarism" this_offset="1" this_length="9" '
    'source_reference="b.txt" source_offset="2" source_length="9"/></document>'
)
LINES = """\
CompareDirectory -f PRINT -p TEXTS
CompareDirectory -f PRINT -p TEXTS --all --min-terms 60 --segment 100 -d DICT
CompareDirectory -f MINIMAL -p TEXTS --explain -d DICT
CompareDirectory -f MINIMAL -p PRINT --explain
ScoreFingerprints -f PRINT -f PRINT
ScoreFingerprints -f PRINT -f PRINT --explain
ScoreFingerprints -f MINIMAL -f MINIMAL --explain
ShowFingerprint -f PRINT
ShowFingerprint -f MINIMAL
ShowDictionaryStatistics -d DICT
ShowDictionaryTokens -d DICT --limit 9
TokenizeFile -i TEXT -c RECIPE
TokenizeFile -c RECIPE --explain of
ExtractText -i BOOK --unit chapter
ExtractText -i TEXT --unit sentence
Doctor BOOK TEXT t.sdx broken.pdf
ShowCollection t.sdx
ShowCollection near.sdx
ShowCollection t.sdx --documents
FindPairs near.sdx -s 20
FindSimilar t.sdx -i union.txt
FindReuse texts
FindReuse union.txt texts --unit chapter --metadata facts.csv
FindReuse texts --by pair
FindReuse texts --by document
EvaluateReuse --truth pan --found pan
Deduplicate texts --dry-run
Deduplicate texts -s 40 -o kept.txt --force --removed removed.json --clusters clusters.json
ListRecipes
ListParts"""


def check(record: dict[str, Any]) -> str:
    """The name of the schema that a record names; it has no error by it."""
    name = record["schema"].removeprefix("sdtext/").replace("/", "-")
    errors = Draft202012Validator(SCHEMAS[name]).iter_errors(record)
    assert [f"{error.json_path}: {error.message}"[:300] for error in errors] == []
    return str(name)


@pytest.fixture
def files(folder: Path) -> None:
    """Texts, two collections of them, metadata, PAN's files and a damaged file."""
    texts = ROOT / "tests" / "samples" / "texts"
    (folder / "texts").mkdir()
    for name in ("union", "union-edited", "bees"):
        (folder / "texts" / f"{name}.txt").write_bytes((texts / f"{name}.txt").read_bytes())
    Path("union.txt").write_text(prose(3) + (texts / "union.txt").read_text("utf-8"), "utf-8")
    Path("facts.csv").write_text("name,title\nunion.txt,On the union\n", "utf-8")
    Path("broken.pdf").write_bytes(b"%PDF-1.7\n%broken")
    Path("pan").mkdir()
    Path("pan/a.xml").write_text(PAN, "utf-8")
    done("AddDocuments", "t.sdx", "texts", "-c", "reuse")
    done("AddDocuments", "near.sdx", "texts", "-c", "near-duplicate")


@pytest.mark.usefixtures("files")
def test_what_every_verb_prints_is_valid(shelf: Shelf) -> None:
    book = ROOT / "tests" / "samples" / "documents" / "harbour.epub"
    names: dict[str, Argument] = {"MINIMAL": shelf.minimal, "BOOK": book}
    seen = set()
    for line in LINES.splitlines():
        outcome = here(*shelf.line(line, **names), "--format", "json")
        assert outcome.code in (0, 3), outcome.err
        if "--removed" in line:
            seen |= {check(json.loads(Path(f"{name}.json").read_bytes()))
                     for name in ("removed", "clusters")}  # fmt: skip
        else:
            seen.add(check(outcome.json))
    assert seen == set(SCHEMAS)


def test_there_is_a_schema_for_every_kind_of_json() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "sdtext").rglob("*.py"))
    names = {f"{name}-1" for name in re.findall(r'"sdtext/([a-z-]+)/1"', source)}
    assert set(SCHEMAS) == names
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    assert [name for name in names if f"`sdtext/{name[:-2]}/1`" not in page] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_and_strict(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"] == {"const": f"sdtext/{name[:-2]}/1"}
    for part in (schema, *schema.get("$defs", {}).values()):
        assert part["additionalProperties"] is False


def test_a_field_that_no_schema_has_is_an_error() -> None:
    record = done("ListRecipes", "--format", "json").json
    check(record)
    record["rows"][0]["other"] = 1
    with pytest.raises(AssertionError, match="other"):
        check(record)
