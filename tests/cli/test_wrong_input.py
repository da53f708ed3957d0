"""Whatever is wrong with an input costs one clear line and the right exit code."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
from collections.abc import Callable
from encodings.aliases import aliases
from pathlib import Path

import pytest

from .command import (
    Argument,
    Outcome,
    chance,
    check_named,
    check_partly,
    check_refused,
    check_usage,
    done,
    here,
    parsed,
    prose,
    shell,
    there,
    write_texts,
)
from .conftest import Shelf

NOISE = chance(1).randbytes(5000)


def command_line(shelf: Shelf, line: str, bad: Argument) -> list[Argument]:
    """The words of `line` with the shelf's files for their names, and `bad` for BAD."""
    known: dict[str, Argument] = {
        "TEXT": shelf.document,
        "TEXTS": shelf.texts,
        "RECIPE": shelf.recipe,
        "DICT": shelf.trimmed,
        "PRINT": shelf.full,
        "BAD": bad,
    }
    return [known.get(word, word) for word in line.split()]


DOCUMENTS = (
    "TokenizeFile -i BAD -c RECIPE",
    "ExtractText -i BAD",
    "CreateDictionary -o out.xml -p BAD -c RECIPE",
    "Fingerprint -i BAD -d DICT -o out.xml",
    "CompareDirectory -f BAD -d DICT -p TEXTS",
)
RECIPES = (
    "TokenizeFile -i TEXT -c BAD",
    "CreateDictionary -o out.xml -p TEXTS -c BAD",
    "Fingerprint -i TEXT -d DICT -o out.xml -c BAD",
)
ARTEFACTS = (
    "TrimDictionary -d BAD -o out.xml",
    "ShowDictionaryTokens -d BAD",
    "ShowDictionaryStatistics -d BAD",
    "Fingerprint -i TEXT -d BAD -o out.xml",
    "ExtractDictionary -f BAD -o out.xml",
    "ScoreFingerprints -f BAD -f PRINT",
    "ScoreFingerprints -f PRINT -f BAD",
    "ScoreFingerprints -f PRINT -f PRINT -d BAD",
    "CompareDirectory -f PRINT -p TEXTS -d BAD",
)


def check_bad(run: Callable[..., Outcome], shelf: Shelf, line: str, code: int) -> None:
    check_named(run(*command_line(shelf, line, "bad.file")), code, "bad.file")
    assert not Path("out.xml").exists()


@pytest.mark.parametrize("line", DOCUMENTS + RECIPES + ARTEFACTS)
def test_a_missing_file_is_named(shelf: Shelf, line: str) -> None:
    check_bad(here, shelf, line, 3)


@pytest.mark.parametrize("line", [*DOCUMENTS, *RECIPES, *ARTEFACTS])
def test_a_folder_for_a_file_is_named(shelf: Shelf, line: str) -> None:
    if line.startswith("CreateDictionary") and "-p BAD" in line:
        pytest.skip("there a folder is right")
    Path("bad.file").mkdir()
    check_bad(here, shelf, line, 3)


@pytest.mark.parametrize("line", DOCUMENTS)
@pytest.mark.parametrize(
    "content", [b"", b" \n\n\t ", NOISE, bytes(99), b"\x7fELF" + NOISE], ids=len
)
def test_a_document_without_text_is_named(shelf: Shelf, line: str, content: bytes) -> None:
    Path("bad.file").write_bytes(content)
    check_bad(here, shelf, line, 3)


@pytest.mark.parametrize("line", ARTEFACTS)
@pytest.mark.parametrize("content", [b"", NOISE, b"A letter.\n", b"<html></html>"], ids=len)
def test_what_is_no_artefact_is_named(shelf: Shelf, line: str, content: bytes) -> None:
    Path("bad.file").write_bytes(content)
    check_bad(here, shelf, line, 5)


@pytest.mark.parametrize("line", RECIPES)
@pytest.mark.parametrize("content", [NOISE, b"A letter.\n", b"a = [1,"], ids=len)
def test_what_is_no_recipe_is_named(shelf: Shelf, line: str, content: bytes) -> None:
    Path("bad.file").write_bytes(content)
    check_bad(here, shelf, line, 5)


