"""The JSON of every verb is what the published JSON Schema files say."""

import csv
import io
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sdtext.cli import origin
from sdtext.reports.readable_values import one_line
from sdtext.reports.row_formats import FORMATS
from tests.support.command import ROOT, Argument, Outcome, done, here, prose
from tests.support.commands import SCHEMAS, VERB_NAMES, check, command_of

from .conftest import Shelf

BOOK = ROOT / "tests" / "samples" / "documents" / "harbour.epub"
PAN = (
    '<document reference="a.txt"><feature name="plagiarism" this_offset="1" this_length="9" '
    'source_reference="b.txt" source_offset="2" source_length="9"/></document>'
)
LINES = Path(__file__).with_name("json_lines.txt").read_text("utf-8").splitlines()
SHORT_LINES = {line.split()[0]: line for line in reversed(LINES)}
SHORT_LINES["ShowEvidence"] = "ShowEvidence evidence.xml"
"""The first line of each verb that has --format."""


def cells(form: str, text: str) -> list[list[str]]:
    """The rows of TSV or CSV, as TSV spells them."""
    if form == "tsv":
        return [line.split("\t") for line in text.split("\n")[:-1]]
    return [list(map(one_line, row)) for row in csv.reader(io.StringIO(text, newline=""))]


def check_lines(lines: Outcome, whole: dict[str, Any]) -> None:
    """The lines of `--format jsonl` are rows by the schema of the JSON, or its one record."""
    rows = list(map(json.loads, lines.text.splitlines()))
    if "rows" in whole:
        check(whole | {"rows": rows})
    else:
        assert [check(row) for row in rows] == [check(whole)]


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
    Path("more.txt").write_text("Owls hunt at night over the fields of the valley.", "utf-8")
    plan = f"dataset='{texts}'\nfolds=2\ngroups='english'\nmanglers='shuffle'\n"
    Path("plan.toml").write_text(f"{plan}min_idf=0\nmax_idf=1\nfalse_positive_rate=0.2", "utf-8")
    Path("pan").mkdir()
    Path("pan/a.xml").write_text(PAN, "utf-8")
    done("AddDocuments", "t.sdx", "texts", "-c", "reuse")
    Path("evidence.xml").write_bytes(done("FindReuse", "texts", "--format", "xml").out)
    done("Fingerprint", "union.txt", "-d", "english", "-o", "signed.xml")
    done("Sign", "--new-key", "-k", "own.key")
    done("Sign", "signed.xml", "-k", "own.key", "--signer", "S")
    done("AddDocuments", "near.sdx", "texts", "-c", "near-duplicate")


@pytest.mark.usefixtures("files")
def test_what_every_verb_prints_is_valid(shelf: Shelf) -> None:
    names: dict[str, Argument] = {"MINIMAL": shelf.minimal, "BOOK": BOOK}
    seen = set()
    for line in LINES:
        outcome = here(*shelf.line(line, **names), "--format", "json")
        assert outcome.code in (0, 3, 4), outcome.err
        seen.add(check(outcome.json))
        check_lines(here(*shelf.line(line, **names), "--format", "jsonl"), outcome.json)
        warnings = [text for text in outcome.errors if text.startswith(("warning: ", "error: "))]
        is_listed = "--explain" in line or outcome.json.get("problems")  # null is its warning
        assert not warnings or is_listed, (line, warnings)
    assert seen == set(SCHEMAS)


@pytest.mark.deep
@pytest.mark.usefixtures("files")
def test_a_format_means_the_same_for_every_verb(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    clock = type("Clock", (), {"now": staticmethod(lambda _: now)})
    monkeypatch.setattr(origin, "datetime", clock)  # as a second may pass between two formats
    for line in SHORT_LINES.values():
        words = shelf.line(line, MINIMAL=shelf.minimal, BOOK=BOOK)
        outcomes = {form: here(*words, "--format", form) for form in FORMATS if form != "tsv"}
        prints_text = line.startswith(("TokenizeFile", "ExtractText"))
        outcomes["tsv"] = here(*words, *(("--format", "tsv") if prints_text else ()))
        said = {
            (item.code, *(text for text in item.errors if not text.startswith("replaced ")))
            for item in outcomes.values()
        }
        assert len(said) == 1, line
        check_same_rows(line, outcomes)


def check_same_rows(line: str, outcomes: Mapping[str, Outcome]) -> None:
    """The outputs of a line in all formats have the same rows, or the same record."""
    whole, table = outcomes["json"].json, outcomes["table"].text
    columns, *rows = tsv = cells("tsv", outcomes["tsv"].text)
    assert cells("csv", outcomes["csv"].text) == tsv, line
    lines = [json.loads(row) for row in outcomes["jsonl"].text.splitlines()]
    if columns == ["field", "value"]:  # a record
        assert lines == [whole], line
        assert {name.split(".")[0] for name, _ in rows} <= set(whole), line
    else:
        assert lines == whole["rows"], line
        assert line.startswith("ShowFingerprint") or len(rows) == len(lines), line
    assert "\t" not in table, line
    assert ("─" in table) == bool(rows), line  # without rows there is no table


def test_there_is_a_line_for_every_verb_with_a_format() -> None:
    with_format = {
        verb
        for verb in VERB_NAMES
        if any("--format" in item.opts for item in command_of(verb).params)
    }
    assert with_format == SHORT_LINES.keys()


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


def test_a_default_format_leaves_the_text_of_a_file_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.txt").write_text("One.\n\nTwo.\n", "utf-8")
    monkeypatch.setenv("SDTEXT_FORMAT", "csv")
    assert done("ExtractText", "a.txt").text == "One.\n\nTwo.\n"
    rows = done("ExtractText", "a.txt", "--format", "json").json["rows"]
    assert [row["text"] for row in rows] == ["One.\n\nTwo."]
