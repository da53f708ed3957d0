"""The words of a corpus in temporary files, with the units that its documents consist of.

A word is a number (uint32), equal for equal words whatever their document. Units follow each other
without a gap: unit u has the words `[bounds[u], bounds[u + 1])`, document d the units
`[documents[d], documents[d + 1])`.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.storage.merge_vocabularies import spelled
from sdtext.collections.storage.writer import write_errors
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.kernels.terms.document_words import encoded_texts
from sdtext.model import PartSpec, Problem, RecipeSpec
from sdtext.parts.registry import build
from sdtext.parts.units import SpanColumns, Unit
from sdtext.reading.inputs import ReadInput, read_batch
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.records.record import InputDocument
from sdtext.wording import shown

Numbers = NDArray[np.int64]

_COLUMNS = {
    "words": "<u4",  # of each word
    "starts": "<u4",
    "ends": "<u4",
    "unit_words": "<i8",  # of each unit
    "unit_starts": "<u4",
    "unit_ends": "<u4",
    "whole": "?",
    "units": "<i8",  # of each document
    "files": "<i8",
    "places": "<i8",
    "name_bytes": "<i8",
    "text_bytes": "<i8",
    "names": "<u1",
    "texts": "<u1",
}


ReadUnits = tuple[dict[str, NDArray[Any]], list[bytes]]
"""The columns of a batch of documents, whose words are places in a vocabulary, and that."""


@dataclass(frozen=True)
class UnitReader:
    """Reads documents as words by the `recipe`, divided into units of the kind `unit`.

    With `keeps_texts` the texts of documents in files are among the columns.
    """

    recipe: RecipeSpec
    unit: str
    reading: Reading = field(default_factory=Reading)
    keeps_texts: bool = False

    def __call__(self, items: Sequence[InputDocument], problems: list[Problem]) -> ReadUnits:
        rows = [*read_batch(items, self.reading, problems)]
        called, note = attrgetter("item.called"), problems.append
        done, _ = work_on_each(self._encoded, rows, self.reading.limits, called, note, self._reset)
        return done or ({}, [])

    def _reset(self) -> None:
        """Drop caches that may be half written."""
        self.__dict__.pop("_encoder", None)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.recipe)

    @cached_property
    def _divide(self) -> Unit:
        part: Unit = build("units", PartSpec(self.unit))
        return part

    def _encoded(self, rows: Sequence[ReadInput]) -> ReadUnits:
        placed = self._encoder.words([document for _, document, *_ in rows])
        is_term = placed.is_term[placed.tokens.values]
        words = placed.tokens.values[is_term]
        bounds = np.append(0, np.cumsum(is_term))[placed.tokens.offsets]
        starts, ends = placed.starts.values[is_term], placed.ends.values[is_term]
        spans = [SpanColumns.of(self._divide(document)) for _, document, *_ in rows]
        names = encoded_texts(str(item.metadata.get("name", "")) for item, *_ in rows)
        kept = rows if self.keeps_texts else ()
        texts = encoded_texts(document.text if item.path else "" for item, document, *_ in kept)
        columns = {
            "words": words - 1,
            "starts": starts,
            "ends": ends,
            **_unit_columns(spans, Ragged(starts, bounds), ends),
            "files": np.array([int(item.root) for item, *_ in rows], np.int64),
            "places": np.array([int(item.name) for item, *_ in rows], np.int64),
            "name_bytes": names.lengths,
            "names": names.values,
            "text_bytes": texts.lengths,
            "texts": texts.values,
        }
        return columns, spelled(placed.words)


def _unit_columns(
    spans: Sequence[SpanColumns], starts: Ragged, ends: NDArray[Any]
) -> dict[str, NDArray[Any]]:
    """The columns of units at `spans`, a sequence for each document, with their words.

    A unit is `whole` if no word reaches over its end or its start.
    """
    columns: dict[str, list[NDArray[Any]]] = {
        name: [np.empty(0, np.int64)]
        for name in ("unit_words", "unit_starts", "unit_ends", "whole")
    }
    for place, of_document in enumerate(spans):
        begins, stops = (np.array(column) for column in (of_document.starts, of_document.ends))
        words = slice(*starts.offsets[place : place + 2].tolist())
        own_ends, number = ends[words], words.stop - words.start
        bounds = np.searchsorted(starts.values[words], begins)
        bounds[:1] = 0
        last = np.append(bounds[1:], number) - 1
        over = np.zeros(len(bounds), bool)
        if number:
            over = (last >= bounds) & (own_ends[last] > stops)
        columns["unit_words"].append(np.diff(bounds, append=number))
        columns["unit_starts"].append(begins)
        columns["unit_ends"].append(stops)
        columns["whole"].append(~(over | np.append(False, over[:-1])[: len(over)]))
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    units = np.array([len(of_document) for of_document in spans], np.int64)
    return {**joined, "whole": joined["whole"].astype(bool), "units": units}


@dataclass(frozen=True, eq=False)
class CorpusWords:
    """The words of a corpus and its units: `columns` by the names of the module's table.

    `place` is the folder of the files.
    """

    columns: dict[str, NDArray[Any]]
    place: Path

    def __len__(self) -> int:
        return len(self.columns["units"])

    @property
    def words(self) -> NDArray[np.uint32]:
        """The number of each word of all documents."""
        return self.columns["words"]

    @cached_property
    def bounds(self) -> Numbers:
        """Where the words of each unit begin, and where those of the last end."""
        return offsets_of(self.columns["unit_words"])

    @cached_property
    def documents(self) -> Numbers:
        """Where the units of each document begin, and where those of the last end."""
        return offsets_of(self.columns["units"])

    def documents_of(self, units: Numbers) -> Numbers:
        """The document that each of the `units` belongs to."""
        return np.searchsorted(self.documents, units, "right") - 1

    def temporary(self, name: str, size: int) -> Numbers:
        """A column of zeros in a file beside the others. Raises OutputError."""
        if not size:
            return np.empty(0, np.int64)
        with write_errors(shown(self.place), is_new=True):
            return np.memmap(self.place / name, "<i8", "w+", shape=(size,))

    def origin(self, document: int) -> tuple[int, int]:
        """The number of the file that a document comes from, and its place there."""
        return int(self.columns["files"][document]), int(self.columns["places"][document])

    def name(self, document: int) -> str:
        """The name of a record: its id or its place."""
        return self._text("name", document)

    def text(self, document: int) -> str:
        """The text of a document in a file, if the texts were kept."""
        return self._text("text", document)

    @cached_property
    def _offsets(self) -> dict[str, Numbers]:
        return {name: offsets_of(self.columns[f"{name}_bytes"]) for name in ("name", "text")}

    def _text(self, name: str, document: int) -> str:
        start, end = self._offsets[name][document : document + 2].tolist()
        return self.columns[f"{name}s"][start:end].tobytes().decode("utf-8", "surrogatepass")


def read_corpus(reads: Iterable[ReadUnits], place: Path) -> CorpusWords:
    """All documents of the batches, in files in the new folder `place`. Raises OutputError."""
    numbers: dict[bytes, int] = {}
    with write_errors(shown(place), is_new=True), ExitStack() as stack:
        place.mkdir()
        files = {name: stack.enter_context((place / name).open("wb")) for name in _COLUMNS}
        for columns, vocabulary in reads:
            of_batch = [numbers.setdefault(word, len(numbers)) for word in vocabulary]
            for name, column in columns.items():
                values = np.array(of_batch, np.uint32)[column] if name == "words" else column
                files[name].write(np.ascontiguousarray(values, _COLUMNS[name]).data)
    maps = {
        name: np.memmap(place / name, dtype, "r")
        if (place / name).stat().st_size
        else np.empty(0, dtype)
        for name, dtype in _COLUMNS.items()
    }
    return CorpusWords(maps, place)
