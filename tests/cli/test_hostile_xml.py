"""Dictionaries and fingerprints from strangers: each damage is one line, and nothing is obeyed."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import chdir
from hashlib import sha256
from pathlib import Path

import pytest

from .command import (
    Outcome,
    chance,
    check_partly,
    check_refused,
    done,
    here,
    parsed,
    schema_errors,
    there,
    write_texts,
)
from .conftest import Shelf

Damage = Callable[[str], str]

LAUGHS = "".join(
    f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10)
)  # fmt: skip
BILLION = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'


def headed(doctype: str, entity: str = "") -> Damage:
    """Puts a document type before the root, and an entity into the first element."""

    def damage(xml: str) -> str:
        head, root = xml.split("?>", 1)
        return f"{head}?>\n{doctype}{root.replace('</', entity + '</', 1)}"

    return damage


def inside(content: str) -> Damage:
    """Puts `content` behind the root's start tag."""
    return lambda xml: re.sub(r"(urn:sdtext\"[^>]*>)", lambda m: m[1] + content, xml, count=1)


def attribute(text: str) -> Damage:
    """Gives the root another attribute."""
    return lambda xml: xml.replace(' version="1.0"', f' more="{text}" version="1.0"', 1)


def swapped(pattern: str, new: str) -> Damage:
    """Replaces the first match of `pattern`, which must be there."""

    def damage(xml: str) -> str:
        changed, count = re.subn(pattern, new, xml, count=1, flags=re.DOTALL)
        assert count == 1
        return changed

    return damage


