"""Evidence of text reuse: the shared passages of all pairs of documents, with shares and metadata.

The pairs are added batch by batch, then boilerplate is marked, and the evidence made.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sdtext.errors import OptionError
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Coverage, Evidence, Passage, Problem, Shared, Span
from sdtext.parts.aligners.word_alignment import edits_in
from sdtext.reading.parallel_run import VERIFYING, Run
from sdtext.reuse.coverage import (
    parts_of,
    share_of_document,
    shares_of_pair,
    with_word_counts,
    words_outside,
)
from sdtext.reuse.document_batch import DocumentBatch, PairPassages, words_of_both
from sdtext.reuse.documents import Documents
from sdtext.reuse.excluded_text import (
    Exclusions,
    PassageFinder,
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
from sdtext.reuse.verbatim_and_gaps import describe

QUOTE, REFERENCES, TEMPLATE = "quote", "references", "template"
"""Reasons why passages do not count."""

MAX_PASSAGES = 1 << 20
"""The most passages of one search: they take a gigabyte of memory."""


class EvidenceBuilder:
    """Gathers what the documents of one side share with each other, or with those of another.

    `finder` finds the text of `templates`, which does not count. With `edits` the passages have the
    edits between their sides. The evidence has the coverage of the left documents.
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
        self._finder, self._edits = finder, edits
        self._templates, self._sides, self._run = templates, sides, run
        self._pairs: list[SharedPassages] = []
        self._passages = 0
        self._documents = {
            (side, info.id): (batch, place)
            for side, documents in enumerate(sides)
            for batch in documents.in_memory
            for place, info in enumerate(batch.infos)
        }
        self._listed = frozenset(self._documents)
        self._templates_in: dict[Key, list[Span]] = {}
        self.same_files: set[Key] = set()
        """Right documents that are the file of a left one; these pairs are left out."""

    def add_passages(
        self, left: DocumentBatch, right: DocumentBatch | None, found: Iterable[PairPassages]
    ) -> None:
        """Add what left documents share with right ones, or with each other.

        Passages are cut where text does not count, and described; the words of those that count
        give the shares. Pairs with similar titles are added without passages, too. Raises
        OptionError where there are too many passages.
        """
        pairs: dict[tuple[int, int], PairPassages] = {}
        for pair in found:
            pairs[pair.left, pair.right] = pair
            self._passages += len(pair.passages)
            if self._passages > MAX_PASSAGES:
                what = f"there are more than {MAX_PASSAGES} passages; use longer windows (w), a "
                what += "smaller distance, or a template of the text that all documents have"
                raise OptionError(what, place="find_reuse")
        batches = left, left if right is None else right
        templates_in: Sequence[Mapping[int, Exclusions]] = ({}, {})
        if self._templates:
            places = [{at[side] for at in pairs} for side in (0, 1)]
            if right is None:
                places = [places[0] | places[1]] * 2
            templates_in = [*map(self._text_of_templates, batches, places)]
        metadata = [[info.examined.metadata for info in batch.infos] for batch in batches]
        titled = set[tuple[int, int]]()
        if any(map(any, metadata)):
            others = None if right is None else metadata[1]
            titled.update(pairs_with_similar_titles(metadata[0], others))
        for at in [*pairs, *sorted(titled - pairs.keys())]:
            infos = [batch.infos[place] for batch, place in zip(batches, at, strict=True)]
            keys = (0, infos[0].id), (len(self._sides) - 1, infos[1].id)
            shared = SharedPassages(keys, is_titled=at in titled)
            if at in pairs:
                self._run.step(1, len(pairs), VERIFYING)
                excluded = [
                    [
                        *((QUOTE, span) for span in info.marked.quotes),
                        *((REFERENCES, span) for span in info.marked.references),
                        *of_templates.get(place, ()),
                    ]
                    for info, of_templates, place in zip(infos, templates_in, at, strict=True)
                ]
                shared = self._without_excluded(shared, pairs[at], excluded)
            if not shared.passages and not shared.is_titled:
                continue
            if infos[0].is_same_file(infos[1]):
                self.same_files.add(keys[1])
                continue
            self._pairs.append(shared)
            for key, batch, place in zip(keys, batches, at, strict=True):
                if key not in self._documents:
                    # One document alone, so that the batch need not stay in memory.
                    self._documents[key] = batch.take([place]), 0

    def _without_excluded(
        self, shared: SharedPassages, pair: PairPassages, excluded: Sequence[Exclusions]
    ) -> SharedPassages:
        """What two documents share, with the passages cut at excluded text, and the shares."""
        passages, sides = pair.passages, pair.sides
        spans = [span for _, span in excluded[0]], [span for _, span in excluded[1]]
        if any(excluded):
            cut = cut_at_excluded(passages, spans, sides, self._finder)
            passages = mark_excluded(cut, (excluded[0], excluded[1]), sides)
        if not passages:
            return shared
        passages = [describe(passage, *sides, edits=self._edits) for passage in passages]
        if self._templates:
            templates = [[span for why, span in own if why == TEMPLATE] for own in excluded]
            self._templates_in.update(zip(shared.keys, templates, strict=True))
            left, right = map(words_outside, sides, templates)
            sides = left, right
        shares = shares_of_pair(passages, sides, spans)
        return replace(shared, passages=passages, shares=shares, excluded=spans)

    def _text_of_templates(
        self, batch: DocumentBatch, places: Collection[int]
    ) -> Mapping[int, Exclusions]:
        """The text of templates in the documents at some places."""
        chosen = sorted(places)
        documents = batch.take(chosen)
        spans = defaultdict[int, list[tuple[str, Span]]](list)
        for template in self._templates if chosen else ():
            for pair in self._finder.for_templates(documents, template):
                for passage in pair.passages:
                    edits = edits_in(passage, *pair.sides)
                    filled_in = tuple(edit.left for edit in edits if edit.kind != "moved")
                    own = replace(passage, gaps=(filled_in, ())).corresponding[0]
                    spans[chosen[pair.left]] += ((TEMPLATE, span) for span in own)
        return spans

    def merge_files_on_both_sides(self) -> int:
        """The number of files that are on both sides.

        If all left documents are, as files of a folder on the right, each becomes one document, and
        two of them, which were compared in both directions, one pair. Otherwise they stay two: what
        a left one has from others that are not on the right is no part of its coverage.
        """
        sides: tuple[dict[str, Key], dict[str, Key]] = ({}, {})
        for key in sorted(self._documents):
            batch, place = self._documents[key]
            sides[key[0]].setdefault(batch.infos[place].file, key)
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

    def mark_boilerplate(self, compared: int) -> None:
        """Cut and mark text that stands in many of the documents compared, and share without it."""
        marked = mark_boilerplate(
            self._pairs, self._words, most_documents(compared), self._cut_boilerplate
        )
        for place, passages in [*marked]:
            pair = self._pairs[place]
            words = self._words(pair.keys[0]), self._words(pair.keys[1])
            shares = shares_of_pair(passages, words, pair.excluded)
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
        pieces = cut_at_excluded(passages, excluded, sides, self._finder)
        known = set(passages)
        return sorted(
            (
                piece if piece in known else describe(piece, *sides, edits=self._edits)
                for piece in pieces
            ),
            key=passage_places,
        )

    def _words(self, key: Key) -> DocumentWords:
        """The words of a document but for those of templates, which count nowhere."""
        batch, place = self._documents[key]
        worded, spans = batch.words_of(place), self._templates_in.get(key)
        return words_outside(worded, spans) if spans else worded

    def evidence(self, *, texts: bool) -> Evidence:
        """Documents, pairs and coverage; the pairs of a document by their shares.

        With `texts`, documents that share passages have their texts, or two that share none.
        Warnings say why one has none, and which are templates.
        """
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
        sharing = sharing or set(keys if len(keys) == 2 else ())
        places = {key: place for place, key in enumerate(keys)}
        infos = {key: batch.infos[place] for key, (batch, place) in self._documents.items()}
        sides = enumerate(side.lengths.values() for side in self._sides)
        names = Counter((side, name) for side, lengths in sides for name, _ in lengths)
        forms = {info.origin: info for batch in self._templates for info in batch.infos}
        documents, coverage = [], []
        for key, place in places.items():
            info, out, own = infos[key], excluded.get(key, ()), spans[key, ""]
            examined, chapters = info.examined, info.marked.chapters
            if forms and info.origin in forms and info.is_same_file(forms[info.origin]):
                what = "is one of the documents and a template, whose text counts in none of them"
                note = Problem.at("warning", "excluded-document", examined.name, what)
                self._run.note(note)
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
                        share_of_document(words, own, out),
                        {places[other]: share for other, share in sources[key].items() if share},
                        tuple(parts_of(words, chapters, own, out)) if chapters else (),
                        share_of_document(words, spans[key, BOILERPLATE], [*out, *own]),
                    )
                )
        shared = []
        for pair in sorted(
            self._pairs, key=lambda pair: (pair.keys[0], -max(pair.shares), pair.keys[1])
        ):
            left, right = pair.keys
            metadata, others = (infos[key].examined.metadata for key in pair.keys)
            scores = metadata_scores(metadata, others) if metadata and others else {}
            passages = tuple(pair.passages)
            shared.append(Shared(places[left], places[right], passages, *pair.shares, scores))
        whole = Evidence(tuple(documents), tuple(shared), tuple(coverage))
        return with_word_counts(whole, lambda place: self._words(keys[place]))
