"""Fingerprint: the bits, what each profile says and does not say, and where it is written."""

from __future__ import annotations

import getpass
import json
import os
import re
import socket
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import sdtext

from .command import (
    CONFIGS,
    Argument,
    check_refused,
    done,
    here,
    parsed,
    prose,
    schema_errors,
    there,
)
from .conftest import Shelf


def tags(root: Any) -> list[str]:
    return [child.tag.rpartition("}")[2] for child in root]


def bits_set(element: Any) -> set[int]:
    """The places of the bits that are 1 in a vector, by the words of the schema alone."""
    packed = b64decode(element.text)
    return {
        8 * place + bit for place, byte in enumerate(packed) for bit in range(8) if byte >> bit & 1
    }


def test_a_bit_is_set_where_the_term_occurs(shelf: Shelf) -> None:
    tokens = set(done("TokenizeFile", "-i", shelf.document, "-c", shelf.recipe).text.split())
    terms = [term.text for term in parsed(shelf.trimmed).iterfind(".//{*}term")]
    (vector,) = parsed(shelf.full).findall("{*}vector")
    places = bits_set(vector)
    assert {terms[place] for place in places} == tokens & set(terms)
    assert (int(vector.get("bits")), int(vector.get("set"))) == (len(terms), len(places))
    assert len(b64decode(vector.text)) == (len(terms) + 7) // 8
    assert len(places) > 50


def test_full_says_everything(shelf: Shelf) -> None:
    root, dictionary = parsed(shelf.full), parsed(shelf.trimmed)
    assert UUID(root.get("guid")).version == 4
    assert root.get("version") == "1.0"
    assert root.findtext("{*}fingerprinter") == "bitvector"
    created = root.findtext("{*}created")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created)
    assert abs(datetime.now(UTC) - datetime.fromisoformat(created)) < timedelta(days=1)
    system = root.find("{*}execution_environment")
    assert system.findtext("{*}host") == socket.gethostname()
    assert system.findtext("{*}os_sysname") == os.uname().sysname
    (reference,) = root.findall("{*}dictionaryReference")
    assert dict(reference.attrib) == {
        "guid": dictionary.get("guid"),
        "name": "trimmed",
        "digest": dictionary.findtext("{*}hashdigest"),
        "terms": dictionary.find("{*}terms").get("count"),
        "version": "1.0",
        "directory": str(shelf.trimmed.parent),
    }
    source = root.find("{*}dataSource")
    assert source.findtext("{*}filename") == "007.txt"
    assert source.findtext("{*}dictionarySource/{*}filename") == str(shelf.trimmed)
    assert source.find("{*}dictionarySource/{*}execution_environment") is not None
    embedded = root.find("{*}dictionary")
    assert [term.text for term in embedded.iterfind(".//{*}term")] == [
        term.text for term in dictionary.iterfind(".//{*}term")
    ]
    assert len(root.findall("{*}dictionary")) == 1


def test_evidence_says_the_same_without_the_dictionary(shelf: Shelf) -> None:
    options = ("-i", shelf.document, "-d", shelf.trimmed, "-o", "e.xml", "--profile", "evidence")
    done("Fingerprint", *options)
    full, evidence = parsed(shelf.full), parsed("e.xml")
    assert tags(full) == [*tags(evidence), "dictionary"]
    for tag in ("dataSource", "dictionaryReference", "vector", "execution_environment"):
        one, other = full.find(f"{{*}}{tag}"), evidence.find(f"{{*}}{tag}")
        assert [(e.tag, e.text, dict(e.attrib)) for e in one.iter()] == [
            (e.tag, e.text, dict(e.attrib)) for e in other.iter()
        ]
    assert "<term" not in Path("e.xml").read_text("utf-8")


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
    done(
        "Fingerprint",
        "-d",
        place / "names-of-dict.xml",
        "--profile",
        "minimal",
        "-o",
        "m.xml",
        *files,
    )
    said = Path("m.xml").read_text("utf-8")
    uname = os.uname()
    for word in (
        "names-of", "folder", str(folder), uname.nodename, uname.release, uname.sysname,
        uname.machine, getpass.getuser() + "/", ".txt", "created", "name=", "directory",
        "execution_environment", "dataSource", "filename", "<term",
    ):  # fmt: skip
        assert word not in said, word
    assert not re.search(r"20\d\d-\d\d-\d\d", said)
    prints = parsed("m.xml").findall("{*}fingerprint") if several else [parsed("m.xml")]
    for root in prints:
        assert tags(root) == ["fingerprinter", "dictionaryReference", "vector"]
        assert set(root.attrib) == {"version"}
        (reference,) = root.findall("{*}dictionaryReference")
        assert set(reference.attrib) == {"guid", "digest", "terms", "version"}
        assert reference.get("guid") == parsed(place / "names-of-dict.xml").get("guid")


