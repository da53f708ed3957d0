"""The example commands of the original's manual, word for word."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import pytest

from .command import CONFIGS, Outcome, federalist, here, parsed, schema_errors

OUTPUT = Path("doc/output_files")
CONFIG = Path("doc/configuration_files/tokenizers_config.xml")

EXAMPLES = {
    "TokenizeFile": """javam -jar build/sdtext.jar TokenizeFile
-i doc/input_files/federalist/9 -c doc/configuration_files/tokenizers_config.xml""",
    "CreateDictionary": """javam -jar build/sdtext.jar CreateDictionary
-o doc/output_files/dictionary.xml -p doc/input_files/federalist/
-c doc/configuration_files/tokenizers_config.xml""",
    "TrimDictionary": """javam -jar build/sdtext.jar TrimDictionary
-d doc/output_files/dictionary.xml -b .3 -t .8 -o doc/output_files/dictionary_trimmed.xml""",
    "ShowDictionaryTokens": """javam -jar build/sdtext.jar ShowDictionaryTokens
-d doc/output_files/dictionary.xml""",
    "ShowDictionaryStatistics": """javam -jar build/sdtext.jar ShowDictionaryStatistics
-d doc/output_files/dictionary.xml""",
    "BitVectorFingerprinter": """javam -jar build/sdtext.jar BitVectorFingerprinter
-i doc/input_files/federalist/9 -d doc/output_files/dictionary_trimmed.xml""",
    "ExtractDictionary": """javam -jar build/sdtext.jar ExtractDictionary
-i doc/output_files/fingerprint_federalist9.xml
-o doc/output_files/dictionary_extracted_federalist9.xml""",
    "ScoreFingerprints": """javam -jar build/sdtext.jar ScoreFingerprints -m ExactFingerprintMatcher
-f doc/output_files/fingerprint_federalist9.xml
-f doc/output_files/fingerprint_federalist9.xml""",
    "CompareDirectory": """javam -jar build/sdtext.jar CompareDirectory
-m CosineSimilarityFingerprintMatcher copies
-f doc/output_files/fingerprint_federalist9.xml -p doc/input_files/federalist/ -s 15""",
}


@dataclass(frozen=True)
class Session:
    """What each example printed, run in the manual's order in a folder laid out as it says."""

    folder: Path
    outcomes: Mapping[str, Outcome]

    @property
    def output(self) -> Path:
        """The folder of results."""
        return self.folder / OUTPUT

    def terms(self, name: str) -> list[str]:
        """The terms of a dictionary among the results."""
        return [term.text for term in parsed(self.output / name).iterfind(".//{*}term")]


def run(example: str) -> Outcome:
    words = shlex.split(example.replace("javam -jar build/sdtext.jar", "sdtext"))
    assert words[0] == "sdtext"
    return here(*words[1:])


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    papers, folder = federalist(), tmp_path_factory.mktemp("manual")
    place = folder / "doc" / "input_files" / "federalist"
    place.mkdir(parents=True)
    for path in papers.glob("*.txt"):
        shutil.copy(path, place / str(int(path.stem)))
    (folder / CONFIG).parent.mkdir()
    shutil.copy(CONFIGS / "tokenizers.xml", folder / CONFIG)
    (folder / OUTPUT).mkdir()
    outcomes = {}
    with chdir(folder):
        for name, example in EXAMPLES.items():
            outcomes[name] = run(example)
            for item in Path().glob("fingerprint_*.xml"):  # the manual gives it a name by hand
                assert item.stem.removeprefix("fingerprint_").isdecimal()
                item.rename(OUTPUT / "fingerprint_federalist9.xml")
    return Session(folder, outcomes)


def test_every_example_goes_well_and_says_little(session: Session) -> None:
    for name, outcome in session.outcomes.items():
        if name != "CompareDirectory":
            assert (outcome.code, len(outcome.errors) <= 1) == (0, True), outcome.err


def test_the_stray_word_gets_a_line_and_the_rest_is_done(session: Session) -> None:
    compared = session.outcomes["CompareDirectory"]
    assert compared.code == 3
    assert [line for line in compared.errors if "copies" in line] == [compared.errors[0]]
    assert len(compared.errors) == 3
    scores = [int(row["score"]) for row in compared.table]
    assert compared.table[0]["path"] == "9"
    assert scores == sorted(scores, reverse=True)
    assert (scores[0], scores[-1] >= 15, len(scores) > 5) == (99, True, True)


def test_tokens_and_dictionary_agree(session: Session) -> None:
    tokens = set(session.outcomes["TokenizeFile"].text.split())
    rows = session.outcomes["ShowDictionaryTokens"].table
    assert {"union", "confederaci"} & tokens
    assert list(rows[0]) == ["term", "df", "idf", "nidf"]
    assert [row["term"] for row in rows] == session.terms("dictionary.xml")
    assert tokens <= {row["term"] for row in rows}
    statistics = {
        row["field"]: row["value"] for row in session.outcomes["ShowDictionaryStatistics"].table
    }
    assert (statistics["documents"], statistics["trimmed"]) == ("85", "no")
    assert statistics["terms"] == str(len(rows))


def test_the_trimmed_dictionary_has_the_range_and_comes_out_of_the_fingerprint(
    session: Session,
) -> None:
    rows = session.outcomes["ShowDictionaryTokens"].table
    trimmed = session.terms("dictionary_trimmed.xml")
    assert trimmed == [row["term"] for row in rows if 0.3 <= float(row["nidf"]) <= 0.8]
    assert session.terms("dictionary_extracted_federalist9.xml") == trimmed
    tokens = set(session.outcomes["TokenizeFile"].text.split())
    score = {row["field"]: row["value"] for row in session.outcomes["ScoreFingerprints"].table}
    assert (score["score"], score["common"]) == ("99", str(len(tokens & set(trimmed))))


def test_the_results_are_the_files_named_and_agree_with_the_schema(session: Session) -> None:
    written = {path.name: schema_errors(path) for path in session.output.iterdir()}
    assert written == {
        "dictionary.xml": "",
        "dictionary_trimmed.xml": "",
        "dictionary_extracted_federalist9.xml": "",
        "fingerprint_federalist9.xml": "",
    }
    assert [path.name for path in session.folder.iterdir()] == ["doc"]


def test_the_output_is_a_full_one_where_none_is_configured(session: Session) -> None:
    root = parsed(session.output / "fingerprint_federalist9.xml")
    assert root.find("{*}dictionary") is not None
    assert root.findtext("{*}dataSource/{*}filename") == "9"
