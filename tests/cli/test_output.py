"""Where results go: formats that agree, files that appear whole, outputs that cannot be written."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from .command import (
    PATIENCE,
    SDTEXT,
    Argument,
    check_refused,
    done,
    here,
    parsed,
    prose,
    shell,
    there,
    words,
)
from .conftest import Shelf

ROWS = (
    "ListParts",
    "ShowDictionaryTokens -d DICT --limit 40",
    "CompareDirectory -f PRINT -p TEXTS -m cosine",
    "CompareDirectory -f PRINT -p TEXTS -s 0 -m cosine --min-terms 60",
    "TokenizeFile -i TEXT -c RECIPE",
    "TokenizeFile -c RECIPE --explain Running",
)
RECORDS = (
    "ShowDictionaryStatistics -d DICT",
    "ScoreFingerprints -f PRINT -f PRINT -m cosine",
)


def placed(shelf: Shelf, line: str) -> list[Argument]:
    known: dict[str, Argument] = {
        "TEXT": shelf.document,
        "TEXTS": shelf.texts,
        "RECIPE": shelf.recipe,
        "DICT": shelf.trimmed,
        "PRINT": shelf.full,
    }
    return [known.get(word, word) for word in line.split()]


def as_text(value: object) -> str:
    """A value as a cell of TSV or CSV has it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def unescaped(cell: str) -> str:
    return re.sub(
        r"\\(.)", lambda match: {"t": "\t", "n": "\n", "r": "\r"}.get(match[1], match[1]), cell
    )


@pytest.mark.parametrize("line", ROWS)
def test_every_format_has_the_same_rows(shelf: Shelf, line: str) -> None:
    made = {
        form: done(*placed(shelf, line), "--format", form)
        for form in ("json", "jsonl", "tsv", "csv", "table")
    }
    rows = made["json"].json["rows"]
    assert re.fullmatch(r"sdtext/[a-z-]+/1", made["json"].json["schema"])
    assert len(rows) > 5
    columns = list(rows[0])
    assert [json.loads(row) for row in made["jsonl"].text.splitlines()] == rows
    cells = [[as_text(row[column]) for column in columns] for row in rows]
    tsv = [
        [unescaped(cell) for cell in row.split("\t")] for row in made["tsv"].text.split("\n")[:-1]
    ]
    assert tsv == [columns, *cells]
    assert list(csv.reader(io.StringIO(made["csv"].text))) == [columns, *cells]
    assert made["table"].text.split("\n")[1].split()[: len(columns)] == columns
    assert len({outcome.err for outcome in made.values()}) == 1


@pytest.mark.parametrize("line", RECORDS)
def test_every_format_has_the_same_record(shelf: Shelf, line: str) -> None:
    made = {
        form: done(*placed(shelf, line), "--format", form)
        for form in ("json", "jsonl", "tsv", "csv", "table")
    }
    record = made["json"].json
    assert made["jsonl"].json == record
    schema = record.pop("schema")
    assert re.fullmatch(r"sdtext/[a-z-]+/1", schema)
    tsv = dict(row.split("\t") for row in made["tsv"].text.split("\n")[:-1])
    rows = dict(csv.reader(io.StringIO(made["csv"].text)))
    assert tsv == rows
    assert set(tsv) - {"field"} <= set(record)
    for key, value in tsv.items():
        if key not in ("field", "tokenizers", "trimmed"):  # these two are put in words
            assert value == as_text(record[key]), key
    assert [key for key in tsv if key in made["table"].text] == list(tsv)


@pytest.mark.parametrize("line", ROWS + RECORDS)
def test_a_pipe_gets_tsv(shelf: Shelf, line: str) -> None:
    outcome = done(*placed(shelf, line))
    if line.startswith("TokenizeFile -i"):
        tokens = done(*placed(shelf, line), "--format", "tsv").table
        assert outcome.text.split("\n")[:-1] == [row["token"] for row in tokens]
    else:
        tsv = there(*placed(shelf, line), "--format", "tsv")
        assert (tsv.code, tsv.out) == (0, outcome.out)


def on_a_terminal(arguments: Sequence[Argument], **env: str) -> tuple[str, str]:
    """What a command writes on a terminal as its standard output, and as its standard error."""
    screens = [pty.openpty(), pty.openpty()]
    process = subprocess.Popen(
        words([*SDTEXT, *arguments]),
        stdout=screens[0][1],
        stderr=screens[1][1],
        env={**os.environ, "COLUMNS": "300", "TERM": "xterm-256color", **env},
    )
    seen = []
    try:
        for ours, theirs in screens:
            os.close(theirs)
            seen.append(_read_all(ours))
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    return seen[0], seen[1]