@pytest.mark.parametrize("profile", ["full", "evidence", "minimal"])
def test_the_configurations_that_ship_are_the_profiles(shelf: Shelf, profile: str) -> None:
    common = ("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed)
    done(*common, "--profile", profile, "-o", "a.xml")
    done(*common, "-c", CONFIGS / f"output-{profile}.toml", "-o", "b.xml")

    def content(path: str) -> list[Any]:
        return [
            (element.tag, sorted(set(element.attrib) - {"guid"}), element.text)
            for element in parsed(path).iter()
            if not element.tag.endswith("created")
        ]

    assert content("a.xml") == content("b.xml")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("dictionary = true", {"created", "dictionary"}),
        ("dataSource = true", {"created", "dataSource"}),
        ("universal = false\ndataSource = true", {"dataSource"}),
        ("universal = false\ndictionary = true", {"dictionary"}),
        ("", {"created"}),
    ],
)
def test_an_output_configuration_chooses_each_part_alone(
    shelf: Shelf, config: str, expected: set[str]
) -> None:
    Path("output.toml").write_text(config, "utf-8")
    done(
        "Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-c", "output.toml", "-o", "f.xml"
    )
    optional = {"created", "dataSource", "dictionary"}
    assert set(tags(parsed("f.xml"))) & optional == expected
    assert schema_errors("f.xml") == ""


def test_a_container_holds_the_same_elements_and_the_dictionary_once(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:5]
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", *files)
    done("Fingerprint", "-d", shelf.trimmed, "-o", "singles/", *files)
    root = parsed("c.xml")
    assert root.tag == "{urn:sdtext}fingerprints"
    assert tags(root) == ["dictionary", *["fingerprint"] * 5]
    assert len(root.xpath(".//*[local-name() = 'dictionary']")) == 1
    for element, path in zip(root.findall("{*}fingerprint"), files, strict=True):
        single = parsed(Path("singles") / f"{path.name}.xml")
        assert single.tag == element.tag
        assert tags(single) == [*tags(element), "dictionary"]
        assert single.findtext("{*}vector") == element.findtext("{*}vector")
        assert element.findtext("{*}dataSource/{*}filename") == path.name
    guids = {element.get("guid") for element in root.findall("{*}fingerprint")}
    assert len(guids) == 5


def test_where_results_go_follows_from_the_name(shelf: Shelf) -> None:
    one, two = sorted(shelf.texts.iterdir())[:2]
    common = ("Fingerprint", "-d", shelf.trimmed, "--profile", "evidence")
    Path("folder").mkdir()
    done(*common, "-i", one, "-o", "folder")
    done(*common, "-i", one, "-o", "new/deep/")
    done(*common, one, two, "-o", "both.xml")
    made = {path.as_posix(): parsed(path) for path in Path().rglob("*.xml")}
    assert {name: root.tag.rpartition("}")[2] for name, root in made.items()} == {
        "folder/000.txt.xml": "fingerprint",
        "new/deep/000.txt.xml": "fingerprint",
        "both.xml": "fingerprints",
    }


def test_without_an_output_each_document_gets_a_file_whose_name_is_printed(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:3]
    outcome = done("Fingerprint", "-d", shelf.trimmed, "--profile", "evidence", *files)
    printed = outcome.text.splitlines()
    assert sorted(printed) == sorted(path.name for path in Path().iterdir())
    assert all(re.fullmatch(r"fingerprint_\d+\.xml", name) for name in printed)
    sources = [parsed(name).findtext("{*}dataSource/{*}filename") for name in printed]
    assert sources == [path.name for path in files]


def test_documents_of_one_name_get_files_of_their_own(shelf: Shelf, folder: Path) -> None:
    for seed, place in enumerate(("a", "b", "c")):
        (folder / place).mkdir()
        (folder / place / "same.txt").write_text(prose(seed), "utf-8")
    files = [f"{place}/same.txt" for place in "abc"]
    done("Fingerprint", "-d", shelf.trimmed, "-o", "out/", *files)
    vectors = {parsed(path).findtext("{*}vector") for path in Path("out").iterdir()}
    assert len(vectors) == 3


@pytest.mark.parametrize("profile", ["full", "evidence", "minimal"])
def test_what_a_fingerprint_reveals_is_said_and_how_to_reveal_less(
    shelf: Shelf, profile: str
) -> None:
    outcome = there(
        "Fingerprint",
        "-i",
        shelf.document,
        "-d",
        shelf.trimmed,
        "-o",
        "f.xml",
        "--profile",
        profile,
    )
    (line,) = outcome.errors
    count = parsed("f.xml").find("{*}vector").get("set")
    assert line.startswith(f"f.xml: reveals {count} terms readable by ")
    assert "dictionary trimmed" in line
    assert "to reveal less: " in line
    assert ("anyone" in line) == (profile == "full")
    assert ("names" in line.split(";", 1)[0]) == (profile != "minimal")
    assert f"--profile {profile}" not in line


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
        ["-b", "0.1", "-t", "inf"],
        ["-b", "-1e16", "-t", "1e16"],
        ["-b", "1e-7"],
        ["-b", "-inf"],
    )
    for number, words in enumerate(ranges):
        done("TrimDictionary", "-d", shelf.dictionary, *words, "-o", f"trimmed{number}.xml")
        done("ShowDictionaryStatistics", "-d", f"trimmed{number}.xml")
    written = [*Path().rglob("*.xml"), *Path().glob("*.xml.gz")]
    assert len(written) == 3 * (5 + 2) + 2 + len(ranges)
    for path in [*written, shelf.dictionary, CONFIGS / "tokenizers.xml"]:
        assert schema_errors(path) == "", path


