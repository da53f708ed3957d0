"""The items of a benchmark: questions with their answers, from records or from documents."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdtext.deduplication.source_documents import FILES, Sources, sources_in
from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.model.record_formats import JSON_ARRAY, format_of
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run, nothing_left, process_document
from sdtext.reading.read_document import Source, units
from sdtext.reading.records.record import Fields, field_of, listed, whole
from sdtext.reading.records.record_files import check_any_of
from sdtext.reading.walk import Paths, path_list
from sdtext.text.document import Document

_QUESTION, _TEXT, _ANSWER = "question", "text", "answer"


MIN_WORDS, MIN_SCORE = 8, 60
"""The least words of an item that is searched for, and the least score that counts, by default."""

REMOVE, CUT, MARK = ACTIONS = ("remove", "cut", "mark")
"""What is done with a record that holds items."""


@dataclass(frozen=True)
class Contamination:
    """What is an item, what of it counts, and what is done: the options of `decontaminate`.

    Items of `min_words` words or more count that score `minimum` or more. Each of several question
    fields is searched for by itself, such as a passage and the question about it. Without any, that
    is the field "question" where a record has one, else "text". Without an answer field, that is
    "answer", if there is one. The name of an item is its "id" or its line number.
    """

    minimum: int = MIN_SCORE
    min_words: int = MIN_WORDS
    with_answer: bool = False
    question_field: tuple[str, ...] = ()
    answer_field: str = ""
    action: str = REMOVE

    def __post_init__(self) -> None:
        if self.min_words < MIN_WORDS:
            wanted = f"{MIN_WORDS} or more"
            raise OptionError.of("decontaminate", "min_words", self.min_words, wanted)
        if self.action not in ACTIONS:
            raise OptionError.of("decontaminate", "action", self.action, "remove, cut or mark")

    @property
    def fields(self) -> list[tuple[str, tuple[str, ...]]]:
        """The options with the fields of which an item needs one.

        >>> Contamination(answer_field="key").fields
        [('question_field', ('question', 'text')), ('answer_field', ('key',))]
        """
        questions: list[tuple[str, ...]] = [(name,) for name in self.question_field]
        named = [("question_field", names) for names in questions or [(_QUESTION, _TEXT)]]
        return [*named, ("answer_field", (self.answer_field,))] if self.answer_field else named


@dataclass(frozen=True)
class BenchmarkItem:
    """An item of a benchmark. One of its `questions` suffices, and one of its `answers`.

    >>> item_of({"question": "Who dances?", "answer": ["the bees", 3]}, Contamination(), "7")
    BenchmarkItem(name='7', questions=('Who dances?',), answers=('the bees', '3'))
    """

    name: str
    questions: tuple[str, ...]
    answers: tuple[str, ...] = ()


def item_of(row: Mapping[str, Any], asked: Contamination, name: str) -> BenchmarkItem | str:
    """The item in a row, or the reason why there is none.

    >>> item_of({"prompt": "Who dances?"}, Contamination(question_field=("question",)), "7")
    "has no field 'question' (it has prompt); name one as question_field"
    """
    for option, names in asked.fields:
        if not any(name in row or field_of(row, name) is not None for name in names):
            lacking = " or ".join(map(repr, names))
            return f"has no field {lacking} (it has {listed(row)}); name one as {option}"
    fields = asked.question_field or ((_QUESTION if _QUESTION in row else _TEXT),)
    questions = ["\n".join(_texts(field_of(row, field))) for field in fields]
    questions = [*dict.fromkeys(text for text in questions if text.strip())]
    if not questions:
        return "holds no question"
    answers = _texts(field_of(row, asked.answer_field or _ANSWER))
    return BenchmarkItem(name, tuple(questions), tuple(text for text in answers if text.strip()))


def _texts(value: Any) -> list[str]:
    """The texts in a field: itself, a number as its digits, or all those of a list or an object."""
    if isinstance(value, str):
        return [whole(value)]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [str(value)]
    inner = value.values() if isinstance(value, Mapping) else value
    return [text for part in inner for text in _texts(part)]


def load_items(paths: Paths, asked: Contamination, run: Run) -> list[BenchmarkItem]:
    """The items in files of records, or the paragraphs of documents.

    Of several files the path comes before the name of an item: FILE#ID. Records without an item
    are problems. Raises OptionError where a file has none of the fields, and UnreadableError.
    """
    named = Fields(asked.question_field[0] if asked.question_field else _QUESTION)
    each = [sources_in(Inputs([path], named), run) for path in path_list(paths)]
    given = set(path_list(paths))
    several = sum(len(sources.paths) for sources in each) > 1
    items: list[BenchmarkItem] = []
    for sources in each:
        for number, path in enumerate(sources.paths):
            if sources.kind == FILES:
                own = _paragraphs(path, run, is_named=path in given)
            else:
                own = _in_records(sources, number, asked, run)
            prefix = f"{path}#" if several else ""
            items += (replace(item, name=f"{prefix}{item.name}") for item in own)
    if not items and run.problems:
        raise nothing_left(run, "the benchmark holds no item")
    if not items:
        raise UnreadableError("holds no item", file=each[0].paths[0])
    return items


def _in_records(
    sources: Sources, number: int, asked: Contamination, run: Run
) -> Iterator[BenchmarkItem]:
    first = next(iter(asked.question_field), "")
    fields = Fields(first if "[]." in first else "")
    file = replace(sources, fields=fields).file(number, run, whole=True)
    if within := file.within:
        questions = tuple(name.removeprefix(f"{within}[].") for name in asked.question_field)
        answer = asked.answer_field.removeprefix(f"{within}[].")
        asked = replace(asked, question_field=questions, answer_field=answer)
    try:
        check_any_of(file, asked.fields)
    except UnreadableError as error:
        run.note(Problem.of(error, sources.paths[number]))
        return
    file.note_encoding(run.note)
    left_out = file.skipped(run.note)
    for place, row in file.rows(left_out):
        item = item_of(row, asked, str(row.get("id", place)))
        if isinstance(item, str):
            left_out.add(place, item)
        else:
            yield item
    left_out.end()


def _paragraphs(path: Path, run: Run, *, is_named: bool) -> Iterator[BenchmarkItem]:
    """The paragraphs of a document; none of records, which are a problem."""
    document = process_document(path, run.reading, Source.document)
    if isinstance(document, Problem):
        run.note(document)
        return
    if any(problem.category == "records" for problem in document.problems):
        what = "holds records, but is read as a document; name the file itself"
        run.note(Problem.of(UnreadableError(what, file=path), path))
        return
    if is_named and format_of(path) == JSON_ARRAY:
        what = "is JSON, but not an array of items; write its items as JSON lines"
        raise UnreadableError(what, file=path)
    run.note(*document.problems)
    yield from paragraph_items(document)


def paragraph_items(document: Document) -> Iterator[BenchmarkItem]:
    r"""The paragraphs of a document as items, called by their numbers, from 1.

    >>> [item.name for item in paragraph_items(Document.of("Who dances?\n\nWho sings?"))]
    ['1', '2']
    """
    for number, span in enumerate(units(document, "paragraph"), 1):
        yield BenchmarkItem(str(number), (document.text[span.start : span.end],))
