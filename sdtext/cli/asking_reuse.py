"""How reused text is looked for, as options of FindReuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options import Decorator, where_option

if TYPE_CHECKING:
    from sdtext.reuse import ReuseQuestion

_SHORT, _VERBATIM = (20, 9), (100, 5)
"""Lengths of windows in terms, and how many of these may differ."""

_SHARE = click.FloatRange(0, 1, min_open=True)
_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--method",
        type=click.Choice(["windows", "sentences"]),
        help="Compare windows of terms, or codes of sentences.  [default: what the recipe is for, "
        "else windows]",
    ),
    click.option("-w", "w", type=click.IntRange(1), metavar="W", help="Terms of a window."),
    click.option(
        "--distance",
        type=click.IntRange(0),
        metavar="D",
        help="How many terms of a window may differ, or how many bits of a sentence's code.",
    ),
    click.option("--short", is_flag=True, help="For short passages: -w 20 --distance 9."),
    click.option("--verbatim", is_flag=True, help="For nearly equal ones: -w 100 --distance 5."),
    click.option("--ordered", is_flag=True, help="Terms must come in the same order, too."),
    click.option(
        "--similarity",
        type=_SHARE,
        metavar="S",
        help="In place of --distance: how alike windows or sentences have to be, from 0 to 1.",
    ),
    click.option(
        "--recall",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="R",
        help="How probable it has to be that sentences as alike as that are found, from 0 to 1.",
    ),
    where_option("Look only at stored documents of which this is true."),
    click.option(
        "--unit", type=click.Choice(["chapter"]), help="Tell the shares of chapters, too."
    ),
    click.option("--exclude-quotes", is_flag=True, help="What is quoted does not count."),
    click.option("--exclude-references", is_flag=True, help="Lists of references do not count."),
    click.option(
        "--exclude",
        multiple=True,
        metavar="FILE",
        help="What is in FILE, a template, does not count. Repeatable.",
    ),
    click.option(
        "--min-passage",
        type=click.IntRange(1),
        metavar="TOKENS",
        help="Leave out what has fewer terms.  [default: 15, or half a window where -w is less]",
    ),
    click.option(
        "-c",
        "--config",
        metavar="RECIPE",
        help="How texts become words, and by which windows or codes they are compared; with a "
        "collection the chain must be the collection's.",
    ),
)
_NAMES = (
    *("method", "w", "distance", "short", "verbatim", "ordered", "similarity", "recall"),
    *("where", "unit", "exclude_quotes", "exclude_references", "exclude", "min_passage", "config"),
)


def reuse_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What is looked for, as one argument `question`."""

    @wraps(function)
    def with_question(*args: Any, form: str | None, **options: Any) -> Any:
        asked = {name: options.pop(name) for name in _NAMES}
        question = _question(edits=form == "xml", **asked)
        return function(*args, question=question, form=form, **options)

    command: Callable[..., Any] = with_question
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _question(**asked: Any) -> ReuseQuestion:
    from sdtext.parts.recipe import load_recipe
    from sdtext.reuse import ReuseQuestion

    w, distance = _window(asked)
    config = asked["config"]
    return ReuseQuestion(
        method=asked["method"] or "",
        w=w,
        distance=distance,
        similarity=asked["similarity"],
        recall=asked["recall"],
        ordered=asked["ordered"],
        shortest=asked["min_passage"],
        where=asked["where"],
        recipe=load_recipe(config) if config else None,
        chapters=asked["unit"] is not None,
        edits=asked["edits"],
        without_quotes=asked["exclude_quotes"],
        without_references=asked["exclude_references"],
        templates=asked["exclude"],
    )


def _window(asked: dict[str, Any]) -> tuple[int | None, int | None]:
    """The length of windows and the distance that are asked for."""
    named = [name for name in ("short", "verbatim") if asked[name]]
    single = [name for name in ("w", "distance", "similarity") if asked[name] is not None]
    if len(named) > 1 or (named and single):
        raise click.UsageError(
            "--short and --verbatim stand for -w and --distance; give one of them alone"
        )
    if named:
        return _SHORT if asked["short"] else _VERBATIM
    return asked["w"], asked["distance"]
