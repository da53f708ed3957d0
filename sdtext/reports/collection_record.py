"""A collection as a record; its documents as rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sdtext.collections.schema import CODES, keeps_codes, keeps_places
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.registry import build
from sdtext.search.search_explanations import describe_bands

COLUMNS = ("id", "document", "size", "metadata", "root")
"""Columns of the rows of documents."""
_IDS, _OFFSETS = "ids", ".offsets"
_SKETCH, _BANDS = "minhash", "bands"


def record_of(collection: StoredCollection) -> dict[str, Any]:
    """What `collection` holds and how it was made; empty fields are left out."""
    segments = collection.segments()
    record = {
        "documents": len(collection),
        "name": collection.path.name,
        "guid": collection.guid,
        "created": collection.created,
        **_parts(collection.recipe),
        "dictionaries": [
            {
                "name": dictionary.name,
                "guid": dictionary.guid,
                "digest": dictionary.digest,
                "terms": len(dictionary.terms),
            }
            for dictionary in collection.dictionaries
        ],
        "arrays": sorted({name for segment in segments for name in _arrays(segment)}),
        "texts": collection.keeps_text,
        "places": keeps_places(collection.recipe) or None,
        "sentences": _sentences(collection),
        "segments": len(segments),
        "bytes": _size_of(collection.path),
        "metadata": fields_of(collection),
        **_bands(collection.recipe),
    }
    return {key: value for key, value in record.items() if value not in (None, [], "")}


def _arrays(segment: StoredSegment) -> list[str]:
    """The names of the arrays of a segment, without those that belong to others."""
    return [name for name in segment.arrays if name != _IDS and not name.endswith(_OFFSETS)]


def _sentences(collection: StoredCollection) -> int | None:
    """How many sentences have a code, None where no codes are kept."""
    if not keeps_codes(collection.recipe):
        return None
    lengths = (segment.ragged(CODES).lengths[segment.alive] for segment in collection.segments())
    return sum(int(counts.sum()) for counts in lengths)


def _parts(recipe: RecipeSpec) -> dict[str, Any]:
    """The parts of a recipe by kind, as a person writes them."""
    others = ("unit", "shingler", "fingerprint", "index", "matcher", "aligner")
    return {
        "tokenizer": str(recipe.tokenizer),
        "filters": list(map(str, recipe.filters)),
        **{kind: str(part) if (part := getattr(recipe, kind)) else None for kind in others},
    }


def _size_of(folder: Path) -> int:
    """Total size of the files below a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _bands(recipe: RecipeSpec) -> dict[str, Any]:
    """The S-curve of the recipe's LSH bands, described and as points; {} without bands."""
    spec = recipe.index or PartSpec(_BANDS)
    if recipe.fingerprint is None or recipe.fingerprint.name != _SKETCH or spec.name != _BANDS:
        return {}
    slots = build("fingerprints", recipe.fingerprint).slots
    index = build("indexes", spec)
    curve = [list(point) for point in index.curve(slots)]
    return {"found": describe_bands(index, slots), "curve": curve}


def fields_of(collection: StoredCollection) -> list[str]:
    """The names of all metadata of the documents of `collection`, in code-point order."""
    return sorted({name for document in collection.documents() for name in document.metadata})


def rows_of(collection: StoredCollection, where: str | None = None) -> Iterator[dict[str, Any]]:
    """A row for each document of `collection` that satisfies `where`."""
    documents = collection.documents(where)  # a wrong condition is refused at once
    return (
        {
            "id": document.id,
            "document": document.name,
            "size": document.size,
            "metadata": document.metadata,
            "root": document.root,
        }
        for document in documents
    )