def _read_all(screen: int) -> str:
    found = b""
    try:
        while block := os.read(screen, 1 << 16):
            found += block
    except OSError:  # a terminal whose other side is closed ends so
        pass
    os.close(screen)
    return found.decode()


def test_a_terminal_gets_a_table(shelf: Shelf) -> None:
    out, _ = on_a_terminal(["ShowDictionaryTokens", "-d", shelf.trimmed, "--limit", "3"])
    expected = done(
        "ShowDictionaryTokens", "-d", shelf.trimmed, "--limit", "3", "--format", "table"
    )
    assert "\t" not in out
    assert re.sub(r"\x1b\[[0-9;]*m", "", out).split() == expected.text.split()


def test_no_color_means_no_colour_anywhere(shelf: Shelf) -> None:
    command = ["CompareDirectory", "-f", shelf.full, "-p", shelf.texts]
    out, err = on_a_terminal(command, NO_COLOR="1")
    styles = [
        code for group in re.findall(r"\x1b\[([0-9;]*)m", out + err) for code in group.split(";")
    ]
    assert not [code for code in styles if code and 30 <= int(code) <= 107]
    assert "007.txt" in out
    assert "30 compared" in err


def test_progress_is_shown_on_a_terminal_alone(shelf: Shelf) -> None:
    command = ["CreateDictionary", "-p", shelf.texts, "-c", shelf.recipe, "-o"]
    out, err = on_a_terminal([*command, "a.xml"])
    assert out == ""
    assert "\x1b" in err
    assert "\x1b" not in there(*command, "b.xml").err


def test_cells_that_a_spreadsheet_would_compute_are_made_harmless() -> None:
    formulas = ["=1+1", "+cmd", "-cmd|' /C calc'!A0", "@SUM(A1)", '=HYPERLINK("http://x";"y")']
    Path("words.toml").write_text('tokenizer = "words"', "utf-8")
    Path("d").mkdir()
    Path("d/a.txt").write_text("\n".join([*formulas, "plain", "a=b", "-12", "+1.5e3"]), "utf-8")
    for name in ("b", "c"):
        Path(f"d/{name}.txt").write_text(prose(1), "utf-8")
    Path("d/=1+1.txt").write_text(prose(1), "utf-8")
    done("CreateDictionary", "-o", "d.xml", "-p", "d", "-c", "words.toml")
    cells = [
        cell
        for line in ("ShowDictionaryTokens -d d.xml", "CompareDirectory -f d/b.txt -p d -d d.xml")
        for row in csv.reader(io.StringIO(done(*line.split(), "--format", "csv").text))
        for cell in row
    ]
    assert all(re.fullmatch(r"-?[0-9.e-]+|\+1\.5e3", cell) or cell[:1] not in {"=", "+", "-", "@"}
               for cell in cells)  # fmt: skip
    assert {"'=1+1", "'@SUM(A1)", "a=b", "plain", "-12", "'=1+1.txt"} <= set(cells)


def test_a_cell_with_quotes_commas_and_line_ends_comes_back_from_csv(shelf: Shelf) -> None:
    Path("d").mkdir()
    name = 'a "quoted", odd\nname.txt'
    (Path("d") / name).write_text(prose(7), "utf-8")
    out = done("CompareDirectory", "-f", shelf.full, "-p", "d", "--format", "csv").text
    head, row = csv.reader(io.StringIO(out))
    assert dict(zip(head, row, strict=True))["path"] == name


BAD_OUTPUTS = ("missing/out.xml", "file.txt/out.xml", "/proc/out.xml", "folder", "/dev/full")
WRITERS = (
    "CreateDictionary -p TEXTS -c RECIPE -o OUT",
    "TrimDictionary -d DICT -b 0.2 -t 0.9 -o OUT",
    "Fingerprint -i TEXT -d DICT -o OUT",
    "ExtractDictionary -f PRINT -d OUT",
    "ExtractText -i TEXT -o OUT",
)


