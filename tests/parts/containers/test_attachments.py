"""The files that are attached to a mail are in it as files are in an archive."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdtext.io.decompressed_content import Content
from sdtext.parts.registry import find
from tests.parts.containers.containing import Held, held
from tests.parts.readers.office import packed
from tests.support.strategies import BRISK


def mail(attached: dict[str, bytes]) -> EmailMessage:
    """A mail of some words and those files."""
    result = EmailMessage()
    result["From"] = "karl@example.org"
    result["To"] = "anna@example.org"
    result["Subject"] = "May"
    result.set_content("Dear Anna, see what is attached.\n")
    for name, data in attached.items():
        result.add_attachment(data, "application", "octet-stream", filename=name)
    return result


NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)


@BRISK
@given(attached=st.dictionaries(NAMES, st.binary(max_size=200), min_size=1, max_size=4))
def test_what_was_attached_comes_out(path: Path, attached: dict[str, bytes]) -> None:
    assert held("mail", path, mail(attached).as_bytes()) == Held(attached)


def test_a_mail_of_one_part_holds_no_files(path: Path) -> None:
    path.write_bytes(mail({}).as_bytes())
    assert not find("containers", "mail").recognises(Content(path))
    path.write_bytes(mail({"a.txt": b"x"}).as_bytes())
    assert find("containers", "mail").recognises(Content(path))


def test_a_mail_and_an_archive_may_be_attached(path: Path) -> None:
    outer = mail({"letters.zip": packed({"a": b"words"})})
    outer.add_attachment(mail({"b.txt": b"words"}))
    result = held("mail", path, outer.as_bytes()).files
    (first, _), (_, inside) = result.items()
    assert first == "letters.zip"
    inner = held("mail", path, inside)
    assert inner.files == {"b.txt": b"words"}
