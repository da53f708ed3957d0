"""What a collection keeps of documents, made for a batch of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.chain import Chain
from sdtext.analysis.shingling import Shingling
from sdtext.collections.document_rows import NewDocument, Rows
from sdtext.collections.ingest.places import Places
from sdtext.collections.positions import keeps_codes, keeps_places
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Document, Metadata, PartSpec, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.catalogue import build
from sdtext.reading.batches import process_document
from sdtext.reading.options import Reading
from sdtext.reading.source import Source, cut_at
from sdtext.text.language import sample_of
from sdtext.text.normal_form import clean, clean_with_map

_PIECE = 1 << 20  # characters of a text that go through a chain at once
_DIGEST = 16  # bytes
_SHINGLES = PartSpec("shingles")

SKETCHES = {"minhash": "sketches", "bbit": "bbits"}
"""The fingerprints that are made of shingles, and the arrays that hold them."""


@dataclass(frozen=True)
class Item:
    """One document on its way into a collection: the file at `path`, or a record's `text`.

    Where its digest is still `digest` there is nothing to do; `stored` says whether a document
    of its name is there.
    """

    root: str
    name: str
    path: Path | None = None
    text: str = ""
    facts: Metadata = field(default_factory=dict)
    stored: bool = False
    digest: str = ""


@dataclass
class Made:
    """What came of a batch: the rows for the collection, and how many documents of each kind.

    `lengths` has the characters of each document in the rows, in normal form.
    """

    rows: Rows | None = None
    lengths: list[int] = field(default_factory=list)
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _Text:
    """A document that was read; where no places are kept it is its text in normal form.

    The text as it was read is there, too, where it is kept.
    """

    item: Item
    size: int
    digest: str
    document: Document


@dataclass(frozen=True)
class Maker:
    """Makes what a collection by `recipe` keeps of a batch of documents.

    With `dictionaries` a bit vector over each; `tokens` and `texts` say whether these are kept.
    """

    recipe: RecipeSpec
    dictionaries: tuple[Dictionary, ...] = ()
    reading: Reading = field(default_factory=Reading)
    tokens: bool = True
    texts: bool = False

    def __call__(self, items: Sequence[Item]) -> Made:
        made = Made()
        read = [one for item in items if (one := self._read(item, made))]
        made.replaced = sum(one.item.stored for one in read)
        made.added = len(read) - made.replaced
        if read:
            documents = [_document(one) for one in read]
            made.rows = Rows(documents, dict(self._arrays(read)))
            made.lengths = [len(one.document.clean) for one in read]
        return made

    def _read(self, item: Item, made: Made) -> _Text | None:
        """The text of `item`; None where it is unchanged or cannot be read, which is noted."""
        if item.path is None:
            data = item.text.encode("utf-8", "surrogatepass")
            found: _Text | Problem | None = None
            if (digest := _digest_of([data])) != item.digest:
                found = _Text(item, len(data), digest, self._record(item.text))
        else:
            found = process_document(item.path, self.reading, self._reader(item, made))
        if isinstance(found, Problem):
            made.problems.append(found)
            return None
        made.unchanged += found is None
        return found

    def _reader(self, item: Item, made: Made) -> Callable[[Source], _Text | None]:
        def text_of(source: Source) -> _Text | None:
            size, digest = _facts_of(source)
            if digest == item.digest:
                return None
            document = source.document()
            made.problems.extend(source.problems)
            if not self._keeps_places:
                document = Document(document.text if self.texts else "", document.clean)
            return _Text(item, size, digest, document)

        return text_of

    def _record(self, text: str) -> Document:
        """The document that a record's text is."""
        if not self._keeps_places:
            return Document(text if self.texts else "", clean(text))
        return Document(text, *clean_with_map(text))

    def _arrays(self, read: Sequence[_Text]) -> Iterator[tuple[str, NDArray[Any] | Ragged]]:
        """The arrays of a segment by name, a row for each document."""
        documents = [one.document for one in read]
        texts = [one.clean for one in documents]
        if self._keeps_places:
            yield from self._placed(documents)
        elif self.recipe.shingler:
            yield from self._shingled(texts)
        for dictionary, chain in zip(self.dictionaries, self._chains, strict=True):
            yield bits_name(dictionary), self._bits(texts, dictionary, chain)
        if self.texts:
            yield "text", _bytes_of([one.text for one in documents])

    def _placed(self, documents: Sequence[Document]) -> Iterator[tuple[str, NDArray[Any] | Ragged]]:
        """All words with their places, what goes with them, and the shingles of the terms."""
        block, places = self._places.words(documents)
        yield "tokens", block.tokens
        yield "words", block.words
        yield from places
        yield from self._places.others(documents)
        if self.recipe.shingler and not keeps_codes(self.recipe):
            yield from self._sketched(self._shingling.sets(block))

    def _shingled(self, texts: Sequence[str]) -> Iterator[tuple[str, NDArray[Any] | Ragged]]:
        shingling = self._shingling
        if not self.tokens:
            yield from self._sketched(shingling.sets(shingling.block(texts)))
            return
        block = shingling.tokens(texts)
        yield "tokens", block.tokens
        yield "words", block.words
        yield from self._sketched(shingling.sets(block))

    def _sketched(self, shingles: Ragged) -> Iterator[tuple[str, NDArray[Any] | Ragged]]:
        yield "shingles", shingles
        spec = self.recipe.fingerprint
        if spec and spec.name in SKETCHES:
            yield SKETCHES[spec.name], self._sketch(shingles)

    def _bits(
        self, texts: Sequence[str], dictionary: Dictionary, chain: Chain
    ) -> NDArray[np.uint8]:
        """The packed bit vector of each text, a row each."""
        vector = build("fingerprints", PartSpec("bitvector"))
        packed = [vector(_terms(text, chain), dictionary).packed for text in texts]
        return np.frombuffer(b"".join(packed), np.uint8).reshape(len(texts), -1)

    @cached_property
    def _keeps_places(self) -> bool:
        return keeps_places(self.recipe)

    @cached_property
    def _places(self) -> Places:
        return Places(self.recipe)

    @cached_property
    def _shingling(self) -> Shingling:
        return Shingling(self.recipe)

    @cached_property
    def _sketch(self) -> Any:
        """What makes the sketch of shingles."""
        return build("fingerprints", self.recipe.fingerprint or _SHINGLES)

    @cached_property
    def _chains(self) -> list[Chain]:
        return [Chain(dictionary.recipe) for dictionary in self.dictionaries]


def bits_name(dictionary: Dictionary) -> str:
    """The name of the array that holds the bit vectors over `dictionary`."""
    return f"bits-{dictionary.digest[:16]}"


def _terms(text: str, chain: Chain) -> set[str]:
    """The distinct terms of a clean text."""
    suited = chain.suited_to(sample_of([text])) if chain.is_automatic else chain
    pieces = (text[place : place + _PIECE] for place in range(0, len(text), _PIECE))
    return suited.distinct(cut_at(pieces, suited.tokenizer.boundaries))


def _document(read: _Text) -> NewDocument:
    item = read.item
    return NewDocument(item.name, item.root, read.size, read.digest, dict(item.facts))


def _facts_of(source: Source) -> tuple[int, str]:
    """The size of a file and the digest of its bytes, unpacked."""
    digest = blake2b(digest_size=_DIGEST)
    size = 0
    for block in source.content.blocks():
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()


def _digest_of(blocks: Sequence[bytes]) -> str:
    return blake2b(b"".join(blocks), digest_size=_DIGEST).hexdigest()


def _bytes_of(texts: Sequence[str]) -> Ragged:
    """The texts in UTF-8."""
    rows = [np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8) for text in texts]
    return Ragged.of(rows, "uint8")
