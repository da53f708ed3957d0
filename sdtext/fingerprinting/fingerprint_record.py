"""Fingerprints as records, with their terms where their dictionaries are available."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from sdtext.errors import FormatError, MismatchError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.fingerprint_documents import fingerprints
from sdtext.fingerprinting.load_and_save import embedded_dictionaries, read_fingerprint_file
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import RAISE_BYTES
from sdtext.kernels.arrays.packed_bits import places_in
from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.model.fingerprints import DataSource
from sdtext.parts.fingerprints.compressed_tokens import tokens_of, unknown_of
from sdtext.reading.archive_members import content_at
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.reading.read_document import Source

_TOKEN_BYTES = 8  # of text, for each term of a digest
_OF_DIGEST = ("dictionary", "first", "tokens", "unknown_words", "width")


def records_in(path: str, dictionaries: Sequence[Dictionary], run: Run) -> Iterator[dict[str, Any]]:
    """The records of the fingerprints in a file, or of that of a document over the dictionaries.

    Terms are those of its own dictionaries and of the given ones. Raises FormatError,
    MismatchError where none of the given ones is that of a fingerprint.
    """
    named = {dictionary.digest: dictionary for dictionary in dictionaries}
    source, max_bytes = Source(path, run.reading), run.reading.max_bytes
    if named and not kind_of_own_file(source.content.head):
        made = [item for _, item in fingerprints([source], dictionaries, run)]
        if not made:
            raise nothing_left(run, "there is nothing to show")
        yield {"fingerprint": path, **record_of(made[0], named)}
        return
    embedded = {item.digest: item for item in embedded_dictionaries(path, max_bytes=max_bytes)}
    room = max_bytes
    for item in read_fingerprint_file(content_at(path, max_bytes), path, codes=True):
        if not isinstance(item, tuple):
            continue
        name, fingerprint = item
        references = fingerprint.dictionaries
        if references and named and named.keys().isdisjoint(each.digest for each in references):
            what = f"was made with dictionary {called(references[0])}"
            raise MismatchError(f"{what}, which is not among those named with -d", file=path)
        room -= sum(_TOKEN_BYTES * digest.tokens for digest in fingerprint.digests)
        if room < 0:
            what = f"its digests hold more than {max_bytes:,} bytes of terms; {RAISE_BYTES}"
            raise FormatError(what, file=path)
        try:
            record = record_of(fingerprint, {**embedded, **named}, embedded)
        except FormatError as error:
            raise FormatError(f"is damaged: {error}", file=name) from error
        yield {"fingerprint": name, **record}


def record_of(
    fingerprint: Fingerprint, dictionaries: Mapping[str, Dictionary], embedded: Collection[str] = ()
) -> dict[str, Any]:
    """All fields that are not empty; `dictionaries` are the available ones by content digest.

    Those with the digests `embedded` are inside its file. Bits without a dictionary are given by
    their positions. Raises FormatError for a digest that cannot be decoded.
    """
    known = {
        reference.guid: dictionaries[reference.digest]
        for reference in fingerprint.dictionaries
        if reference.digest in dictionaries
    }
    vectors, digests = list[dict[str, Any]](), list[dict[str, Any]]()
    for vector in fingerprint.vectors:
        places, dictionary = places_in(vector.packed), known.get(vector.dictionary)
        vectors.append(
            {
                "dictionary": vector.dictionary,
                "bits": vector.length,
                "set": vector.count,
                "language": vector.language,
                "segment": vector.place,
                "places": None if dictionary else list(map(str, places)),
                "terms": dictionary and [dictionary.terms[place] for place in places],
            }
        )
    for digest in fingerprint.digests:
        dictionary = known.get(digest.dictionary)
        digests.append(
            {
                **{name: getattr(digest, name) for name in _OF_DIGEST},
                "compression": f"zlib, level {digest.level}",
                "bytes": len(digest.packed) + len(digest.unknown),
                "unknown": unknown_of(digest),
                "terms": dictionary and tokens_of(digest, dictionary),
            }
        )
    source = fingerprint.source or DataSource("")
    record: dict[str, Any] = _filled(
        {
            "guid": fingerprint.origin.guid,
            "fingerprinter": fingerprint.kind,
            "sdtext_version": fingerprint.sdtext_version,
            "created": fingerprint.origin.created,
            "system": fingerprint.origin.system,
            "creator": fingerprint.creator,
            "program": fingerprint.program,
            "libraries": [" ".join(library) for library in fingerprint.libraries],
            "dictionaries": [
                {**asdict(item), "embedded": item.digest in embedded}
                for item in fingerprint.dictionaries
            ],
            "filename": source.filename,
            "volume": source.volume,
            "image": source.image,
            "byte_runs": [f"{run.img_offset}:{run.length}" for run in source.byte_runs],
            "dictionary_sources": source.dictionaries,
            "vectors": vectors,
            "digests": digests,
            "sentence_codes": fingerprint.codes and len(fingerprint.codes),
            "sketch_positions": fingerprint.sketch and fingerprint.sketch.positions,
            "unknown": [*fingerprint.unknown, *source.unknown],
        }
    )
    return record


def _filled(value: Any) -> Any:
    """A record, also one of a dataclass, without its empty fields, and those in it, too."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        filled = ((name, _filled(item)) for name, item in value.items())
        return {name: item for name, item in filled if item not in (None, "", [], {})}
    return list(map(_filled, value)) if isinstance(value, list | tuple) else value
