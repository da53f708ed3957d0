"""What is listed of evidence: passages, pairs, documents or chapters, which of them, how many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sdtext.errors import OptionError
from sdtext.model import Evidence
from sdtext.reports.passage_texts import DocumentTexts
from sdtext.reports.reuse_report import (
    LISTS,
    ChapterTitles,
    ListedPassage,
    by_weight,
    listed_passages,
)

PAN, XML, HTML = WHOLE = "pan", "xml", "html"
"""Formats that are always complete."""


@dataclass(frozen=True)
class Listing:
    """What is listed, of which score, how many rows, in which format, and whether with texts."""

    by: str
    minimum: int | None
    top: int | None
    unfolded: bool
    show: bool
    form: str | None

    def __post_init__(self) -> None:
        """Raise OptionError for a format that is always complete."""
        form, is_whole = self.form, self.form in WHOLE
        if is_whole and (self.minimum is not None or self.top or self.by != "passage"):
            raise OptionError(f"--format {form} has all passages; omit --by, -s and -k")
        if self.show and is_whole:
            has = "the passages anyway" if form == HTML else "places, not texts"
            raise OptionError(
                f"--format {form} has {has}; with --show use table, tsv, csv, json or jsonl"
            )
        if self.show and self.by != "passage":
            raise OptionError(f"--show prints passages; omit --by {self.by}")

    @property
    def needs_texts(self) -> bool:
        """Whether the texts of documents are asked for."""
        return self.show or self.form == HTML

    def passages(self, evidence: Evidence) -> Iterator[ListedPassage]:
        """The passages with their rows, those of most weight first."""
        listed = listed_passages(by_weight(evidence), unfolded=self.unfolded)
        return islice((item for item in listed if self._is_listed(item.row)), self.top)

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """The rows, those of most weight first; if asked for, with the texts."""
        if self.by != "passage":
            yield from islice(filter(self._is_listed, self._all_rows(evidence)), self.top)
            return
        texts = DocumentTexts(evidence) if self.show else None
        chapters = ChapterTitles(evidence)
        for item in self.passages(evidence):
            beside = chapters.fields(item) if chapters else {}
            yield {**item.row, **beside, **(texts.fields(item) if texts else {})}

    def more(self, evidence: Evidence) -> int:
        """How many rows the minimum and the maximum number leave out."""
        if self.minimum is None and self.top is None:
            return 0
        are_listed = [self._is_listed(row) for row in self._all_rows(evidence)]
        return len(are_listed) - min(sum(are_listed), self.top or len(are_listed))

    def _all_rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """All rows without texts, those of most weight first."""
        return LISTS[self.by][2](by_weight(evidence), unfolded=self.unfolded)

    def _is_listed(self, row: Mapping[str, Any]) -> bool:
        return not self.minimum or (row["score"] or 0) >= self.minimum
