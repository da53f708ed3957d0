"""Evidence of text reuse: the shared passages of all pairs of documents, with shares and metadata.

Documents are compared batch by batch: their passages, which of these count, and the shares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from sdtext.errors import OptionError
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Coverage, Evidence, Passage, Shared, Span
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.reuse.coverage import (
    parts_of,
    share_of,
    shares_of,
    with_word_counts,
    words_outside,
)
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo, words_of_both
from sdtext.reuse.documents import Documents
from sdtext.reuse.excluded_text import (
    Exclusions,
    PassageFinder,
    Sides,
    cut_at_excluded,
    mark_excluded,
    passage_places,
)
from sdtext.reuse.mark_boilerplate_passages import (
    BOILERPLATE,
    Key,
    SharedPassages,
    mark_boilerplate,
    most_documents,
)
from sdtext.reuse.metadata_similarity import metadata_scores, pairs_with_similar_titles
from sdtext.reuse.verbatim_and_gaps import with_verbatim_and_gaps

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Reasons why passages do not count."""

MAX_PASSAGES = 1 << 20
"""The most passages of one search: they take a gigabyte of memory."""


class EvidenceBuilder:
    """Gathers what the documents of one side share with each other, or with those of another.

    `finder` finds the passages; text in `templates` does not count. With `edits` the passages have
    the edits between their sides. The evidence has the coverage of the left documents.
    """

    def __init__(
        self,
        finder: PassageFinder,
        templates: Sequence[DocumentBatch],
        sides: Sequence[Documents],
        run: Run,
        *,
        edits: bool,
    ) -> None:
        self.finder = finder
        self._templates, self._sides, self._run, self._edits = templates, sides, run, edits
        self._pairs: list[SharedPassages] = []
        self._passages = 0
        self._documents = {
            (side, info.id): (batch, place)
            for side, documents in enumerate(sides)
            for batch in documents.listed
            for place, info in enumerate(batch.infos)
        }
        self._listed = frozenset(self._documents)
        self._templates_in: dict[Key, list[Span]] = {}
        self.same_files: set[Key] = set()
        """Right documents that are the file of a left one; these pairs are left out."""

    def compare(
        self,
        left: DocumentBatch,
        right: DocumentBatch | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        """Add what left documents share with right ones, or with each other.

        Raises OptionError where there are too many passages.
        """
        pairs = []
        for pair in self.finder(left, right, progress):
            pairs.append(pair)
            self._passages += len(pair.passages)
            if self._passages > MAX_PASSAGES:
                raise OptionError(
                    f"there are more than {MAX_PASSAGES} passages, which is the limit; use longer "
                    "windows (w), a smaller distance, or a template of the text that all documents "
                    "have",
                    place="find_reuse",
                )
        other = left if right is None else right
        metadata = [info.examined.metadata for info in left.infos]
        others = None if right is None else [info.examined.metadata for info in right.infos]
        titled = set(pairs_with_similar_titles(metadata, others))
        places = {pair.left for pair in pairs}, {pair.right for pair in pairs}
        if right is None:
            exclusions = other_exclusions = self._excluded_spans(left, places[0] | places[1])
        else:
            exclusions = self._excluded_spans(left, places[0])
            other_exclusions = self._excluded_spans(right, places[1])
        for pair in pairs:
            passages, sides = pair.passages, pair.sides
            excluded = exclusions[pair.left], other_exclusions[pair.right]
            left_spans, right_spans = ([span for _, span in own] for own in excluded)
            spans = left_spans, right_spans
            if any(excluded):
                cut = cut_at_excluded(passages, spans, sides, self.finder)
                passages = mark_excluded(cut, excluded, sides)
            if passages:
                passages = tuple(self._with_edits(passages, sides))
                templates = [[span for why, span in own if why == TEMPLATE] for own in excluded]
                counted = map(words_outside, sides, templates)
                shares = shares_of(passages, (next(counted), next(counted)), spans)
                at = pair.left, pair.right
                keys = (0, left.infos[at[0]].id), (len(self._sides) - 1, other.infos[at[1]].id)
                self._templates_in.update(zip(keys, templates, strict=True))
                self._store_pair((left, other), at, passages, shares, spans, is_titled=at in titled)
                titled.discard(at)
            self._run.step(1, len(pairs), VERIFYING)
        for at in sorted(titled):
            self._store_pair((left, other), at, is_titled=True)

    def _store_pair(
        self,
        batches: tuple[DocumentBatch, DocumentBatch],
        places: tuple[int, int],
        passages: Sequence[Passage] = (),
        shares: tuple[float, float] = (0.0, 0.0),
        excluded: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
        *,
        is_titled: bool,
    ) -> None:
        """Store what two documents share, unless both are one file."""
        left, right = (batch.infos[at] for batch, at in zip(batches, places, strict=True))
        keys = (0, left.id), (len(self._sides) - 1, right.id)
        if left.is_same_file(right):
            self.same_files.add(keys[1])
            return
        for key, batch, at in zip(keys, batches, places, strict=True):
            if key not in self._documents:
                # One document alone, so that the batch need not stay in memory.
                self._documents[key] = batch.take([at]), 0
        self._pairs.append(SharedPassages(keys, passages, shares, excluded, is_titled))

    def _excluded_spans(
        self, batch: DocumentBatch, places: Collection[int]
    ) -> Mapping[int, Exclusions]:
        """Spans that do not count of the documents at some places."""
        chosen = sorted(places)
        exclusions: dict[int, list[tuple[str, Span]]] = {}
        for place in chosen:
            marked = batch.infos[place].marked
            quotes = [(QUOTE, span) for span in marked.quotes]
            exclusions[place] = [*quotes, *((REFERENCES, span) for span in marked.references)]
        if not self._templates or not chosen:
            return exclusions
        documents = batch.take(chosen)
        for template in self._templates:
            for pair in self.finder.for_templates(documents, template):
                spans = [(TEMPLATE, passage.left) for passage in pair.passages]
                exclusions[chosen[pair.left]] += spans
        return exclusions

    def _with_edits(self, passages: Sequence[Passage], sides: Sides) -> Sequence[Passage]:
        described = [with_verbatim_and_gaps(passage, *sides) for passage in passages]
        return self.finder.aligner.with_edits(described, *sides) if self._edits else described

    def merge_sides(self) -> int:
        """The number of files that are on both sides.

        If all left documents are, as files of a folder on the right, each becomes one document, and
        two of them, which were compared in both directions, one pair. Otherwise they stay two: what
        a left one has from others that are not on the right is no part of its coverage.
        """
        sides: tuple[dict[str, Key], dict[str, Key]] = ({}, {})
        for key in sorted(self._documents):
            sides[key[0]].setdefault(self._info(key).file, key)
        left, right = sides
        same = {right[file]: key for file, key in left.items() if file and file in right}
        if len(same) == sum(side == 0 for side, _ in self._documents):
            pairs: dict[Collection[Key], SharedPassages] = {}
            for pair in self._pairs:
                own, other = pair.keys
                merged = own, same.get(other, other)
                pairs.setdefault(frozenset(merged), replace(pair, keys=merged))
            self._pairs = list(pairs.values())
            for key in same:
                del self._documents[key]
        return len(same)

    @property
    def infos(self) -> list[DocumentInfo]:
        """What is known of the documents, left ones first."""
        return [self._info(key) for key in sorted(self._documents)]

    def _set_boilerplate_apart(self, compared: int) -> None:
        """Set boilerplate apart, and drop what is no longer reported."""
        most = most_documents(compared)
        marked = mark_boilerplate(self._pairs, self._words, most, self._cut_boilerplate)
        for place, passages in [*marked]:
            pair = self._pairs[place]
            words = self._words(pair.keys[0]), self._words(pair.keys[1])
            shares = shares_of(passages, words, pair.excluded)
            self._pairs[place] = replace(pair, passages=tuple(passages), shares=shares)
        # Of a passage nothing may be left where excluded text and boilerplate are cut from it.
        self._pairs = [pair for pair in self._pairs if pair.passages or pair.is_titled]
        reported = {key for pair in self._pairs for key in pair.keys}
        for key in self._documents.keys() - self._listed - reported:
            del self._documents[key]

    def _cut_boilerplate(
        self,
        pair: SharedPassages,
        passages: Sequence[Passage],
        excluded: tuple[Sequence[Span], Sequence[Span]],
    ) -> Sequence[Passage]:
        """Some passages of a pair, cut at the borders of excluded spans."""
        if not passages or not any(excluded):
            return passages
        left, right = (self._documents[key] for key in pair.keys)
        sides = words_of_both(left, right)
        pieces = cut_at_excluded(passages, excluded, sides, self.finder)
        known = set(passages)
        new = self._with_edits([piece for piece in pieces if piece not in known], sides)
        kept = [piece for piece in pieces if piece in known]
        return sorted([*kept, *new], key=passage_places)

    def _info(self, key: Key) -> DocumentInfo:
        batch, place = self._documents[key]
        return batch.infos[place]

    def _words(self, key: Key) -> DocumentWords:
        """The words of a document but for those of templates, which count nowhere."""
        batch, place = self._documents[key]
        return words_outside(batch.words_of(place), self._templates_in.get(key, ()))

    def evidence(self, compared: int, *, texts: bool) -> Evidence:
        """Documents, pairs and coverage; the pairs of a document by their shares.

        `compared` is the number of all documents; it decides what is boilerplate. With `texts`,
        documents that share passages have their texts; a warning says why one has none. It comes
        last.
        """
        self._set_boilerplate_apart(compared)
        spans: defaultdict[tuple[Key, str], list[Span]] = defaultdict(list)
        excluded: dict[Key, Sequence[Span]] = {}
        sources: defaultdict[Key, dict[Key, float]] = defaultdict(dict)
        sharing = {key for pair in self._pairs if pair.passages for key in pair.keys}
        for pair in self._pairs:
            for side, key in enumerate(pair.keys):
                for passage in pair.passages:
                    spans[key, passage.excluded] += passage.corresponding[side]
                if pair.excluded[side]:
                    excluded[key] = pair.excluded[side]  # the same in all its pairs
                sources[key][pair.keys[1 - side]] = pair.shares[side]
        keys = sorted(self._documents)
        places = {key: place for place, key in enumerate(keys)}
        names = Counter((key[0], self._info(key).examined.name) for key in keys)
        documents, coverage = [], []
        for key, place in places.items():
            info, out, own = self._info(key), excluded.get(key, ()), spans[key, ""]
            examined, chapters = info.examined, info.marked.chapters
            is_wanted = texts and key in sharing
            batch, at = self._documents[key]
            text = self._sides[key[0]].text(info, batch.words_of(at)) if is_wanted else ""
            is_ambiguous = bool(info.path) and names[key[0], examined.name] > 1
            documents.append(
                replace(
                    examined,
                    name=info.path if is_ambiguous else examined.name,
                    words=len(self._words(key).words) if out else examined.words,
                    excluded=tuple(out),
                    chapters=tuple(chapters) if any(span.title for span in chapters) else (),
                    length=len(text) or examined.length,
                    text=text,
                    word_starts=self._words(key).starts.tolist() if text else (),
                )
            )
            if key[0] == 0:
                words = self._words(key)
                coverage.append(
                    Coverage(
                        place,
                        share_of(words, own, out),
                        {places[other]: share for other, share in sources[key].items() if share},
                        tuple(parts_of(words, chapters, own, out)),
                        share_of(words, spans[key, BOILERPLATE], [*out, *own]),
                    )
                )
        shared = []
        for pair in sorted(
            self._pairs, key=lambda pair: (pair.keys[0], -max(pair.shares), pair.keys[1])
        ):
            left, right = pair.keys
            scores = metadata_scores(*(self._info(key).examined.metadata for key in pair.keys))
            passages = tuple(pair.passages)
            shared.append(Shared(places[left], places[right], passages, *pair.shares, scores))
        whole = Evidence(tuple(documents), tuple(shared), tuple(coverage))
        return with_word_counts(whole, lambda place: self._words(keys[place]))