ANY_FILE: dict[str, Damage] = {
    "doctype": headed("<!DOCTYPE x>"),
    "external doctype": headed('<!DOCTYPE x SYSTEM "file:///etc/passwd">'),
    "entity": headed('<!DOCTYPE x [<!ENTITY e "text">]>', "&e;"),
    "external entity": headed('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;"),
    "parameter entity": headed('<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'),
    "billion laughs": headed(BILLION, "&l9;"),
    "quadratic blow-up": headed(
        f'<!DOCTYPE x [<!ENTITY e "{"a" * 100_000}">]>', "&e;" * 1000
    ),
    "unknown entity": inside("&nbsp;"),
    "depth 100,000": inside("<d>" * 100_000 + "</d>" * 100_000),
    "depth 100,000, never closed": inside("<d>" * 100_000),
    "attribute of 30 MB": attribute("a" * (30 << 20)),
    "text of 30 MB": inside(f"<more>{'a' * (30 << 20)}</more>"),
    "newer major version": swapped('version="1.0"', 'version="2.0"'),
    "much newer version": swapped('version="1.0"', 'version="99999999999999999999.1"'),
    "version that is none": swapped('version="1.0"', 'version="new"'),
    "version that is empty": swapped('version="1.0"', 'version=""'),
    "cut in the middle": lambda xml: xml[: len(xml) // 2],
    "cut before the last tag": lambda xml: xml[: xml.rindex("</")],
    "cut in the last tag": lambda xml: xml[: xml.rindex(">")],
    "more behind the end": lambda xml: xml + "<more/>",
    "zero bytes": inside("\0"),
    "unclosed": inside("<more>"),
    "attribute given twice": attribute('a" more="a'),
    "unknown encoding": swapped("encoding='utf-8'", "encoding='klingon'"),
    "other encoding": swapped("encoding='utf-8'", "encoding='utf-16'"),
    "other namespace": lambda xml: xml.replace("urn:sdtext", "urn:other"),
}  # fmt: skip

DICTIONARY: dict[str, Damage] = {
    "repeated term": swapped(r"(<term df=\"\d+\">[^<]*</term>)", r"\1\1"),
    "terms out of order": swapped(
        r"(<term df=\"\d+\">[^<]*</term>)(\s*)(<term df=\"\d+\">[^<]*</term>)", r"\3\2\1"
    ),
    "a term left out": swapped(r"<term df=\"\d+\">[^<]*</term>", ""),
    "a term added": swapped("</terms>", '<term df="2">zzzzzz</term></terms>'),
    "changed count of terms": swapped(r"count=\"\d", 'count="9'),
    "changed document frequency": swapped(r"<term df=\"(\d+)\"", r'<term df="1\1"'),
    "document frequency of zero": swapped(r"<term df=\"\d+\"", '<term df="0"'),
    "document frequency below zero": swapped(r"<term df=\"\d+\"", '<term df="-1"'),
    "document frequency that is no number": swapped(r"<term df=\"\d+\"", '<term df="ten"'),
    "no document frequency": swapped(r"<term df=\"\d+\"", "<term"),
    "huge document frequency": swapped(r"<term df=\"\d+\"", f'<term df="{"9" * 5000}"'),
    "changed term": swapped(r"(<term df=\"\d+\">)", r"\1!"),
    "empty term": swapped(r"(<term df=\"\d+\">)[^<]*", r"\1"),
    "changed number of documents": swapped(r"<documents>\d+", "<documents>29"),
    "no documents": swapped(r"<documents>.*?</documents>", ""),
    "endless number of documents": swapped(r"<documents>\d+", f"<documents>{'9' * 5000}"),
    "changed rarest": swapped(r"<rarest>\d+", "<rarest>0"),
    "no rarest": swapped(r"<rarest>.*?</rarest>", ""),
    "changed digest": swapped(r"(SHA256\">)[0-9a-f]{4}", r"\1beef"),
    "no digest": swapped(r"<hashdigest.*?</hashdigest>", ""),
    "changed chain": swapped("porter", "lowercase"),
    "unknown filter": swapped("porter", "stemmer-of-a-later-version"),
    "no chain": swapped("<tokenizers>.*?</tokenizers>", ""),
    "empty chain": swapped("<tokenizers>.*?</tokenizers>", "<tokenizers/>"),
    "no terms": swapped(r"<terms .*</terms>", ""),
    "trimmed range that is none": swapped(r"<tokenizers>", '<trimmed minimum="a"/><tokenizers>'),
    "wrong root": lambda xml: xml.replace("dictionary", "thesaurus"),
}

FINGERPRINT: dict[str, Damage] = {
    "more bits than the dictionary": swapped(r"bits=\"\d", 'bits="9'),
    "fewer bits than terms": swapped(r"bits=\"\d+\"", 'bits="8"'),
    "bits that are no number": swapped(r"bits=\"\d+\"", 'bits="-8"'),
    "no bits": swapped(r" bits=\"\d+\"", ""),
    "endless bits": swapped(r"bits=\"\d+\"", f'bits="{"9" * 5000}"'),
    "other number of bits set": swapped(r"set=\"\d", 'set="9'),
    "no number of bits set": swapped(r" set=\"\d+\"", ""),
    "other number of terms": swapped(r"terms=\"\d+\"", 'terms="7"'),
    "no number of terms": swapped(r" terms=\"\d+\"", ""),
    "base64 with other signs": swapped(r"(set=\"\d+\">)....", r"\1?!*%"),
    "base64 cut": swapped(r"(set=\"\d+\">).", r"\1"),
    "base64 of nothing": swapped(r"(set=\"\d+\">)[^<]*", r"\1"),
    "base64 beyond ASCII": swapped(r"(set=\"\d+\">)....", r"\1ÄÖÜß"),
    "a byte too few": swapped(r"(set=\"\d+\">)....", r"\1"),
    "four bytes too many": swapped(r"(set=\"\d+\">)", r"\1AAAA"),
    "no vector": swapped(r"<vector.*?</vector>", ""),
    "vector of an unknown dictionary": swapped(r"(<vector dictionary=\").", r"\1?"),
    "reference without a digest": swapped(r" digest=\"[0-9a-f]+\"", ""),
    "no reference": swapped(r"<dictionaryReference[^>]*></dictionaryReference>", ""),
    "wrong root": lambda xml: re.sub("(</?)fingerprint(?=[ >])", r"\1footprint", xml),
}


def padding_set(xml: str) -> str:
    """`xml` with the last bit of the last byte of its vector set."""
    match = re.search(r"bits=\"(\d+)\" set=\"\d+\">([^<]*)", xml)
    assert match
    assert int(match[1]) % 8
    packed = bytearray(b64decode(match[2]))
    packed[-1] |= 0x80
    return xml.replace(match[2], b64encode(packed).decode("ascii"))


def first_line(outcome: Outcome) -> str:
    return outcome.errors[0].casefold()


def damaged(path: Path, damage: Damage) -> Path:
    changed = damage(path.read_text("utf-8"))
    assert changed != path.read_text("utf-8")
    Path("bad.xml").write_text(changed, "utf-8")
    return Path("bad.xml")


@pytest.mark.parametrize("damage", [*ANY_FILE, *DICTIONARY])
def test_a_damaged_dictionary_is_one_line(shelf: Shelf, damage: str) -> None:
    bad = damaged(shelf.dictionary, (ANY_FILE | DICTIONARY)[damage])
    check_refused(here("ShowDictionaryStatistics", "-d", bad), 5, "bad.xml")
    check_refused(here("TrimDictionary", "-d", bad, "-o", "out.xml"), 5, "bad.xml")
    check_refused(here("CompareDirectory", "-f", shelf.full, "-p", ".", "-d", bad), 5, "bad.xml")
    assert [path.name for path in Path().iterdir()] == ["bad.xml"]


@pytest.mark.parametrize("damage", [*ANY_FILE, *FINGERPRINT])
@pytest.mark.parametrize("profile", ["full", "minimal"])
def test_a_damaged_fingerprint_is_one_line(shelf: Shelf, profile: str, damage: str) -> None:
    original = shelf.full if profile == "full" else shelf.minimal
    bad = damaged(original, (ANY_FILE | FINGERPRINT)[damage])
    check_refused(here("ScoreFingerprints", "-f", original, "-f", bad), 5, "bad.xml")
    extracted = here("ExtractDictionary", "-f", bad, "-d", "out.xml")
    if extracted.code == 0:  # what is damaged lies behind the dictionary, which has its own digest
        rows = done("ShowDictionaryTokens", "-d", "out.xml").out
        assert rows == done("ShowDictionaryTokens", "-d", shelf.trimmed).out
    else:
        check_refused(extracted, 5 if profile == "full" else extracted.code, "bad.xml")
        assert not Path("out.xml").exists()


def test_padding_bits_that_are_set_are_one_line(shelf: Shelf) -> None:
    bad = damaged(shelf.minimal, padding_set)
    check_refused(there("ScoreFingerprints", "-f", bad, "-f", shelf.full), 5, "bad.xml", "padding")


def test_a_dictionary_inside_that_is_not_the_one_named_is_one_line(shelf: Shelf) -> None:
    other = re.sub(r"<\?xml.*?\?>", "", shelf.dictionary.read_text("utf-8"))
    bad = damaged(
        shelf.full,
        lambda xml: re.sub("<dictionary .*</dictionary>", lambda _: other, xml, flags=re.DOTALL),
    )
    check_refused(there("ExtractDictionary", "-f", bad, "-d", "out.xml"), 5, "bad.xml")
    check_refused(here("ScoreFingerprints", "-f", bad, "-f", shelf.full), 5, "bad.xml")
    assert not Path("out.xml").exists()


@pytest.mark.parametrize(
    ("verb", "damage", "named"),
    [
        ("dictionary", "doctype", "doctype"),
        ("dictionary", "billion laughs", ""),
        ("dictionary", "depth 100,000", "depth"),
        ("dictionary", "attribute of 30 MB", ""),
        ("dictionary", "repeated term", "twice"),
        ("dictionary", "terms out of order", "order"),
        ("dictionary", "changed document frequency", "digest"),
        ("dictionary", "cut in the middle", ""),
        ("dictionary", "newer major version", "update"),
        ("fingerprint", "more bits than the dictionary", "bits"),
        ("fingerprint", "base64 with other signs", "base64"),
        ("fingerprint", "depth 100,000, never closed", "depth"),
        ("fingerprint", "cut in the middle", ""),
        ("fingerprint", "newer major version", "update"),
        ("fingerprint", "wrong root", "fingerprint"),
    ],
)
def test_a_process_that_reads_damage_ends_without_a_traceback_and_says_what_it_is(
    shelf: Shelf, verb: str, damage: str, named: str
) -> None:
    if verb == "dictionary":
        bad = damaged(shelf.dictionary, (ANY_FILE | DICTIONARY)[damage])
        outcome = there("ShowDictionaryTokens", "-d", bad)
    else:
        bad = damaged(shelf.minimal, (ANY_FILE | FINGERPRINT)[damage])
        outcome = there("ScoreFingerprints", "-f", shelf.full, "-f", bad)
    check_refused(outcome, 5, "bad.xml")
    assert named in first_line(outcome)


def test_a_recipe_in_xml_with_a_document_type_is_one_line(shelf: Shelf) -> None:
    recipe = '<tokenizers><tokenizer name="words"/></tokenizers>'
    for number, doctype in enumerate(("<!DOCTYPE tokenizers>", BILLION)):
        bad = Path(f"bad{number}.xml")
        bad.write_text(doctype + recipe, "utf-8")
        check_refused(there("TokenizeFile", "-i", shelf.document, "-c", bad), 5, bad.name)


def test_damaged_fingerprints_in_a_folder_cost_a_line_each(shelf: Shelf) -> None:
    kept = write_texts(Path("all"), 5)
    done("Fingerprint", "-i", shelf.document, "-d", shelf.trimmed, "-o", kept / "good.xml")
    damages = ANY_FILE | FINGERPRINT
    for looks_like_a_document in ("wrong root", "other namespace", "quadratic blow-up"):
        del damages[looks_like_a_document]
    for number, damage in enumerate(damages.values()):
        changed = damage(shelf.minimal.read_text("utf-8"))
        (kept / f"bad-{number}-.xml").write_text(changed, "utf-8")
    outcome = there("CompareDirectory", "-f", shelf.full, "-p", kept, "-s", "0")
    check_partly(outcome, 3, *(f"bad-{number}-" for number in range(len(damages))))
    assert outcome.table[0]["path"] == "good.xml"
    assert {row["path"] for row in outcome.table} == {
        "good.xml", "000.txt", "001.txt", "002.txt", "003.txt", "004.txt",
    }  # fmt: skip


def test_a_damaged_fingerprint_in_a_container_is_told_by_its_place(shelf: Shelf) -> None:
    files = [shelf.texts / f"00{place}.txt" for place in range(4)]
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", "--profile", "minimal", *files)
    whole = Path("c.xml").read_text("utf-8")
    third = [match.start() for match in re.finditer("<fingerprint ", whole)][2]
    broken = whole[:third] + re.sub(r"set=\"", 'set="9', whole[third:], count=1)
    Path("bad.xml").write_text(broken, "utf-8")
    outcome = there("CompareDirectory", "-f", "bad.xml", "-p", shelf.texts, "-d", shelf.trimmed)
    check_partly(outcome, 3, "bad.xml: fingerprint 3")
    assert {row["fingerprint"] for row in outcome.table} == {"bad.xml#1", "bad.xml#2"}


@pytest.mark.parametrize("kind", ["dictionary", "minimal", "full"])
def test_a_file_cut_anywhere_is_one_line(shelf: Shelf, kind: str) -> None:
    whole: bytes = getattr(shelf, kind).read_bytes()
    last = whole.rindex(b"</")
    for length in sorted(chance(5).sample(range(last), 25)):
        Path("cut.xml").write_bytes(whole[:length])
        if kind == "dictionary":
            outcome = here("ShowDictionaryStatistics", "-d", "cut.xml")
        else:
            outcome = here("ScoreFingerprints", "-f", "cut.xml", "-f", shelf.full)
        check_refused(outcome, 5, "cut.xml")


@pytest.mark.parametrize("kind", ["dictionary", "minimal"])
def test_a_packed_file_cut_anywhere_is_damaged(shelf: Shelf, kind: str) -> None:
    packed = gzip.compress(getattr(shelf, kind).read_bytes())
    for share in (0.2, 0.5, 0.9):
        Path("cut.xml.gz").write_bytes(packed[: int(len(packed) * share)])
        if kind == "dictionary":
            outcome = here("ShowDictionaryStatistics", "-d", "cut.xml.gz")
        else:
            outcome = here("ScoreFingerprints", "-f", "cut.xml.gz", "-f", shelf.full)
        check_refused(outcome, 5, "cut.xml.gz")


def test_a_dictionary_that_loads_after_any_change_of_bytes_has_its_content_still(
    folder: Path, shelf: Shelf
) -> None:
    texts = write_texts(folder / "texts", 4, words=12)
    done("CreateDictionary", "-o", "d.xml", "-p", texts, "-c", shelf.recipe)
    whole = Path("d.xml").read_bytes()
    rows = done("ShowDictionaryTokens", "-d", "d.xml").out
    draw = chance(11)
    codes = set()
    for _ in range(400):
        changed = bytearray(whole)
        for _ in range(draw.choice((1, 1, 2, 8))):
            place = draw.randrange(len(changed))
            action = draw.choice(("set", "drop", "double"))
            if action == "set":
                changed[place] = draw.choice((draw.randrange(256), *b"<>&\"' /0"))
            elif action == "drop":
                del changed[place : place + draw.randrange(1, 20)]
            else:
                changed[place:place] = changed[place : place + draw.randrange(1, 40)]
        Path("m.xml").write_bytes(changed)
        outcome = here("ShowDictionaryTokens", "-d", "m.xml")
        codes.add(outcome.code)
        if outcome.code == 0:
            assert outcome.out == rows
        else:
            check_refused(outcome, 5, "m.xml")
    assert codes == {0, 5}


def test_a_fingerprint_that_loads_after_any_change_of_bytes_is_whole(shelf: Shelf) -> None:
    whole = shelf.minimal.read_bytes()
    draw = chance(12)
    codes = set()
    for _ in range(400):
        changed = bytearray(whole)
        place = draw.randrange(len(changed))
        changed[place : place + draw.choice((0, 1, 4))] = draw.randbytes(draw.choice((0, 1, 4)))
        Path("m.xml").write_bytes(changed)
        outcome = here("ScoreFingerprints", "-f", "m.xml", "-f", shelf.minimal, "-m", "cosine")
        codes.add(outcome.code)
        if outcome.code:
            assert outcome.code in (4, 5)
            check_refused(outcome, outcome.code)
    assert codes == {0, 4, 5}


def sealed(dictionary: Path, damage: Damage) -> str:
    """The dictionary's XML after `damage` by somebody who gives it the right digest again."""
    xml = damage(dictionary.read_text("utf-8"))
    Path("sealed.xml").write_text(xml, "utf-8")
    root = parsed("sealed.xml")
    chain = [
        [
            part.get("name"),
            {
                item.get("name"): (
                    [value.text for value in item] if len(item) else _literal(item.text or "")
                )
                for item in part
            },
        ]
        for part in root.iterfind("{*}tokenizers/{*}tokenizer")
    ]
    lines = [json.dumps(chain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))]
    lines.append(root.findtext("{*}documents"))
    lines += [f"{term.text}\t{term.get('df')}" for term in root.iterfind("{*}terms/{*}term")]
    digest = sha256(("\n".join(lines) + "\n").encode()).hexdigest()
    return re.sub(r"(SHA256\">)[0-9a-f]+", rf"\g<1>{digest}", xml)


def _literal(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


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
    outcome = there("Fingerprint", "-i", shelf.document, "-d", "bad.xml", "-o", "f.xml")
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
        outcome = there("ExtractDictionary", "-f", "../../print.xml")
    after = {path for path in folder.rglob("*") if path.is_file()}
    assert all(path.parent == place for path in after - before)
    assert outcome.code in (0, 2, 5, 6)
    assert (outcome.code == 0) == (len(after - before) == 1)
    assert len(outcome.errors) == 1
    assert outcome.errors[0].isprintable()


HOSTILE_NAME = "two&#10;lines &#9; &lt;b&gt; \u202e x"


def test_names_inside_a_file_cannot_break_a_line_of_what_is_said(shelf: Shelf) -> None:
    def named(xml: str) -> str:
        return re.sub(r" name=\"trimmed\"", f' name="{HOSTILE_NAME}"', xml)

    Path("d.xml").write_text(named(shelf.trimmed.read_text("utf-8")), "utf-8")
    Path("f.xml").write_text(named(shelf.full.read_text("utf-8")), "utf-8")
    other = shelf.texts.parent / "other.xml"
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.1", "-t", "0.9", "-o", other)
    done("Fingerprint", "-i", shelf.document, "-d", other, "-o", "other.xml")
    for outcome in (
        here("Fingerprint", "-i", shelf.document, "-d", "d.xml", "-o", "g.xml"),
        here("TrimDictionary", "-d", "d.xml", "-b", "5", "-t", "6", "-o", "t.xml"),
        here("ExtractDictionary", "-f", "f.xml", "-d", "e.xml"),
        here("ScoreFingerprints", "-f", "f.xml", "-f", "other.xml"),
    ):
        assert len(outcome.errors) == 1, outcome.errors
        assert outcome.errors[0].isprintable(), outcome.errors


def test_a_newer_minor_version_is_read_and_what_it_adds_passed_over(shelf: Shelf) -> None:
    for path, verb in ((shelf.trimmed, "-d"), (shelf.full, "-f")):
        newer = path.read_text("utf-8").replace('version="1.0"', 'version="1.7" mood="sunny"')
        newer = newer.replace("</execution_environment>", "</execution_environment><novelty/>")
        Path("newer.xml").write_text(newer, "utf-8")
        if verb == "-d":
            done("ShowDictionaryStatistics", "-d", "newer.xml")
        else:
            done("ScoreFingerprints", "-f", "newer.xml", "-f", shelf.minimal)


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
