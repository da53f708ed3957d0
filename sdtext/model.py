"""The values that flow through sdtext. All are frozen: they are made once and passed on."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isqrt, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitarray import bitarray

FORMAT_VERSION = "1.0"
"""The version of the shared files: a reader takes every minor version of its own major one."""

Option = str | int | float | bool | tuple[str, ...]
"""What an option of a part can be."""


@dataclass(frozen=True)
class PartSpec:
    """A part by its name, with the options that were given, in the order of their names.

    >>> PartSpec.of("min-length", length=3)
    PartSpec(name='min-length', options=(('length', 3),))
    """

    name: str
    options: tuple[tuple[str, Option], ...] = ()

    @classmethod
    def of(cls, name: str, /, **options: Option) -> PartSpec:
        """The spec with `options`, which may also be called `name`."""
        return cls(name, tuple(sorted(options.items())))

    def __str__(self) -> str:
        """The part as a person reads it: long lists are counted."""
        shown = [_brief(key, value) for key, value in self.options]
        return f"{self.name}({', '.join(shown)})" if shown else self.name


def _brief(key: str, value: Option) -> str:
    return f"{len(value)} {key}" if isinstance(value, tuple) else f"{key}={value}"


@dataclass(frozen=True)
class RecipeSpec:
    """The parts of a pipeline by name: what a recipe file says and a dictionary carries.

    A spec that comes out of `sdtext.recipe` is settled: its names are sdtext's own, its word
    lists stand in it, and options that equal the part's default are left out.
    """

    tokenizer: PartSpec
    filters: tuple[PartSpec, ...] = ()
    fingerprint: PartSpec | None = None
    matcher: PartSpec | None = None

    def chain(self) -> tuple[PartSpec, ...]:
        """The tokenizer and the filters, in order."""
        return (self.tokenizer, *self.filters)

    def canonical(self) -> str:
        """The chain as one line of JSON, equal for equal chains on every machine.

        >>> RecipeSpec(PartSpec("words"), (PartSpec.of("min-length", length=3),)).canonical()
        '[["words",{}],["min-length",{"length":3}]]'
        """
        rows = [[part.name, dict(part.options)] for part in self.chain()]
        return json.dumps(rows, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class OffsetMap:
    """From offsets in `Document.clean` back to offsets in `Document.text`.

    The two texts run alike except at the places named here: from `clean_starts[i]` on, the
    cleaned text stands `text_starts[i] - clean_starts[i]` code points further on in the text,
    and within a stretch that is marked `fused` all offsets belong to the whole stretch. Where the
    text was itself made from another, `then` leads on to that.
    """

    clean_starts: Sequence[int]
    text_starts: Sequence[int]
    fused: Sequence[bool]
    then: OffsetMap | None = None

    def start(self, offset: int) -> int:
        """The offset in the text at which the clean character at `offset` begins."""
        place = self._stretch(offset)
        within = 0 if self.fused[place] else offset - self.clean_starts[place]
        start = self.text_starts[place] + within
        return self.then.start(start) if self.then else start

    def end(self, offset: int) -> int:
        """The offset in the text at which the clean character before `offset` ends."""
        place = self._stretch(offset - 1)
        end = self.text_starts[place] + offset - self.clean_starts[place]
        if self.fused[place]:
            end = self.text_starts[place + 1]
        return self.then.end(end) if self.then else end

    def _stretch(self, offset: int) -> int:
        return bisect_right(self.clean_starts, offset) - 1


@dataclass(frozen=True)
class Document:
    """The text of one file.

    `text` is what was decoded or extracted; `clean` is it in normal form, without control
    characters; `back` leads from offsets in `clean` to offsets in `text` and is None where the
    two run alike. `metadata` says how the text was had: `reader`, and `encoding` if any.
    """

    text: str
    clean: str
    back: OffsetMap | None = None
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tokens:
    """The terms of one document in reading order: three columns of one length.

    `starts` and `ends` are offsets in code points, end exclusive, into the text that was
    tokenized.
    """

    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]


@dataclass(frozen=True)
class System:
    """The machine on which something was made, in DFXML's terms."""

    os_sysname: str = ""
    os_release: str = ""
    host: str = ""
    arch: str = ""


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
    """Which dictionary a vector was made with: enough to tell whether two vectors compare."""

    guid: str
    digest: str
    terms: int
    version: str = FORMAT_VERSION
    name: str = ""
    directory: str = ""


