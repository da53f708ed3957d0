"""Fingerprint and ShowFingerprint: the bits, what each profile discloses, what is refused."""

import getpass
import os
import platform
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import OptionError
from sdtext.fingerprinting.disclosure_profiles import PROFILES, Provenance, load_disclosure
from tests.support.cases import cases
from tests.support.command import (
    CONFIGS,
    NOISE,
    Argument,
    check_refused,
    check_usage,
    done,
    here,
    parsed,
    prose,
    schema_errors,
)
from tests.support.commands import fingerprint_file, refusal

from .conftest import Shelf

MINIMAL = ("Fingerprint", "--profile", "minimal", "-d")


@pytest.mark.parametrize("several", [False, True])
def test_minimal_names_no_file_host_person_or_time(
    shelf: Shelf, folder: Path, several: bool
) -> None:
    place = folder / "names-of-folders"
    place.mkdir()
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-o", place / "names-of-dict.xml")
    files = [place / "names-of-doc-1.txt", place / "names-of-doc-2.txt"][: 2 if several else 1]
    for seed, path in enumerate(files):
        path.write_text(prose(seed), "utf-8")
    done(*MINIMAL, place / "names-of-dict.xml", "-o", "m.xml", *files)
    output = Path("m.xml").read_text("utf-8")
    uname = platform.uname()
    for word in (
        "names-of", "folder", str(folder), uname.node, uname.release, uname.system,
        uname.machine, getpass.getuser() + "/", ".txt", "created", "name=", "directory",
        "execution_environment", "dataSource", "filename", "<term",
    ):  # fmt: skip
        assert word not in output, word
    assert not re.search(r"20\d\d-\d\d-\d\d", output)
    prints = parsed("m.xml").findall("{*}fingerprint") if several else [parsed("m.xml")]
    for root in prints:
        names = [child.tag.rpartition("}")[2] for child in root]
        assert names == ["fingerprinter", "dictionaryReference", "vector", "hashdigest"]
        assert set(root.attrib) == {"version"}
        (reference,) = root.findall("{*}dictionaryReference")
        assert set(reference.attrib) == {"guid", "digest", "terms", "version"}
        assert reference.get("guid") == parsed(place / "names-of-dict.xml").get("guid")


def test_a_key_among_fingerprints_is_skipped(shelf: Shelf) -> None:
    texts = sorted(shelf.texts.iterdir())[:3]
    Path("prints").mkdir()
    line = (*MINIMAL, shelf.trimmed, "-o", "prints/all.xml", "--names", "prints/key.csv")
    done(*line, *texts)
    asked = ("--all", "-d", shelf.trimmed, "--format", "json")
    as_queries = done("CompareDirectory", "prints", shelf.texts, *asked)
    as_candidates = done("CompareDirectory", texts[0], "prints", *asked)
    for outcome in (as_queries, as_candidates):
        assert "prints/key.csv: is a <key> file of sdtext, not a document; skipped" in outcome.err
        names = {row[side] for row in outcome.json["rows"] for side in ("path", "fingerprint")}
        assert not [name for name in names if "key.csv" in name]
    assert len(as_queries.json["rows"]) == 3 * len(list(shelf.texts.iterdir()))
    check_refused(here("ScoreFingerprints", texts[0], "prints/key.csv", "-d", shelf.trimmed), 5)
    mine = "number,file,document\nseven,a.xml,b.txt\n"  # no key: it does not begin with 1
    Path("mine.csv").write_text(mine, "utf-8")
    assert done("ExtractText", "mine.csv").out.decode() == mine


def test_a_key_never_goes_where_it_would_be_shared_or_lose_a_file(shelf: Shelf) -> None:
    Path("share").mkdir()
    Path("old.csv").write_text("what was there", "utf-8")
    line = (*MINIMAL, shelf.trimmed, "-i", shelf.document, "--names")
    check_refused(here(*line, "share/key.csv", "-o", "share/"), 6, "share/key.csv", "outside")
    check_refused(here(*line, "old.csv", "-o", "all.xml"), 6, "old.csv")
    check_refused(here(*line, "all.xml", "-o", "all.xml"), 2, "all.xml", "two")
    check_usage(
        here("Fingerprint", "-d", shelf.trimmed, "-i", shelf.document, "--names", "key.csv")
    )
    assert sorted(path.name for path in Path().iterdir()) == ["old.csv", "share"]
    assert list(Path("share").iterdir()) == []