@pytest.mark.parametrize(
    ("line", "content", "code"),
    [
        (DOCUMENTS[0], None, 3),
        (DOCUMENTS[2], None, 3),
        (DOCUMENTS[3], NOISE, 3),
        (DOCUMENTS[4], b"", 3),
        (RECIPES[1], None, 3),
        (RECIPES[1], NOISE, 5),
        (ARTEFACTS[0], None, 3),
        (ARTEFACTS[3], b"", 5),
        (ARTEFACTS[5], NOISE, 5),
    ],
)
def test_a_process_ends_without_a_traceback(
    shelf: Shelf, line: str, content: bytes | None, code: int
) -> None:
    if content is not None:
        Path("bad.file").write_bytes(content)
    check_bad(there, shelf, line, code)


@pytest.mark.parametrize("line", [*DOCUMENTS, RECIPES[0], ARTEFACTS[0], ARTEFACTS[4]])
def test_a_name_that_no_file_can_have_is_named(shelf: Shelf, line: str) -> None:
    check_named(there(*command_line(shelf, line, "n" * 300)), 3, "n" * 300)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ShowDictionaryTokens -d BAD", "full"),
        ("TrimDictionary -d BAD -o out.xml", "recipe"),
        ("ScoreFingerprints -f BAD -f PRINT", "dictionary"),
        ("ExtractDictionary -f BAD", "dictionary"),
    ],
)
def test_an_artefact_of_another_kind_is_told_from_the_one_wanted(
    shelf: Shelf, line: str, kind: str
) -> None:
    other: Path = getattr(shelf, kind)
    wanted = "dictionary" if "-d" in line else "fingerprint"
    check_refused(here(*command_line(shelf, line, other)), 5, other.name, wanted)


def test_every_missing_dataset_is_listed_and_the_rest_done(shelf: Shelf) -> None:
    paths = ["-p", "gone-1", "-p", shelf.texts, "-p", "gone-2"]
    outcome = here("CreateDictionary", "-o", "d.xml", *paths, "-c", shelf.recipe)
    check_partly(outcome, 3, "gone-1", "gone-2")
    assert parsed("d.xml").findtext("{*}documents") == "30"


def test_every_missing_dataset_is_listed_where_none_is_there(shelf: Shelf) -> None:
    outcome = there(
        "CreateDictionary", "-o", "d.xml", "-p", "gone-1", "-p", "gone-2", "-c", shelf.recipe
    )
    check_named(outcome, 3, "gone-1", "gone-2")
    assert not Path("d.xml").exists()


def test_every_missing_fingerprint_is_listed_where_none_is_there(shelf: Shelf) -> None:
    outcome = here("CompareDirectory", "-f", "gone-1", "-f", "gone-2", "-p", shelf.texts)
    check_named(outcome, 3, "gone-1", "gone-2")


def test_every_bad_document_is_listed_and_the_rest_fingerprinted(shelf: Shelf) -> None:
    Path("empty.txt").touch()
    Path("noise.txt").write_bytes(NOISE)
    files = ["empty.txt", shelf.document, "noise.txt", "gone.txt", shelf.texts / "001.txt"]
    outcome = here("Fingerprint", "-d", shelf.trimmed, "-o", "prints.xml", *files)
    check_partly(outcome, 3, "empty.txt", "noise.txt", "gone.txt")
    names = [name.text for name in parsed("prints.xml").iterfind("{*}fingerprint//{*}filename")]
    assert names[::2] == ["007.txt", "001.txt"]


