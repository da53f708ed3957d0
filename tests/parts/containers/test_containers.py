"""What is true of every container: what was put in comes out, and nothing leaves but our errors."""

import gzip
import re
from pathlib import Path
from random import Random
from zipfile import ZIP_STORED

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.containers import Member, Names, is_fork
from sdtext.parts.registry import PARTS, find, names_for
from sdtext.reading.recognise_file import container_of
from tests.parts.containers.containing import FILES, MEGABYTE, PACKERS, Held, held, tar
from tests.parts.readers.further_files import record, wacz, warc
from tests.parts.readers.office import packed
from tests.parts.readers.outlooks import msg
from tests.support.cases import cases
from tests.support.compound_files import compound_of
from tests.support.strategies import BRISK

SAMPLES = Path(__file__).parents[2] / "samples"
MBOX = (SAMPLES / "containers" / "letters.mbox").read_bytes()
MAIL = (SAMPLES / "containers" / "letter.eml").read_bytes()
FOLDERS = st.text(
    st.characters(categories=["L", "N"], include_characters=" -_.,()[]!#"), min_size=1, max_size=9
).filter(lambda name: name.strip(". ") == name and not is_fork(name))
FILE_NAMES = st.lists(FOLDERS, min_size=1, max_size=3).map("/".join)
# Random bytes, and such as can be packed, over more than one block of each of the methods.
BYTES = st.binary(max_size=300) | st.builds(
    lambda seed, size: Random(seed).randbytes(500) * size, st.integers(0, 9), st.integers(1, 300)
)

SLOW = re.compile("^7z, (bzip2|deflate)| behind ")

every_packer = cases("packer", PACKERS)
one_packer_of_a_kind = pytest.mark.parametrize(
    "packer",
    [
        pytest.param(packer, marks=[pytest.mark.deep] * bool(SLOW.search(packer)))
        for packer in PACKERS
    ],
)


@one_packer_of_a_kind
@BRISK
@given(files=st.dictionaries(FILE_NAMES, BYTES, min_size=1, max_size=5))
@example(files=FILES)
@example(files={"ä" * 300 + "/" + "b" * 300: b"under a long name"})
def test_what_was_packed_comes_out(path: Path, packer: str, files: dict[str, bytes]) -> None:
    kind, write = PACKERS[packer]
    assert held(kind, path, write(files)) == Held(files)


def test_an_archive_that_begins_with_a_pdf_file_is_an_archive() -> None:
    assert names_for("readers", b"%PDF-1.4\r" + b" " * 200) == ["pdf", "text"]  # no tar
    files = {"a.pdf": (SAMPLES / "documents" / "draft.pdf").read_bytes(), **FILES}
    warcs = record("resource", "file:///a.pdf", files["a.pdf"])
    for kind, data in (("zip", packed(files, ZIP_STORED)), ("tar", tar(files)), ("warc", warcs)):
        assert b"%PDF-" in data[:1024]
        assert container_of(Content("", data=data)) == kind


def test_a_web_archive_that_ends_within_a_record_is_reported(path: Path) -> None:
    data = record("resource", "file:///a", b"first words") + record(
        "resource", "file:///b", b"x" * 99
    )
    whole = held("warc", path, data)
    assert (whole.files, whole.messages) == ({"a": b"first words", "b": b"x" * 99}, [])
    cut = held("warc", path, data[:-50])
    assert cut.files == {"a": b"first words", "b": b"x" * 53}
    assert ["truncated" in message for message in cut.messages] == [True]


@every_packer
def test_what_is_packed_once_more_comes_out_without_the_forks_of_mac_os(
    path: Path, packer: str
) -> None:
    kind, write = PACKERS[packer]
    forks = {"__MACOSX/a/b.txt": b"x", "a/._b.txt": b"y", "._c.txt": b"z"}
    assert held(kind, path, gzip.compress(write({**forks, **FILES}))) == Held(FILES)


@one_packer_of_a_kind
def test_a_member_not_read_to_its_end_does_not_shift_the_next(path: Path, packer: str) -> None:
    kind, write = PACKERS[packer]
    files = {str(number): Random(number).randbytes(200_000) for number in range(4)}
    path.write_bytes(write(files))
    begun = {
        member.name: next(member.blocks) if member.name in "12" else b"".join(member.blocks)
        for member in find("containers", kind)().members(Content(path))
        if isinstance(member, Member)
    }
    assert all(files[name].startswith(data) for name, data in begun.items())
    assert (begun["0"], begun["3"]) == (files["0"], files["3"])


@every_packer
def test_no_more_comes_out_than_the_limits_but_of_tar(path: Path, packer: str) -> None:
    kind, write = PACKERS[packer]
    data = write({"a": b"a" * 400, "b": b"b" * 200})
    assert len(held(kind, path, data, 600).files) == 2
    if kind != "tar":
        with pytest.raises(UnreadableError, match="holds more than 599 bytes"):
            held(kind, path, data, 599)
    kind, write = PACKERS[packer]
    data = write({"bomb": bytes(9 * MEGABYTE)})
    bomb = data if len(data) < MEGABYTE else gzip.compress(data)
    with pytest.raises(UnreadableError, match="unpacks to over 200 times its size"):
        held(kind, path, bomb)


def test_a_container_is_known_by_its_first_bytes_and_by_one_part_alone(path: Path) -> None:
    samples = {
        **{kind: write(FILES) for kind, write in PACKERS.values()}, "mbox": MBOX, "mail": MAIL,
        "outlook": msg("letters", "See below.", {}), "warc": warc(), "wacz": wacz(),
        "office": (SAMPLES / "cases" / "07" / "embedded.docx").read_bytes(),
        "old-office": compound_of({"WordDocument": b"", "ObjectPool": {"_1": {"Package": b""}}}),
        "pdf": (SAMPLES / "cases" / "03" / "portfolio.pdf").read_bytes(), "": b"Words.\n" * 90,
    }  # fmt: skip
    assert set(samples) == {*PARTS["containers"], ""}
    for kind, data in samples.items():
        path.write_bytes(data)
        known = [
            name
            for name in PARTS["containers"]
            if find("containers", name).recognises(Content(path))
        ]
        zipped = ["zip"] if kind in ("office", "wacz") else []  # which is looked at later
        assert known == ([kind, *zipped] if kind else [])


STORED = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["a", "a (2)", "/a", "../a", "a\\..\\b", "..", "", "C:\\x", "a\0", "\0", "./a//b/.", "a" * 9999]
)


@given(stored=st.lists(STORED, max_size=9))
def test_names_are_unlike_one_another_and_lead_nowhere(stored: list[str]) -> None:
    names = Names()
    given_names = [names.given(name) for name in stored]
    assert len(set(given_names)) == len(stored)
    for name in given_names:
        assert 0 < len(name) < 5000
        assert not {"", ".", ".."} & set(name.split("/"))
        assert not {"\\", "\0"} & set(name)