@pytest.mark.parametrize("line", WRITERS)
@pytest.mark.parametrize("output", BAD_OUTPUTS)
def test_an_output_that_cannot_be_written_is_one_line(shelf: Shelf, line: str, output: str) -> None:
    if output == "folder" and line.startswith("Fingerprint"):
        pytest.skip("there a folder is right")
    Path("file.txt").write_text("text", "utf-8")
    Path("folder").mkdir()
    run = there if line == WRITERS[0] or output == "/dev/full" else here
    outcome = run(*[output if word == "OUT" else word for word in placed(shelf, line)])
    assert outcome.code == 6, outcome.err[-1000:]
    errors = [line for line in outcome.errors if not line.startswith("keeps ")]
    assert len(errors) == 1, errors
    assert output in errors[0]
    assert "Traceback" not in outcome.err
    assert sorted(path.name for path in Path().iterdir()) == ["file.txt", "folder"]
    assert list(Path("folder").iterdir()) == []


@pytest.mark.parametrize("output", ["file.txt/prints/", "/proc/prints/", "/proc/sys/"])
def test_a_folder_that_cannot_be_written_to_is_one_line(shelf: Shelf, output: str) -> None:
    Path("file.txt").write_text("text", "utf-8")
    outcome = there("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", output)
    check_refused(outcome, 6, output.rstrip("/"))


@pytest.mark.parametrize("line", ROWS + RECORDS + WRITERS)
def test_a_full_device_behind_the_standard_output_is_one_line(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in placed(shelf, line)]
    outcome = shell('"$@" > /dev/full', *arguments)
    assert outcome.code == 6, outcome.err[-1000:]
    assert "Traceback" not in outcome.err
    assert "Exception" not in outcome.err
    assert sum("standard output" in line for line in outcome.errors) == 1
    assert len(outcome.errors) <= 3


@pytest.mark.parametrize("line", ["--help", "--version", "Fingerprint --help"])
def test_help_to_a_full_device_is_one_line(line: str) -> None:
    check_refused(shell('"$@" > /dev/full', *line.split()), 6, "standard output")


@pytest.mark.parametrize("line", [*ROWS[:2], *RECORDS[:1], *WRITERS[:1], "--help"])
def test_a_closed_standard_output_is_one_line(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in placed(shelf, line)]
    outcome = shell('"$@" >&-', *arguments)
    assert "Traceback" not in outcome.err
    assert outcome.code == 6
    assert len(outcome.errors) == 1


@pytest.mark.parametrize("line", [*ROWS[1:3], *WRITERS[:2]])
def test_a_closed_standard_error_changes_no_result(shelf: Shelf, line: str) -> None:
    arguments = ["-" if word == "OUT" else word for word in placed(shelf, line)]
    silent = shell('"$@" 2>&-', *arguments)
    assert silent.code == 0
    if line in ROWS:
        assert silent.out == done(*arguments).out
    else:
        Path("d.xml").write_bytes(silent.out)
        done("ShowDictionaryStatistics", "-d", "d.xml")


def test_a_closed_standard_input_is_one_line() -> None:
    check_refused(shell('"$@" <&-', "ExtractText", "-i", "-"), 3, "standard input")


@pytest.mark.parametrize("line", WRITERS[:4])
def test_a_disk_that_fills_up_leaves_what_was_there(shelf: Shelf, line: str) -> None:
    Path("out.xml").write_text("what was there", "utf-8")
    force = ["--force"] if "Extract" in line else []
    arguments = ["out.xml" if word == "OUT" else word for word in placed(shelf, line)]
    outcome = shell('ulimit -f 4; "$@"', *arguments, *force)  # files of 4 KB at the most
    assert outcome.code == 6, outcome.err
    assert "Traceback" not in outcome.err
    assert "out.xml" in outcome.errors[-1]
    assert [path.name for path in Path().iterdir()] == ["out.xml"]
    assert Path("out.xml").read_text("utf-8") == "what was there"


def test_a_link_as_output_stays_a_link_to_what_is_written(shelf: Shelf) -> None:
    Path("store").mkdir()
    Path("link.xml").symlink_to("store/real.xml")
    command = ["TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-t", "0.9", "-o"]
    for _ in range(2):
        done(*command, "link.xml")
        assert Path("link.xml").is_symlink()
        assert len(parsed("store/real.xml").findall(".//{*}term")) > 100


@pytest.mark.parametrize("line", WRITERS[:4])
def test_a_result_to_the_standard_output_is_the_file_it_would_be(shelf: Shelf, line: str) -> None:
    out = there(*["-" if word == "OUT" else word for word in placed(shelf, line)])
    assert out.code == 0
    done(*["out.xml" if word == "OUT" else word for word in placed(shelf, line)])
    Path("piped.xml").write_bytes(out.out)

    def content(path: str) -> list[Any]:
        varying = ("created", "parent")
        return [
            (element.tag, element.text)
            for element in parsed(path).iter()
            if element.tag.rpartition("}")[2] not in varying
        ]

    assert content("piped.xml") == content("out.xml")


