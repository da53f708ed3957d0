"""Output configurations in XML and TOML, their mistakes, and the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import check_refused, here, parsed
from .conftest import Shelf
from .test_provenance import fingerprint_file, refusal

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


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('<output name="digets"/>', ("digets", "universal", "digest")),
        ('<output name="universal">yes</output>', ("universal", "yes", "true or false")),
        ('<output name="universal">1</output>', ("universal", "true or false")),
        ('<output name="digest">5</output>', ("digest", "5")),
        (
            '<output name="dictionary"><parameter name="a">1</parameter></output>',
            ("dictionary", "true or false"),
        ),
        ('<output name="digest"><parameter name="tokens">0</parameter></output>', ("tokens", "0")),
        ('<output name="digest"><parameter name="level">x</parameter></output>', ("level", "x")),
        ('<output name="digest"><parameter name="colour">1</parameter></output>', ("colour",)),
        ('<output name="digest"><parameter>1</parameter></output>', ("parameter",)),
        ('<output name="digest"><param name="tokens">5</param></output>', ("param",)),
    ],
)
def test_a_mistake_in_an_output_configuration_is_one_line(
    shelf: Shelf, content: str, named: tuple[str, ...]
) -> None:
    line = shelf.line("Fingerprint -i TEXT -d DICT -o f.xml -c")
    refused = here(*line, in_xml(content))
    check_refused(refused, 5 if "param" in named[0] else 2, "o.xml", *named)
    assert not Path("f.xml").exists()


@pytest.mark.parametrize(
    ("root", "content", "named"),
    [
        (ROOT, "<output/>", "name"),
        (ROOT, "<other/>", "<output"),
        (ROOT.replace("1.0", "2.0"), "", "update sdtext"),
        (ROOT.replace("1.0", "new"), "", "version"),
        (f"<!DOCTYPE outputConfiguration>{ROOT}", "", "DOCTYPE"),
        (f'<!DOCTYPE outputConfiguration [<!ENTITY e "true">]>{ROOT}', "&e;", "DOCTYPE"),
        (ROOT, "<output>", "damaged"),
        (ROOT, "<d>" * 300 + "</d>" * 300, "depth"),
    ],
)
def test_a_damaged_output_configuration_is_one_line(
    shelf: Shelf, root: str, content: str, named: str
) -> None:
    line = shelf.line("Fingerprint -i TEXT -d DICT -o f.xml -c")
    check_refused(here(*line, in_xml(content, root)), 5, "o.xml", named)
    assert not Path("f.xml").exists()


def test_a_configuration_and_a_profile_exclude_each_other(shelf: Shelf) -> None:
    refusal(shelf, "-c", in_xml(""), "--profile", "full", named=("-c", "--profile"))


# The message about what a fingerprint reveals.