@pytest.mark.parametrize("bad", [b"", NOISE, b"\x1f\x8b\x08\x00cut"])
def test_one_bad_file_in_a_thousand_costs_one_line(shelf: Shelf, bad: bytes) -> None:
    texts = write_texts(Path("texts"), 999, words=20)
    (texts / "bad.dat").write_bytes(bad)
    made = there("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", shelf.recipe)
    check_partly(made, 3, "bad.dat")
    assert len(made.errors) == 2
    assert parsed("d.xml").findtext("{*}documents") == "999"

    options = ["-d", "d.xml", "-o", "prints.xml", "--profile", "evidence"]
    printed = here("Fingerprint", *options, *sorted(texts.iterdir()))
    check_partly(printed, 3, "bad.dat")
    assert len(printed.errors) == 2
    assert len(parsed("prints.xml").findall("{*}fingerprint")) == 999

    compared = here(
        "CompareDirectory", "-f", texts / "500.txt", "-d", "d.xml", "-p", texts, "-s", "0"
    )
    check_partly(compared, 3, "bad.dat")
    assert len(compared.errors) == 3
    assert len(compared.table) == 999
    assert compared.table[0]["path"] == "500.txt"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_utf_16_and_its_like_is_read_as_text(shelf: Shelf, encoding: str) -> None:
    text = prose(7) + "Über naïve cafés.\n"
    Path("plain.txt").write_text(text, "utf-8")
    Path("wide.txt").write_text(text, encoding)
    plain = done("TokenizeFile", "-i", "plain.txt", "-c", shelf.recipe)
    wide = there("TokenizeFile", "-i", "wide.txt", "-c", shelf.recipe)
    assert (wide.code, wide.err) == (0, "")
    assert wide.out == plain.out
    assert len(plain.text.split()) > 100


def test_text_that_is_no_utf_8_is_read_by_a_guess(shelf: Shelf) -> None:
    text = "Die Größe der Straßen im Süden überrascht Österreichs Gäste jäh.\n" * 20
    Path("old.txt").write_text(text, "windows-1252")
    assert done("ExtractText", "-i", "old.txt").text == text
    refused = there("ExtractText", "-i", "old.txt", "--encoding", "utf-8")
    check_refused(refused, 3, "old.txt", "--encoding")
    made = here(
        "CreateDictionary", "-o", "d.xml", "-p", "old.txt", "-p", shelf.texts, "-c", shelf.recipe
    )
    assert made.code == 0
    assert "süden" in {term.text for term in parsed("d.xml").iterfind(".//{*}term")}


def test_an_encoding_named_wrongly_costs_one_line_and_the_rest_is_done(shelf: Shelf) -> None:
    Path("old.txt").write_bytes(b"caf\xe9 " * 99)
    outcome = here(
        "CreateDictionary",
        *("-o", "d.xml", "-p", "old.txt", "-p", shelf.texts, "-c", shelf.recipe),
        *("--encoding", "utf-8"),
    )
    check_partly(outcome, 3, "old.txt")
    assert parsed("d.xml").findtext("{*}documents") == "30"


