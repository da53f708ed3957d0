"""The example commands of the original's manual, word for word."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from .command import CONFIGS, Outcome, parsed, schema_errors, there

OUTPUT = Path("doc/output_files")
CONFIG = Path("doc/configuration_files/tokenizers_config.xml")

TOKENIZE = """javam -jar build/sdtext.jar TokenizeFile
-i doc/input_files/federalist/9 -c doc/configuration_files/tokenizers_config.xml"""
CREATE = """javam -jar build/sdtext.jar CreateDictionary -o doc/output_files/dictionary.xml
-p doc/input_files/federalist/ -c doc/configuration_files/tokenizers_config.xml"""
TRIM = """javam -jar build/sdtext.jar TrimDictionary -d doc/output_files/dictionary.xml
-b .3 -t .8 -o doc/output_files/dictionary_trimmed.xml"""
SHOW_TOKENS = """javam -jar build/sdtext.jar ShowDictionaryTokens
-d doc/output_files/dictionary.xml"""
SHOW_STATISTICS = """javam -jar build/sdtext.jar ShowDictionaryStatistics
-d doc/output_files/dictionary.xml"""
FINGERPRINT = """javam -jar build/sdtext.jar BitVectorFingerprinter
-i doc/input_files/federalist/9 -d doc/output_files/dictionary_trimmed.xml"""
EXTRACT = """javam -jar build/sdtext.jar ExtractDictionary
-i doc/output_files/fingerprint_federalist9.xml
-o doc/output_files/dictionary_extracted_federalist9.xml"""
SCORE = """javam -jar build/sdtext.jar ScoreFingerprints -m ExactFingerprintMatcher
-f doc/output_files/fingerprint_federalist9.xml
-f doc/output_files/fingerprint_federalist9.xml"""
COMPARE = """javam -jar build/sdtext.jar CompareDirectory
-m CosineSimilarityFingerprintMatcher copies
-f doc/output_files/fingerprint_federalist9.xml -p doc/input_files/federalist/ -s 15"""


def run(example: str) -> Outcome:
    words = shlex.split(example.replace("javam -jar build/sdtext.jar", "sdtext"))
    assert words[0] == "sdtext"
    return there(*words[1:])


def run_well(example: str) -> Outcome:
    outcome = run(example)
    assert outcome.code == 0, outcome.err
    assert len(outcome.errors) <= 1, outcome.errors
    return outcome


@pytest.fixture
def papers(data: Path, folder: Path) -> Path:
    """The folder of papers, with all that the manual's examples expect beside it."""
    place = folder / "doc" / "input_files" / "federalist"
    place.mkdir(parents=True)
    for path in (data / "federalist").glob("*.txt"):
        shutil.copy(path, place / str(int(path.stem)))
    CONFIG.parent.mkdir()
    shutil.copy(CONFIGS / "tokenizers.xml", CONFIG)
    OUTPUT.mkdir()
    return place


def test_every_example_runs_after_the_one_before(papers: Path) -> None:
    tokens = run_well(TOKENIZE).text.split()
    assert {"union", "confederaci"} & set(tokens)

    run_well(CREATE)
    rows = run_well(SHOW_TOKENS).table
    assert list(rows[0]) == ["term", "df", "idf", "nidf"]
    assert set(tokens) <= {row["term"] for row in rows}
    statistics = {row["field"]: row["value"] for row in run_well(SHOW_STATISTICS).table}
    assert (statistics["documents"], statistics["trimmed"]) == ("85", "no")
    assert int(statistics["terms"]) == len(rows)

    run_well(TRIM)
    trimmed = [
        term.text
        for term in parsed(OUTPUT / "dictionary_trimmed.xml").iterfind(".//{*}term")
    ]
    assert trimmed == [row["term"] for row in rows if 0.3 <= float(row["nidf"]) <= 0.8]

    run_well(FINGERPRINT)
    (made,) = Path().glob("fingerprint_*.xml")
    assert made.stem.removeprefix("fingerprint_").isdecimal()
    made.rename(OUTPUT / "fingerprint_federalist9.xml")

    run_well(EXTRACT)
    extracted = OUTPUT / "dictionary_extracted_federalist9.xml"
    assert [term.text for term in parsed(extracted).iterfind(".//{*}term")] == trimmed

    score = {row["field"]: row["value"] for row in run_well(SCORE).table}
    assert score["score"] == "99"
    assert score["common"] == str(len(set(tokens) & set(trimmed)))

    compared = run(COMPARE)
    assert compared.code == 3
    assert [line for line in compared.errors if "copies" in line] == [compared.errors[0]]
    assert len(compared.errors) == 2
    assert compared.table[0]["path"] == "9"
    scores = [int(row["score"]) for row in compared.table]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 99
    assert scores[-1] >= 15
    assert len(scores) > 5

    written = [*OUTPUT.iterdir()]
    assert len(written) == 4
    assert not any(map(schema_errors, written))
    assert len(list(papers.iterdir())) == 85


def test_the_default_output_is_a_full_one(papers: Path) -> None:
    assert papers.is_dir()
    run_well(CREATE)
    run_well(TRIM)
    run_well(FINGERPRINT)
    (made,) = Path().glob("fingerprint_*.xml")
    assert parsed(made).find("{*}dictionary") is not None
    assert parsed(made).findtext("{*}dataSource/{*}filename") == "9"
