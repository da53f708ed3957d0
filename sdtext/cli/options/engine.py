"""Options of the verbs that Apache Spark can run: `--engine spark`, and how to reach it."""

from functools import wraps
from importlib.util import find_spec
from typing import Any

import click

from sdtext.cli.options.common import Decorator, option
from sdtext.cli.print_results import is_typed, report
from sdtext.errors import OptionError

_OPTIONS = (
    option("--engine", choices=["spark"], help="Run as a job of Apache Spark on files of records."),
    option("--remote", metavar="URL", help="The Spark Connect server, such as sc://host."),
    option("--master", metavar="URL", help="The master of Spark.  [default: local[*]]"),
    click.option(
        "--conf",
        multiple=True,
        metavar="K=V",
        help="A setting of Spark; sdtext.work is the folder of stages. Repeatable.",
    ),
)
_OWN = ("engine", "remote", "master", "conf")
_ALL = (*_OWN, "named", "text_field", "id_field", "force", "form", "quiet", "verbose")


def engine(*known: str) -> Decorator:
    """The options; with an engine, the verb has the options `known`, and what all of them have."""

    def decorate(function: Any) -> Any:
        @wraps(function)
        def command(*args: Any, **values: Any) -> Any:
            given = {name: values.pop(name) for name in _OWN}
            if given.pop("engine") is None:
                if any(given.values()):
                    raise click.UsageError("--remote, --master and --conf are for --engine spark")
                return function(*args, **values)
            context = click.get_current_context()
            for each in context.command.params:
                is_known = each.name in (*_ALL, *known) or isinstance(each, click.Argument)
                if is_typed(str(each.name)) and not is_known:
                    raise OptionError(f"{each.opts[0]} is not for the engine spark; omit it")
            if find_spec("pyspark") is None:
                raise OptionError("the engine spark needs pyspark; pip install 'sdtext[spark]'")
            from sdtext.cli.run_on_spark import run

            return report(*run(function.__module__.rpartition(".")[2], values, **given))

        for item in reversed(_OPTIONS):
            item(command)
        return command

    return decorate
