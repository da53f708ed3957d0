"""What every reader of the registry keeps to."""

import gzip
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from random import Random

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, PartSpec, Problem, QuotationMark
from sdtext.parts.readers import Reader, legacy_office
from sdtext.parts.registry import PARTS, build, find, names_for, normalised, options_of
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source
from sdtext.reading.recognise_file import PLAIN, container_of
from tests.parts.readers.further_files import MHTML, dbase
from tests.parts.readers.outlooks import msg
from tests.support.cases import cases
from tests.support.compound_files import compound_of
from tests.support.damaged_bytes import damaged

READERS = list(PARTS["readers"])
SAMPLES = Path(__file__).parents[1] / "samples"
DOCUMENTS = SAMPLES / "documents"
NEEDED = {"argv": ("cat", "{}")}  # options without a default

BYTES: Mapping[str, bytes] = {
    "html": b"<!DOCTYPE html><html><h1>Bees</h1><p>They <b>dance</b>.</p></html>",
    "pdf": (DOCUMENTS / "draft.pdf").read_bytes(), "docx": (DOCUMENTS / "letter.docx").read_bytes(),
    "odt": (DOCUMENTS / "harbour.odt").read_bytes(),
    "pptx": (DOCUMENTS / "harbour.pptx").read_bytes(),
    "xlsx": (DOCUMENTS / "berths.xlsx").read_bytes(),
    "epub": (DOCUMENTS / "harbour.epub").read_bytes(),
    "rtf": rb"{\rtf1\ansi {\fonttbl{\f0 A;}}\pard\outlinelevel0 Bees\par They dance.\par}",
    "alto": (b"<?xml version='1.0'?><alto><Layout><Page><TextBlock><TextLine>"
             b"<String CONTENT='Bees'/></TextLine></TextBlock></Page></Layout></alto>"),
    "xml": b"<?xml version='1.0'?><a><b>Bees <i>dance</i>.</b><c n='1'>So</c></a>",
    "mail": (SAMPLES / "containers" / "letter.eml").read_bytes(), "mhtml": MHTML,
    "outlook": msg("Bees", "Bees dance."), "other": dbase(),
    "notebook": (b'{"cells": [{"cell_type": "code", "source": ["bees = 7"]}], "metadata": {}, '
                 b'"nbformat": 4}'),
    "doc": (DOCUMENTS / "old.doc").read_bytes(), "xls": (DOCUMENTS / "old.xls").read_bytes(),
    "ppt": gzip.decompress((DOCUMENTS / "old.ppt.gz").read_bytes()),
    "compound": compound_of({"VisioDocument": b""}), "command": b"Bees dance.\n",
    "text": "Bees dance, naïve ones too.\n".encode(),
}  # fmt: skip
"""A small file of each format, by the name of its reader."""
PROGRAMS = {"doc": "antiword", "xls": "libreoffice", "ppt": "libreoffice"}
# What reads any file of the form, or any file at all, beside the reader of the format.
GENERAL = {"alto": ["xml"], **{key: ["compound"] for key in ("outlook", "doc", "xls", "ppt")}}
TEXTLESS = ("compound",)

every = cases("name", READERS)
# LibreOffice takes seconds to start, and `test_legacy` has it read a file of each format.
SLOW = ("xls", "ppt")
reads = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.deep] * (name in SLOW))
        for name in READERS
        if name not in TEXTLESS
    ],
)


def part(name: str) -> Reader:
    needed = [field.name for field in fields(find("readers", name)) if field.default is MISSING]
    result: Reader = build("readers", PartSpec.of(name, **{key: NEEDED[key] for key in needed}))
    return result


def sample(name: str, folder: Path, data: bytes | None = None) -> Content:
    """A file of the format, or with `data`, whose name tells nothing."""
    path = folder / "document"
    path.write_bytes(BYTES[name] if data is None else data)
    return Content(path)


def needs_program(name: str) -> None:
    if name in PROGRAMS and not legacy_office.program(PROGRAMS[name]):
        pytest.skip("the program that reads this format is not installed")


