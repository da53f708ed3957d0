"""Mistakes of newcomers: a message names the place, the value, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import ROOT, check_usage, done, here, prose, shell
from .conftest import Shelf

OTHER_RECIPE = (
    "name a recipe with the collection's tokenizer and filters and with a shingler (-c), or none",
    "to take the collection's own",
)
MISTAKES = (
    # a line, its exit code, words of the last line of its messages
    ("CompareDirectry TEXT TEXTS", 2, "did you mean CompareDirectory?"),
    ("minimal", 2, "minimal is a folder; a verb comes first, such as FindReuse minimal"),
    ("a.txt", 2, "a.txt is a file; a verb comes first, such as CompareDirectory a.txt FOLDER"),
    ("t.sdx", 2, "t.sdx is a collection; a verb comes first, such as ShowCollection t.sdx"),
    ("help FindPars", 2, "did you mean FindPairs?"),
    ("--format json ListParts", 2, "write sdtext ListParts --format"),
    ("-v", 2, "sdtext VERB -v"),
    ("ListRecipes --fro passages", 2, "--for"),
    ("ShowDictionaryTokens englsh", 3, "did you mean english?"),
    ("TokenizeFile TEXT -c englsh", 3, "did you mean english?"),
    ("ScoreFingerprints PRINT PRINT -m cosin", 2, "did you mean cosine?"),
    ("Deduplicate r.jsonl -o k.jsonl", 2, "has no field 'text'; it has id, body"),
    ("Deduplicate TEXTS", 2, "name one with -o, or - to print"),
    ("Deduplicate -o -", 2, "Missing argument 'INPUT...'; - reads standard input."),
    ("Decontaminate --benchmark TEXT", 2, "argument 'CORPUS...'; - reads standard input."),
    ("AddDocuments t.sdx", 2, "Missing argument 'PATH...'; - reads standard input."),
    ("AddDocuments TEXT", 2, ". Write: AddDocuments NAME.sdx "),
    ("FindSimilar TEXT", 2, " was taken for it. Write: FindSimilar NAME.sdx "),
    ("ExtractText", 2, "no file is given; name one, bare or with -i; - reads standard input"),
    ("Fingerprint -d DICT", 2, "no file is given; name one with -i; - reads standard input"),
    ("Deduplicate no1 no2 -o k.txt", 3, "no1: no such file or directory (and 1 more problem)"),
    ("Fingerprint TEXT -d DICT -c english", 2, "for the dictionary write -d english"),
    ("AddDocuments new.sdx TEXTS -c english", 2, "name one for near-duplicates or passages"),
    ("ListParts filter", 2, "Did you mean filters?"),
    ("FindReuse TEXTS --by documents", 2, "Did you mean document?"),
    ("Fingerprint TEXT -d DICT --profile minmal", 2, "Did you mean minimal?"),
    ("TokenizeFile TEXT -c key.toml", 2, "no key 'tokeniser'; did you mean tokenizer?"),
    ("TokenizeFile TEXT -c filter.toml", 2, "'porterr'; did you mean porter?"),
    ("TokenizeFile TEXT", 2, "The recipe, such as english: a name of ListRecipes, or"),
    ("Fingerprint TEXT", 2, "The dictionary: a name such as english, or a file."),
    ("CompareDirectory nofile TEXTS -d DICT", 3, "nofile: no such file"),
    ("CompareDirectory TEXT nofolder", 3, "nofolder: no such file or folder"),
    ("CompareDirectory TEXTS", 2, "a folder of these before the folder to search. FindReuse"),
    ("CompareDirectory TEXT", 2, "no folder to search is given; name one with -p, or last"),
    ("FindPairs TEXTS", 5, "but a folder; AddDocuments NAME.sdx FOLDER makes a collection"),
    ("FindSimilar TEXT t.sdx", 5, "but a file; name a collection before documents"),
    ("FindPairs TEXT", 5, "but a file; AddDocuments NAME.sdx FOLDER makes a collection"),
    ("ShowEvidence TEXT", 5, "expected a file of evidence; FindReuse --format xml makes one"),
    ("EvaluateReuse TEXTS", 2, "the truth and what was detected; --found is missing"),
    ("Fingerprint TEXT -d DICT --segment 0", 2, "--segment is '0'; it must be TOKENS or"),
    ("FindReuse TEXTS -o out.csv", 2, "No such option '-o'.", "> FILE, or a page with --html FILE"),
    ("CreateDictionary -c english -o d.xml --files-from empty.lst", 3, "the list names no files"),
    ("ExtractText TEXT --unit segment", 2, "divides terms, not text; Fingerprint --segment and"),
    ("FindPairs t.sdz", 3, "there is no such collection (did you mean t.sdx?); AddDocuments"),
    ("FindPairs T.SDX", 3, "T.SDX: there is no such collection (did you mean t.sdx?)"),
    ("FindPairs one.sdx", 3, "one.sdx: there is no such collection; AddDocuments creates"),
    ("FindReuse A.TXT b.txt", 3, "A.TXT: no such file or directory (did you mean a.txt?)"),
    ("EvaluateReuse minimum minimal", 3, "minimum: no such file or folder (did you mean minimal?)"),
    ("FindPairs none.sdx", 3, "there is no such collection; AddDocuments creates one"),
    ("FindPairs t.sdx -s 0,8", 2, "0,8 is not a score: a whole number", "such as 80; write 0.8."),
    ("CompareDirectory a b --max-bytes 1,5GB", 2, "1,5GB is not", "; write 1.5GB."),
    ("FindPairs t.sdx -s 101", 2, "101 is not a score: a whole number from 0 to 99"),
    ("FindReuse TEXTS -k all", 2, "all is not a whole number of 1 or more"),
    ("FindReuse TEXTS -s 200", 2, "200 is not a score: a whole number from 0 to 99"),
    ("FindReuse", 2, "name two files, a folder or a collection NAME.sdx, or files and one"),
    ("FindReuse TEXT", 2, "FindReuse: only one document is given; name what to compare it with"),
    ("FindReuse TEXTS -w 10 --distance 12", 2, "--distance is 12; it must be below"),
    ("ExtractText TEXT --extractor cat", 2, "--extractor is 'cat'; it must have {}", "'cat {}'"),
    ("ShowFingerprint TEXT", 5, "is a document; add -d DICT to show the fingerprint that it would"),
    ("ShowFingerprint TEXT englsh", 3, "or dictionary; did you mean english?"),
    ("Mangle TEXT -m shuffle -o -", 2, " Mangle: --output is '-'; it must be the name of a folder"),
    ("Fingerprint TEXT englsh", 3, "or dictionary; did you mean english?"),
    ("Calibrate english", 2, "no dir is given; name one with -p"),
    ("Calibrate english german TEXTS", 2, "english and german are dictionaries; name one"),
    ("ShowDictionaryTokens PRINT", 5, "ExtractDictionary writes the one in the file"),
    ("TrimDictionary DICT -b 0.8 -t 0.3 -o s.xml", 2, "0.8, is above the maximum, 0.3; exchange"),
    ("TrimDictionary DICT -b 0.3 -t 80 -o s.xml", 2, "--max-idf is 80; ", "for 80 %, write 0.8"),
    ("TrimDictionary DICT -t 1.5 -o s.xml", 2, "--max-idf is 1.5; ", "goes from 0 to 1"),
    ("CompareDirectory TEXT TEXTS -d polish", 3, "a recipe, by which CreateDictionary makes one."),
    ("CompareDirectory TEXT TEXTS -c english", 2, "The recipe is that of the dictionary; name"),
    ("TokenizeFile TEXT -c bare.toml", 5, "tokenizer = words; put texts in straight quotes"),
    ("Deduplicate latin.jsonl -o k.jsonl", 3, "is not in UTF-8", "convert the file to UTF-8"),
    ("AddDocuments none/t.sdx TEXTS", 6, "none/t.sdx: cannot be written: there is no folder none"),
    ("AddDocuments empty.sdx TEXTS", 5, "of documents, under a name that is new"),
    ("FindPairs lost.sdx", 5, "is damaged: catalog.sqlite is missing; restore it from a backup"),
    ("FindReuse near.sdx t.sdx", 4, "near.sdx: was created without places of words"),
    ("ScoreFingerprints a.xml b.xml -d french", 4, ", not with french; name that one with -d"),
    ("TokenizeFile TEXT -c utf16.toml", 5, "it is not UTF-8", "; save it as UTF-8"),
    ("TokenizeFile TEXT -c latin.toml", 5, "it is not UTF-8 (byte 26); save it as UTF-8"),
    ("TokenizeFile TEXT -c twice.toml", 5, "key is given twice", 'line 2, column 22): tokenizer ='),
    ("TokenizeFile TEXT -c toml.toml", 5, "quote is missing (at line 1, column 19): tokenizer"),
    ("TokenizeFile TEXT -c comma.toml", 5, "a comma or a closing bracket is missing (at line 2"),
    ("FindPairs near.sdx -c english", 4, "the recipe english names no shingler", *OTHER_RECIPE),
    ("FindPairs reuse.sdx -c english", 4, "the recipe english names no shingler", *OTHER_RECIPE),
    ("FindPairs near.sdx -c reuse", 4, "the recipe reuse is for passages, which FindReuse finds"),
    ("CompareDirectory TEXT TEXTS englsh", 3, "englsh: no such file,", "did you mean english?"),
    ("ScoreFingerprints a.txt b.txt germn", 3, "germn: no such file", "did you mean german?"),
    ("CompareDirectory TEXT TEXTS -d t.sdx", 3, "t.sdx: is a collection of sdtext, not a dict"),
    ("ShowDictionaryTokens t.sdx", 3, "t.sdx: is a collection of sdtext, not a dictionary; name"),
    ("CompareDirectory a.xml t.sdx -d DICT", 3, "a collection", "FindSimilar t.sdx a.xml searches"),
    ("CompareDirectory union.txt minimal", 4, "dictionary, or name the second one with -d"),
    ("FindSimilar bits.sdx TEXT --recommended", 2, "yours (Calibrate -d bits.sdx -p DIR)"),
    ("FindSimilar t.sdx near.sdx", 5, "near.sdx: is a collection", "FindPairs t.sdx near.sdx"),
    ("FindSimilar t.sdx t.sdx", 5, "t.sdx: is a collection", "FindPairs t.sdx finds similar pairs"),
    ("FindReuse TEXTS -k 9999999999999999", 2, "is too large; the most is 999,999,999,999,999"),
    ("EvaluateReuse empty.lst empty.lst", 5, "empty.lst: is empty; it must be a file of passages"),
    ("EvaluateReuse TEXT TEXT", 5, "is not XML; it must be a file of passages in PAN's XML"),
    ("FindSimilar t.sdx DICT", 3, "not a document", "nothing to search for"),
)  # fmt: skip


MINIMAL = ("-d", "english", "--profile", "minimal")


@pytest.fixture(scope="module")
def place(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files to be mistaken about."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name, text in {
        "r.jsonl": '{"id": 1, "body": "one"}\n',
        "key.toml": 'tokeniser = "words"\n',
        "filter.toml": 'tokenizer = "words"\nfilters = ["porterr"]\n',
        "toml.toml": 'tokenizer = "words\n',
        "twice.toml": 'tokenizer = "words"\ntokenizer = "letters"\nfilters = []\n',
        "comma.toml": 'tokenizer = "words"\nfilters = ["lowercase" "porter"]\n',
        "bare.toml": "tokenizer = words\n",
        "empty.lst": "",
        "one.txt": prose(1),
        "a.txt": "Many towns keep large bees near rivers, gardens, schools, churches and farms.",
        "b.txt": "Many towns keep large bees near rivers, gardens, markets, harbours and mills.",
    }.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "utf16.toml").write_text('tokenizer = "words"\n', "utf-16")
    (folder / "latin.toml").write_bytes(b'tokenizer = "words"\n# caf\xe9\n')
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


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_a_message_says_what_to_do(
    shelf: Shelf, place: Path, monkeypatch: pytest.MonkeyPatch, mistake: tuple[str | int, ...]
) -> None:
    line, code, *parts = mistake
    monkeypatch.chdir(place)
    before = sorted(place.iterdir())
    outcome = here(*shelf.line(str(line)))
    assert outcome.code == code, outcome.err
    assert all(str(part) in outcome.errors[-1] for part in parts), outcome.errors
    assert len(outcome.errors[-1]) < 600
    assert sorted(place.iterdir()) == before


def test_a_table_holds_records_and_one_in_a_folder_is_a_document() -> None:
    Path("r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    Path("folder").mkdir()
    Path("folder/r.csv").write_text("id,text\n1,one\n2,two\n", "utf-8")
    outcome = here("AddDocuments", "t.sdx", "r.csv", "folder")
    assert outcome.code == 0
    assert "3 added" in outcome.err


@pytest.mark.parametrize("line", ["AddDocuments t.sdx r.csv", "FindReuse r.csv one.txt"])
def test_a_table_without_the_field_of_texts_is_one_warning(line: str) -> None:
    rows = (f"{number},{prose(number, 30).replace(chr(10), ' ')}\n" for number in range(20))
    Path("r.csv").write_text("id,body\n" + "".join(rows), "utf-8")
    Path("one.txt").write_text(prose(1), "utf-8")
    warnings = [line for line in done(*line.split()).errors if line.startswith("warning: ")]
    (warning,) = (warning for warning in warnings if "one document" in warning)
    assert "a table without a field 'text' (it has id, body); for a document in each" in warning


@pytest.mark.parametrize("option", ["--max-memory", "--max-bytes"])
@pytest.mark.parametrize(
    "name", ["texts/union.txt", "documents/letter.docx", "containers/letters.7z"]
)
def test_a_limit_above_all_memory_is_none(option: str, name: str) -> None:
    path = ROOT / "tests" / "samples" / name
    assert done("ExtractText", path, option, f"{10**20}GB") == done("ExtractText", path)


def test_a_full_disk_is_named_without_hidden_files() -> None:
    texts = (" ".join(str(1000 * seed + word) for word in range(200)) for seed in range(150))
    records = (f'{{"id": {seed}, "text": "{text}"}}\n' for seed, text in enumerate(texts))
    Path("r.jsonl").write_text("".join(records), "utf-8")
    limits = "ulimit -f 40; export PYTHONDONTWRITEBYTECODE=1"  # or bytecode is cut short
    outcome = shell(limits + '; "$@" Deduplicate r.jsonl -o k.jsonl')
    assert outcome.code == 6, outcome.err
    (line,) = outcome.errors
    assert line.endswith("file too large; set the variable TMPDIR to a folder with more room")
    assert ".sdtext-" not in line
    assert sorted(path.name for path in Path().iterdir()) == ["r.jsonl"]


def test_help_is_taken_for_the_option() -> None:
    assert here("help", "find-pairs") == here("HELP", "FindPairs") == here("FindPairs", "--help")
    assert here("help") == here("help", "help") == here("--help")
    for rest in (("--nonsense",), ("FindPairs", "extra")):
        check_usage(here("help", *rest), "help takes the name of one verb, as in sdtext help Find")


def test_a_word_that_may_be_a_verb_is_taken_for_one_before_a_path() -> None:
    for name in ("compare", "my folder"):
        Path(name).mkdir()
    check_usage(here("compare"), "there is no verb 'compare'; did you mean CompareDirectory?")
    check_usage(here("my folder"), "my folder is a folder; a verb comes first, such as FindReuse")
    assert "FindReuse 'my folder'" in here("my folder").err


@pytest.mark.parametrize(
    "line", ["ExtractText FILE", "AddDocuments t.sdx FILE", "Deduplicate FILE"]
)
@pytest.mark.parametrize("name", ["r.csv", "page.html", "plain.txt"])
def test_utf_8_that_is_read_in_the_encoding_named_is_a_warning(line: str, name: str) -> None:
    def warnings(text: str, stored: str, encoding: str) -> list[str]:
        content = {"r.csv": f"id,text\n1,{text}\n", "page.html": f"<html><p>{text}"}
        Path(name).write_text(content.get(name, text), stored)
        arguments = line.replace("FILE", name).split()
        output = ("-o", "kept.txt", "--force") if "Deduplicate" in line else ()
        if "Deduplicate" in line and name != "r.csv":
            Path("other.txt").write_text("other", "utf-8")
            output = ("other.txt", *output)
        outcome = done(*arguments, *output, "--encoding", encoding)
        return [each for each in outcome.errors if "is valid UTF-8" in each]

    (warning,) = warnings("Größe", "utf-8", "cp1256")
    assert warning.startswith(f"warning: {name}: ")
    assert "is read as cp1256, which --encoding names; if letters are wrong, leave" in warning
    assert not warnings("Größe", "utf-8", "UTF8")
    assert not warnings("Größe", "cp1252", "cp1252")
    assert not warnings("size", "utf-8", "cp1256")
