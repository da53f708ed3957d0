"""Options of the verbs that open a collection: how it is checked, how it is searched."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import Decorator, matcher_option, where_option
from sdtext.cli.options.values import SCORE, InputPath

if TYPE_CHECKING:
    from sdtext.search import Question


def skip_damaged_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--skip-damaged`, passed as `checks`."""

    @wraps(function)
    def with_checks(*args: Any, skip_damaged: bool, **options: Any) -> Any:
        from sdtext.collections.stored_collection import Checks

        return function(*args, checks=Checks(skip_damaged=skip_damaged), **options)

    return click.option(
        "--skip-damaged",
        is_flag=True,
        help="Leave damaged segments of the collection out, with a warning for each.",
    )(with_checks)


def _minimum_option(default: str) -> Decorator:
    return click.option(
        "-s",
        "--min-score",
        "minimum",
        type=SCORE,
        metavar="MIN",
        help=f"Minimum score, 0 to 99.  [default: {default}]",
    )


minimum_option = _minimum_option("the one that the recipe's index is made for")
ranking_minimum_option = _minimum_option("3, the best 10 for each FILE; with -k none")
recall_option = click.option(
    "--recall",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="R",
    help="Required probability of finding a pair that scores MIN, such as 0.99.  "
    "[default: as in the recipe]",
)
_ASKING: tuple[Decorator, ...] = (
    matcher_option,
    click.option(
        "-c",
        "--config",
        type=InputPath("recipes"),
        metavar="RECIPE",
        help="Search with the shingles, sketches, bands and matcher of this recipe. Its tokenizer "
        "and filters must be the collection's.  [default: the collection's]",
    ),
    recall_option,
    click.option(
        "--index",
        metavar="INDEX",
        help="How candidates are selected: bands (shingles), columns (bit vectors), or scan, which "
        "compares all.  [default: as in the recipe, else the faster one]",
    ),
    click.option(
        "--estimate", is_flag=True, help="Take scores from sketches, without verification."
    ),
    where_option("Use only documents that meet this condition"),
)


def question_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The search options, passed as `question`; the verb also has `-s MIN` and `-k TOP`."""

    @wraps(function)
    def with_question(*args: Any, **options: Any) -> Any:
        asked = {key: options.pop(key) for key in ("minimum", "matcher", "recall", "index")}
        asked |= {key: options.pop(key) for key in ("estimate", "where", "top")}
        asked["recommended"] = options.pop("recommended", False)
        if asked["recommended"] and not asked["matcher"] is asked["minimum"] is None:
            raise click.UsageError("--recommended stands for -m and -s; leave these out")
        config = options.pop("config")
        question = _question(config, asked)
        return function(*args, question=question, **options)

    command: Callable[..., Any] = with_question
    for option in reversed(_ASKING):
        command = option(command)
    return command


def _question(config: str | None, asked: dict[str, Any]) -> Question:
    from sdtext.parts.load_recipe import load_recipe
    from sdtext.search import Question

    return Question(recipe=load_recipe(config) if config else None, **asked)