def harmless(reader: Reader, content: Content) -> None:
    """The reader yields what a reader may, or raises UnreadableError in one printable line."""
    message = ""
    try:
        for block in reader(content):
            assert isinstance(block, str | Heading | QuotationMark | Problem)
    except UnreadableError as error:
        message = str(error)
    assert message.isprintable()
    assert not message or message.startswith(f"{content.name}: ")


def test_every_reader_has_a_sample() -> None:
    assert set(BYTES) == set(READERS)


@every
def test_a_reader_and_its_alternatives_are_made_by_their_options(name: str) -> None:
    cls, reader = find("readers", name), part(name)
    assert issubclass(cls, Reader)
    assert cls.called.isprintable()
    assert reader.normal_form in ("NFC", "NFKC")
    assert all(isinstance(text, str) for row in reader.libraries() for text in row)
    assert reader.alternatives()
    for each in (reader, *reader.alternatives()):
        spec = PartSpec.of(name, **options_of(each))
        assert type(each) is cls
        assert build("readers", spec) == build("readers", normalised("readers", spec)) == each
    # What others parse is read in a process of its own.
    assert reader.isolated or reader.isolated_above or name == PLAIN


@every
def test_a_sample_is_recognised_by_its_reader_alone(name: str, tmp_path: Path) -> None:
    content = sample(name, tmp_path)
    asked = [each for each in READERS if each != PLAIN]
    recognised = [each for each in asked if find("readers", each).recognises(content)]
    own = [] if name in ("command", PLAIN) else [name]  # the one is named, the other comes last
    assert recognised == own + GENERAL.get(name, [])
    assert find("readers", PLAIN).recognises(content)
    assert not find("readers", name).recognises(sample(name, tmp_path, b""))


@every
@cases("before", [b"", b"\xef\xbb\xbf", b" \n", b"\xff\xfe", b"\n" * 2000, b"<!---->"])
def test_what_a_reader_recognises_has_its_signature(
    name: str, before: bytes, tmp_path: Path, rounds: Callable[[int], int]
) -> None:
    draw = Random(name)
    data = before + BYTES[name]
    for changed in (data, *(damaged(data, draw) for _ in range(rounds(60)))):
        content = sample(name, tmp_path, changed)
        shown = names_for("readers", content.head)
        assert {each for each in READERS if find("readers", each).recognises(content)} <= {*shown}
        with suppress(UnreadableError):  # an archive that is cut off
            assert container_of(content) in ("", *names_for("containers", content.head))


@reads
def test_a_sample_has_text(name: str, tmp_path: Path) -> None:
    needs_program(name)
    blocks = list(part(name)(sample(name, tmp_path)))
    assert all(isinstance(block, str | Heading | QuotationMark | Problem) for block in blocks)
    assert "".join(block for block in blocks if isinstance(block, str)).strip()
    assert all(block.title and block.level > 0 for block in blocks if isinstance(block, Heading))


@reads
def test_a_file_is_read_the_same_whether_or_not_it_is_compressed(name: str, tmp_path: Path) -> None:
    needs_program(name)
    reading = Reading(readers=(PartSpec.of(name, **NEEDED),) if name == "command" else ())
    plain = Source(sample(name, tmp_path), reading)
    text = plain.document().text
    packed = Source(sample(name, tmp_path, gzip.compress(BYTES[name])), reading)
    assert (plain.name, packed.name) == (name, name)
    assert packed.document().text == text
    assert text.strip()


@pytest.mark.parametrize("name", [name for name in READERS if name not in SLOW])
def test_only_an_error_of_ours_leaves_a_reader(name: str, tmp_path: Path) -> None:
    needs_program(name)
    draw = Random(name)
    reader, data = part(name).alternatives()[0], BYTES[name]
    for _ in range(10 if name == "doc" else 60):
        harmless(reader, sample(name, tmp_path, damaged(data, draw)))
    for size in (1, 100, 5000):
        harmless(reader, sample(name, tmp_path, data[:8] + draw.randbytes(size)))


@pytest.mark.deep
@pytest.mark.parametrize("name", ["xls", pytest.param("ppt", marks=pytest.mark.deep)])
def test_a_cut_file_for_a_program_is_an_error_of_ours_at_most(name: str, tmp_path: Path) -> None:
    needs_program(name)
    harmless(part(name), sample(name, tmp_path, BYTES[name][:3000]))
