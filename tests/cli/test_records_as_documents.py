"""Files of records where a verb reads documents, and files that are not what their name says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import here

ROWS = [{"id": number, "text": f"Some words of record {number}."} for number in range(3)]
RECORDS = {
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "a.json": json.dumps(ROWS),
    "a.csv": "id,text\n1,Some words.\n2,Other words.\n",
    "a.tsv": "id\ttext\n1\tSome words.\n2\tOther words.\n",
}
DOCUMENTS = {
    "b.json": '{"text": "One object, such as a page of settings."}',
    "b.csv": "id,price\n1,7\n2,8\n",
    "e.csv": f"id,title\n1,{'A title ' * 12}\n",
    "f.csv": f"Some words without columns\n{'Some words ' * 20}\n",
    "b.txt": '{"text": "One line."}\n',
}
WARNING = "is a file of records, read here as one document; AddDocuments and Deduplicate read each"
VERBS = (
    ("ExtractText",),
    ("TokenizeFile", "-c", "english"),
    ("CreateDictionary", "-c", "english", "-o", "d.xml"),
    ("Fingerprint", "-d", "english", "-o", "f.xml"),
)


@pytest.mark.parametrize("verb", VERBS, ids=[verb[0] for verb in VERBS])
@pytest.mark.parametrize("name", [*RECORDS, *DOCUMENTS])
def test_records_read_as_one_document_are_a_warning(verb: tuple[str, ...], name: str) -> None:
    Path(name).write_text({**RECORDS, **DOCUMENTS}[name], "utf-8")
    outcome = here(verb[0], name, *verb[1:])
    warnings = [line for line in outcome.errors if WARNING in line]
    assert outcome.code == 0, outcome.err
    assert {line.split(": ")[1] for line in warnings} == ({name} if name in RECORDS else set())


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty"),
        (b" \n\n", "holds only blank lines"),
    ],
)
def test_a_file_that_holds_no_records_is_named_before_the_output(
    name: str, data: bytes, what: str
) -> None:
    Path(name).write_bytes(data)
    outcome = here("Deduplicate", name, "-o", f"kept{Path(name).suffix}")
    assert outcome.code == 3
    (line,) = outcome.errors
    assert line.startswith(f"sdtext Deduplicate: {name}: {what}")
    assert [path.name for path in Path().iterdir()] == [name]
