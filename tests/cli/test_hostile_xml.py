"""Damaged XML is one line for each damage; nothing in sound XML of a stranger is obeyed."""

import re
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.command import (
    check_partly,
    check_refused,
    done,
    here,
    schema_errors,
    write_texts,
)
from tests.support.damages import (
    ANY_FILE,
    DICTIONARY,
    FINGERPRINT,
    damaged,
    padding_set,
    sealed,
    swapped,
)

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


def test_a_dictionary_cannot_make_its_reader_open_a_file(shelf: Shelf) -> None:
    Path("secret.txt").write_text("topsecretword\n", "utf-8")
    secret = Path("secret.txt").resolve()
    stop_words = f'"stop-words"><parameter name="file">{secret}</parameter></tokenizer>'
    hostile = sealed(
        shelf.trimmed, swapped(r"\"stop-words\">.*?</tokenizer>", stop_words.replace("\\", ""))
    )
    Path("bad.xml").write_text(hostile, "utf-8")
    for output, arguments in (
        ("t.xml", ("TrimDictionary", "-d", "bad.xml", "-b", "0.2", "-t", "0.9")),
        ("f.xml", ("Fingerprint", "-d", "bad.xml", "-i", str(shelf.document))),
        ("d.xml", ("CreateDictionary", "-c", "bad.xml", "-p", str(shelf.texts))),
    ):
        outcome = here(*arguments, "-o", output)
        assert not Path(output).exists() or "topsecretword" not in Path(output).read_text("utf-8")
        check_refused(outcome, 5, "bad.xml")


def test_a_dictionary_that_needs_a_part_of_a_later_version_says_which(shelf: Shelf) -> None:
    newer = sealed(shelf.trimmed, swapped('"porter"', '"stemmer-of-2030"'))
    Path("bad.xml").write_text(newer, "utf-8")
    outcome = here("Fingerprint", "-i", shelf.document, "-d", "bad.xml", "-o", "f.xml")
    check_refused(outcome, 5, "bad.xml", "stemmer-of-2030")


def test_a_dictionary_without_terms_is_refused_or_its_fingerprints_can_be_read(
    shelf: Shelf,
) -> None:
    empty = sealed(shelf.dictionary, swapped(r"<terms .*</terms>", '<terms count="0"/>'))
    Path("empty.xml").write_text(empty, "utf-8")
    outcome = here("Fingerprint", "-i", shelf.document, "-d", "empty.xml", "-o", "f.xml")
    if outcome.code == 0:
        assert schema_errors("f.xml") == ""
        compared = here("CompareDirectory", "-f", "f.xml", "-p", shelf.texts)
        assert compared.code == 4
    else:
        check_refused(outcome, 5, "empty.xml")


@pytest.mark.parametrize(("name", "guid"), [
    ("", "../outside"), ("..", "../outside"), ("/", "../outside"), ("../outside", "x"),
    ("", "FOLDER/outside"), ("n" * 300, "x"), ("", ""), ("-", "x"), ("two&#10;lines", "x"),
])  # fmt: skip
def test_a_dictionary_taken_out_never_lands_in_another_folder(
    shelf: Shelf, folder: Path, name: str, guid: str
) -> None:
    place = folder / "deep" / "here"
    place.mkdir(parents=True)
    guid = guid.replace("FOLDER", str(folder))
    xml = shelf.full.read_text("utf-8")
    xml = re.sub(r"(<dictionary [^>]*)guid=\"[^\"]*\" name=\"[^\"]*\"",
                 rf'\1guid="{guid}" name="{name}"', xml)  # fmt: skip
    Path("print.xml").write_text(xml, "utf-8")
    before = {path for path in folder.rglob("*") if path.is_file()}
    with chdir(place):
        outcome = here("ExtractDictionary", "-f", "../../print.xml")
    after = {path for path in folder.rglob("*") if path.is_file()}
    assert all(path.parent == place for path in after - before)
    assert outcome.code in (0, 2, 5, 6)
    assert (outcome.code == 0) == (len(after - before) == 1)
    assert len(outcome.errors) == 1
    assert outcome.errors[0].isprintable()


HOSTILE_NAME = "two&#10;lines &#9; &lt;b&gt; \u202e x"


def test_names_inside_a_file_cannot_break_a_line_of_a_message(shelf: Shelf) -> None:
    def named(xml: str) -> str:
        return re.sub(r" name=\"trimmed\"", f' name="{HOSTILE_NAME}"', xml)

    Path("d.xml").write_text(named(shelf.trimmed.read_text("utf-8")), "utf-8")
    Path("f.xml").write_text(named(shelf.full.read_text("utf-8")), "utf-8")
    other = shelf.texts.parent / "other.xml"
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.1", "-t", "0.9", "-o", other)
    done("Fingerprint", "-i", shelf.document, "-d", other, "-o", "other.xml")
    for outcome in (
        here("Fingerprint", "-i", shelf.document, "-d", "d.xml", "-o", "g.xml"),
        here("TrimDictionary", "-d", "d.xml", "-b", "-1", "-t", "-.9", "-o", "t.xml"),
        here("ExtractDictionary", "-f", "f.xml", "-d", "e.xml"),
        here("ScoreFingerprints", "-f", "f.xml", "-f", "other.xml"),
    ):
        assert len(outcome.errors) == 1, outcome.errors
        assert outcome.errors[0].isprintable(), outcome.errors
