"""Output configurations in XML and TOML say the same; those that ship are the profiles."""

from __future__ import annotations

from pathlib import Path

from sdtext.fingerprinting.disclosure_profiles import PROFILES, load_disclosure
from tests.support.cases import cases
from tests.support.command import CONFIGS
from tests.support.commands import refusal

from .conftest import Shelf

ROOT = '<outputConfiguration xmlns="urn:sdtext:xml" version="1.0">'


@cases("xml, toml", [
    ("", ""), ('<output name="digest"/>', "digest = true"),
    ('<output name="digest"> true </output>', "digest = true"),
    ('<output name="universal">false</output>', "universal = false"),
    ('<output name="dictionary"/><output name="digest"/>', "dictionary = true\ndigest = true"),
    ('<output name="digest"><parameter name="tokens">50</parameter></output>',
     "digest = { tokens = 50 }"),
])  # fmt: skip
def test_an_output_configuration_in_xml_says_what_the_other_says(xml: str, toml: str) -> None:
    Path("o.xml").write_text(f"{ROOT}{xml}</outputConfiguration>", "utf-8")
    Path("o.toml").write_text(toml, "utf-8")
    assert load_disclosure("o.xml") == load_disclosure("o.toml")


def test_the_configurations_that_ship_are_the_profiles() -> None:
    for profile, disclosure in PROFILES.items():
        for form in ("toml", "xml"):
            assert load_disclosure(CONFIGS / f"output-{profile}.{form}") == disclosure


def test_a_configuration_and_a_profile_exclude_each_other(shelf: Shelf) -> None:
    config = CONFIGS / "output-full.xml"
    refusal(shelf, "-c", config, "--profile", "full", named=("-c", "--profile"))
