"""Sound XML by somebody who means harm, or by a later version: nothing is obeyed."""

from __future__ import annotations

import re
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.command import check_refused, done, here, schema_errors
from tests.support.damages import sealed, swapped

from .conftest import Shelf


def test_the_content_digest_is_what_the_docs_say_it_is(shelf: Shelf) -> None:
    assert sealed(shelf.dictionary, lambda xml: xml) == shelf.dictionary.read_text("utf-8")


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


@pytest.mark.parametrize(
    ("name", "guid"),
    [
        ("", "../outside"),
        ("..", "../outside"),
        ("/", "../outside"),
        ("../outside", "x"),
        ("", "FOLDER/outside"),
        ("n" * 300, "x"),
        ("", ""),
        ("-", "x"),
        ("two&#10;lines", "x"),
    ],
)
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


def test_comments_prefixes_and_a_byte_order_mark_change_nothing(shelf: Shelf) -> None:
    plain = shelf.trimmed.read_text("utf-8")
    body = plain.split("?>", 1)[1]
    variants = {
        "comments": f"<?xml version='1.0'?><!-- a > b --><?style x?>{body}<!-- end -->",
        "mark": "\ufeff" + plain,
        "bare": body,
        "prefix": re.sub(r"<(/?)(?=[a-z])", r"<\1s:", body).replace("xmlns=", "xmlns:s=", 1),
        "in a term": plain.replace("</term>", "<!-- c --></term>"),
    }
    expected = done("ShowDictionaryTokens", "-d", shelf.trimmed).out
    for name, text in variants.items():
        Path("variant.xml").write_text(text, "utf-8")
        assert done("ShowDictionaryTokens", "-d", "variant.xml").out == expected, name
