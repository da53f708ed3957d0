"""Fingerprints that hold no words: sketches of documents, codes of sentences, either under a key.

A code stands for a sentence of about 150 characters, and two similar sentences have codes that
differ in few bits. In a search each sentence takes the part of a word, so that shares of documents
are counted in sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdtext._version import __version__
from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.read_into_memory import read_into_memory
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import (
    CODE_COLUMNS,
    CODES,
    SHINGLES,
    SHORT,
    SKETCHED,
    TOKENS,
    UNIT_ENDS,
    UNIT_STARTS,
    WORD_ENDS,
    WORD_STARTS,
    WORDS,
    Array,
    keeps_codes,
    keeps_sketches,
)
from sdtext.collections.word_offsets_and_codes import without
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    holds_fingerprints,
    read_fingerprint_file,
)
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.bottom_k import Row, packed, shortened, unpacked
from sdtext.model import Fingerprint, PartSpec, RecipeSpec, SentenceCodes, Sketch
from sdtext.model.dictionary import Dictionary
from sdtext.parts.filters.keyed import KEYED
from sdtext.parts.fingerprints.bottom_k import BottomK
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import normalised
from sdtext.reading.archive_members import content_at
from sdtext.reading.inputs import Inputs, input_batches, input_files
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, run_batches
from sdtext.reading.read_document import read
from sdtext.reading.records.record import Fields
from sdtext.text.document import Document

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import StoredCollection

SKETCH_RECIPE = "sketch"
"""The recipe of sketches."""
BYTES = 512
CODE_RECIPE = "evidence"
"""The recipe of sentence codes."""
KIND = "codes"
_WORD_COLUMNS = frozenset((TOKENS, WORDS, WORD_STARTS, WORD_ENDS))


def under_key(recipe: RecipeSpec, keyed: Iterable[Dictionary]) -> RecipeSpec:
    """The recipe with terms under the keys of keyed dictionaries. OptionError for other ones."""
    filters = recipe.filters
    for dictionary in keyed:
        if not dictionary.is_keyed:
            what = "is not keyed; sketches and codes need a dictionary only for its key"
            raise OptionError(what, place=dictionary.name or dictionary.guid)
        filters += tuple(part for part in dictionary.recipe.filters if part.name == KEYED)
    return replace(recipe, filters=filters)


def sketch_recipe(size: int = BYTES, keyed: Iterable[Dictionary] = ()) -> RecipeSpec:
    """The recipe of sketches of so many bytes. Raises OptionError."""
    part = normalised("fingerprints", PartSpec.of(SKETCHED, bytes=size))
    return replace(under_key(load_recipe(SKETCH_RECIPE), keyed), fingerprint=part)


def digest_of(recipe: RecipeSpec) -> str:
    """The SHA-256 of all that sketches depend on but their bytes."""
    return _digest(recipe.canonical(), recipe.shingler, SKETCHED)


def codes_digest(recipe: RecipeSpec) -> str:
    """The SHA-256 of all that codes depend on: codes by different recipes cannot be compared."""
    return _digest(recipe.canonical(), recipe.unit, recipe.shingler, recipe.fingerprint)


def _digest(*parts: object) -> str:
    return sha256("\n".join(map(str, parts)).encode("utf-8")).hexdigest()


def sketch_fingerprints(
    files: Sequence[str], recipe: RecipeSpec, run: Run
) -> Iterator[tuple[str, Fingerprint]]:
    """The sketches of the documents at `files`, each with the path of the document."""
    builder = RowBuilder(recipe, reading=run.reading, columns=frozenset((SHINGLES,)))
    paths = input_files(Inputs(files), run)
    named = (
        [item._replace(name=str(item.path)) for item in batch]
        for batch in input_batches(paths, Fields(), run)
    )
    for built in run_batches(builder, named, run, len(paths)):
        if built.rows:
            rows = zip(built.rows.documents, built.rows.arrays[SHINGLES], strict=True)
            yield from ((document.name, of_row(row, recipe)) for document, row in rows)


def sketch(
    document: Document | str | Path, size: int = BYTES, *, dictionary: OneOrMore = None
) -> Fingerprint:
    """The sketch of a document, or of that in a file, of at most `size` bytes, for `compare`.

    With a keyed `dictionary` it is under the key of that. Raises OptionError, UnreadableError.

    >>> sketch(Document.of("Bees dance in the hive.", "bees.txt"), 128)
    <sketch with 4 positions>
    """
    recipe = sketch_recipe(size, dictionaries_of(dictionary))
    held = read(document)
    (row,) = BottomK(size)(Encoder(recipe).shingle_sets([held.clean]))
    return replace(of_row(row, recipe), document=held.source)


def stored_sketches(collection: StoredCollection, size: int) -> Iterator[tuple[str, Fingerprint]]:
    """The sketches of a collection, each with the name of the document, of at most so many bytes.

    Raises MismatchError if it has none.
    """
    if not keeps_sketches(collection.recipe):
        raise without(collection.name, "sketches", SKETCH_RECIPE)
    for part in collection.segments():
        alive, rows = np.flatnonzero(part.alive), part.ragged(SHINGLES)
        documents = collection.take(part.ids[alive])
        for row, document in zip(alive.tolist(), documents, strict=True):
            yield document.name, of_row(shortened(rows[row], size), collection.recipe)


def of_row(row: Row, recipe: RecipeSpec) -> Fingerprint:
    """The fingerprint of a row of `sdtext.kernels.bottom_k`."""
    sketch = Sketch(digest_of(recipe), packed(row), len(row) - 1)
    return Fingerprint(SKETCHED, (), (), sdtext_version=__version__, sketch=sketch)


def row_of(fingerprint: Fingerprint, digest: str, name: str) -> Row:
    """The row of a sketch by the recipe with that digest. MismatchError for all others."""
    if fingerprint.sketch is None:
        raise MismatchError("holds bit vectors, and is compared with sketches", file=name)
    if fingerprint.sketch.recipe != digest:
        what = "its sketch was made by another recipe, or under another key or none"
        raise MismatchError(what, file=name)
    return unpacked(fingerprint.sketch.packed)


def code_fingerprints(
    files: Sequence[str], run: Run, keyed: Sequence[Dictionary] = ()
) -> Iterator[tuple[str, Fingerprint]]:
    """The sentence codes of the documents at `files`, each with the path of the document.

    They are under the keys of `keyed` dictionaries.
    """
    recipe = under_key(load_recipe(CODE_RECIPE), keyed)
    builder = RowBuilder(
        recipe, reading=run.reading, columns=_WORD_COLUMNS | frozenset(CODE_COLUMNS)
    )
    read, _ = read_into_memory(input_files(Inputs(files), run), (), builder, run, [])
    return fingerprints_by_codes(read)


def fingerprints_by_codes(
    collection: MemoryCollection | StoredCollection,
) -> Iterator[tuple[str, Fingerprint]]:
    """The sentence codes of the documents of a collection, each with the name of the document.

    Raises MismatchError if it has none.
    """
    recipe = collection.recipe
    if not keeps_codes(recipe):
        raise without(collection.name, "codes of sentences", CODE_RECIPE)
    for part in collection.segments():
        starts, ends, codes = map(part.ragged, (UNIT_STARTS, UNIT_ENDS, CODES))
        alive = np.flatnonzero(part.alive)
        for row, document in zip(alive.tolist(), collection.take(part.ids[alive]), strict=True):
            width, short = codes[row].shape[1], int(part.arrays[SHORT][row])
            packed = np.zeros(len(codes[row]), _type_of_row(width))
            packed["start"], packed["end"], packed["code"] = starts[row], ends[row], codes[row]
            held = SentenceCodes(codes_digest(recipe), packed.tobytes(), width, short)
            yield document.name, Fingerprint(KIND, (), (), sdtext_version=__version__, codes=held)


def codes_at(item: object, reading: Reading) -> tuple[MemoryCollection, str] | None:
    """The documents whose sentence codes are in a file, or in each of some files; else None.

    Beside them stands the digest of the recipe of the codes. Raises MismatchError for codes by
    several recipes, FormatError for a damaged file.
    """
    paths = [item] if isinstance(item, str | Path) else item
    if not isinstance(paths, list | tuple) or not paths:
        return None
    named: list[tuple[str, Fingerprint]] = []
    for path in paths:
        if not isinstance(path, str | Path) or not holds_fingerprints(path, reading.max_bytes):
            return None
        content = content_at(path, reading.max_bytes)
        prints = read_fingerprint_file(content, content.name, codes=True)
        named += [pair for pair in prints if isinstance(pair, tuple)]
    recipe = load_recipe(CODE_RECIPE)
    part = UnitCodes(recipe).part
    width = part.slots * part.bits // 8
    documents: list[NewDocument] = []
    rows: list[SentenceCodes] = []
    for name, fingerprint in named:
        if not fingerprint.codes:
            raise MismatchError("holds no sentence codes", file=name)
        if rows and fingerprint.codes.recipe != rows[0].recipe:
            raise MismatchError("its sentence codes are by another recipe or key", file=name)
        if fingerprint.codes.width != width:
            raise FormatError(f"has codes of {fingerprint.codes.width} bytes", file=name)
        documents.append(NewDocument(name))
        rows.append(fingerprint.codes)
    if not rows:
        raise FormatError("holds no fingerprint", file=str(paths[0]))
    columns = [DocumentRows(documents, _columns(rows))]
    return coded(MemoryCollection.of_rows(recipe, columns)), rows[0].recipe


def codes_of(collection: StoredCollection, where: str | None = None) -> MemoryCollection:
    """The documents of a collection that `where` selects, with their codes of sentences alone.

    Raises MismatchError if it has none.
    """
    if not keeps_codes(collection.recipe):
        raise without(collection.name, "codes of sentences", CODE_RECIPE)
    parts, selected = [], collection.ids(where)
    for part in collection.segments():
        places = np.flatnonzero(part.alive & np.isin(part.ids, selected))
        documents = [
            NewDocument(item.name, item.root, metadata=item.metadata)
            for item in collection.take(part.ids[places])
        ]
        columns = {name: part.ragged(name).take(places) for name in CODE_COLUMNS if name != SHORT}
        parts.append(DocumentRows(documents, {**columns, SHORT: part.arrays[SHORT][places]}))
    return coded(MemoryCollection.of_rows(collection.recipe, parts))


def _type_of_row(width: int) -> np.dtype[np.void]:
    """The type of a row of `SentenceCodes`."""
    return np.dtype([("start", "<u4"), ("end", "<u4"), ("code", "u1", (width,))])


def _columns(documents: Sequence[SentenceCodes]) -> dict[str, Array]:
    tables = [np.frombuffer(each.rows, _type_of_row(each.width)) for each in documents]
    offsets = np.append(0, np.cumsum([len(table) for table in tables]))
    whole = np.concatenate(tables)
    names = {UNIT_STARTS: "start", UNIT_ENDS: "end", CODES: "code"}
    return {
        **{name: Ragged(np.ascontiguousarray(whole[key]), offsets) for name, key in names.items()},
        SHORT: np.array([each.short for each in documents], np.int64),
    }


def coded(collection: MemoryCollection) -> MemoryCollection:
    """The documents with sentence codes alone: each sentence is a word, spelled as its code."""
    parts = []
    for part in collection.rows or ():
        codes = part.arrays[CODES]
        assert isinstance(codes, Ragged)  # noqa: S101 (a column of rows of different lengths)
        distinct, tokens = np.unique(codes.values, axis=0, return_inverse=True)
        words = [np.frombuffer(code.tobytes().hex().encode(), np.uint8) for code in distinct]
        arrays = {name: part.arrays[name] for name in CODE_COLUMNS} | {
            TOKENS: Ragged(tokens.reshape(-1).astype(np.uint32) + np.uint32(1), codes.offsets),
            WORDS: Ragged.of(words, "uint8"),
            WORD_STARTS: part.arrays[UNIT_STARTS],
            WORD_ENDS: part.arrays[UNIT_ENDS],
        }
        parts.append(DocumentRows(part.documents, arrays))
    return MemoryCollection.of_rows(collection.recipe, parts)
