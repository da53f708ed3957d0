"""Fingerprints of documents: vectors, their origin and their source."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from sdtext.model.displayed_results import ShortFields
from sdtext.wording import counted

if TYPE_CHECKING:
    from bitarray import bitarray

    from sdtext.model.dictionary import Dictionary

FORMAT_VERSION = "1.0"
"""The version of the file formats: readers accept every minor version of their major one."""

_SHOWN = 3


@dataclass(frozen=True)
class System:
    """The machine on which something was made, in DFXML's terms.

    Here and below, `unknown` holds elements of later versions of the format or of other programs,
    as XML, which are written unchanged.
    """

    os_sysname: str = ""
    os_release: str = ""
    host: str = ""
    arch: str = ""
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Origin:
    """When, where and under which identifier something was made.

    `created` is a UTC time in ISO 8601, `guid` a UUID in its canonical text form.
    """

    guid: str = ""
    created: str = ""
    system: System | None = None


@dataclass(frozen=True)
class DictionaryReference:
    """The dictionary of a vector: enough to decide whether two vectors are comparable."""

    guid: str
    digest: str
    terms: int
    version: str = FORMAT_VERSION
    name: str = ""
    directory: str = ""


@dataclass(frozen=True)
class Place:
    """The place of a segment in its document.

    It has `tokens` terms from the number `first` on; they are in the `length` code points of
    `Document.text` from `offset` on.
    """

    first: int
    tokens: int
    offset: int
    length: int


@dataclass(frozen=True)
class Vector:
    """One bit for each term of a dictionary, packed.

    Bit i (value `1 << i % 8` of byte `i // 8`) is set when term i occurs; `length` is the
    number of terms, and the padding bits behind it are zero. `dictionary` is the GUID of the
    dictionary it was made with; `place` that of the segment it stands for, None for a whole
    document. `language` is that of the document where the dictionary's chain goes by it.
    """

    packed: bytes
    length: int
    dictionary: str
    place: Place | None = None
    language: str = ""

    @classmethod
    def of(cls, bits: bitarray, dictionary: str) -> Vector:
        """The vector of a bitarray of either byte order, by the dictionary with that GUID.

        >>> from bitarray import bitarray
        >>> vector = Vector.of(bitarray("101000000"), "")
        >>> vector, vector.bits()
        (<vector with 2 of 9 bits set>, bitarray('101000000'))
        """
        from bitarray import bitarray

        return cls(bitarray(bits, endian="little").tobytes(), len(bits), dictionary)

    def bits(self) -> bitarray:
        """The vector as a bitarray: bit i is set when term i occurs."""
        from bitarray import bitarray

        bits = bitarray(endian="little")
        bits.frombytes(self.packed)
        return bits[: self.length]

    def __repr__(self) -> str:
        return f"<vector with {self.count:,} of {counted(self.length, 'bit')} set>"

    @cached_property
    def number(self) -> int:
        """The vector as one integer, bit i having the value 2**i."""
        return int.from_bytes(self.packed, "little")

    @cached_property
    def count(self) -> int:
        """The number of set bits."""
        return int.from_bytes(self.packed, "little").bit_count()  # `number` would stay in memory


@dataclass(frozen=True, repr=False)
class TokenDigest(ShortFields):
    """Some terms of a document in their order, packed: `tokens` from the number `first` on.

    `packed` holds a number for each term, `width` bytes each: its place in the dictionary with
    the GUID `dictionary`, or beyond the last place that of a word among the `unknown` ones. Both
    are compressed by zlib at `level`.
    """

    packed: bytes
    unknown: bytes
    dictionary: str
    first: int
    tokens: int
    unknown_words: int
    width: int
    level: int


@dataclass(frozen=True, repr=False)
class SentenceCodes(ShortFields):
    """The codes of the sentences of a document, with their places, in its order.

    `rows` holds for each its start and end in `Document.text`, 4 bytes each, little-endian, and its
    code of `width` bytes; `short` is the number of those left out. `recipe` is a digest of the
    recipe: codes by different ones cannot be compared.
    """

    recipe: str
    rows: bytes
    width: int
    short: int = 0

    def __len__(self) -> int:
        return len(self.rows) // (8 + self.width)


@dataclass(frozen=True, repr=False)
class Sketch(ShortFields):
    """The sketch of a document, in the bytes of sdtext.kernels.bottom_k, with its `positions`.

    `recipe` is as in `SentenceCodes`.
    """

    recipe: str
    packed: bytes
    positions: int


@dataclass(frozen=True)
class ByteRun:
    """A run of bytes on a disk image: its offset and its length."""

    img_offset: int
    length: int


@dataclass(frozen=True)
class DictionarySource:
    """Where a dictionary, known by its GUID, was found, and on which system it was made."""

    dictionary: str
    filename: str = ""
    system: System | None = None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataSource:
    """Where a fingerprint comes from: the document's name, and its dictionaries' homes.

    Where a document was taken from a disk, `volume` names it, `image` is the file name of the
    image, and `byte_runs` say where on that the document's bytes stand.
    """

    filename: str
    volume: str = ""
    image: str = ""
    byte_runs: tuple[ByteRun, ...] = ()
    dictionaries: tuple[DictionarySource, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fingerprint:
    """The fingerprint of a document: a list of vectors and how they were made.

    `kind` names the fingerprinter; `dictionaries` has a reference for each dictionary that a
    vector names; `libraries` are those that extracted the text, with their versions;
    `sdtext_version` is that of the sdtext that computed it, "" if it is not known.
    `with_dictionaries` are those of them that are at hand: those that it was computed with, or that
    its file contains. `document` is the path or name of the document, where it was computed of it
    in this process. They are neither compared nor written with it.
    """

    kind: str
    vectors: tuple[Vector, ...]
    dictionaries: tuple[DictionaryReference, ...]
    origin: Origin = Origin()
    source: DataSource | None = None
    creator: str = ""
    program: str = ""
    digests: tuple[TokenDigest, ...] = ()
    libraries: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    sdtext_version: str = ""
    codes: SentenceCodes | None = None
    sketch: Sketch | None = None
    with_dictionaries: tuple[Dictionary, ...] = field(default=(), compare=False, repr=False)
    document: str = field(default="", compare=False, repr=False)

    def __repr__(self) -> str:
        if self.codes:
            return f"<fingerprint of {counted(len(self.codes), 'sentence code')}>"
        if self.sketch:
            return f"<sketch with {counted(self.sketch.positions, 'position')}>"
        counts = ", ".join(f"{vector.count:,}" for vector in self.vectors[:_SHOWN])
        more = ", …" if len(self.vectors) > _SHOWN else ""
        vectors = counted(len(self.vectors), "vector")
        return f"<fingerprint of {vectors} ({self.kind}) with {counts}{more} set bits>"

    @property
    def name(self) -> str:
        """The name of its document: that which it states, else its path in this process, or ""."""
        return (self.source.filename if self.source else "") or self.document

    def bits(self) -> bitarray:
        """The first vector as a bitarray, a bit a term.

        >>> vector = Vector(bytes([0b101]), 3, "")
        >>> Fingerprint("bitvector", (vector,), ()).bits()
        bitarray('101')
        """
        return self.vectors[0].bits()

    def reference(self, vector: Vector) -> DictionaryReference:
        """The dictionary that `vector` was made with."""
        return next(
            dictionary for dictionary in self.dictionaries if dictionary.guid == vector.dictionary
        )

    def vectors_over(self, digest: str) -> list[Vector]:
        """The vectors that were made with the dictionary of a digest."""
        return [each for each in self.vectors if self.reference(each).digest == digest]
