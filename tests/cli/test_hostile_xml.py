"""Damaged dictionaries and fingerprints: each damage is one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.command import (
    check_partly,
    check_refused,
    done,
    here,
    write_texts,
)
from tests.support.damages import ANY_FILE, BILLION, DICTIONARY, FINGERPRINT, damaged, padding_set

from .conftest import Shelf

REMEDY = re.compile(
    "; (complete the file, or )?get (it again|a new copy)|makes one|update sdtext|; correct|it must"
)


@pytest.mark.parametrize("damage", [*ANY_FILE, *DICTIONARY])
def test_a_damaged_dictionary_is_one_line(shelf: Shelf, damage: str) -> None:
    bad = damaged(shelf.dictionary, (ANY_FILE | DICTIONARY)[damage])
    outcome = here("ShowDictionaryStatistics", "-d", bad)
    check_refused(outcome, 5, "bad.xml")
    assert REMEDY.search(outcome.err)


@pytest.mark.parametrize("damage", [*ANY_FILE, *FINGERPRINT])
@pytest.mark.parametrize("profile", ["full", "minimal"])
def test_a_damaged_fingerprint_is_one_line(shelf: Shelf, profile: str, damage: str) -> None:
    original = shelf.full if profile == "full" else shelf.minimal
    bad = damaged(original, (ANY_FILE | FINGERPRINT)[damage])
    outcome = here("ScoreFingerprints", "-f", original, "-f", bad)
    check_refused(outcome, 5, "bad.xml")
    assert REMEDY.search(outcome.err)
    extracted = here("ExtractDictionary", "-f", bad, "-d", "out.xml")
    if extracted.code == 0:  # what is damaged lies behind the dictionary, which has its own digest
        rows = done("ShowDictionaryTokens", "-d", "out.xml").out
        assert rows == done("ShowDictionaryTokens", "-d", shelf.trimmed).out
    else:
        check_refused(extracted, 5 if profile == "full" else extracted.code, "bad.xml")
        assert not Path("out.xml").exists()


def test_padding_bits_that_are_set_are_one_line(shelf: Shelf) -> None:
    bad = damaged(shelf.minimal, padding_set)
    check_refused(here("ScoreFingerprints", "-f", bad, "-f", shelf.full), 5, "bad.xml", "padding")


def test_a_dictionary_inside_that_is_not_the_one_named_is_one_line(shelf: Shelf) -> None:
    other = re.sub(r"<\?xml.*?\?>", "", shelf.dictionary.read_text("utf-8"))
    bad = damaged(
        shelf.full,
        lambda xml: re.sub("<dictionary .*</dictionary>", lambda _: other, xml, flags=re.DOTALL),
    )
    check_refused(here("ExtractDictionary", "-f", bad, "-d", "out.xml"), 5, "bad.xml")
    check_refused(here("ScoreFingerprints", "-f", bad, "-f", shelf.full), 5, "bad.xml")
    assert not Path("out.xml").exists()


def test_a_recipe_in_xml_with_a_document_type_is_one_line(shelf: Shelf) -> None:
    recipe = '<tokenizers><tokenizer name="words"/></tokenizers>'
    for number, doctype in enumerate(("<!DOCTYPE tokenizers>", BILLION)):
        bad = Path(f"bad{number}.xml")
        bad.write_text(doctype + recipe, "utf-8")
        check_refused(here("TokenizeFile", "-i", shelf.document, "-c", bad), 5, bad.name)


def test_damaged_fingerprints_in_a_folder_cost_a_line_each(shelf: Shelf) -> None:
    kept = write_texts(Path("all"), 5)
    done("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", kept / "good.xml")
    damages = ANY_FILE | FINGERPRINT
    for looks_like_a_document in ("wrong root", "other namespace", "quadratic blow-up"):
        del damages[looks_like_a_document]
    for number, damage in enumerate(damages.values()):
        changed = damage(shelf.minimal.read_text("utf-8"))
        (kept / f"bad-{number}-.xml").write_text(changed, "utf-8")
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", kept, "-s", "0", "--verbose")
    check_partly(outcome, 3, *(f"bad-{number}-" for number in range(len(damages))))
    assert outcome.table[0]["path"] == "good.xml"
    assert {row["path"] for row in outcome.table} == {
        "good.xml", "000.txt", "001.txt", "002.txt", "003.txt", "004.txt",
    }  # fmt: skip


def test_a_damaged_fingerprint_in_a_container_is_reported_by_its_place(shelf: Shelf) -> None:
    files = [shelf.texts / f"00{place}.txt" for place in range(4)]
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", "--profile", "minimal", *files)
    whole = Path("c.xml").read_text("utf-8")
    third = [match.start() for match in re.finditer("<fingerprint ", whole)][2]
    broken = whole[:third] + re.sub(r"set=\"", 'set="9', whole[third:], count=1)
    Path("bad.xml").write_text(broken, "utf-8")
    outcome = here("CompareDirectory", "-f", "bad.xml", "-p", shelf.texts, "-d", shelf.trimmed)
    check_partly(outcome, 3, "bad.xml: fingerprint 3")
    assert {row["fingerprint"] for row in outcome.table} == {"bad.xml#1", "bad.xml#2"}
