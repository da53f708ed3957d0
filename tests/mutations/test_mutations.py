"""Files of all formats, damaged where it hurts: only our own errors leave what reads them."""

import bz2
import gzip
import lzma
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from backports import zstd

from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.fingerprinting.disclosure_profiles import load_disclosure
from sdtext.formats.dictionary_xml import read_dictionary, write_dictionary
from sdtext.formats.evidence_xml import read_evidence, write_evidence
from sdtext.formats.fingerprint_xml import read_container, write_fingerprint, write_fingerprints
from sdtext.formats.pan import read_pan
from sdtext.io.decompressed_content import Content
from sdtext.model import PartSpec, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.formats import evidence
from tests.mutations.mutators import Mutator, in_fields, in_markup, in_toml, in_zip, or_bytes
from tests.parts.containers.containing import FILES, PACKERS, tar
from tests.support.damaged_bytes import damaged
from tests.support.dictionaries import ORIGIN, RECIPE, fingerprint_of, written

SAMPLES = Path(__file__).parents[1] / "samples"
DICTIONARY = replace(
    Dictionary.of({"bees": 2, "wax": 3, "hive": 4}, 9, RECIPE), name="b", origin=ORIGIN
)
FINGERPRINT = fingerprint_of([["bees", "wax"]], [DICTIONARY])
PAGE = SAMPLES / "mutations" / "page.html"
TEXT = "Plain words, naïve ones and größere, für jeden.\n" * 8


class Format(NamedTuple):
    """Seeds, how they are damaged, and what reads them; `number` inputs in `.ci/run`."""

    seeds: Callable[[], list[bytes]]
    mutate: Mutator
    read: Callable[[Path, bytes], object]
    number: int = 100_000


