"""Calibrate a dictionary: how often unrelated documents of a folder reach a score, and copies do.

The documents of a sample are compared with each other, and excerpts of them with the other
documents. Documents that share text with others are left out first, so that what is left is
unrelated. Edited copies are compared with their documents.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.fingerprinting.fingerprint_documents import fingerprints_of_documents
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.model.calibration import (
    RATES,
    RECOMMENDED_RATES,
    SCORES,
    Calibration,
    SizeClass,
    costs,
    fitted_ratios,
    most_sensitive,
    size_classes,
)
from sdtext.model.dictionary import Dictionary
from sdtext.model.displayed_results import ShortFields
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.parts.registry import build, find, normalised, parse, translated
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reading.overwrite_guard import DICTIONARY, Output
from sdtext.reading.parallel_run import COMPARING, Amount, AmountLike, Run, read_each
from sdtext.reading.read_document import BEGINNING
from sdtext.reading.walk import documents_in, is_collection, sampled
from sdtext.search.all_scores import ScoresInRanges
from sdtext.search.bit_vector_scoring import bit_counts
from sdtext.search.design_effect import DependentPairs
from sdtext.search.find import links
from sdtext.search.search_plan import Question, default_matcher
from sdtext.text.document import Document
from sdtext.text.language import sample_of
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
Pairs = NDArray[np.int64]
"""Rows: the place of a document, that of another, their score, the bits of the smaller vector."""
Copies = tuple[NDArray[np.uint8], Numbers, bool]
"""Vectors of copies, the places of their documents, whether they are related to these."""


@dataclass(frozen=True, repr=False)
class Calibrated(ShortFields):
    """The calibrated dictionary, the new calibrations, and the paths of what was left out.

    `problems` has the warnings and the files that could not be read.
    """

    dictionary: Dictionary
    calibrations: tuple[Calibration, ...]
    left_out: tuple[str, ...]
    problems: tuple[Problem, ...] = ()

    def rows(self) -> Iterator[CalibratedRow]:
        """A row for each matcher, size class and rate."""
        for calibration in self.calibrations:
            for item in calibration.classes:
                for rate in RATES:
                    row = calibration.matcher, item.sizes, item.pairs, rate
                    if (score := item.level(rate)) is None:
                        yield CalibratedRow(*row, None, None, None, None)
                    else:
                        measured = item.rate(score), item.bound(score), item.recall(score)
                        yield CalibratedRow(*row, score, *measured)

    def __str__(self) -> str:
        what = f"calibrated on {counted(self.calibrations[0].documents, 'document')}"
        if self.left_out:
            what += f"; left out for text they share: {counted(len(self.left_out), 'document')}"
        best = most_sensitive(self.dictionary.calibrations)
        if best and best.recommended_rate:
            found = 100 * best.recall(best.recommended_rate)
            what += f"; recommended: {best.described()}, {found:.0f} % of the edited copies found"
        own = most_sensitive(self.calibrations)
        if own is None or own.recommended_rate != RECOMMENDED_RATES[0]:
            rates = "0.1 %" if own else "0.1 % or 1 %"
            what += f"; no level of {rates}: the sample is too small, give more documents"
        return what


class CalibratedRow(NamedTuple):
    """The score that a rate of unrelated pairs of a size class reach, with what was measured."""

    matcher: str
    bits: str
    pairs: int
    rate: float
    score: int | None
    observed: float | None
    at_most: float | None
    copies_found: float | None


def calibrate(  # noqa: PLR0913 (options are spelled out)
    dictionary: Dictionary | str | Path,
    path: DocumentInputs,
    *,
    matcher: str | Sequence[str] | None = None,
    sample: AmountLike = SAMPLE,
    mangler: str | Sequence[str] = EDITS,
    seed: int = 1,
    created: str = "",
    output: str | Path = "",
    force: bool = False,
    run: Run | None = None,
) -> Calibrated:
    """Calibrate one or several matchers over a dictionary with documents: files and Documents.

    Without a matcher, those are calibrated that are used where none is named, and surprise.
    `sample` is the number of documents, or a percentage of them, "10%"; `mangler` what makes the
    edited copies, one or several; other numbers as `seed` give other copies of other documents;
    `created` is the time that is recorded. The dictionary may be that of the bit vectors of a
    collection NAME.sdx. `output` is a file for the calibrated dictionary, or the path of the given
    one, whose calibrations are replaced; `force` replaces another file. Raises OptionError,
    OutputError, MismatchError for a collection without bit vectors, UnreadableError if fewer than
    10 documents can be read that share no text.

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
    amount = Amount.parse(sample, "sample")
    if not amount.percent and amount.number < _LEAST:
        wanted = f"{_LEAST} or more, or a percentage of the documents, such as '10%'"
        raise OptionError.of("calibrate", "sample", sample, wanted)
    manglers = [mangler] if isinstance(mangler, str) else mangler
    edits = tuple(str(translated("manglers", parse(name))) for name in manglers)
    run = (run or Run()).anew()
    held, paths = documents_and_paths(path)
    dictionary, store = _opened(dictionary, output, paths, run.reading.max_bytes, force=force)
    default = default_matcher([dictionary])
    defaults = [default, "surprise"] if dictionary.max_idf > 0 else [default]
    names = [matcher] if isinstance(matcher, str) else matcher or defaults
    specs = [normalised("matchers", parse(name)) for name in names]
    for spec in specs:
        if getattr(find("matchers", spec.name), "compares", "sets") not in ("sets", "vectors"):
            raise OptionError(
                f"{spec.name} does not compare bit vectors; calibrate a matcher that does, such as "
                "surprise"
            )
    documents, left_out = _unrelated(_sample(held, paths, amount, run), dictionary.recipe)
    if len(documents) < _LEAST:
        named = [*map(shown, paths), *(["documents in memory"] if held else [])]
        raise UnreadableError(
            f"{', '.join(named)}: has {counted(len(documents), 'document')} that can be read and "
            f"share no text with another; a calibration needs {_LEAST}"
        )
    _warn(documents, dictionary, run)
    packed = _packed(documents, dictionary)
    copies = _copies(documents, dictionary, edits, seed)
    names = [document.source for document in documents]
    searched = MemoryCollection.of_vectors(names, packed, dictionary)
    calibrations = []
    for spec in dict.fromkeys(specs):
        search = ScoresInRanges(searched, [None], [spec])
        classes = tuple(_classes(search, packed, copies, edits, run))
        counts = len(documents), len(left_out)
        calibrations.append(Calibration(str(spec), created, *counts, edits, classes))
    done = dictionary.with_calibrations(calibrations)
    store(done)
    problems = tuple(dict.fromkeys(run.found))
    return Calibrated(done, tuple(calibrations), tuple(left_out), problems)


