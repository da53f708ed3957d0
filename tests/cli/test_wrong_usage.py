"""Wrong options, values and recipes: code 2, a few lines, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import check_refused, check_usage, here

from .conftest import Shelf

WRONG_USAGE = (
    ("", ""),
    ("CompareDirectry", "CompareDirectory"),
    ("score", "score"),
    ("AddDocuments - a.txt", "name the collection first"),
    ("-- -x", ""),
    ("--versoin", "--version"),
    ("ShowDictionaryTokens", "DICT"),
    ("ShowDictionaryTokens -d DICT --lmit 3", "--limit"),
    ("ShowDictionaryTokens -d DICT --limit 0", "--limit"),
    ("ShowDictionaryTokens -d DICT --format xml", "--format"),
    ("ShowDictionaryTokens -d DICT more", "more"),
    ("CreateDictionary -o out.xml -c RECIPE", "DATASET"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample 0", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --max-terms %", "--max-terms"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --jobs 0", "--jobs"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --encoding klingon", "klingon"),
    ("TrimDictionary -d DICT", "-o"),
    ("TrimDictionary -d DICT -o out.xml -b .8 -t .3", "0.8"),
    ("Fingerprint -d DICT -o out.xml", "FILE"),
    ("Fingerprint -i TEXT -o out.xml", "dictionary"),
    ("Fingerprint -i TEXT -d DICT -o out.xml --profile full -c RECIPE", "--profile"),
    ("TokenizeFile -c RECIPE", "-i"),
    ("TokenizeFile -c RECIPE -i TEXT --explain word", "--explain"),
    ("ScoreFingerprints -f PRINT", "you gave one"),
    ("ScoreFingerprints -f PRINT -f PRINT -f PRINT", "you gave 3"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosin", "cosine"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosine(power=2)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT --min-terms 0", "--min-terms"),
    ("CompareDirectory -p TEXTS", "FINGERPRINT"),
    ("CompareDirectory -f PRINT -p TEXTS -s -1", "-1"),
    ("CompareDirectory -f PRINT -p TEXTS -m lowercase", "lowercase"),
    ("ListParts gadgets", "gadgets"),
)


@pytest.mark.parametrize(("line", "named"), WRONG_USAGE)
def test_wrong_usage_is_code_2_in_a_few_lines(shelf: Shelf, line: str, named: str) -> None:
    if not line:
        outcome = here()
        assert (outcome.code, outcome.out) == (2, b"")
        assert "CompareDirectory" in outcome.err
        return
    check_usage(here(*shelf.line(line, BAD="bad")), named)
    assert not Path("out.xml").exists()


@pytest.mark.parametrize("config", ["digest = 3", "dictionary = 1", "dictionary = 'yes'"])
def test_a_wrong_output_configuration_is_code_2_with_what_is_allowed(
    shelf: Shelf, config: str
) -> None:
    Path("wrong.toml").write_text(config, "utf-8")
    outcome = here(
        "Fingerprint",
        "-i",
        shelf.document,
        "-d",
        shelf.trimmed,
        "-c",
        "wrong.toml",
        "-o",
        "out.xml",
    )
    check_refused(outcome, 2, "wrong.toml", config.split(" ", maxsplit=1)[0])
    assert not Path("out.xml").exists()


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (("FindReuse", ""), "FILE"),
        (("FindPairs", "x.sdx", ""), "OTHER.sdx"),
        (("Deduplicate", "", "-o", "kept.txt"), "INPUT"),
        (("ExtractText", ""), "FILE"),
        (("CompareDirectory", "a.txt", ""), "DIR"),
        (("CreateDictionary", "a.txt", "-c", "", "-o", "d.xml"), "--config"),
        (("Fingerprint", "a.txt", "-d", "", "-o", "f.xml"), "--dictionary"),
        (("FindSimilar", "x.sdx", ""), "FILE"),
    ],
)
def test_an_input_without_a_name_is_not_the_current_folder(
    folder: Path, line: tuple[str, ...], named: str
) -> None:
    (folder / "a.txt").write_text("The bees dance.", "utf-8")
    outcome = here(*line)
    assert outcome.code == 2
    assert named in outcome.errors[-1]
    assert "it is empty, as of a variable that is not set" in outcome.errors[-1]
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
