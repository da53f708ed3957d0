"""Documents at hand, read and put into words for a search of reused text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.wording import Wording
from sdtext.collections.ingest.inputs import Inputs, Joined, named_in
from sdtext.collections.ingest.row_batches import Batches
from sdtext.collections.ingest.row_maker import Item
from sdtext.collections.positions import Marked
from sdtext.model import Document, Metadata, Problem, RecipeSpec, Span
from sdtext.model.passages import Examined
from sdtext.parts.units.chapter import Chapter
from sdtext.reading.batches import Run, process_document, run_batches
from sdtext.reading.options import Reading
from sdtext.reading.source import Source
from sdtext.reuse.texts import CHAPTERS, QUOTES, REFERENCES, SENTENCES, Text, Texts, joined_texts
from sdtext.text.normal_form import clean

_DIGEST = 16  # bytes
_WORDS = 1 << 21  # of documents that are compared together


@dataclass(frozen=True)
class Given:
    """Documents that are to be read, and such as are at hand."""

    inputs: Inputs
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A document on its way: what it is called, what is known of it, and where its text is.

    That is in the file at `path`, or at hand as `document`.
    """

    name: str
    path: Path | None = None
    document: Document | None = None
    facts: Metadata = field(default_factory=dict)


@dataclass
class Made:
    """What came of a batch of documents: those that could be read; what is wrong with others."""

    texts: Texts | None = None
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class Maker:
    """Reads documents and finds what a search by `recipe` needs of them.

    `wants` names what is needed beside words.
    """

    recipe: RecipeSpec
    reading: Reading = field(default_factory=Reading)
    wants: frozenset[str] = frozenset()

    def __call__(self, batch: Sequence[Asked]) -> Made:
        made = Made()
        read = [one for asked in batch if (one := self._read(asked, made))]
        if read:
            documents = [document for _, document, _ in read]
            words = self._wording(documents)
            units = self._codes(documents) if SENTENCES in self.wants else None
            short = [0] * len(read) if units is None else units.short.tolist()
            counts = zip(words.tokens.lengths.tolist(), short, strict=True)
            known = [
                Text(0, _examined(*one, *count), self._marked(one[1]))
                for one, count in zip(read, counts, strict=True)
            ]
            made.texts = Texts(known, words, units)
        return made

    def _read(self, asked: Asked, made: Made) -> tuple[Asked, Document, str] | None:
        """A document and the digest of its content; None where it cannot be read."""
        if asked.path is None:
            document = asked.document
            assert document is not None  # noqa: S101 (it is at hand, or in a file)
            digest = _digest_of([document.text.encode("utf-8", "surrogatepass")])
            return asked, document, digest
        found = process_document(asked.path, self.reading, lambda source: _read(source, made))
        if isinstance(found, Problem):
            made.problems.append(found)
            return None
        return asked, *found

    def _marked(self, document: Document) -> Marked:
        """The stretches of a document that are asked for."""
        from sdtext.parts.units.quotes import quotes_in
        from sdtext.parts.units.references import references_in

        finders: dict[str, Callable[[Document], list[Span]]] = {
            CHAPTERS: Chapter(),
            QUOTES: quotes_in,
            REFERENCES: references_in,
        }
        found = {
            name: tuple(find(document)) for name, find in finders.items() if name in self.wants
        }
        return Marked(**found)

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self.recipe)

    @cached_property
    def _codes(self) -> UnitCodes:
        from sdtext.analysis.sentence_codes import UnitCodes

        return UnitCodes(self.recipe)


def _read(source: Source, made: Made) -> tuple[Document, str]:
    digest = _digest_of(source.content.blocks())
    document = source.document()
    made.problems.extend(source.problems)
    return document, digest


def _digest_of(blocks: Iterable[bytes]) -> str:
    digest = blake2b(digest_size=_DIGEST)
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _examined(asked: Asked, document: Document, digest: str, words: int, short: int) -> Examined:
    return Examined(asked.name, words, len(document.text), digest, short, dict(asked.facts))


class Queries:
    """The documents given that can be read, in batches; what is wrong with others is noted.

    They are read once. Raises FormatError or UnreadableError where a file of metadata is none.
    """

    def __init__(self, given: Given, maker: Maker, run: Run) -> None:
        self._read: list[Texts] = []
        self._asking = _Asking(given, run)
        self._rest = self._reading(self._asking, maker, run)

    @property
    def documents(self) -> int:
        """How many documents have been read."""
        return sum(map(len, self._read))

    @property
    def is_told_of(self) -> bool:
        """Whether the file of metadata says anything of them, if there is one."""
        return self._asking.is_told_of

    def unused(self) -> Iterator[Problem]:
        """A warning about what the file of metadata says of no document."""
        return self._asking.unused()

    def read(self) -> None:
        """Read all at once."""
        while self._more():
            pass

    def texts(self, first: int = 0) -> Iterator[Texts]:
        """The batches, from the one of that number on."""
        place = first
        while place < len(self._read) or self._more():
            yield self._read[place]
            place += 1

    def _more(self) -> bool:
        """Whether a further batch can be read."""
        pieces: list[Texts] = []
        for texts in self._rest:
            pieces.append(texts)
            if sum(len(one.words.tokens.values) for one in pieces) > _WORDS:
                break
        if not pieces:
            return False
        first, texts = self.documents, joined_texts(pieces)
        known = [replace(one, id=number) for number, one in enumerate(texts.known, first)]
        self._read.append(replace(texts, known=known))
        return True

    @staticmethod
    def _reading(asking: _Asking, maker: Maker, run: Run) -> Iterator[Texts]:
        for made in run_batches(maker, asking, run, lambda: asking.total):
            if made.texts is not None:
                yield made.texts


class _Asking:
    """The documents given, in batches, with what is said of them in a file of metadata."""

    def __init__(self, given: Given, run: Run) -> None:
        inputs = given.inputs
        named = named_in(inputs, run)
        self._at_hand = given.documents
        self._batches = Batches(named, inputs.fields, run)
        self._files = {one.root: str(one.path) for one in named if one.records}
        self._alone = len(named) == 1
        self.is_told_of = False
        self._joined: Joined | None = None
        if inputs.metadata is not None:
            self._joined = Joined(inputs.metadata, (one.name for one in named), run)

    @property
    def total(self) -> int:
        """How many documents were met so far."""
        return self._batches.total + len(self._at_hand)

    def __iter__(self) -> Iterator[list[Asked]]:
        if self._at_hand:
            yield [Asked(one.source, document=one) for one in self._at_hand]
        for batch in self._batches:
            yield [self._asked(item) for item in batch]

    def _asked(self, item: Item) -> Asked:
        told = self._joined.of(item.name) if self._joined else {}
        self.is_told_of = self.is_told_of or bool(told)
        facts = {**item.facts, **told}
        if item.path is not None:
            return Asked(str(item.path), item.path, facts=facts)
        name = item.name if self._alone else f"{self._files[item.root]}#{item.name}"
        return Asked(name, document=Document(item.text, clean(item.text), source=name), facts=facts)

    def unused(self) -> Iterator[Problem]:
        """A warning about what the file of metadata says of no document."""
        return self._joined.unused() if self._joined else iter(())