def _opened(
    given: Dictionary | str | Path,
    output: str | Path,
    inputs: Iterable[str | Path],
    max_bytes: int,
    *,
    force: bool,
) -> tuple[Dictionary, Callable[[Dictionary], object]]:
    """The dictionary, and what stores it at `output`, which is checked; "" stores it nowhere."""
    is_replaced, collection = str(output) == str(given), None
    if isinstance(given, str | Path):
        if is_replaced and DICTIONARIES.path(given):
            raise OptionError(f"{given} comes with sdtext; name a file as output")
        if is_collection(given):
            collection = StoredCollection.open(given)
            if not collection.dictionaries:
                what = "has no bit vectors, which are calibrated; add documents with a dictionary"
                raise MismatchError(what, file=collection.name)
            given = collection.dictionaries[0]
        else:
            given = load_dictionary(given, max_bytes)
    if collection is not None and is_replaced:
        return given, collection.store_calibrations
    if not output:
        return given, _itself
    target = Output(output, DICTIONARY, force)
    target.check(inputs)
    return given, partial(save, path=target.path, may_replace=target.check_replaced)


def _warn(documents: Sequence[Document], dictionary: Dictionary, run: Run) -> None:
    """Note documents in another language than the dictionary, or that it was made from.

    A document that is in a whole dictionary has no unknown term, and terms that no other has. A
    document that is not in it has neither, so that its scores are higher.
    """
    if not dictionary.trimmed:
        chain = Chain(dictionary.recipe)
        chains = (chain.suited_to(sample_of([item.clean])) for item in documents)
        terms = map(Chain.distinct, chains, ([item.clean] for item in documents))
        if sum(found <= dictionary.places.keys() for found in terms) > len(documents) / 2:
            message = "the dictionary was made from this sample: other documents score higher; to "
            message += "compare such, calibrate with others than those of the dictionary"
            run.note(Problem("warning", "own-documents", message))
    fit = LanguageFit(dictionary)
    whats = ((item, fit.foreign(item.clean[:BEGINNING])) for item in documents)
    run.note(*in_other_languages((Path(item.source), what) for item, what in whats if what))


def _itself(given: Any) -> Any:
    return given


def _sample(
    held: Sequence[Document], paths: Sequence[Path], amount: Amount, run: Run
) -> list[Document]:
    """That many of the documents, by names and sizes; those in memory where files leave room."""
    everywhere = [*documents_in(paths, run.reading, run.note)] if paths else []
    number = amount.of(len(everywhere) + len(held))
    files = sampled(everywhere, number)
    read = [document for _, document in read_each(files, _itself, run) if document.clean.strip()]
    filled = [document for document in held if document.clean.strip()]

    def rank(place: int) -> bytes:
        facts = f"{len(filled[place].text)} {filled[place].source} {place}"
        return blake2b(facts.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    chosen = sorted(range(len(filled)), key=rank)[: number - len(read)]
    return [*read, *(filled[place] for place in sorted(chosen))]


def _unrelated(
    documents: Sequence[Document], recipe: RecipeSpec
) -> tuple[list[Document], list[str]]:
    """The documents that share no text, and the names of the others, which are left out."""
    shingled = replace(
        RecipeSpec(recipe.tokenizer, recipe.filters),
        shingler=PartSpec.of("words", length=_RUN),
        index=PartSpec("scan"),
    )
    encoder = Encoder(shingled)
    sets = [encoder.shingle_sets([document.clean])[0] for document in documents]
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


def _copies(
    documents: Sequence[Document], dictionary: Dictionary, edits: Sequence[str], seed: int
) -> dict[str, Copies]:
    """The copies by each mangler: edited ones, and excerpts."""
    number = min(_COPIED, len(documents))
    places = sorted(random.Random(seed).sample(range(len(documents)), number))  # noqa: S311 (drawn to be the same each time)
    texts = [document.clean for document in documents]
    copies = {}
    for name in dict.fromkeys((*edits, *EXCERPTS)):
        making = DocumentCopies(translated("manglers", parse(name)), texts)
        made = (Document.of(making.of(place, seed)[0], offsets=False) for place in places)
        packed = _packed(made, dictionary)
        copies[name] = packed, np.array(places, np.int64), making.part.related
    return copies


def _packed(documents: Iterable[Document], dictionary: Dictionary) -> NDArray[np.uint8]:
    fingerprinted = fingerprints_of_documents(documents, [dictionary])
    rows = [fingerprint.vectors[0].packed for fingerprint in fingerprinted]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)


