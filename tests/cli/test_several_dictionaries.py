"""Several dictionaries: a vector for each, compared over those shared, and taken out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import check_usage, done, here, parsed
from .conftest import Shelf
from .test_provenance import fingerprint_file


@pytest.mark.parametrize("profile", ["full", "evidence", "minimal"])
def test_several_dictionaries_give_a_vector_each(shelf: Shelf, profile: str) -> None:
    path = fingerprint_file(shelf, "-d", shelf.dictionary, "--profile", profile)
    root = parsed(path)
    both = [parsed(shelf.trimmed), parsed(shelf.dictionary)]
    guids = [item.get("guid") for item in both]
    assert [item.get("guid") for item in root.findall("{*}dictionaryReference")] == guids
    assert [item.get("dictionary") for item in root.findall("{*}vector")] == guids
    embedded = [item.get("guid") for item in root.findall("{*}dictionary")]
    assert embedded == (guids if profile == "full" else [])
    homes = [
        (item.get("dictionary"), item.findtext("{*}filename"))
        for item in root.iterfind("{*}dataSource/{*}dictionarySource")
    ]
    files = [str(shelf.trimmed), str(shelf.dictionary)]
    assert homes == ([] if profile == "minimal" else list(zip(guids, files, strict=True)))
    assert len(root.findall("{*}digest")) == (2 if profile == "full" else 0)
    alone = fingerprint_file(shelf, "--profile", profile, output="alone.xml")
    vectors = [item.text for item in root.findall("{*}vector")]
    assert parsed(alone).findtext("{*}vector") == vectors[0]


def test_a_dictionary_named_twice_counts_once(shelf: Shelf) -> None:
    root = parsed(fingerprint_file(shelf, "-d", shelf.trimmed))
    assert len(root.findall("{*}dictionaryReference")) == 1
    assert len(root.findall("{*}vector")) == len(root.findall("{*}dictionary")) == 1


# Dictionaries taken out again.
def test_several_dictionaries_are_extracted_to_files_of_their_names(shelf: Shelf) -> None:
    fingerprint_file(shelf, "-d", shelf.dictionary)
    done("ExtractDictionary", "-f", "f.xml")
    names = sorted(path.name for path in Path().iterdir())
    assert names == ["dictionary.xml", "f.xml", "trimmed.xml"]
    for name, origin in (("dictionary", shelf.dictionary), ("trimmed", shelf.trimmed)):
        rows = [done("ShowDictionaryTokens", "-d", path).out for path in (f"{name}.xml", origin)]
        assert rows[0] == rows[1]
    check_usage(here("ExtractDictionary", "-f", "f.xml", "-d", "out.xml"), "f.xml", "2")
    assert not Path("out.xml").exists()


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
