"""Options of the verbs that open a collection: how its content is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

_VERIFY = click.option(
    "--no-verify",
    "verify",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Trust the disk: do not verify the checksums of the collection.",
)
_SKIP = click.option(
    "--skip-damaged",
    is_flag=True,
    help="Leave damaged segments of the collection out, with a warning for each.",
)


def verify_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--no-verify`, passed as `checks`: for verbs that write to a collection."""

    @wraps(function)
    def with_checks(*args: Any, verify: bool, **options: Any) -> Any:
        from sdtext.collections.snapshot import Checks

        return function(*args, checks=Checks(verify), **options)

    return _VERIFY(with_checks)


def checks_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--no-verify` and `--skip-damaged`, passed as `checks`."""

    @wraps(function)
    def with_checks(*args: Any, verify: bool, skip_damaged: bool, **options: Any) -> Any:
        from sdtext.collections.snapshot import Checks

        return function(*args, checks=Checks(verify, skip_damaged), **options)

    return _VERIFY(_SKIP(with_checks))
