"""Sketches of documents as fingerprints, which hold no words; recipes under a key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdtext._version import __version__
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.schema import SHINGLES, SKETCHED, keeps_sketches
from sdtext.collections.word_offsets_and_codes import without
from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.kernels.bottom_k import Row, packed, shortened, unpacked
from sdtext.model import Fingerprint, PartSpec, RecipeSpec, Sketch
from sdtext.model.dictionary import Dictionary
from sdtext.parts.filters.keyed import KEYED
from sdtext.parts.fingerprints.bottom_k import BottomK
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import normalised
from sdtext.reading.inputs import Inputs, input_batches, input_files
from sdtext.reading.parallel_run import Run, run_batches
from sdtext.reading.read_document import read
from sdtext.reading.records.record import Fields
from sdtext.text.document import Document

if TYPE_CHECKING:
    from sdtext.collections.stored_collection import StoredCollection

RECIPE = "sketch"
"""The recipe of sketches."""
BYTES = 512


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
    return replace(under_key(load_recipe(RECIPE), keyed), fingerprint=part)


def digest_of(recipe: RecipeSpec) -> str:
    """The SHA-256 of all that sketches depend on but their bytes."""
    parts = recipe.canonical(), recipe.shingler, SKETCHED
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
        raise without(collection.name, "sketches", RECIPE)
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
