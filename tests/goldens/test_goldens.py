"""Each group of command lines in `cases.toml` gives what stands in `expected/`.

A group runs in a folder of its own with the inputs of `write_inputs`. Of each command its exit
code and standard output are kept, and after a line `keep FILE...` the content of files. Words
after `>` and `<` are files for the standard streams; `damage GLOB` cuts a file in half; `+FORMAT`
stands for `--format FORMAT`. Wording is free to change: standard error is not kept, and of JSON
and tables no fields that hold sentences. `--update` renews the expected files.
"""

import difflib
import gc
import gzip
import json
import os
import re
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CONFIGS, here, prose

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "samples"
GROUPS: dict[str, str] = tomllib.loads((HERE / "cases.toml").read_text("utf-8"))
WORDING = {"message", "what", "reason", "how", "problem", "does", "title", "why", "note", "advice"}
"""Fields and columns that hold sentences: only whether there is one is kept."""
VARYING = (
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "GUID"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "TIME"),
    (r"sdtext \d+\.[^\"<&\s,)]*", "sdtext VERSION"),
    (r"pypdfium2 [\d.]+", "pypdfium2 VERSION"),
    (r"(?s)<execution_environment>.*?</execution_environment>", "<execution_environment/>"),
    (r"(?m)(system\.\w+)\t.*$", r"\1\tSYSTEM"),
    (r"<how>.*?</how>", "<how/>"),
    (r'\bversion="\d[^"]*"', 'version="VERSION"'),
    # Of a fingerprint or evidence, with its GUID and time; that of a dictionary stays.
    (r"[0-9a-f]{64}(?=</hashdigest>\n(?!<documents))", "DIGEST"),
    (r"(?m)(fingerprint|dictionary|collection)_[0-9a-f]{8,}", r"\1_RANDOM"),
)