def _text_encodings() -> list[str]:
    names = sorted(set(aliases.values()) - {"mbcs", "oem"})
    return [name for name in names if codecs.lookup(name)._is_text_encoding]


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.parametrize("encoding", _text_encodings())
@pytest.mark.parametrize(
    "content",
    [b"plain +2AA- words \\ud800 \\x00 end ", b"xn-- ~{!!~} \xe9\xa4 \x81\x30\x81\x30 end "],
)
def test_any_encoding_python_knows_makes_a_dictionary_that_loads_or_one_line(
    encoding: str, content: bytes
) -> None:
    Path("words.toml").write_text('tokenizer = "words"\n', "utf-8")
    Path("any.txt").write_bytes(content)
    made = here(
        "CreateDictionary", "-o", "d.xml", "-p", "any.txt", "-c", "words.toml",
        "--encoding", encoding,
    )  # fmt: skip
    if made.code == 0:
        done("ShowDictionaryTokens", "-d", "d.xml")
        done("Fingerprint", "-i", "any.txt", "-d", "d.xml", "-o", "print.xml")
    else:
        assert made.code == 3
        assert 1 <= len(made.errors) <= 2


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_packed_file_cut_short_is_one_line(shelf: Shelf, ending: str) -> None:
    packed = PACKERS[ending](prose(1, 5000).encode())
    Path(f"cut.{ending}").write_bytes(packed[: len(packed) // 2])
    refused = there("TokenizeFile", "-i", f"cut.{ending}", "-c", shelf.recipe)
    check_refused(refused, 3, f"cut.{ending}")


def test_a_decompression_bomb_is_one_line(shelf: Shelf) -> None:
    Path("bomb.gz").write_bytes(gzip.compress(bytes(20 << 20)))
    check_refused(there("ExtractText", "-i", "bomb.gz"), 3, "bomb.gz")
    Path("large.gz").write_bytes(gzip.compress(prose(1, 5000).encode()))
    refused = here("ExtractText", "-i", "large.gz", "--max-bytes", "1000")
    check_refused(refused, 3, "large.gz", "--max-bytes")
    outcome = here(
        "CreateDictionary", "-o", "d.xml", "-p", ".", "-p", shelf.texts, "-c", shelf.recipe
    )
    check_partly(outcome, 3, "bomb.gz")


NAMES: tuple[bytes, ...] = (
    b"two\nlines.txt",
    b'it\'s "quoted".txt',
    b"a\ttab and \\ .txt",
    b"\x1b[31mred\r.txt",
    b"not \xff\xfe utf-8.txt",
    "Übergröße \u2028 \u202e 漢字.txt".encode(),
    b"100% & <b>.txt",
    b" .txt ",
)


@pytest.fixture(params=NAMES, ids=repr)
def name(request: pytest.FixtureRequest) -> str:
    """A name that files can have."""
    return os.fsdecode(request.param)


def test_a_missing_file_with_an_odd_name_is_one_printable_line(shelf: Shelf, name: str) -> None:
    for line in ("ExtractText -i BAD", "TrimDictionary -d BAD -o out.xml"):
        check_refused(there(*command_line(shelf, line, name)), 3, ".txt")
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", name)
    check_named(outcome, 3, ".txt")


def test_a_document_with_an_odd_name_goes_all_the_way(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_text(prose(7), "utf-8")
    made = there(
        "CreateDictionary", "-o", "d.xml", "-p", "odd", "-p", shelf.texts, "-c", shelf.recipe
    )
    assert (made.code, len(made.errors)) == (0, 1), made.err
    done("Fingerprint", "-i", odd, "-d", shelf.trimmed, "-o", "prints/")
    (made_print,) = Path("prints").iterdir()
    assert made_print.name == f"{name}.xml"

    tsv = here("CompareDirectory", "-f", made_print, "-p", "odd")
    assert (tsv.code, tsv.text.count("\n")) == (0, 2)
    assert "\x1b" not in tsv.text
    (row,) = here("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "json").json[
        "rows"
    ]
    assert (row["score"], row["path"]) == (99, name)
    assert row["fingerprint"] == f"prints/{name}.xml"
    table = here("CompareDirectory", "-f", made_print, "-p", "odd", "--format", "table")
    assert table.code == 0
    assert "\x1b" not in table.text


def test_a_bad_document_with_an_odd_name_is_one_printable_line(shelf: Shelf, name: str) -> None:
    odd = Path("odd") / name
    odd.parent.mkdir()
    odd.write_bytes(NOISE)
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", "odd")
    check_partly(outcome, 3, ".txt")


def test_a_result_with_an_odd_name_is_written_and_can_be_read(shelf: Shelf, name: str) -> None:
    made = there("CreateDictionary", "-o", name, "-p", shelf.texts, "-c", shelf.recipe)
    assert (made.code, len(made.errors)) == (0, 1), made.err[-1000:]
    assert made.errors[0].isprintable()
    Path("trimmed").mkdir()
    trimmed = here("TrimDictionary", "-d", name, "-o", Path("trimmed") / name, "-b", "0.2")
    assert trimmed.code == 0
    printed = here("Fingerprint", "-i", shelf.document, "-d", Path("trimmed") / name, "-o", "f.xml")
    assert (printed.code, len(printed.errors)) == (0, 1), printed.errors
    assert printed.errors[0].isprintable()
    extracted = here("ExtractDictionary", "-f", "f.xml", "-d", "e.xml")
    assert (extracted.code, len(extracted.errors)) == (0, 1), extracted.errors
    assert extracted.errors[0].isprintable()
    done("ShowDictionaryStatistics", "-d", name)


@pytest.mark.parametrize("label", ["\x01", "two\nlines", "\x1b[31mred", "\ufffe", ""])
def test_a_dictionary_may_be_called_anything_or_is_refused_in_a_line(
    shelf: Shelf, label: str
) -> None:
    made = here(
        "CreateDictionary", "-o", "d.xml", "-p", shelf.texts, "-c", shelf.recipe, "--name", label
    )
    if made.code == 0:
        shown = done("ShowDictionaryStatistics", "-d", "d.xml", "--format", "json").json
        assert shown["name"] == (label or "d")
    else:
        assert made.code == 2
        assert made.errors[-1].isprintable()


def test_a_name_of_80_chinese_characters_can_be_written(shelf: Shelf) -> None:
    name = "漢" * 80 + ".xml"  # 244 of the 255 bytes that a name may have
    done("TrimDictionary", "-d", shelf.dictionary, "-o", name, "-b", "0.2")
    assert Path(name).is_file()


WRONG_USAGE = (
    ("", ""),
    ("CompareDirectry", "CompareDirectory"),
    ("Frobnicate", "Frobnicate"),
    ("-- -x", ""),
    ("--versoin", "--version"),
    ("ShowDictionaryTokens", "-d"),
    ("ShowDictionaryTokens -d DICT --lmit 3", "--limit"),
    ("ShowDictionaryTokens -d DICT --limit 0", "--limit"),
    ("ShowDictionaryTokens -d DICT --sort size", "--sort"),
    ("ShowDictionaryTokens -d DICT --format xml", "--format"),
    ("ShowDictionaryTokens -d DICT more", "more"),
    ("CreateDictionary -o out.xml -c RECIPE", "-p"),
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
    ("Fingerprint -d DICT -o out.xml", "-i"),
    ("Fingerprint -i TEXT -o out.xml", "-d"),
    ("Fingerprint -i TEXT -d DICT -o out.xml --profile some", "some"),
    ("Fingerprint -i TEXT -d DICT -o out.xml --profile full -c RECIPE", "--profile"),
    ("TokenizeFile -c RECIPE", "-i"),
    ("TokenizeFile -c RECIPE -i TEXT --explain word", "--explain"),
    ("TokenizeFile -i TEXT", "-c"),
    ("ScoreFingerprints -m cosine", "-f"),
    ("ScoreFingerprints -f PRINT", "two"),
    ("ScoreFingerprints -f PRINT -f PRINT -f PRINT", "two"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosin", "cosine"),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosine(", "cosine("),
    ("ScoreFingerprints -f PRINT -f PRINT -m cosine(power=2)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT -m idf-cosine(power=9)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT -m idf-cosine(power=two)", "power"),
    ("ScoreFingerprints -f PRINT -f PRINT --min-terms 0", "--min-terms"),
    ("CompareDirectory -p TEXTS", "-f"),
    ("CompareDirectory -f PRINT", "-p"),
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
    check_usage(here(*command_line(shelf, line, "bad")), named)
    assert not Path("out.xml").exists()


@pytest.mark.parametrize("place", [1, 3, 6, 8, 13, 20, 26, 39])
def test_wrong_usage_of_a_process_is_no_traceback(shelf: Shelf, place: int) -> None:
    line, named = WRONG_USAGE[place]
    check_usage(there(*command_line(shelf, line, "bad")), named)


WRONG_RECIPES = (
    ('tokenizer = "word"', ("word", "words")),
    ('tokenizer = "lowercase"', ("lowercase", "tokenizer")),
    ('filters = ["lowercase"]', ("tokenizer",)),
    ('tokenizer = "words"\nfilter = ["lowercase"]', ("filter",)),
    ('tokenizer = "words"\nfilters = ["lowercas"]', ("lowercas", "lowercase")),
    ('tokenizer = "words"\nfilters = ["lines"]', ("lines",)),
    ('tokenizer = "words"\nfilters = "lowercase"', ("filters",)),
    ('tokenizer = "words"\nfilters = [3]', ("3",)),
    ('tokenizer = "words"\nfilters = ["min-length"]', ("min-length", "length")),
    ('tokenizer = "words"\nfilters = [{ name = "min-length", length = "x" }]', ("length", "x")),
    ('tokenizer = "words"\nfilters = [{ name = "min-length", length = 0 }]', ("length", "0")),
    ('tokenizer = "words"\nfilters = [{ name = "min-length", size = 3 }]', ("size", "length")),
    ('tokenizer="words"\nfilters = [{ name = "stop-words", language = "klingon" }]', ("klingon",)),
    ('tokenizer = { name = "words", length = 3 }', ("words", "length")),
    ('tokenizer = 3', ("3",)),
)  # fmt: skip


@pytest.mark.parametrize(("recipe", "named"), WRONG_RECIPES)
def test_a_recipe_that_names_what_there_is_not_is_code_2_with_what_there_is(
    shelf: Shelf, recipe: str, named: tuple[str, ...]
) -> None:
    Path("wrong.toml").write_text(recipe, "utf-8")
    outcome = here("TokenizeFile", "-i", shelf.document, "-c", "wrong.toml")
    check_refused(outcome, 2, "wrong.toml", *named)


def test_a_missing_list_of_stop_words_is_named(shelf: Shelf) -> None:
    filters = '[{ name = "stop-words", file = "gone.txt" }]'
    Path("recipe.toml").write_text(f'tokenizer = "words"\nfilters = {filters}', "utf-8")
    outcome = there("CreateDictionary", "-o", "d.xml", "-p", shelf.texts, "-c", "recipe.toml")
    check_refused(outcome, 3, "gone.txt")


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


@pytest.mark.parametrize("number", [1, 2])
def test_too_small_a_dictionary_is_made_and_what_it_cannot_do_is_one_line(
    shelf: Shelf, number: int
) -> None:
    texts = write_texts(Path("texts"), number)
    done("CreateDictionary", "-o", "small.xml", "-p", texts, "-c", shelf.recipe)
    check_refused(there("TrimDictionary", "-d", "small.xml", "-o", "t.xml"), 2, "small", "3 at the")
    assert not Path("t.xml").exists()
    done("Fingerprint", "-i", texts / "000.txt", "-d", "small.xml", "-o", "print.xml")
    weighed = here(
        "CompareDirectory",
        "-m",
        "idf-cosine",
        "-f",
        "print.xml",
        "-p",
        shelf.texts,
        "-d",
        "small.xml",
    )
    check_refused(weighed, 2, "small", "3 at the least")
    scored = here("ScoreFingerprints", "-m", "idf-cosine", "-f", "print.xml", "-f", shelf.full)
    assert scored.code in (2, 4)
    assert len(scored.errors) == 1
    compared = done("CompareDirectory", "-f", "print.xml", "-p", texts)
    assert "matcher: cosine" in compared.errors
    assert compared.table[0]["score"] == "99"
    rows = done("ShowDictionaryTokens", "-d", "small.xml", "--format", "jsonl")
    assert b'"nidf": null' in rows.out
    assert done("ShowDictionaryStatistics", "-d", "small.xml", "--format", "json").json[
        "max_idf"
    ] <= 0  # fmt: skip


def test_documents_without_a_term_make_no_dictionary(shelf: Shelf) -> None:
    Path("numbers.txt").write_text("1 2 3 4 5\n", "utf-8")
    outcome = here("CreateDictionary", "-o", "d.xml", "-p", "numbers.txt", "-c", shelf.recipe)
    check_refused(outcome, 3, "no term")
    assert not Path("d.xml").exists()


def test_an_empty_folder_makes_no_dictionary(shelf: Shelf) -> None:
    Path("empty").mkdir()
    outcome = there("CreateDictionary", "-o", "d.xml", "-p", "empty", "-c", shelf.recipe)
    check_refused(outcome, 3, "no dictionary")


def test_links_in_a_folder_are_not_followed_and_pipes_not_read(shelf: Shelf) -> None:
    texts = write_texts(Path("texts"), 3)
    (texts / "loop").symlink_to(texts.resolve())
    (texts / "link.txt").symlink_to(shelf.document)
    os.mkfifo(texts / "pipe")
    done("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", shelf.recipe)
    assert parsed("d.xml").findtext("{*}documents") == "3"


def test_a_document_from_a_pipe_of_the_shell_is_read(shelf: Shelf) -> None:
    outcome = shell('"$@" -i <(gzip -c "$0")'.replace('"$0"', f"'{shelf.document}'"), "ExtractText")
    assert outcome.code == 0
    assert outcome.out == shelf.document.read_bytes()
