"""A collection as a record; its documents as rows."""

from collections.abc import Iterator
from typing import Any

from sdtext.collections.schema import CODES, keeps_codes, keeps_places
from sdtext.collections.stored_collection import StoredCollection
from sdtext.model import PartSpec
from sdtext.parts.registry import build
from sdtext.search.search_explanations import describe_bands

COLUMNS = ("id", "document", "size", "metadata", "root")
"""Columns of the rows of documents."""
_PARTS = ("unit", "shingler", "fingerprint", "index", "matcher", "aligner")


def record_of(collection: StoredCollection) -> dict[str, Any]:
    """What `collection` holds and how it was made; empty fields are left out.

    `bytes` is the total size of its files, `sentences` how many have a code. Of a recipe with LSH
    bands, `curve` is their S-curve.
    """
    recipe, segments = collection.recipe, collection.segments()
    arrays = {name.removesuffix(".offsets") for segment in segments for name in segment.arrays}
    coded = segments if keeps_codes(recipe) else ()
    sentences = sum(int(each.ragged(CODES).lengths[each.alive].sum()) for each in coded)
    record: dict[str, Any] = {
        "documents": len(collection),
        "name": collection.path.name,
        "guid": collection.guid,
        "created": collection.created,
        "tokenizer": str(recipe.tokenizer),
        "filters": list(map(str, recipe.filters)),
        **{kind: str(part) for kind in _PARTS if (part := getattr(recipe, kind))},
        "dictionaries": [
            {"name": each.name, "guid": each.guid, "digest": each.digest, "terms": len(each.terms)}
            for each in collection.dictionaries
        ],
        "arrays": sorted(arrays - {"ids"}),
        "texts": collection.keeps_text,
        "places": keeps_places(recipe) or None,
        "sentences": sentences if keeps_codes(recipe) else None,
        "segments": len(segments),
        "bytes": sum(path.stat().st_size for path in collection.path.rglob("*") if path.is_file()),
        "metadata": sorted({name for each in collection.documents() for name in each.metadata}),
    }
    spec, fingerprint = recipe.index or PartSpec("bands"), recipe.fingerprint
    if fingerprint and fingerprint.name == "minhash" and spec.name == "bands":
        slots, index = build("fingerprints", fingerprint).slots, build("indexes", spec)
        record["found"] = describe_bands(index, slots)
        record["curve"] = [list(point) for point in index.curve(slots)]
    return {key: value for key, value in record.items() if value not in (None, [], "")}


def rows_of(collection: StoredCollection, where: str | None = None) -> Iterator[dict[str, Any]]:
    """A row for each document of `collection` that satisfies `where`."""
    documents = collection.documents(where)  # a wrong condition is refused at once
    return (
        dict(zip(COLUMNS, (each.id, each.name, each.size, each.metadata, each.root), strict=True))
        for each in documents
    )