def test_names_of_any_kind_come_back_from_the_fingerprint(shelf: Shelf) -> None:
    names = ['tab\tquote"\n<&>100%.txt', os.fsdecode(b"not \xff utf-8.txt"), "漢字 e\u0301.txt"]
    for name in names:
        Path(name).write_text(prose(1), "utf-8")
        done("Fingerprint", "-i", name, "-d", shelf.trimmed, "-o", "f.xml", "--profile", "evidence")
        found = sdtext.load("f.xml")
        assert isinstance(found, sdtext.Fingerprint)
        assert found.source is not None
        assert found.source.filename == name


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_order_of_files_is_kept_with_any_number_of_jobs(shelf: Shelf, jobs: str) -> None:
    files = sorted(shelf.texts.iterdir(), reverse=True) * 3  # more than one batch
    done("Fingerprint", "-d", shelf.trimmed, "--profile", "evidence", "-o", "c.xml",
         "--jobs", jobs, *files)  # fmt: skip
    names = [
        element.findtext("{*}dataSource/{*}filename")
        for element in parsed("c.xml").findall("{*}fingerprint")
    ]
    assert names == [path.name for path in files]


def test_a_folder_as_document_says_how_to_name_its_files(shelf: Shelf) -> None:
    outcome = here("Fingerprint", "-i", shelf.texts, "-d", shelf.trimmed, "-o", "f.xml")
    check_refused(outcome, 3, "folder", "file")
    assert not Path("f.xml").exists()


def test_extract_dictionary_overwrites_only_when_told(shelf: Shelf) -> None:
    command: list[Argument] = ["ExtractDictionary", "-f", shelf.full]
    done(*command)
    assert [path.name for path in Path().iterdir()] == ["trimmed.xml"]
    first = Path("trimmed.xml").read_bytes()
    Path("trimmed.xml").write_text("precious", "utf-8")
    check_refused(there(*command), 6, "trimmed.xml", "--force")
    assert Path("trimmed.xml").read_text("utf-8") == "precious"
    done(*command, "--force")
    assert Path("trimmed.xml").read_bytes() == first


def test_the_extracted_dictionary_is_the_one_embedded(shelf: Shelf) -> None:
    done("ExtractDictionary", "-f", shelf.full, "-d", "out.xml.gz")
    rows = [
        done("ShowDictionaryStatistics", "-d", path, "--format", "json").json
        for path in ("out.xml.gz", shelf.trimmed)
    ]
    assert rows[0] == rows[1]
    done("Fingerprint", "-i", shelf.document, "-d", "out.xml.gz", "-o", "again.xml")
    scored = done("ScoreFingerprints", "-f", "again.xml", "-f", shelf.full, "--format", "json").json
    assert scored["score"] == 99


def test_a_fingerprint_without_a_dictionary_has_none_to_extract(shelf: Shelf) -> None:
    refused = here("ExtractDictionary", "-f", shelf.minimal, "-d", "out.xml")
    assert refused.code != 0
    check_refused(refused, refused.code, "minimal.xml", "full")
    assert not Path("out.xml").exists()


def test_the_public_functions_give_what_the_verbs_print(shelf: Shelf) -> None:
    recipe = sdtext.load_recipe(shelf.recipe)
    dictionary = sdtext.create_dictionary(shelf.texts, recipe)
    shown = done("ShowDictionaryStatistics", "-d", shelf.dictionary, "--format", "json").json
    assert dictionary.digest == shown["digest"]
    trimmed = dictionary.trim(0.2, 0.9)
    shown = done("ShowDictionaryStatistics", "-d", shelf.trimmed, "--format", "json").json
    assert trimmed.digest == shown["digest"]
    made = sdtext.fingerprint(shelf.document, trimmed)
    vector = parsed(shelf.minimal).find("{*}vector")
    assert made.vectors[0].packed == b64decode(vector.text)
    assert set(made.bits().search(1)) == bits_set(vector)
    score = done("ScoreFingerprints", "-f", shelf.full, "-f", shelf.full, "--format", "jsonl").json
    assert sdtext.score(made, made, matcher="cosine").score == score["score"] == 99
    out = done("CompareDirectory", "-f", shelf.full, "-p", shelf.texts, "--format", "jsonl").text
    rows = [json.loads(line) for line in out.splitlines()]
    found = sdtext.compare(shelf.full, shelf.texts)
    assert [(row.score, row.path) for row in found.rows] == [
        (row["score"], row["path"]) for row in rows
    ]