def _joined(several: Iterable[Pairs]) -> Pairs:
    return np.concatenate([np.empty((0, 4), np.int64), *several])


def _histogram(pairs: Pairs) -> tuple[int, ...]:
    return tuple(np.bincount(pairs[:, 2], minlength=SCORES).tolist())


def _classes(
    search: ScoresInRanges,
    documents: NDArray[np.uint8],
    copies: Mapping[str, Copies],
    edits: Sequence[str],
    run: Run,
) -> Iterator[SizeClass]:
    """The size classes of a matcher that any pair is in."""
    themselves = documents, np.arange(len(documents)), False
    whole = _pairs(_scores(search, documents), themselves, documents)
    if build("matchers", search.matchers[0]).symmetric:
        whole = whole[whole[:, 0] < whole[:, 1]]  # each pair once
    run.step(1, 3, COMPARING)
    scores = {name: _scores(search, packed) for name, (packed, _, _) in copies.items()}
    of_excerpts = _joined(_pairs(scores[name], copies[name], documents) for name in EXCERPTS)
    run.step(1, 3, COMPARING)
    related, others = (
        _joined(
            _pairs(scores[name], copies[name], documents, own=True)
            for name in edits
            if copies[name][2] == wanted
        )
        for wanted in (True, False)
    )
    whole = _joined([whole, others])
    run.step(1, 3, COMPARING)
    for least, most in size_classes():
        unrelated, edited, of_class = (
            pairs[(pairs[:, 3] >= least) & (pairs[:, 3] <= (most or np.inf))]
            for pairs in (whole, related, of_excerpts)
        )
        has_excerpts = len(unrelated) < _ENOUGH
        if has_excerpts:
            unrelated = _joined([unrelated, of_class])
        if len(unrelated) or len(edited):
            pairs = DependentPairs.of(*np.ascontiguousarray(unrelated[:, :3].T))
            independent = tuple(pairs.independent(range(SCORES)))
            histograms = _histogram(unrelated), _histogram(edited)
            cllr = _held_out_cost(edited, unrelated, independent[-1])
            yield SizeClass(least, most, *histograms, independent, has_excerpts, cllr)


def _held_out_cost(related: Pairs, unrelated: Pairs, independent: int) -> float | None:
    """The log-likelihood-ratio cost of a size class, by cross-validation; None for few pairs."""
    copied = len(np.unique(related[:, 0]))
    if copied < _FEW or independent < _FEW:
        return None
    pseudo = len(related) / copied, len(unrelated) / min(independent, len(unrelated))
    sums, numbers = np.zeros(2), np.zeros(2)
    for fold in range(_FOLDS):
        sides = [(pairs, (pairs[:, :2] % _FOLDS == fold).any(1)) for pairs in (related, unrelated)]
        copies, others = (_histogram(pairs[~is_tested]) for pairs, is_tested in sides)
        fitted = fitted_ratios(copies, others, pseudo)
        tested = [_histogram(pairs[is_tested]) for pairs, is_tested in sides]
        sums += costs(fitted, tested[0], tested[1])
        numbers += [sum(histogram) for histogram in tested]
    return float((sums / numbers).mean())


def _pairs(
    scores: Numbers, copies: Copies, documents: NDArray[np.uint8], *, own: bool = False
) -> Pairs:
    """Each copy with all documents but its own, or with its own alone."""
    packed, of, _ = copies
    smaller = np.minimum(bit_counts(packed)[:, None], bit_counts(documents))
    is_own = of[:, None] == np.arange(len(documents))
    wanted = is_own if own else ~is_own & (smaller >= MIN_TERMS)
    rows, columns = np.nonzero(wanted)
    return np.stack([of[rows], columns, scores[wanted], smaller[wanted]], 1)


def _scores(search: ScoresInRanges, packed: NDArray[np.uint8]) -> Numbers:
    """The score of each vector with each document; 0 also where there is none."""
    scores = [row[0] for _, _, row in search([*packed])]
    return np.maximum(scores, 0).astype(np.int64)
