"""Files of records where a verb reads documents, and files that are not what their name says."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.cli.command import check_partly, check_refused, here

ROWS = [{"id": number, "text": f"Some words of record {number}."} for number in range(3)]
RECORDS = {
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "a.txt": "".join(json.dumps(row) + "\n" for row in ROWS),
    "a.json": json.dumps(ROWS),
    "a.csv": "id,text\n1,Some words.\n2,Other words.\n",
    "c.csv": f"id,body\n1,{'Some words. ' * 9}\n",
    "d.csv": 'id;body;year\n1;"' + "Some words.\n" * 900 + '";2001\n',  # over 4,096 bytes
    "c.tsv": f"id\tbody\n1\t{'可' * 100}\n",
    "a.tsv": "id\ttext\n1\tSome words.\n2\tOther words.\n",
}
DOCUMENTS = {
    "b.jsonl": '{"number": 7}\n{"number": 8}\n',
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


def test_many_files_of_records_in_a_folder_are_grouped() -> None:
    Path("folder").mkdir()
    for number in range(9):
        Path(f"folder/{number}.jsonl").write_text(RECORDS["a.jsonl"], "utf-8")
    outcome = here("CreateDictionary", "folder", "-c", "english", "-o", "d.xml")
    assert sum(WARNING in line for line in outcome.errors) == 3
    assert "6 more of this kind (is a file of records" in outcome.err


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty"),
        (b" \n\n", "holds only blank lines"),
        (b"<html><p>Words", "is an HTML page, not"),
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


def test_the_other_files_of_records_are_read_where_one_is_empty() -> None:
    Path("a.csv").write_text(RECORDS["a.csv"], "utf-8")
    Path("empty.csv").touch()
    outcome = here("Deduplicate", "a.csv", "empty.csv", "none.csv", "-o", "kept.csv")
    assert outcome.code == 3
    assert "error: empty.csv: is empty" in outcome.errors
    assert "error: none.csv: no such file or directory" in outcome.errors
    assert Path("kept.csv").read_text("utf-8") == RECORDS["a.csv"]


def test_an_empty_array_holds_no_records() -> None:
    Path("a.json").write_text("[]\n", "utf-8")
    for line in (("Deduplicate", "a.json", "-o", "kept.json"), ("AddDocuments", "x.sdx", "a.json")):
        outcome = here(*line)
        assert outcome.code == 3
        assert "a.json: holds no records" in outcome.err
        assert [path.name for path in Path().iterdir()] == ["a.json"]


def test_an_empty_table_in_a_folder_is_a_warning() -> None:
    Path("folder").mkdir()
    for name in ("a.txt", "b.txt", "empty.csv"):
        Path("folder", name).write_text("Words of a document.\n" * (name != "empty.csv"), "utf-8")
    outcome = here("Deduplicate", "folder", "-o", "kept.txt")
    assert outcome.code == 0
    assert "warning: folder/empty.csv: is empty" in outcome.errors
    assert "1 unread file is kept, too" in outcome.errors
    assert "folder/empty.csv" in Path("kept.txt").read_text("utf-8").splitlines()


ADVICE = "to read its records, name the file itself, as in "


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.ndjson.gz", "a.b.tsv"])
@pytest.mark.parametrize("options", [[], ["--text-field", "body"], ["--id-field", "key"]])
def test_records_of_a_folder_are_not_kept_as_records(name: str, options: list[str]) -> None:
    Path("folder").mkdir()
    Path("folder", name).write_bytes(b'{"body": "some words"}\n')
    Path("folder", "b.txt").write_text("Some words.\n", "utf-8")
    pattern = "folder/*" + name.removeprefix("a").removeprefix(".b")
    line = ("Deduplicate", "folder", "-o", "k.jsonl", *options)
    mixed = here(*line)
    assert (mixed.code, ADVICE in mixed.err) == (2, bool(options))
    Path("folder", "b.txt").unlink()
    outcome = here(*line)
    assert outcome.code == 2
    assert outcome.err.count(ADVICE + pattern) == 1
    assert "to keep paths, use the ending .txt" in outcome.err


@pytest.mark.parametrize("verb", [("Deduplicate",), ("Decontaminate", "--benchmark", "q.jsonl")])
def test_fields_of_records_have_no_use_in_a_folder(verb: tuple[str, ...]) -> None:
    Path("q.jsonl").write_text('{"question": "some words and others that are asked for"}', "utf-8")
    Path("folder").mkdir()
    Path("folder/a.jsonl").write_text('{"body": "some words"}\n', "utf-8")
    Path("folder/b.txt").write_text("Some words.\n", "utf-8")
    line = (*verb, "folder", "--force", "-o", "k.txt")
    assert ADVICE not in here(*line).err
    outcome = here(*line, "--text-field", "body")
    assert outcome.code == 0
    assert outcome.err.count(ADVICE + "folder/*.jsonl") == 1
    if verb == ("Deduplicate",):
        passages = here(*line[:-1], "k.jsonl", "--text-field", "body", "--unit", "sentence")
        assert (passages.code, passages.err.count(ADVICE)) == (0, 1)
    Path("folder/a.jsonl").unlink()
    assert ADVICE not in here(*line, "--text-field", "body").err


def test_the_pattern_of_an_archive_is_the_name_in_it() -> None:
    with ZipFile("a.zip", "w") as archive:
        archive.writestr("b.jsonl", '{"text": "some words"}\n' * 2)
    outcome = here("Deduplicate", "a.zip", "-o", "k.jsonl")
    assert ADVICE + "a.zip!b.jsonl" in outcome.err
    assert here("Deduplicate", "a.zip!b.jsonl", "-o", "k.jsonl").code == 0


def test_a_single_text_has_no_duplicate() -> None:
    Path("a.txt").write_text("some words of a line\n" * 5, "utf-8")
    Path("b.txt").write_text("some words of a line\n" * 5, "utf-8")
    warning = "warning: a.txt: is the only document, so there is nothing to compare it with"
    assert warning in here("Deduplicate", "a.txt", "-o", "k.txt").err
    for line in ("a.txt b.txt", "a.txt --unit paragraph"):
        outcome = here("Deduplicate", *line.split(), "-o", "k.jsonl" if "-" in line else "k2.txt")
        assert (outcome.code, "the only document" in outcome.err) == (0, False)
    here("AddDocuments", "c.sdx", "b.txt")
    assert (
        "the only document" not in here("Deduplicate", "a.txt", "--against", "c.sdx", "-o", "-").err
    )
    Path("a.jsonl").write_text('{"text": "some words of a line"}\n', "utf-8")
    assert "the only document" not in here("Deduplicate", "a.jsonl", "-o", "-").err


@pytest.mark.parametrize("name", ["r.json", "r.csv", "r.tsv"])
@pytest.mark.parametrize("field", [(), ("--text-field", "body")])
def test_json_lines_of_another_name_are_refused_by_every_verb_of_records(
    name: str, field: tuple[str, ...]
) -> None:
    Path(name).write_text(RECORDS["a.jsonl"].replace("text", field[1] if field else "text"))
    Path("a.txt").write_text("Some words.", "utf-8")
    said = f"{name}: is JSON lines, not", "as its name says; rename it to end in .jsonl"
    for line in (("Deduplicate", name, "-o", "kept"), ("AddDocuments", "new.sdx", name)):
        check_refused(here(*line, *field), 3, *said)
    check_partly(here("AddDocuments", "new.sdx", name, "a.txt", *field), 3, *said[:1])