@pytest.mark.parametrize("out", ["fp/", "a/b/fp/"])
@pytest.mark.parametrize("texts", ["nothing", "empty", "noise"])
def test_a_folder_that_no_fingerprint_is_written_to_is_not_left(
    out: str, texts: str, shelf: Shelf
) -> None:
    Path("empty").mkdir()
    Path("noise").mkdir()
    Path("noise/a.bin").write_bytes(NOISE)
    assert here("Fingerprint", texts, "-d", shelf.trimmed, "-o", out).code == 3
    assert sorted(map(str, Path().iterdir())) == ["empty", "noise"]
    Path(out).mkdir(parents=True)
    assert here("Fingerprint", texts, "-d", shelf.trimmed, "-o", out).code == 3
    assert Path(out).is_dir()


def test_without_an_output_each_document_gets_a_file_whose_name_is_printed(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:3]
    outcome = done("Fingerprint", "-d", shelf.trimmed, "--profile", "evidence", *files)
    printed = outcome.text.splitlines()
    assert sorted(printed) == sorted(path.name for path in Path().iterdir())
    assert all(re.fullmatch(r"fingerprint_\d+\.xml", name) for name in printed)
    sources = [parsed(name).findtext("{*}dataSource/{*}filename") for name in printed]
    assert sources == [path.name for path in files]


def test_everything_written_agrees_with_the_schema(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:3]
    Path('tab\tquote"\n<&>.txt').write_text(prose(2), "utf-8")
    Path(os.fsdecode(b"not \xff utf-8.txt")).write_text(prose(3), "utf-8")
    odd = sorted(Path().iterdir())
    for profile in ("full", "evidence", "minimal"):
        common = ("Fingerprint", "-d", shelf.trimmed, "--profile", profile)
        done(*common, "-o", f"{profile}/", *files, *odd)
        done(*common, "-o", f"{profile}.xml", *files, *odd)
        done(*common, "-o", f"{profile}.xml.gz", *files, *odd)
    done("ExtractDictionary", "-f", "full.xml", "-d", "extracted.xml")
    done("CreateDictionary", "-o", "made.xml.gz", "-c", shelf.recipe, *files)
    ranges = (
        ["-b", "-1", "-t", "1e-1"],
        ["-b", "-1e-16", "-t", "1"],
        ["-b", "1e-7"],
        ["-b", "-1e-7"],
    )
    for number, words in enumerate(ranges):
        done("TrimDictionary", "-d", shelf.dictionary, *words, "-o", f"trimmed{number}.xml")
        done("ShowDictionaryStatistics", "-d", f"trimmed{number}.xml")
    written = [*Path().rglob("*.xml"), *Path().glob("*.xml.gz")]
    assert len(written) == 3 * (5 + 2) + 2 + len(ranges)
    for path in [*written, shelf.dictionary, CONFIGS / "tokenizers.xml"]:
        assert schema_errors(path) == "", path


ROOT = '<outputConfiguration xmlns="urn:sdtext:xml" version="1.0">'


@cases("xml, toml", [
    ("", ""), ('<output name="digest"/>', "digest = true"),
    ('<output name="digest"> true </output>', "digest = true"),
    ('<output name="universal">false</output>', "universal = false"),
    ('<output name="dictionary"/><output name="digest"/>', "dictionary = true\ndigest = true"),
    ('<output name="digest"><parameter name="tokens">50</parameter></output>',
     "digest = { tokens = 50 }"),
])  # fmt: skip
def test_an_output_configuration_in_xml_says_what_the_other_says(xml: str, toml: str) -> None:
    Path("o.xml").write_text(f"{ROOT}{xml}</outputConfiguration>", "utf-8")
    Path("o.toml").write_text(toml, "utf-8")
    assert load_disclosure("o.xml") == load_disclosure("o.toml")


def test_the_configurations_that_ship_are_the_profiles() -> None:
    for profile, disclosure in PROFILES.items():
        for form in ("toml", "xml"):
            assert load_disclosure(CONFIGS / f"output-{profile}.{form}") == disclosure


EVERYTHING = (
    "--creator", "<A. Clerk & Söhne>", "--volume", "vol 0",
    "--image", "disk 100%.img", "--byte-run", "4096:1000", "--byte-run", "65536:492",
)  # fmt: skip


@pytest.mark.parametrize("profile", ["full", "evidence"])
def test_all_provenance_options_are_written(shelf: Shelf, profile: str) -> None:
    root = parsed(fingerprint_file(shelf, *EVERYTHING, "--profile", profile))
    assert root.findtext("{*}creator") == "<A. Clerk & Söhne>"
    source = root.find("{*}dataSource")
    assert source.findtext("{*}filename") == shelf.document.name
    assert source.findtext("{*}volume") == "vol 0"
    assert source.findtext("{*}image_filename") == "disk 100%25.img"
    runs = [dict(run.attrib) for run in source.iterfind("{*}byte_runs/{*}byte_run")]
    assert runs == [
        {"img_offset": "4096", "len": "1000"}, {"img_offset": "65536", "len": "492"},
    ]  # fmt: skip
    (row,) = done("ShowFingerprint", "-f", "f.xml", "--format", "json").json["rows"]
    assert (row["creator"], row["volume"], row["image"]) == EVERYTHING[1:6:2]
    assert row["byte_runs"] == [EVERYTHING[7], EVERYTHING[9]]


