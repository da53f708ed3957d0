"""The chain of a recipe, compiled: from text to terms.

A filter is pure, so its result for a word is cached; distinct words are few compared with their
occurrences (Zipf's law), so nearly every look-up succeeds. For tokenizers that split at white
space, the leading filters that treat each ASCII character on its own are compiled to one table
for a whole text (`bytes.translate`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as chained
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from unicodedata import category, normalize, unidata_version

from sdtext._version import __version__
from sdtext.io.installed_packages import package_version
from sdtext.model import OffsetMap, PartSpec, RecipeSpec, Tokens
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.filters import Filter
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.parts.registry import build, find, translated
from sdtext.parts.tokenizers import Tokenizer
from sdtext.text.document import Document
from sdtext.text.language import AUTO, LIBRARY, language_of, sample_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sdtext.analysis.term_numbers import Table, TermNumbers

LONGEST_TERM = 1 << 16
"""In code points. A longer word is dropped."""

_MOST_WORDS = 1 << 19  # entries of a memo; some 100 MB
_LONGEST_WORD = 64  # bytes
_MAX_LANGUAGES = 8  # whose chains are kept, each with its caches

# Between the terms of a span that blanks beyond ASCII split; no term contains a line end.
_SEVERAL = "\n"

_Terms = tuple[str, ...]
_Filter = Callable[[str], str]
Key = TypeVar("Key", bound=bytes | str)
Result = TypeVar("Result")


class PlacedTerm(NamedTuple):
    """A term with its place in the text, a half-open range in code points."""

    token: str
    start: int
    end: int


@dataclass(frozen=True, repr=False)
class Chain(ShortFields):
    """The tokenizer and the filters of a recipe as one function of clean text.

    >>> from sdtext.model import PartSpec
    >>> chain = Chain(RecipeSpec(PartSpec("words"), (PartSpec("lowercase"), PartSpec("porter"))))
    >>> chain.terms("Running dogs run")
    ['run', 'dog', 'run']

    Where a filter's language is `auto`, `suited_to` gives the chain for a document; its
    `language` is then the one detected.
    """

    recipe: RecipeSpec
    language: str = ""

    @classmethod
    def of(cls, recipe: RecipeLike) -> Chain:
        """The chain of a recipe, or of the one of this name or in this file.

        >>> Chain.of("english").terms("The running of the dogs")
        ['run', 'dog']
        """
        return cls(recipe_from(recipe))

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer part."""
        part: Tokenizer = build("tokenizers", self.recipe.tokenizer)
        return part

    @cached_property
    def _of_joined(self) -> Tokenizer:
        """The tokenizer for spans between its boundaries, and for texts of joined lines."""
        return self.tokenizer.of_joined

    @cached_property
    def filters(self) -> tuple[Filter, ...]:
        """The filter parts."""
        return tuple(build("filters", spec) for spec in self.recipe.filters)

    @cached_property
    def is_automatic(self) -> bool:
        """Whether a filter's language is `auto`, the language of each document."""
        return any(
            dict(spec.options).get("language") == AUTO and _class_of(spec).languages()
            for spec in self.recipe.filters
        )

    def suited_to(self, sample: str) -> Chain:
        """The chain for a text that begins with `sample`: itself unless a language is `auto`.

        A filter that does not support the language detected is left out.

        >>> recipe = RecipeSpec(PartSpec("words"), (PartSpec.of("snowball", language="auto"),))
        >>> suited = Chain(recipe).suited_to("Όλοι οι άνθρωποι")
        >>> suited.language, suited.terms("άνθρωποι")
        ('greek', ['ανθρωπ'])
        """
        return self.in_language(language_of(sample)) if self.is_automatic else self

    def in_language(self, language: str) -> Chain:
        """The chain for texts in a language, for which every `auto` stands then."""
        if language not in self._suited:
            if len(self._suited) >= _MAX_LANGUAGES:
                self._suited.clear()
            filters = (_settled(spec, language) for spec in self.recipe.filters)
            recipe = RecipeSpec(self.recipe.tokenizer, tuple(filter(None, filters)))
            self._suited[language] = Chain(recipe, language)
        return self._suited[language]

    def by_language(self, texts: Sequence[str]) -> list[tuple[Chain, list[int]]]:
        """The chains for some clean texts, each with the places of the texts that it suits."""
        if not self.is_automatic or not texts:
            return [(self, list(range(len(texts))))]
        groups: dict[str, tuple[Chain, list[int]]] = {}
        for place, text in enumerate(texts):
            chain = self.suited_to(sample_of([text]))
            groups.setdefault(chain.language, (chain, []))[1].append(place)
        return list(groups.values())

    @cached_property
    def _suited(self) -> dict[str, Chain]:
        return {}

    def terms(self, text: str) -> list[str]:
        """The terms of `text` in its order."""
        return list(chained.from_iterable(self.term_pieces(text)))

    def term_pieces(self, text: str) -> Iterator[list[str]]:
        """The result of `terms` piece by piece, so that memory is bounded."""
        white = None if " " in self.tokenizer.boundaries else b"\n"
        for piece in self.tokenizer.pieces(self.tokenizer.joined(text)[0]):
            spans = piece.encode("utf-8", "surrogatepass").split(white)
            yield list(chained.from_iterable(map(self._chunks.__getitem__, spans)))

    def terms_in(self, spans: Sequence[bytes]) -> list[str]:
        r"""The terms of each span of joined lines, in UTF-8, between the tokenizer's boundaries.

        Several terms of one span are joined by "\n"; a span that has none gives "".
        """
        texts = (span.decode("utf-8", "surrogatepass") for span in spans)
        return list(map(_SEVERAL.join, map(self._terms_of, texts)))

    def terms_in_translated(self, spans: Sequence[bytes]) -> list[str]:
        """As `terms_in`, of spans between blanks after a translation by `table`."""
        if spans and self._characterwise == len(self.filters):  # all spans as one text
            text = b"\n".join(spans).decode("utf-8", "surrogatepass")
            for clean in self.filters:
                text = clean(text)
            split = self._of_joined.split
            terms = [_SEVERAL.join(split(line)) for line in text.split("\n")]
            if max(map(len, terms)) <= LONGEST_TERM:
                return terms
        words = [span.decode("utf-8", "surrogatepass") for span in spans]
        terms = [word if word.isascii() else "" for word in words]
        for clean in self.filters[self._characterwise :]:
            terms = [term and clean(term) for term in terms]
        return [
            (term if len(term) <= LONGEST_TERM else "")
            if word.isascii()
            else _SEVERAL.join(self._terms_of(word))
            for word, term in zip(words, terms, strict=True)
        ]

    @cached_property
    def longest_plain(self) -> int:
        """The length in bytes up to which a translated span of ASCII is a term unchanged.

        0 where filters follow the table that may change it.
        """
        rest = self.filters[self._characterwise :]
        return LONGEST_TERM if self._characterwise and all(f.keeps_ascii for f in rest) else 0

    def letters(self, chars: Sequence[str]) -> Iterator[str | None]:
        """What the chain makes of each of some letters without marks, whatever stands beside it.

        With blanks around it if it is a word by itself, and one for white space. None for a mark,
        and where other letters or filters of words count.
        """
        text = "\n".join(chars)
        for each in self.filters[: self._characterwise]:
            text = each(text)
        later, split = self._characterwise < len(self.filters), self._of_joined.split
        for char, clean in zip(chars, text.split("\n"), strict=True):
            parts = filter(None, (char, normalize("NFKC", char), clean))
            kinds = {category(part[0])[0] for part in parts}
            ways = {(f"a{clean}a",): clean, ("a", clean, "a"): f" {clean} ", ("a", "a"): " "}
            is_known = not kinds & {"C", "M"} and (clean.isascii() or not later)
            yield ways.get(tuple(split(f"a{clean}a"))) if is_known else None

    def distinct(self, pieces: Iterable[str]) -> set[str]:
        """The distinct terms of a text that comes in pieces cut where the tokenizer allows it."""
        numbers = self.distinct_numbers(pieces).tolist()
        terms = {*map(self.spelled.__getitem__, numbers)}
        self._renew_numbers()
        return terms

    def distinct_places(self, pieces: Iterable[str], index: Mapping[str, int]) -> NDArray[np.int32]:
        """The places in an `index` of what `distinct` gives, -1 for each term that it lacks."""
        places = self._numbers.places(self.distinct_numbers(pieces), index)
        self._renew_numbers()
        return places

    def distinct_numbers(self, pieces: Iterable[str]) -> NDArray[np.int32]:
        """The terms that `distinct` gives, as places in `spelled`, each once.

        They hold until `frequencies`, `distinct` or `distinct_places` is called.
        """
        return self._numbers.distinct(self, pieces)

    def distinct_of_each(self, texts: Sequence[str]) -> list[NDArray[np.int32]]:
        """What `distinct_numbers` gives for each of some texts, faster."""
        return self._numbers.distinct_of_each(self, texts)

    def frequencies(self, counts: Iterable[int]) -> dict[str, int]:
        """The number of documents with each term, of their `counts` by the places in `spelled`."""
        named = zip(self.spelled, counts, strict=False)
        frequencies = {term: count for term, count in named if count}
        self._renew_numbers()
        return frequencies

    def _renew_numbers(self) -> None:
        if self._numbers.numbering.is_full:
            del self.__dict__["_numbers"]

    @property
    def spelled(self) -> Sequence[str]:
        """The terms that `distinct_numbers` stands for."""
        return self._numbers.numbering.spelled

    @cached_property
    def _numbers(self) -> TermNumbers:
        from sdtext.analysis.term_numbers import TermNumbers

        return TermNumbers()

    def tokens(self, document: Document) -> Tokens:
        """The terms of `document` in its order, with their places in `document.text`."""
        rows = [*self.token_pieces(document)]
        if len(rows) == 1:
            return rows[0]
        columns = ((tokens.words, tokens.starts, tokens.ends) for tokens in rows)
        return Tokens(*([*chained.from_iterable(column)] for column in zip(*columns, strict=True)))

    def token_pieces(self, document: Document) -> Iterator[Tokens]:
        """The result of `tokens` piece by piece, so that memory is bounded."""
        joined, to_text = self.joined(document)
        done = 0
        for piece in self.tokenizer.pieces(joined):
            yield self._placed(self._of_joined(piece), done, to_text)
            done += len(piece)

    def placed_terms(self, pieces: Iterable[tuple[int, Document]]) -> Iterator[PlacedTerm]:
        """The terms of a text in pieces, each with its offset, with their places in the whole."""
        for place, piece in pieces:
            for tokens in self.token_pieces(piece):
                for term, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
                    yield PlacedTerm(term, place + start, place + end)

    def joined(self, document: Document) -> tuple[str, OffsetMap | None]:
        """The clean text without line ends and blanks within words, and its map to the text."""
        joined, to_clean = self.tokenizer.joined(document.clean, lines=not document.line_paragraphs)
        to_text = document.offset_map
        return joined, to_clean.followed_by(to_text) if to_clean else to_text

    def _placed(self, tokens: Tokens, shift: int, to_text: OffsetMap | None) -> Tokens:
        """The terms of words of a piece from `shift` on, with their places in the text."""
        known = {word: _filtered(self.filters, word) for word in set(tokens.words)}
        rows = [
            (term, shift + start, shift + end)
            for word, start, end in zip(tokens.words, tokens.starts, tokens.ends, strict=True)
            if (term := known[word])
        ]
        words, starts, ends = (
            (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
        )
        placed = Tokens(words, starts, ends)
        return placed.mapped_by(to_text) if to_text else placed

    def term(self, word: str) -> str:
        """The term that the filters make of a `word`; "" if one drops it.

        >>> from sdtext.model import PartSpec
        >>> Chain(RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))).term("The")
        'the'
        """
        return _filtered(self.filters, word)

    def explain(self, word: str) -> list[tuple[str, str]]:
        """The result of each filter in turn for `word`, by the filter's name; "" drops it.

        >>> from sdtext.model import PartSpec
        >>> Chain(RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))).explain("The")
        [('lowercase', 'the')]
        """
        steps = []
        for spec, clean in zip(self.recipe.filters, self.filters, strict=True):
            word = clean(word) if word else ""
            steps.append((str(spec), word))
        return steps

    def libraries(self) -> tuple[tuple[str, str], ...]:
        """The versions that the terms depend on: of Unicode's tables, and of packages by name."""
        parts: Sequence[Tokenizer | Filter] = (self.tokenizer, *self.filters)
        named = {name for part in parts for name in part.libraries}
        # A script may determine the language without the library, which need not be installed.
        if self.is_automatic and package_version(LIBRARY):
            named.add(LIBRARY)
        return (
            ("sdtext", __version__),
            ("Unicode", unidata_version),
            *((name, package_version(name)) for name in sorted(named)),
        )

    @cached_property
    def _chunks(self) -> WordMemo[bytes, _Terms]:
        """The terms of each span between boundaries, by the whole chain."""
        return WordMemo(lambda span: self._terms_of(span.decode("utf-8", "surrogatepass")))

    def _terms_of(self, chunk: str) -> _Terms:
        """The terms of a text between boundaries, by the parts."""
        return tuple(filter(None, map(self._single.__getitem__, self._of_joined.split(chunk))))

    @cached_property
    def _single(self) -> WordMemo[str, str]:
        """The term for each word, of which a long text without blanks repeats many."""
        return WordMemo(self.term)

    @cached_property
    def _characterwise(self) -> int:
        """The number of leading filters that work on single characters, up to one of marks."""
        if not self.tokenizer.filters_may_precede:
            return 0
        works = [clean.characterwise for clean in self.filters]
        ends = (place for place, clean in enumerate(self.filters, 1) if clean.minds_letters)
        return min([*works, False].index(False), next(ends, len(works)))

    @cached_property
    def table(self) -> Table | None:
        """The filters that treat each ASCII character on its own, for `bytes.translate`.

        A table that keeps line ends, as line feeds, and the bytes to delete; None if there are no
        such filters. It does not hold for a text with a `CAPITAL_SIGMA`.
        """
        if not self._characterwise:
            return None
        filters = self.filters[: self._characterwise]
        to = {
            code: " " if chr(code).isspace() else _filtered(filters, chr(code))
            for code in range(128)
        }
        to |= {ord("\n"): "\n", ord("\r"): "\n"}
        table = bytes(ord(to.get(code) or chr(code)) for code in range(256))
        return table, bytes(code for code in to if not to[code])


def _filtered(filters: Iterable[_Filter], word: str) -> str:
    """The term for `word` after all filters; "" if one drops it or it is too long."""
    for clean in filters:
        word = clean(word)
        if not word:
            return ""
    return word if len(word) <= LONGEST_TERM else ""


def _class_of(spec: PartSpec) -> type[Filter]:
    cls: type[Filter] = find("filters", translated("filters", spec).name)
    return cls


def _settled(spec: PartSpec, language: str) -> PartSpec | None:
    """The filter of `spec` for texts in `language`; None if it does not support it."""
    known = _class_of(spec).languages() if dict(spec.options).get("language") == AUTO else ()
    if not known:
        return spec
    if language not in known:
        return None
    return PartSpec.of(spec.name, **{**dict(spec.options), "language": language})


class WordMemo(dict[Key, Result]):
    """Memoized results of `compute` for words; bounded in entries and in their length."""

    def __init__(self, compute: Callable[[Key], Result]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Key) -> Result:
        result = self._compute(key)
        if len(key) <= _LONGEST_WORD:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[key] = result
        return result