def write_inputs(folder: Path) -> None:
    """Copy the samples, and write plain texts, records, a plan, truth and detections."""
    for name in ("texts", "containers", "documents", "benchmark", "formats"):
        skipped = shutil.ignore_patterns("old.*", "letters.7z")  # need programs and extras
        shutil.copytree(SAMPLES / name, folder / name, ignore=skipped)
    (folder / "many").mkdir()
    texts = {f"{seed:02}": prose(seed, 150) for seed in range(14)}
    half = "\n".join(texts["01"].split("\n")[:6])
    texts |= {"copy": texts["00"], "edited": texts["00"].replace(". ", " or. ").replace("a", "e")}
    texts |= {"half": half + "\n" + prose(40, 80), "short": "Three short words.\n", "empty": ""}
    for name, text in texts.items():
        (folder / "many" / f"{name}.txt").write_text(text, "utf-8")
    (folder / "few").mkdir()
    for name in ("00", "01", "edited", "half"):
        shutil.copy(folder / "many" / f"{name}.txt", folder / "few")
    for name in ("mine", "box", "both", "segments"):
        (folder / name).mkdir()
    for name in ("union", "bees"):
        shutil.copy(folder / "texts" / f"{name}.txt", folder / "mine")
    union = (folder / "texts" / "union.txt").read_text("utf-8")
    (folder / "long.txt").write_text(prose(50, 700) + union + prose(51, 400), "utf-8")
    quoting = f'{prose(52, 60)}\n"{union[:600].strip()}"\n\n{prose(53, 60)}\nReferences\n\n'
    (folder / "quoting.txt").write_text(quoting + union[-400:], "utf-8")
    chapters = "".join(f"CHAPTER {number}\n\n{prose(60 + number, 80)}\n" for number in (1, 2))
    (folder / "book.txt").write_text(f"{chapters}CHAPTER 3\n\n{union[:900]}\n", "utf-8")
    (folder / "noise.txt").write_bytes(bytes(range(256)) * 20)
    rows = [
        {"id": f"r{place}", "text": text, "year": 2010 + place, "language": ["en", "fr"][place % 2],
         "rank": place * 7 % 5, "place's": f"at {place}"}
        for place, (_, text) in enumerate(sorted(texts.items()))
    ]  # fmt: skip
    lines = [json.dumps(row) for row in rows]
    (folder / "rows.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "rows.jsonl.gz").write_bytes(gzip.compress("\n".join(lines[:6]).encode(), mtime=0))
    (folder / "bad.jsonl").write_text(f"{lines[0]}\nno record\n{lines[1]}\n", "utf-8")
    (folder / "table.csv").write_text(
        "document,year,author\n"
        + "".join(f"{name}.txt,{2000 + len(name)},A {name}\n" for name in sorted(texts)),
        "utf-8",
    )
    names = [
        {"text": text} for text in ("Big red bus", "Big red bus!", "Small blue car", "Big bus")
    ]
    (folder / "names.jsonl").write_text("".join(json.dumps(row) + "\n" for row in names))
    shutil.copy(HERE / "plan.toml", folder)
    recipe = (CONFIGS / "deduplicate-idf.toml").read_text("utf-8")
    (folder / "recall.toml").write_text(recipe.replace("recall = 0.99", "recall = 0.9"), "utf-8")
    for place, (side, length) in enumerate((("truth", 300), ("found", 200), ("found", 90))):
        (folder / side).mkdir(exist_ok=True)
        path = folder / side / "a-b.xml"
        kind = "plagiarism" if side == "truth" else "detected-plagiarism"
        old = path.read_text() if path.exists() else '<document reference="a.txt"></document>'
        case = (
            f'<feature name="{kind}" this_offset="{place * 150}" this_length="{length}" '
            f'source_reference="b.txt" source_offset="{place * 120}" source_length="{length}" />'
        )
        path.write_text(old.replace("</document>", f"{case}</document>"))
    for path in folder.rglob("*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))


def _plain(value: Any) -> Any:
    """A JSON value without its wording."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {
            key: (one is not None if key in WORDING else _plain(one))
            for key, one in value.items()
            if key not in {"bytes", "system"}
        }
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _json_lines(text: str) -> str:
    """A JSON value, each field on a line, each row of a list of rows too; or lines of JSON."""
    try:
        fields = sorted(_plain(json.loads(text)).items())
    except json.JSONDecodeError:
        rows = [line for line in text.split("\n") if line.startswith("{")]
        fields = [("", [_plain(json.loads(row)) for row in rows])]
    lines = []
    for key, one in fields:
        rows = one if isinstance(one, list) and any(isinstance(row, dict) for row in one) else [one]
        lines += [f"{key}: {json.dumps(row, sort_keys=True, ensure_ascii=False)}" for row in rows]
    return "\n".join(lines)


def normal(text: str) -> str:
    """A text without what differs between two runs, and without wording."""
    text = text.removesuffix("\n")
    if text.startswith("{"):
        text = _json_lines(text)
    else:
        head, *rows = text.split("\n")
        columns = head.split("\t")
        for place in [place for place, name in enumerate(columns) if name in WORDING]:
            cells = [row.split("\t") for row in rows]
            rows = [
                "\t".join([*row[:place], "..." if row[place] else "", *row[place + 1 :]])
                if len(row) == len(columns) else "\t".join(row)
                for row in cells
            ]  # fmt: skip
        text = "\n".join([head, *rows])
        text = re.sub(
            r"\b\d\.\d{10,}(e-\d+)?\b", lambda match: str(round(float(match[0]), 9)), text
        )
    text = text.replace(str(Path.cwd()), "HERE")
    for pattern, name in VARYING:
        text = re.sub(pattern, name, text)
    return text


def _kept(path: Path) -> str:
    if path.is_dir():
        return "\n".join(str(file.relative_to(path)) for file in sorted(path.rglob("*.*")))
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return normal(content.decode("utf-8", "backslashreplace"))


def run(line: str) -> str:
    """What is kept of one line of a group."""
    verb, *words = shlex.split(line)
    if verb == "keep":
        return "\n".join(f"--- {word}\n{_kept(Path(word))}" for word in words)
    if verb == "damage":
        path = min(Path().glob(words[0]))
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        return ""
    streams = {mark: words[words.index(mark) + 1] for mark in "<>" if mark in words}
    for mark, name in streams.items():
        del words[words.index(mark) : words.index(mark) + 2]
        assert name
    stdin = Path(streams["<"]).read_bytes() if "<" in streams else b""
    words = [part for word in words for part in (
        ["--format", word[1:]] if re.fullmatch(r"\+[a-z]+", word) else [word])]  # fmt: skip
    if "--purge" in words:
        gc.collect()  # a reader in this process would keep the removed data
    outcome = here(verb, *words, stdin=stdin)
    if ">" in streams:
        Path(streams[">"]).write_bytes(outcome.out)
        return f"exit {outcome.code}"
    return f"exit {outcome.code}\n{normal(outcome.text)}".rstrip("\n")


@pytest.mark.parametrize("group", GROUPS)
def test_users_get_what_they_rely_on(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = [line for line in GROUPS[group].strip().split("\n") if line and line[0] != "#"]
    actual = "".join(f"$ {line}\n{run(line)}\n\n" for line in lines)
    path = HERE / "expected" / f"{group}.txt"
    if request.config.getoption("--update"):
        path.write_text(actual, "utf-8")
    expected = path.read_text("utf-8")
    if actual != expected:
        changes = difflib.unified_diff(expected.split("\n"), actual.split("\n"), "expected", "now")
        pytest.fail(f"{group}:\n" + "\n".join([*changes][:80])[:8000], pytrace=False)
