"""Options of Decontaminate: the items of a benchmark, and which of them count."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from sdtext.cli.options.values import MinimumScore, WholeNumber

_OPTIONS = (
    click.option(
        "--benchmark",
        "benchmarks",
        multiple=True,
        required=True,
        metavar="ITEMS",
        help="Items of a benchmark: a file of records, or documents, a paragraph an item. "
        "Repeatable.",
    ),
    click.option(
        "--question-field",
        "questions",
        multiple=True,
        metavar="F",
        help="Field of an item with its question. Repeatable: fields are joined.  "
        "[default: question, else text]",
    ),
    click.option(
        "--answer-field",
        default="",
        metavar="F",
        help="Field of an item with its answer or answers.  [default: answer, if there is one]",
    ),
    click.option(
        "-s",
        "--min-score",
        "minimum",
        type=MinimumScore(),
        metavar="MIN",
        default=60,
        show_default=True,
        help="Minimum score, 0 to 99.",
    ),
    click.option(
        "--min-words",
        type=WholeNumber(min=8),
        metavar="N",
        default=8,
        show_default=True,
        help="Search only for items of so many words or more.",
    ),
    click.option(
        "--with-answer",
        is_flag=True,
        help="Of items with answers, count only those that stand near an answer.",
    ),
)


def benchmark_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the items, passed as `benchmarks`, `item_fields` and `asked`."""

    @wraps(function)
    def with_benchmark(
        *args: Any,
        questions: tuple[str, ...],
        answer_field: str,
        minimum: int,
        min_words: int,
        with_answer: bool,
        **options: Any,
    ) -> Any:
        from sdtext.decontamination.benchmark_items import ItemFields
        from sdtext.decontamination.find_contamination import Contamination

        item_fields = ItemFields(questions, answer_field)
        asked = Contamination(minimum, min_words, with_answer)
        return function(*args, item_fields=item_fields, asked=asked, **options)

    for option in reversed(_OPTIONS):
        with_benchmark = option(with_benchmark)
    return with_benchmark
