"""Signatures: who signed, and where a file was changed since then."""

import gzip
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

import sdtext
from sdtext.errors import FormatError, MismatchError, OptionError, OutputError, UnreadableError
from sdtext.parts.filters.stemmers import optional_module
from sdtext.sharing.signatures import Signature, new_signing_key, sign, verify
from tests.support.command import ROOT, check_refused, done, here

SAMPLES = ROOT / "tests" / "samples" / "texts"
TIME = "2026-11-29T09:00:00Z"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    new_signing_key(folder / "a.key")
    new_signing_key(folder / "b.key")
    return folder


@pytest.fixture(scope="module")
def signed(keys: Path) -> Path:
    """A container of fingerprints, signed by office A."""
    path = keys / "signed.xml"
    prints = sdtext.fingerprint([SAMPLES], "english")
    sdtext.save(prints, path)
    sign(path, keys / "a.key", signer="Office <A> & sons", signed=TIME)
    return path


def test_verify_says_who_signed_when_and_with_which_version(keys: Path, signed: Path) -> None:
    public = (keys / "a.key.pub").read_text().split()[1]
    row = Signature(str(signed), "Office <A> & sons", TIME, sdtext.__version__, public, known=True)
    assert verify(signed, keys / "a.key.pub") == [row]


def test_readers_pass_over_a_signature(signed: Path) -> None:
    unsigned = signed.with_name("unsigned.xml")
    unsigned.write_bytes(signed.read_bytes().rpartition(b"<?sdtext-signature")[0])
    assert sdtext.load(signed) == sdtext.load(unsigned)


def test_a_file_that_is_saved_anew_is_not_signed(keys: Path, signed: Path) -> None:
    again = signed.with_name("again.xml")
    loaded = sdtext.load(signed)
    assert isinstance(loaded, list)
    sdtext.save(loaded, again)
    with pytest.raises(MismatchError):
        verify(again, keys / "a.key.pub")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_dictionaries_and_evidence_are_signed_packed_or_not(
    keys: Path, tmp_path: Path, suffix: str
) -> None:
    english = sdtext.load("english")
    evidence = sdtext.find_reuse([SAMPLES / "union.txt", SAMPLES / "union-edited.txt"])
    assert isinstance(english, sdtext.Dictionary)
    items: list[sdtext.Dictionary | sdtext.Evidence] = [english, evidence]
    for number, item in enumerate(items):
        path = tmp_path / f"{number}.xml{suffix}"
        sdtext.save(item, path)
        sign(path, keys / "a.key", signer="A", signed=TIME)
        assert sdtext.load(path) == item
        assert [row.signer for row in verify(path, [keys / "a.key.pub"])] == ["A"]


def test_the_signature_is_that_of_the_standard(signed: Path) -> None:
    """As docs/formats.md describes it, so that another program can check it."""
    content, _, line = signed.read_bytes().rpartition(b"<?sdtext-signature ")
    fields = dict(part.split('="') for part in line.decode().split("?>")[0].split('" ') if part)
    covered, _, rest = (b"<?sdtext-signature " + line).partition(b' signature="')
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(fields["key"]))
    key.verify(bytes.fromhex(rest.decode().partition('"')[0]), covered)
    with pytest.raises(InvalidSignature):
        key.verify(bytes.fromhex(rest.decode().partition('"')[0]), covered + b" ")
    import hashlib

    assert fields["sha256"] == hashlib.sha256(content).hexdigest()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(pick=st.data())
def test_each_changed_byte_is_an_error_that_names_its_line(
    keys: Path, signed: Path, tmp_path: Path, pick: st.DataObject
) -> None:
    data = bytearray(signed.read_bytes())
    begin = data.rindex(b"<?sdtext-signature")
    place = pick.draw(st.integers(0, len(data) - 1) | st.integers(begin, len(data) - 1))
    data[place] ^= pick.draw(st.integers(1, 255))
    changed = tmp_path / "changed.xml"
    changed.write_bytes(data)
    with pytest.raises((FormatError, MismatchError)) as caught:
        verify(changed, keys / "a.key.pub")
    original = signed.read_bytes()
    if place < begin - 1:  # not the line end before the signature
        line = original.count(b"\n", 0, place) + 1
        values = f"{data[place]:02x} in hexadecimal and was {original[place]:02x}"
        if b"\n" not in (data[place : place + 1], original[place : place + 1]):
            assert caught.value.place == f"line {line:,}: byte {place + 1:,} is {values}"


def test_of_several_changed_bytes_the_first_line_is_named(
    keys: Path, signed: Path, tmp_path: Path
) -> None:
    for old, new in ((b"<created>20", b"<created>31"), (b"<library", b"<libel")):
        original = signed.read_bytes()
        (tmp_path / "changed.xml").write_bytes(original.replace(old, new, 1))
        if old in original:
            with pytest.raises(FormatError) as caught:
                verify(tmp_path / "changed.xml", keys / "a.key.pub")
            first = original.count(b"\n", 0, original.index(old)) + 1
            assert caught.value.place.startswith("line")
            numbers = [int(word) for word in caught.value.place.split() if word.isdigit()]
            assert numbers[0] <= first <= numbers[-1]