@pytest.mark.parametrize("place", range(0, len(EVERYTHING), 2))
def test_minimal_refuses_to_say_what_it_leaves_out(shelf: Shelf, place: int) -> None:
    option, value = EVERYTHING[place : place + 2]
    refusal(shelf, option, value, "--profile", "minimal", named=(option, "profile minimal"))


def test_a_byte_run_is_of_one_document(shelf: Shelf) -> None:
    for more in ((shelf.texts / "001.txt",), ("-i", shelf.texts / "001.txt")):
        refusal(shelf, "--byte-run", "0:10", *more, named=("byte_run", "single document"))


def test_what_is_not_printable_is_refused(shelf: Shelf) -> None:
    values = ("a\x1b[31mb", "a\nb", "a\tb", "\x7f", "\u202eb", "\u200b", "\ufffe", "\udcff")
    for option, value in product(("creator", "program", "volume", "image"), values):
        with pytest.raises(OptionError, match=option):
            replace(Provenance(), **{option: value})  # type: ignore[arg-type]
    line = (*shelf.line("Fingerprint -i TEXT -d DICT -o f.xml"), "--creator", values[0])
    check_refused(here(*line), 2, "creator")
    assert not Path("f.xml").exists()


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_dictionaries_of_one_name_do_not_overwrite_each_other(
    shelf: Shelf, force: tuple[str, ...]
) -> None:
    Path("sub").mkdir()
    same = Path("sub/trimmed.xml")
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.3", "-t", "0.8", "-o", same)
    fingerprint_file(shelf, "-d", same)
    done("ExtractDictionary", "-f", "f.xml", *force)
    result = [path for path in Path().glob("*.xml") if path.name != "f.xml"]
    digests = {parsed(path).findtext("{*}hashdigest") for path in result}
    assert digests == {parsed(path).findtext("{*}hashdigest") for path in (same, shelf.trimmed)}


WITH_EVERYTHING = CONFIGS.parent / "tests/samples/formats/1.0/fingerprint-everything.xml"


def shown(path: Argument, *arguments: Argument) -> list[dict[str, Any]]:
    result = done("ShowFingerprint", "-f", path, *arguments, "--format", "json").json
    assert list(result) == ["schema", "rows"]
    assert result["schema"] == "sdtext/fingerprint/1"
    rows: list[dict[str, Any]] = result["rows"]
    return rows


def test_another_dictionary_is_refused_with_the_name_of_the_right_one(shelf: Shelf) -> None:
    guid = parsed(shelf.trimmed).get("guid")
    for path in (shelf.full, shelf.minimal):
        refused = here("ShowFingerprint", "-f", path, "-d", shelf.dictionary, "--format", "json")
        check_refused(refused, 4, path.name, guid, "-d")
        assert refused.out == b""
    # One that does not belong to it may be named beside the right one.
    beside = ("-d", shelf.dictionary, "-d", shelf.trimmed)
    assert shown(shelf.minimal, *beside) == shown(shelf.minimal, "-d", shelf.trimmed)


@pytest.mark.parametrize(("old", "new"), [
    ('width="2"', 'width="4"'), ('width="2"', 'width="3"'),
    ('tokens="5" width', 'tokens="6" width'), ('tokens="5" width', 'tokens="-5" width'),
    ('tokens="5" width', f'tokens="{"9" * 15}" width'), ('words="1"', 'words="2"'),
    ('compression="zlib"', 'compression="bzip2"'), ("<places>eJ", "<places>eK"),
    ("<places>eJ", "<places>"), ("<places>eJ", "<places>?"),
    ('<unknown words="3">eJ', '<unknown words="3">AA'),
    ('<digest dictionary="6', '<digest dictionary="7'),
])  # fmt: skip
def test_a_damaged_digest_is_one_line(old: str, new: str) -> None:
    text = WITH_EVERYTHING.read_text("utf-8")
    assert old in text
    Path("bad.xml").write_text(text.replace(old, new, 1), "utf-8")
    check_refused(here("ShowFingerprint", "-f", "bad.xml", "--format", "json"), 5, "bad.xml")
