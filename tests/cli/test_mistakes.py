"""Mistakes of newcomers: a message names the place, the value, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import ROOT, here, prose, shell

from .conftest import Shelf

MISTAKES = (
    # a line, its exit code
    ("t.sdx", 2),
    ("--format json ListParts", 2),
    ("ShowDictionaryTokens englsh", 3),
    ("TokenizeFile TEXT -c englsh", 3),
    ("Deduplicate r.jsonl -o k.jsonl", 2),
    ("Deduplicate TEXTS", 2),
    ("Decontaminate --benchmark TEXT", 2),
    ("Deduplicate no1 no2 -o k.txt", 3),
    ("Fingerprint TEXT -d DICT -c english", 3),
    ("AddDocuments new.sdx TEXTS -c english", 2),
    ("TokenizeFile TEXT -c key.toml", 2),
    ("CompareDirectory nofile TEXTS -d DICT", 3),
    ("CompareDirectory TEXT nofolder", 3),
    ("CompareDirectory TEXT", 2),
    ("FindPairs TEXTS", 5),
    ("FindSimilar TEXT t.sdx", 5),
    ("FindPairs TEXT", 5),
    ("ShowEvidence TEXT", 5),
    ("Fingerprint TEXT -d DICT --segment 0", 2),
    ("FindPairs t.sdx --where year>", 2),
    ("ExtractText TEXT --unit segment", 2),
    ("FindPairs one.sdx", 3),
    ("EvaluateReuse minimum minimal", 3),
    ("CompareDirectory a b --max-bytes 1,5GB", 2),
    ("FindReuse", 2),
    ("FindReuse TEXT", 2),
    ("FindReuse TEXTS -w 10 --distance 12", 2),
    ("ShowFingerprint TEXT", 5),
    ("Mangle TEXT -m shuffle -o -", 2),
    ("ShowDictionaryTokens PRINT", 5),
    ("TrimDictionary DICT -t 1.5 -o s.xml", 2),
    ("CompareDirectory TEXT TEXTS -c english", 2),
    ("TokenizeFile TEXT -c bare.toml", 5),
    ("Deduplicate latin.jsonl -o k.jsonl", 3),
    ("AddDocuments none/t.sdx TEXTS", 6),
    ("AddDocuments empty.sdx TEXTS", 5),
    ("FindPairs lost.sdx", 5),
    ("FindReuse near.sdx t.sdx", 4),
    ("ScoreFingerprints a.xml b.xml -d french", 4),
    ("TokenizeFile TEXT -c utf16.toml", 5),
    ("TokenizeFile TEXT -c twice.toml", 5),
    ("FindPairs near.sdx -c english", 4),
    ("FindPairs reuse.sdx -c english", 4),
    ("FindPairs near.sdx -c reuse", 4),
    ("CompareDirectory TEXT TEXTS -d t.sdx", 3),
    ("ShowDictionaryTokens t.sdx", 3),
    ("CompareDirectory union.txt minimal", 4),
    ("FindSimilar bits.sdx TEXT --recommended", 2),
    ("FindSimilar t.sdx near.sdx", 5),
    ("Deduplicate TEXTS -o kept.txt --unit passage -s 20", 2),
    ("EvaluateReuse empty.lst empty.lst", 5),
    ("FindSimilar t.sdx DICT", 3),
)


MINIMAL = ("-d", "english", "--profile", "minimal")


@pytest.fixture(scope="module")
def place(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files to be mistaken about."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name, text in {
        "r.jsonl": '{"id": 1, "body": "one"}\n',
        "key.toml": 'tokeniser = "words"\n',
        "twice.toml": 'tokenizer = "words"\ntokenizer = "letters"\nfilters = []\n',
        "bare.toml": "tokenizer = words\n",
        "empty.lst": "",
        "one.txt": prose(1),
        "a.txt": "Many towns keep large bees near rivers, gardens, schools, churches and farms.",
        "b.txt": "Many towns keep large bees near rivers, gardens, markets, harbours and mills.",
    }.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "utf16.toml").write_text('tokenizer = "words"\n', "utf-16")
    (folder / "latin.jsonl").write_bytes(b'{"text": "caf\xe9"}\n')
    for line in (
        ("AddDocuments", folder / "t.sdx", folder / "one.txt"),
        ("AddDocuments", folder / "near.sdx", folder / "one.txt", "-c", "deduplicate"),
        ("AddDocuments", folder / "bits.sdx", folder / "one.txt", "-d", shelf.trimmed),
        ("AddDocuments", folder / "reuse.sdx", folder / "one.txt", "-c", "reuse"),
        ("Fingerprint", folder / "a.txt", *MINIMAL, "-o", folder / "a.xml"),
        ("Fingerprint", folder / "b.txt", *MINIMAL, "-o", folder / "b.xml"),
    ):
        assert here(*line).code == 0
    english = ROOT / "tests" / "samples" / "texts" / "union.txt"
    (folder / "union.txt").write_bytes(english.read_bytes())
    (folder / "minimal").mkdir()
    (folder / "minimal" / "minimal.xml").write_bytes(shelf.minimal.read_bytes())
    (folder / "empty.sdx").mkdir()
    (folder / "lost.sdx" / "segments").mkdir(parents=True)
    return folder


@pytest.mark.parametrize(("line", "code"), MISTAKES)
def test_a_mistake_is_one_short_message_and_nothing_is_written(
    shelf: Shelf, place: Path, monkeypatch: pytest.MonkeyPatch, line: str, code: int
) -> None:
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    outcome = here(*shelf.line(line))
    assert outcome.code == code, outcome.err
    assert len(outcome.errors[-1]) < 900
    assert sorted(place.iterdir()) == before


def test_a_table_holds_records_and_one_in_a_folder_is_a_document() -> None:
    Path("r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    Path("folder").mkdir()
    Path("folder/r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    outcome = here("AddDocuments", "t.sdx", "r.csv", "folder")
    assert outcome.code == 0
    assert "3 added" in outcome.err


def test_a_full_disk_is_named_without_hidden_files() -> None:
    texts = (" ".join(str(1000 * seed + word) for word in range(200)) for seed in range(150))
    records = (f'{{"id": {seed}, "text": "{text}"}}\n' for seed, text in enumerate(texts))
    Path("r.jsonl").write_text("".join(records), "utf-8")
    limits = "ulimit -f 40; export PYTHONDONTWRITEBYTECODE=1"  # or bytecode is cut short
    outcome = shell(limits + '; "$@" Deduplicate r.jsonl -o k.jsonl')
    assert outcome.code == 6, outcome.err
    (line,) = outcome.errors
    assert "TMPDIR" in line
    assert ".sdtext-" not in line
    assert sorted(path.name for path in Path().iterdir()) == ["r.jsonl"]
