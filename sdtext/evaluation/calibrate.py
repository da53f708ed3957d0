"""Calibrate a dictionary: how often unrelated documents of a folder reach a score, and copies do.

The documents of a sample are compared with each other, and excerpts of them with the other
documents. Documents that share text with others are left out first, so that what is left is
unrelated. Edited copies are compared with their documents.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.memory import MemoryCollection
from sdtext.errors import OptionError, UnreadableError
from sdtext.fingerprinting.fingerprint_documents import fingerprints_of_documents
from sdtext.fingerprinting.load_and_save import dictionaries_of
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.design_effect import DependentPairs
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.calibration import (
    SCORES,
    Calibration,
    SizeClass,
    costs,
    fitted_ratios,
    size_classes,
)
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import ShortFields
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.registry import build, find, parse, translated
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reading.parallel_run import (
    COMPARING,
    Amount,
    AmountLike,
    Run,
    batched,
    process_document,
    run_batches,
)
from sdtext.reading.read_document import DocumentPieces, Source
from sdtext.reading.walk import documents_in, sampled
from sdtext.search.bit_vector_scoring import Vectors, Weighting, rows_at_once, similar_vectors
from sdtext.search.find import links
from sdtext.search.search_plan import Question, default_matcher
from sdtext.text.document import Document
from sdtext.wording import counted, shown

SAMPLE = 500
"""The number of documents that are sampled."""

EXCERPTS = ("fragment(share=0.5)", "fragment(share=0.25)", "fragment(share=0.1)")
EDITS = ("keep-lines(share=0.5)", "keep-lines(share=0.2)", *EXCERPTS[1:])
"""The manglers of the copies; an excerpt holds nothing of another document."""

SHARED = 20
"""Documents are related if the smaller one shares that percentage of its runs of terms."""

_RUN = 4  # terms
_COPIED = 250  # documents of which copies are made
_ENOUGH = 1000  # pairs of documents: with fewer, excerpts are taken, too
_LEAST = 10  # documents
_FOLDS = 5  # of the documents, to measure likelihood ratios
_FEW = 20  # copied documents, or independent unrelated pairs, for likelihood ratios

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class _CheckedOptions:
    """The options of a calibration, checked."""

    sample: AmountLike
    mangler: str | Sequence[str]
    seed: int

    def __post_init__(self) -> None:
        if not self.amount.percent and self.amount.number < _LEAST:
            wanted = f"{_LEAST} or more, or a percentage of the documents, such as '10%'"
            raise OptionError.of("calibrate", "sample", self.sample, wanted)

    @property
    def amount(self) -> Amount:
        """How many documents are sampled. Raises OptionError."""
        return Amount.parse(self.sample, "sample")

    @property
    def edits(self) -> tuple[str, ...]:
        """The manglers of the edited copies."""
        given = [self.mangler] if isinstance(self.mangler, str) else self.mangler
        return tuple(str(translated("manglers", parse(name))) for name in given)


@dataclass(frozen=True, repr=False)
class Calibrated(ShortFields):
    """The calibrated dictionary, the new calibrations, and the paths of what was left out."""

    dictionary: Dictionary
    calibrations: tuple[Calibration, ...]
    left_out: tuple[str, ...]


def calibrate(
    dictionary: Dictionary | str | Path,
    path: DocumentInputs,
    *,
    matcher: str | Sequence[str] | None = None,
    sample: AmountLike = SAMPLE,
    mangler: str | Sequence[str] = EDITS,
    seed: int = 1,
    created: str = "",
    run: Run | None = None,
) -> Calibrated:
    """Calibrate one or several matchers over a dictionary with documents: files and Documents.

    Without a matcher, those are calibrated that are used where none is named, and surprise.
    `sample` is the number of documents, or a percentage of them, "10%"; `mangler` what makes the
    edited copies, one or several; other numbers as `seed` give other copies of other documents;
    `created` is the time that is recorded. Raises OptionError, UnreadableError if fewer than 10
    documents can be read that share no text.

    >>> draw = random.Random(1)
    >>> words = [f"word{number}" for number in range(400)]
    >>> for number in range(20):
    ...     text = " ".join(draw.choices(words, k=90))
    ...     _ = (folder / f"{number}.txt").write_text(text)
    >>> dictionary = create_dictionary(sorted(folder.glob("*.txt"))[10:], "english")
    >>> done = calibrate(dictionary, folder, matcher="cosine")
    >>> [calibration] = done.dictionary.calibrations
    >>> calibration.documents, calibration.level(60, 70, rate=0.01)
    (20, 31)
    """
    asked = _CheckedOptions(sample, mangler, seed)
    [dictionary] = dictionaries_of(dictionary)
    run = run or Run()
    names = [matcher] if isinstance(matcher, str) else matcher or _defaults(dictionary)
    specs = [translated("matchers", parse(name)) for name in names]
    for spec in specs:
        _check(spec)
    documents = _sample(path, asked.amount, run)
    documents, left_out = _unrelated(documents, dictionary.recipe)
    if len(documents) < _LEAST:
        raise UnreadableError(
            f"{_named(path)}: has {counted(len(documents), 'document')} that can be read and share "
            f"no text with another; a calibration needs {_LEAST}"
        )
    if warning := _own_documents(documents, dictionary):
        run.note(warning)
    for problem in in_other_languages(_foreign(documents, dictionary)):
        run.note(problem)
    vectors = _Sample.of(documents, dictionary, asked)
    calibrations = []
    for spec in dict.fromkeys(specs):
        classes = tuple(_classes(vectors, Weighting.of(spec, dictionary), run))
        counts = len(documents), len(left_out)
        calibrations.append(Calibration(str(spec), created, *counts, asked.edits, classes))
    done = dictionary.with_calibrations(calibrations)
    return Calibrated(done, tuple(calibrations), tuple(left_out))


def _foreign(documents: Iterable[Document], dictionary: Dictionary) -> Iterator[tuple[Path, str]]:
    """The documents in another language than the dictionary, and how they do not fit."""
    fit = LanguageFit(dictionary)
    for document in documents:
        if what := fit.foreign(DocumentPieces(document).beginning):
            yield Path(document.source), what


def _own_documents(documents: Sequence[Document], dictionary: Dictionary) -> Problem | None:
    """A warning if the dictionary was made from these documents.

    A document that is in a whole dictionary has no unknown term, and terms that no other has. A
    document that is not in it has neither, so that its scores are higher.
    """
    if dictionary.trimmed:
        return None
    chain = Chain(dictionary.recipe)
    unknown = (chain.distinct([item.clean]) - dictionary.places.keys() for item in documents)
    if sum(not terms for terms in unknown) <= len(documents) / 2:
        return None
    return Problem(
        "warning",
        "own-documents",
        "the dictionary was made from this sample: unrelated documents that are not in it score "
        "higher; to compare such documents, calibrate with others than those of the dictionary",
    )


def _defaults(dictionary: Dictionary) -> list[str]:
    chosen = default_matcher([dictionary])
    return [chosen, "surprise"] if dictionary.max_idf > 0 else [chosen]


def _check(spec: PartSpec) -> None:
    """Raise OptionError for a matcher that does not compare bit vectors."""
    build("matchers", spec)
    if getattr(find("matchers", spec.name), "compares", "sets") not in ("sets", "vectors"):
        raise OptionError(
            f"{spec.name} does not compare bit vectors; calibrate a matcher that does, such as "
            "surprise"
        )


@dataclass
class _SampleBatch:
    documents: list[Document] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _ReadDocuments:
    """Reads a batch of documents."""

    run: Run

    def __call__(self, files: Sequence[Path]) -> _SampleBatch:
        batch = _SampleBatch()
        for path in files:
            result = process_document(path, self.run.reading, Source.document)
            if isinstance(result, Problem):
                batch.problems.append(result)
            elif result.clean.strip():
                batch.documents.append(result)
        return batch


def _named(given: DocumentInputs) -> str:
    """The paths among documents that were given, for messages."""
    held, paths = documents_and_paths(given)
    return ", ".join([*map(shown, paths), *(["documents in memory"] if held else [])])


def _sample(given: DocumentInputs, amount: Amount, run: Run) -> list[Document]:
    """That many of the documents, by a rule that depends on names and sizes.

    Those in memory are taken where files leave room for them.
    """
    held, paths = documents_and_paths(given)
    found = [*documents_in(paths, run.reading, run.note)] if paths else []
    number = amount.of(len(found) + len(held))
    files = sampled(found, number)
    work = _ReadDocuments(replace(run, problems=None, progress=None, stages=None))
    batches = run_batches(work, batched(files, run.jobs), run, len(files))
    read = [document for batch in batches for document in batch.documents]
    return [*read, *_smallest_digests(held, number - len(read))]


def _smallest_digests(documents: Iterable[Document], number: int) -> list[Document]:
    """At most `number` of the documents in memory that hold text, in their order."""

    def rank(place: int) -> bytes:
        facts = f"{len(filled[place].text)} {filled[place].source} {place}"
        return blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    filled = [document for document in documents if document.clean.strip()]
    chosen = sorted(range(len(filled)), key=rank)[:number]
    return [filled[place] for place in sorted(chosen)]


def _unrelated(
    documents: Sequence[Document], recipe: RecipeSpec
) -> tuple[list[Document], list[str]]:
    """The documents that share no text, and the names of the others, which are left out.

    Of related documents, those with the most relations are left out first.
    """
    shingled = replace(
        RecipeSpec(recipe.tokenizer, recipe.filters),
        shingler=PartSpec.of("words", length=_RUN),
        index=PartSpec("scan"),
    )
    encoder = Encoder(shingled)
    sets = [encoder.sets_of([document.clean])[0] for document in documents]
    held = MemoryCollection(shingled, Ragged.of(sets), [item.source for item in documents])
    pairs = links(held, Question(SHARED, "overlap"))
    edges = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    gone: set[int] = set()
    while edges:
        relations = Counter(place for edge in edges for place in edge)
        worst = max(relations, key=lambda place: (relations[place], place))
        gone.add(worst)
        edges = [edge for edge in edges if worst not in edge]
    kept = [document for place, document in enumerate(documents) if place not in gone]
    return kept, [documents[place].source for place in sorted(gone)]


@dataclass(frozen=True, eq=False)
class _MangledVectors:
    """The vectors of copies by one mangler, and the places of the documents they are copies of.

    Copies that are not `related` to these must not match.
    """

    packed: NDArray[np.uint8]
    of: Numbers
    related: bool


@dataclass(frozen=True, eq=False)
class _Sample:
    """The vectors of the documents, of their edited copies, and of excerpts from them."""

    packed: NDArray[np.uint8]
    edited: Sequence[_MangledVectors]
    excerpts: Sequence[_MangledVectors]

    @classmethod
    def of(
        cls, documents: Sequence[Document], dictionary: Dictionary, options: _CheckedOptions
    ) -> _Sample:
        """The sample of these documents; copies are made of some of them."""
        places = sorted(
            random.Random(options.seed).sample(  # noqa: S311 (drawn to be the same each time)
                range(len(documents)), min(_COPIED, len(documents))
            )
        )
        texts = [document.clean for document in documents]
        copies = {}
        for name in dict.fromkeys((*options.edits, *EXCERPTS)):
            making = DocumentCopies(translated("manglers", parse(name)), texts)
            documents_of_copies = (making.of(place, options.seed).document for place in places)
            copied = _packed(documents_of_copies, dictionary)
            copies[name] = _MangledVectors(copied, np.array(places, np.int64), making.part.related)
        edited = [copies[name] for name in options.edits]
        excerpts = [copies[name] for name in EXCERPTS]
        return cls(_packed(documents, dictionary), edited, excerpts)


def _packed(documents: Iterable[Document], dictionary: Dictionary) -> NDArray[np.uint8]:
    fingerprinted = fingerprints_of_documents(documents, [dictionary])
    rows = [fingerprint.vectors[0].packed for fingerprint in fingerprinted]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)


@dataclass(frozen=True, eq=False)
class _SampleScores:
    """Pairs of documents by their places, with the score and the bits of the smaller vector."""

    left: Numbers
    right: Numbers
    score: Numbers
    smaller: Numbers

    def __len__(self) -> int:
        return len(self.score)

    @classmethod
    def joined(cls, several: Sequence[_SampleScores]) -> _SampleScores:
        """The pairs of several."""
        none = np.zeros(0, np.int64)
        columns = [(none, none, none, none)]
        columns += [(item.left, item.right, item.score, item.smaller) for item in several]
        return cls(*map(np.concatenate, zip(*columns, strict=True)))

    def within(self, least: int, most: int | None) -> _SampleScores:
        """The pairs of a size class."""
        return self.taken(
            (self.smaller >= least) & (self.smaller <= (most or np.iinfo(np.int64).max))
        )

    def taken(self, kept: NDArray[np.bool_]) -> _SampleScores:
        """Some of the pairs."""
        return _SampleScores(
            self.left[kept], self.right[kept], self.score[kept], self.smaller[kept]
        )

    @property
    def histogram(self) -> tuple[int, ...]:
        """The number of pairs with each score."""
        return tuple(np.bincount(self.score, minlength=SCORES).tolist())


def _classes(sample: _Sample, weighting: Weighting, run: Run) -> Iterator[SizeClass]:
    """The size classes of a matcher that any pair is in."""
    documents = Vectors.of(sample.packed, weighting)
    everything = np.arange(len(sample.packed))
    whole = _all_pairs(documents, everything, documents, weighting)
    run.step(1, 3, COMPARING)
    excerpts = _SampleScores.joined([
        _all_pairs(Vectors.of(copies.packed, weighting), copies.of, documents, weighting)
        for copies in sample.excerpts
    ])  # fmt: skip
    run.step(1, 3, COMPARING)
    related, others = (
        _SampleScores.joined([
            _with_originals(copies, documents, weighting)
            for copies in sample.edited
            if copies.related == are_related
        ])
        for are_related in (True, False)
    )  # fmt: skip
    whole = _SampleScores.joined([whole, others])
    run.step(1, 3, COMPARING)
    for least, most in size_classes():
        unrelated = whole.within(least, most)
        has_excerpts = len(unrelated) < _ENOUGH
        if has_excerpts:
            unrelated = _SampleScores.joined([unrelated, excerpts.within(least, most)])
        copies = related.within(least, most)
        if len(unrelated) or len(copies):
            pairs = DependentPairs.of(unrelated.left, unrelated.right, unrelated.score)
            independent = tuple(pairs.independent(range(SCORES)))
            histograms = unrelated.histogram, copies.histogram
            cllr = _held_out_cost(copies, unrelated, independent[-1])
            yield SizeClass(least, most, *histograms, independent, has_excerpts, cllr)


def _held_out_cost(
    related: _SampleScores, unrelated: _SampleScores, independent: int
) -> float | None:
    """The log-likelihood-ratio cost of a size class, by cross-validation over documents.

    Ratios that are fitted to the pairs without the documents of a fold are applied to the pairs
    with one of them. None where there are too few copies or independent unrelated pairs.
    """
    copied = len(np.unique(related.left))
    if copied < _FEW or independent < _FEW:
        return None
    pseudo = len(related) / copied, len(unrelated) / min(independent, len(unrelated))
    sums, numbers = np.zeros(2), np.zeros(2)
    for fold in range(_FOLDS):
        sides = [
            (pairs, (pairs.left % _FOLDS == fold) | (pairs.right % _FOLDS == fold))
            for pairs in (related, unrelated)
        ]
        copies, others = (pairs.taken(~held).histogram for pairs, held in sides)
        fitted = fitted_ratios(copies, others, pseudo)
        tested = [pairs.taken(held).histogram for pairs, held in sides]
        sums += costs(fitted, tested[0], tested[1])
        numbers += [sum(histogram) for histogram in tested]
    return float((sums / numbers).mean())


def _all_pairs(
    left: Vectors, of: Numbers, documents: Vectors, weighting: Weighting
) -> _SampleScores:
    """Each vector on the left, of the document at its place in `of`, with all other documents.

    Of documents with each other, each pair is taken once by a symmetric matcher.
    """
    parts = []
    step = rows_at_once(documents.packed)
    for start in range(0, len(left), step):
        some, places = left.taken(slice(start, start + step)), of[start : start + step]
        for begin in range(0, len(documents), step):
            others = documents.taken(slice(begin, begin + step))
            scores = _matrix(some, others, weighting)
            right = np.arange(begin, begin + len(others))
            smaller = np.minimum(some.counts[:, None], others.counts)
            wanted = (places[:, None] != right) & (smaller >= MIN_TERMS)
            if left is documents and weighting.scorer.part.symmetric:
                wanted &= places[:, None] < right
            rows, columns = np.nonzero(wanted)
            parts.append(
                _SampleScores(places[rows], right[columns], scores[wanted], smaller[wanted])
            )
    return _SampleScores.joined(parts)


def _matrix(left: Vectors, right: Vectors, weighting: Weighting) -> Numbers:
    """The score of each left with each right vector; 0 also where there is none."""
    scores = np.zeros((len(left), len(right)), np.int64)
    rows, columns, similar = similar_vectors(left, right, weighting, 0)
    scores[rows, columns] = similar.score
    return scores


def _with_originals(
    copies: _MangledVectors, documents: Vectors, weighting: Weighting
) -> _SampleScores:
    """Each copy with its document."""
    left = Vectors.of(copies.packed, weighting)
    scores, smaller = [], []
    for row, place in enumerate(copies.of.tolist()):
        pair = left.taken(slice(row, row + 1)), documents.taken(slice(place, place + 1))
        scores.append(_matrix(*pair, weighting)[0, 0])
        smaller.append(min(pair[0].counts[0], pair[1].counts[0]))
    columns = np.array(scores, np.int64), np.array(smaller, np.int64)
    return _SampleScores(copies.of, copies.of, *columns)
