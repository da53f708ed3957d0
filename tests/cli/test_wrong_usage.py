"""Wrong options, values and recipes: code 2, a few lines, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import check_refused, check_usage, here, there

from .conftest import Shelf

WRONG_USAGE = (
    ("", ""),
    ("CompareDirectry", "CompareDirectory"),
    ("score", "score"),
    ("CreateDictionary TEXTS -c RECIPE --o out.xml", "--o"),
    ("AddDocuments - a.txt", "name the collection first"),
    ("create", "create"),
    ("Frobnicate", "Frobnicate"),
    ("-- -x", ""),
    ("--versoin", "--version"),
    ("ShowDictionaryTokens", "DICT"),
    ("ShowDictionaryTokens -d DICT --lmit 3", "--limit"),
    ("ShowDictionaryTokens -d DICT --limit 0", "--limit"),
    ("ShowDictionaryTokens -d DICT --sort size", "--sort"),
    ("ShowDictionaryTokens -d DICT --format xml", "--format"),
    ("ShowDictionaryTokens -d DICT more", "more"),
    ("CreateDictionary -o out.xml -c RECIPE", "DATASET"),
    ("CreateDictionary -p TEXTS -c RECIPE", "-o"),
    ("CreateDictionary -o out.xml -p TEXTS", "-c"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample 0", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample -1", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample 101%", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample nan%", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --sample 1.5", "--sample"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --max-terms %", "--max-terms"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --jobs 0", "--jobs"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --jobs two", "--jobs"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --encoding klingon", "klingon"),
    ("CreateDictionary -o out.xml -p TEXTS -c RECIPE --encoding base64", "base64"),
    ("TrimDictionary -d DICT", "-o"),
    ("TrimDictionary -d DICT -o out.xml -b .8 -t .3", "0.8"),
    ("TrimDictionary -d DICT -o out.xml -b nan", "nan"),
    ("TrimDictionary -d DICT -o out.xml -b low", "low"),
    ("TrimDictionary -d DICT -o out.xml -b 5 -t 6", "5"),
    ("Fingerprint -d DICT -o out.xml", "FILE"),
    ("Fingerprint -i TEXT -o out.xml", "-d"),
    ("Fingerprint -i TEXT -d DICT -o out.xml --profile some", "some"),
    ("Fingerprint -i TEXT -d DICT -o out.xml --profile full -c RECIPE", "--profile"),
    ("TokenizeFile -c RECIPE", "-i"),
    ("TokenizeFile -c RECIPE -i TEXT --explain word", "--explain"),
    ("TokenizeFile -i TEXT", "-c"),
    ("ScoreFingerprints -m cosine", "FINGERPRINT"),
    ("ScoreFingerprints -f PRINT", "you gave one"),
    ("ScoreFingerprints -f PRINT -f PRINT -f PRINT", "you gave 3"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosin", "cosine"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosine(", "cosine("),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosine(power=2)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT -m idf-cosine(power=9)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT -m idf-cosine(power=two)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT --min-terms 0", "--min-terms"),
    ("CompareDirectory -p TEXTS", "FINGERPRINT"),
    ("CompareDirectory -f PRINT", "DIR"),
    ("CompareDirectory -f PRINT -p TEXTS -s 100", "100"),
    ("CompareDirectory -f PRINT -p TEXTS -s -1", "-1"),
    ("CompareDirectory -f PRINT -p TEXTS -k 0", "0"),
    ("CompareDirectory -f PRINT -p TEXTS -m lowercase", "lowercase"),
    ("CompareDirectory -f PRINT -p TEXTS --max-bytes 0", "--max-bytes"),
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


@pytest.mark.parametrize("place", [1, 13, 39])
def test_wrong_usage_of_a_process_is_no_traceback(shelf: Shelf, place: int) -> None:
    line, named = WRONG_USAGE[place]
    check_usage(there(*shelf.line(line, BAD="bad")), named)


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