@dataclass(frozen=True)
class Vector:
    """One bit for each term of a dictionary, packed.

    Bit i (value `1 << i % 8` of byte `i // 8`) is set when term i occurs; `length` is the
    number of terms, and the padding bits behind it are zero. `dictionary` is the GUID of the
    dictionary it was made with.
    """

    packed: bytes
    length: int
    dictionary: str

    @cached_property
    def number(self) -> int:
        """The vector as one integer, bit i having the value 2**i."""
        return int.from_bytes(self.packed, "little")

    @cached_property
    def count(self) -> int:
        """How many bits are set."""
        return self.number.bit_count()


@dataclass(frozen=True)
class DataSource:
    """Where a fingerprint comes from: the document's name, and its dictionary's home."""

    filename: str
    dictionary_path: str = ""
    dictionary_system: System | None = None


@dataclass(frozen=True)
class Fingerprint:
    """What a document's content leaves behind: a list of vectors and how they were made.

    `kind` names the fingerprinter; `dictionaries` has a reference for each dictionary that a
    vector names.
    """

    kind: str
    vectors: tuple[Vector, ...]
    dictionaries: tuple[DictionaryReference, ...]
    origin: Origin = Origin()
    source: DataSource | None = None
    creator: str = ""
    program: str = ""

    def bits(self) -> bitarray:
        """The first vector as a bitarray, a bit a term.

        >>> vector = Vector(bytes([0b101]), 3, "")
        >>> Fingerprint("bitvector", (vector,), ()).bits()
        bitarray('101')
        """
        from bitarray import bitarray

        vector = self.vectors[0]
        bits = bitarray(endian="little")
        bits.frombytes(vector.packed)
        return bits[: vector.length]

    def reference(self, vector: Vector) -> DictionaryReference:
        """The dictionary that `vector` was made with."""
        return next(one for one in self.dictionaries if one.guid == vector.dictionary)


@dataclass(frozen=True)
class Similarity:
    """A similarity from 0 to 1 as a ratio of whole numbers, or as the root of one.

    >>> half = Similarity(1, 4, root=True)
    >>> half.score, float(half)
    (50, 0.5)
    """

    top: int
    bottom: int
    root: bool = False

    @property
    def score(self) -> int:
        """The similarity in whole per cent, rounded down, at most 99: by integers alone."""
        if self.root:
            return min(99, isqrt(10_000 * self.top // self.bottom))
        return min(99, 100 * self.top // self.bottom)

    def __float__(self) -> float:
        share = self.top / self.bottom
        return sqrt(share) if self.root else share


@dataclass(frozen=True)
class Problem:
    """Something that a person should know of one input.

    `severity` is "warning" or "error"; `category` is one word of a fixed list (docs/errors);
    `path` names the input.
    """

    severity: str
    category: str
    message: str
    path: str = ""


@dataclass(frozen=True)
class Match:
    """How alike two vectors are, or why that cannot be said.

    `common`, `left` and `right` count terms: shared, of the first and of the second vector.
    `similarity` is None exactly when `problem` is not.
    """

    similarity: Similarity | None
    common: int = 0
    left: int = 0
    right: int = 0
    problem: Problem | None = None
    vectors: tuple[int, int] = (0, 0)

    @property
    def score(self) -> int | None:
        """The score from 0 to 99, None where the two are not comparable."""
        return None if self.similarity is None else self.similarity.score