@pytest.mark.parametrize("cut", [2, 20, 3000, 30_000])
def test_a_file_that_is_cut_or_longer_is_an_error(keys: Path, signed: Path, cut: int) -> None:
    content, mark, line = signed.read_bytes().rpartition(b"<?sdtext-signature")
    changed = signed.with_name("changed.xml")
    for data in (content[:-cut] + b"\n" + mark + line, content + b" " * cut + mark + line):
        changed.write_bytes(data)
        with pytest.raises((FormatError, MismatchError)):
            verify(changed, keys / "a.key.pub")
    for data in (signed.read_bytes()[:-1], signed.read_bytes() + b"<!-- more -->\n"):
        changed.write_bytes(data)
        with pytest.raises(FormatError):
            verify(changed, keys / "a.key.pub")


def test_a_file_that_an_xml_tool_wrote_anew_is_an_error(keys: Path, signed: Path) -> None:
    changed = signed.with_name("tool.xml")
    etree.parse(signed).write(changed, encoding="utf-8", xml_declaration=True, pretty_print=True)
    outcome = here("Verify", changed, "--from", keys / "a.key.pub")
    check_refused(outcome, 5, "tool.xml")


def test_unknown_signers_and_unsigned_files_are_refused(keys: Path, signed: Path) -> None:
    with pytest.raises(MismatchError, match="Office <A>"):
        verify(signed, keys / "b.key.pub")
    assert verify(signed, [keys / "b.key.pub", keys / "a.key.pub"])
    check_refused(here("Verify", signed, "--from", keys / "b.key.pub"), 4, "signed.xml")


def test_a_later_signature_covers_the_earlier_ones(keys: Path, signed: Path) -> None:
    both = signed.with_name("both.xml")
    both.write_bytes(signed.read_bytes())
    sign(both, keys / "b.key", signer="B", signed=TIME)
    rows = verify(both, keys / "a.key.pub")
    assert [(row.signer, row.known) for row in rows] == [("B", False), ("Office <A> & sons", True)]
    both.write_bytes(both.read_bytes().replace(b"Office &lt;A", b"Office &lt;C"))
    with pytest.raises(FormatError):
        verify(both, [keys / "a.key.pub", keys / "b.key.pub"])


def test_keys_are_private_and_never_replaced(tmp_path: Path) -> None:
    private, public = new_signing_key(tmp_path / "new.key")
    assert private.stat().st_mode & 0o777 == 0o600
    before = private.read_bytes()
    with pytest.raises(OutputError):
        new_signing_key(private)
    public.unlink()
    with pytest.raises(OutputError):
        new_signing_key(private)
    assert (private.read_bytes(), public.exists()) == (before, False)


def test_other_files_are_not_signed(keys: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("Some words.")
    with pytest.raises(FormatError):
        sign(plain, keys / "a.key", signer="A", signed=TIME)
    for missing in (tmp_path / "missing.xml", tmp_path, "-", "a\0b"):
        with pytest.raises(UnreadableError):
            sign(missing, keys / "a.key", signer="A", signed=TIME)
    packed = tmp_path / "packed.xml"
    sdtext.save(sdtext.fingerprint(SAMPLES / "union.txt", "english"), tmp_path / "f.xml.gz")
    packed.write_bytes((tmp_path / "f.xml.gz").read_bytes())
    with pytest.raises(FormatError):
        sign(packed, keys / "a.key", signer="A", signed=TIME)
    assert gzip.decompress(packed.read_bytes()).endswith(b"</fingerprint>\n")
    with pytest.raises(OptionError):
        sign(tmp_path / "f.xml.gz", keys / "a.key", signer=" ", signed=TIME)


def test_the_verbs_sign_and_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done("Sign", "--new-key", "-k", "own.key")
    secret = Path("own.key").read_text().split()[1]
    done("Fingerprint", SAMPLES / "union.txt", "-d", "english", "-o", "f.xml")
    monkeypatch.setenv("SDTEXT_KEY", "own.key")
    (row,) = done("Sign", "f.xml", "--signer", "A. Person").table
    assert row["signer"] == "A. Person"
    outcome = here("Verify", "f.xml", "missing.xml", "--from", "own.key.pub", "--format", "json")
    assert (outcome.code, len(outcome.json["rows"]), len(outcome.errors)) == (3, 1, 1)
    assert secret not in outcome.text + outcome.err
    for wrong in (["Sign", "f.xml", "--new-key"], ["Sign"], ["Sign", "--new-key", "f.xml"]):
        assert here(*wrong).code == 2
    before = Path("f.xml").read_bytes()
    Path("own.key.pub").chmod(0o600)
    check_refused(here("Sign", "f.xml", "-k", "own.key.pub", "--signer", "A"), 5, "own.key.pub")
    assert Path("f.xml").read_bytes() == before


def test_without_cryptography_the_extra_is_named(
    keys: Path, signed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    optional_module.cache_clear()
    with pytest.raises(OptionError, match=r"sdtext\[keys\]"):
        verify(signed, keys / "a.key.pub")
    optional_module.cache_clear()