def samples(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [(SAMPLES / name).read_bytes() for name in names]


def dictionaries() -> list[bytes]:
    """A dictionary as it was made, trimmed, and with what was seen of its documents."""
    trimmed = DICTIONARY.trim(-1, 1, origin=ORIGIN)
    return [written(write_dictionary, item) for item in (DICTIONARY, trimmed)]


def fingerprints() -> list[bytes]:
    """A small fingerprint with its dictionary, a container, and one with all fields."""
    return [
        written(write_fingerprint, FINGERPRINT, [DICTIONARY]),
        written(write_fingerprints, [FINGERPRINT] * 3, [DICTIONARY]),
        *samples("formats/1.0/fingerprint-everything.xml")(),
    ]


def use_dictionary(_: Path, data: bytes) -> None:
    dictionary = read_dictionary(BytesIO(data), "file")
    write_dictionary(BytesIO(), dictionary)
    dictionary.trim(0.2, 0.9)


def use_fingerprints(_: Path, data: bytes) -> None:
    items = list(read_container(BytesIO(data), "file"))
    write_fingerprints(BytesIO(), [item for item in items if not isinstance(item, Dictionary)])


def at_path(read: Callable[[Path], object]) -> Callable[[Path, bytes], object]:
    def use(path: Path, data: bytes) -> object:
        path.write_bytes(data)
        return read(path)

    return use


def reader(name: str) -> Callable[[Path, bytes], object]:
    part = build("readers", PartSpec(name))

    def read(_: Path, data: bytes) -> None:
        for block in part(Content("", called="file", data=data)):
            if isinstance(block, Problem):
                assert block.message.isprintable()
            else:
                str(getattr(block, "title", block)).encode("utf-8")

    return read


def container(name: str) -> Callable[[Path, bytes], object]:
    part = build("containers", PartSpec(name))

    def read(path: Path, data: bytes) -> None:
        path.write_bytes(data)
        size = 0
        for member in part.members(Content(path, 1 << 20)):
            if isinstance(member, Problem):
                assert member.message.isprintable()
            else:
                assert "/" not in member.name or name != "mail"
                size += sum(map(len, member.blocks))
        assert size <= 1 << 20

    return read


def unpacked(path: Path) -> None:
    deque(Content(path, 1 << 20).blocks(), 0)


def documents(text: str, *codecs: str) -> Callable[[], list[bytes]]:
    packers = (bytes, partial(gzip.compress, mtime=0), bz2.compress, lzma.compress, zstd.compress)
    return lambda: [packer(text.encode(codec)) for packer in packers for codec in codecs]


def read_small(path: Path) -> object:
    return read(path, reading=Reading(max_bytes=1 << 20))


MARKUP, TOML, ZIP, FIELDS = map(or_bytes, (in_markup, in_toml, in_zip, in_fields))
FORMATS = {
    "dictionary": Format(dictionaries, MARKUP, use_dictionary),
    "fingerprint": Format(fingerprints, MARKUP, use_fingerprints),
    "evidence": Format(
        lambda: [evidence.written(evidence.example())],
        MARKUP,
        lambda _, data: write_evidence(BytesIO(), read_evidence(BytesIO(data), "file")),
    ),
    "pan": Format(
        samples("mutations/pan.xml"), MARKUP, lambda _, data: read_pan(BytesIO(data), "f")
    ),
    "recipe-toml": Format(samples("mutations/recipe.toml"), TOML, at_path(load_recipe)),
    "recipe-xml": Format(dictionaries, MARKUP, at_path(load_recipe)),
    "outputs-toml": Format(samples("mutations/outputs.toml"), TOML, at_path(load_disclosure)),
    "outputs-xml": Format(samples("mutations/outputs.xml"), MARKUP, at_path(load_disclosure)),
    "text": Format(documents(TEXT, "utf-8", "utf-16", "cp1252"), damaged, at_path(read_small)),
    "html": Format(
        documents(PAGE.read_text("utf-8"), "utf-8", "utf-16"), damaged, at_path(read_small)
    ),
    "pdf": Format(samples("documents/draft.pdf"), damaged, at_path(read_small), 20_000),
    "docx": Format(
        samples("documents/letter.docx", "documents/application.docx"), ZIP, reader("docx")
    ),
    "xlsx": Format(samples("documents/berths.xlsx"), ZIP, reader("xlsx")),
    "pptx": Format(samples("documents/harbour.pptx"), ZIP, reader("pptx")),
    "odt": Format(samples("documents/harbour.odt"), ZIP, reader("odt")),
    "epub": Format(samples("documents/harbour.epub"), ZIP, reader("epub")),
    "rtf": Format(samples("mutations/notes.rtf"), damaged, reader("rtf")),
    "xml": Format(samples("mutations/page.xml"), MARKUP, reader("xml")),
    "mail": Format(
        samples("mutations/letter.eml", "containers/letter.eml"), FIELDS, reader("mail")
    ),
    "attachments": Format(samples("mutations/letter.eml"), FIELDS, container("mail")),
    "mbox": Format(samples("containers/letters.mbox"), FIELDS, container("mbox")),
    "zip": Format(samples("documents/harbour.odt"), damaged, container("zip")),
    "tar": Format(lambda: [tar(FILES)[: 9 * 512]], damaged, container("tar")),
    "7z": Format(
        lambda: [*samples("containers/letters.7z")(), PACKERS["7z, not packed"][1](FILES)],
        damaged,
        container("7z"),
    ),
    "gz": Format(lambda: [gzip.compress(b"bees " * 9, mtime=0)], damaged, at_path(unpacked)),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One file, in memory where that can be, written anew for each input."""
    memory = Path("/dev/shm")  # noqa: S108 (in a folder of its own)
    folder = tmp_path_factory.mktemp("mutations")
    if not memory.is_dir():
        yield folder / "file"
        return
    file = memory / f"sdtext-{folder.name}-{folder.parent.name}"
    yield file
    file.unlink(missing_ok=True)


@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_read_or_refused(path: Path, name: str, rounds: Callable[[int], int]) -> None:
    form = FORMATS[name]
    seeds = form.seeds()
    many = rounds(8) == 8
    outcomes: Counter[str] = Counter()
    for seed in range(form.number if many else 150):
        draw = Random(seed)
        data = form.mutate(draw.choice(seeds), draw)
        began = time.process_time()
        try:
            form.read(path, data)
            outcomes["read"] += 1
        except (FormatError, UnreadableError, OptionError) as error:
            _check_message(error, seed)
            outcomes["refused"] += 1
        assert time.process_time() - began < 5, seed
    assert outcomes["read"], outcomes


def _check_message(error: SdtextError, seed: int) -> None:
    message = str(error)
    assert message.isprintable(), (seed, message)
    assert 0 < len(message) < 1000, (seed, message)


@pytest.mark.parametrize(("load", "text"), [
    (load_disclosure, "9" * 5000 + " = true"),
    (load_disclosure, f'<outputConfiguration><output name="{"A" * 3000}"/></outputConfiguration>'),
    (load_disclosure, '<outputConfiguration xmlns="urn:sd\u0557e(">'),
], ids=["key of TOML", "name in XML", "namespace"])  # fmt: skip
def test_earlier_finds_are_a_line(path: Path, load: Callable[[Path], object], text: str) -> None:
    path.write_text(text, "utf-8")
    with pytest.raises((FormatError, OptionError)) as caught:
        load(path)
    _check_message(caught.value, 0)