def test_one_pipeline_of_the_shell_does_it_all(shelf: Shelf) -> None:
    script = (
        f'"$@" CreateDictionary -p "{shelf.texts}" -c "{shelf.recipe}" -o - '
        '| "$@" TrimDictionary -d - -b 0.2 -t 0.9 -o - | tee trimmed.xml '
        f'| "$@" Fingerprint -d - -i "{shelf.document}" -o - | tee print.xml '
        '| "$@" ExtractDictionary -f - -d - | "$@" ShowDictionaryTokens -d - --format jsonl'
    )
    outcome = shell(f"set -o pipefail; {script}")
    assert outcome.code == 0, outcome.err
    rows = [json.loads(line) for line in outcome.text.splitlines()]
    trimmed = done("ShowDictionaryTokens", "-d", shelf.trimmed, "--format", "json").json["rows"]
    assert rows == trimmed


@pytest.mark.parametrize(
    ("line", "piped"),
    [
        ("ExtractText -i -", "document"),
        ("TokenizeFile -i - -c RECIPE", "document"),
        ("TokenizeFile -i TEXT -c -", "recipe"),
        ("TokenizeFile -i TEXT -c -", "dictionary"),
        ("ShowDictionaryTokens -d -", "trimmed"),
        ("ShowDictionaryStatistics -d -", "trimmed"),
        ("ScoreFingerprints -f - -f PRINT", "full"),
        ("ScoreFingerprints -f PRINT -f -", "minimal"),
        ("CompareDirectory -f - -p TEXTS --format json", "full"),
        ("CompareDirectory -f - -p TEXTS -d DICT --format json", "document"),
        ("CompareDirectory -f PRINT -p TEXTS -d -", "trimmed"),
    ],
)
def test_a_dash_is_the_standard_input(shelf: Shelf, line: str, piped: str) -> None:
    source: Path = getattr(shelf, piped)
    named = done(*[source if word == "-" else word for word in placed(shelf, line)])
    by_pipe = there(*placed(shelf, line), stdin=source.read_bytes())
    assert by_pipe.code == 0, by_pipe.err
    if line.startswith("CompareDirectory -f -"):
        kept = ("score", "similarity", "path", "common", "a", "b")
        assert [[row[key] for key in kept] for row in by_pipe.json["rows"]] == [
            [row[key] for key in kept] for row in named.json["rows"]
        ]
    else:
        assert by_pipe.out == named.out


def test_a_document_from_the_standard_input_is_fingerprinted(shelf: Shelf) -> None:
    outcome = there(
        *("Fingerprint", "-i", "-", "-d", shelf.trimmed, "-o", "f.xml"),
        stdin=shelf.document.read_bytes(),
    )
    assert outcome.code == 0, outcome.err
    assert parsed("f.xml").findtext("{*}vector") == parsed(shelf.full).findtext("{*}vector")


def test_packed_results_are_the_same_files_packed(shelf: Shelf) -> None:
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-t", "0.9", "-o", "t.xml.gz")
    done("Fingerprint", "-i", shelf.document, "-d", "t.xml.gz", "-o", "f.xml.gz")
    assert Path("t.xml.gz").read_bytes()[:2] == b"\x1f\x8b"
    terms = [term.text for term in parsed("t.xml.gz").iterfind(".//{*}term")]
    assert terms == [term.text for term in parsed(shelf.trimmed).iterfind(".//{*}term")]
    scored = done("ScoreFingerprints", "-f", "f.xml.gz", "-f", shelf.full, "--format", "json").json
    assert scored["score"] == 99


def test_two_runs_of_a_minimal_fingerprint_give_the_same_bytes(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())
    for name, jobs in (("a.xml.gz", "1"), ("b.xml.gz", "2")):
        done("Fingerprint", "-d", shelf.trimmed, "--profile", "minimal", "-o", name,
             "--jobs", jobs, *files)  # fmt: skip
    assert Path("a.xml.gz").read_bytes() == Path("b.xml.gz").read_bytes()


def test_what_is_said_beside_goes_to_the_standard_error_alone(shelf: Shelf) -> None:
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", shelf.texts, "--format", "json")
    assert outcome.json["schema"] == "sdtext/compare/1"
    assert outcome.json["problems"] == []
    assert outcome.errors == [
        "matcher: idf-cosine",
        "30 compared, 30 at 1 or above, 0 not comparable, 0 unreadable",
    ]
