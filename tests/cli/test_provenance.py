"""Provenance in fingerprints: origin, disk image, and the options that set them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from sdtext.errors import OptionError
from sdtext.fingerprinting.disclosure_profiles import Provenance
from tests.support.command import check_refused, done, here, parsed
from tests.support.commands import fingerprint_file, refusal

from .conftest import Shelf

EVERYTHING = (
    "--creator", "A. Clerk & Söhne", "--program", "<case 3>", "--volume", "vol 0",
    "--image", "disk 100%.img", "--byte-run", "4096:1000", "--byte-run", "65536:492",
)  # fmt: skip


@pytest.mark.parametrize("profile", ["full", "evidence"])
def test_all_provenance_options_are_written(shelf: Shelf, profile: str) -> None:
    root = parsed(fingerprint_file(shelf, *EVERYTHING, "--profile", profile))
    assert root.findtext("{*}creator") == "A. Clerk & Söhne"
    assert root.findtext("{*}program") == "<case 3>"
    source = root.find("{*}dataSource")
    assert source.findtext("{*}filename") == shelf.document.name
    assert source.findtext("{*}volume") == "vol 0"
    assert source.findtext("{*}image_filename") == "disk 100%25.img"
    runs = [dict(run.attrib) for run in source.iterfind("{*}byte_runs/{*}byte_run")]
    assert runs == [
        {"img_offset": "4096", "len": "1000"}, {"img_offset": "65536", "len": "492"},
    ]  # fmt: skip
    (row,) = done("ShowFingerprint", "-f", "f.xml", "--format", "json").json["rows"]
    assert (row["creator"], row["program"]) == (EVERYTHING[1], EVERYTHING[3])
    assert (row["volume"], row["image"]) == (EVERYTHING[5], EVERYTHING[7])
    assert row["byte_runs"] == [EVERYTHING[9], EVERYTHING[11]]


@pytest.mark.parametrize("place", range(0, len(EVERYTHING), 2))
def test_minimal_refuses_to_say_what_it_leaves_out(shelf: Shelf, place: int) -> None:
    option, value = EVERYTHING[place : place + 2]
    output = "universal" if option in ("--creator", "--program") else "dataSource"
    refusal(shelf, option, value, "--profile", "minimal", named=(option, output))


def test_a_byte_run_is_of_one_document(shelf: Shelf) -> None:
    run = ("--byte-run", "0:10")
    refusal(shelf, *run, shelf.texts / "001.txt", named=("byte_run", "single document"))
    refusal(shelf, *run, "-i", shelf.texts / "001.txt", named=("byte_run", "single document"))


def test_what_is_not_printable_is_refused(shelf: Shelf) -> None:
    values = ("a\x1b[31mb", "a\nb", "a\tb", "\x7f", "\u202eb", "\u200b", "\ufffe", "\udcff")
    for option, value in product(("creator", "program", "volume", "image"), values):
        with pytest.raises(OptionError, match=option):
            replace(Provenance(), **{option: value})  # type: ignore[arg-type]
    line = (*shelf.line("Fingerprint -i TEXT -d DICT -o f.xml"), "--creator", values[0])
    check_refused(here(*line), 2, "creator")
    assert not Path("f.xml").exists()
