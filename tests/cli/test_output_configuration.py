"""Output configurations in XML and TOML, their mistakes, and the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import parsed
from tests.support.commands import fingerprint_file, refusal

from .conftest import Shelf

# Output configurations in XML.
ROOT = '<outputConfiguration xmlns="urn:sdtext:xml" version="1.0">'


def in_xml(content: str, root: str = ROOT) -> Path:
    path = Path("o.xml")
    path.write_text(f"{root}{content}</outputConfiguration>", "utf-8")
    return path


@pytest.mark.parametrize(
    ("xml", "toml"),
    [
        ("", ""),
        ('<output name="digest"/>', "digest = true"),
        ('<output name="digest"> true </output>', "digest = true"),
        ('<output name="universal">false</output>', "universal = false"),
        ('<output name="dictionary"/><output name="digest"/>', "dictionary = true\ndigest = true"),
        (
            '<output name="digest"><parameter name="tokens">50</parameter></output>',
            "digest = { tokens = 50 }",
        ),
    ],
)  # fmt: skip
def test_an_output_configuration_in_xml_says_what_the_other_says(
    shelf: Shelf, xml: str, toml: str
) -> None:
    Path("o.toml").write_text(toml, "utf-8")
    contents = []
    for config in (in_xml(xml), "o.toml"):
        root = parsed(fingerprint_file(shelf, "-c", config))
        root.attrib.pop("guid", None)
        contents.append([
            (item.tag, dict(item.attrib), item.text)
            for item in root.iter()
            if not item.tag.endswith("}created")
        ])  # fmt: skip
    assert contents[0] == contents[1]


def test_a_configuration_and_a_profile_exclude_each_other(shelf: Shelf) -> None:
    refusal(shelf, "-c", in_xml(""), "--profile", "full", named=("-c", "--profile"))


# The message about what a fingerprint reveals.
