"""Options of the verbs that walk folders: which files in them are read, and lists of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import Decorator

if TYPE_CHECKING:
    from sdtext.reading.options import Reading

_EXCLUDE = click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="Leave these files and folders out, such as 'drafts/'. Repeatable.",
)
_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--include",
        multiple=True,
        metavar="GLOB",
        help="Of folders, read only these files, such as '*.docx' (a pattern as in .gitignore). "
        "Repeatable.",
    ),
    _EXCLUDE,
    click.option(
        "--all-files",
        is_flag=True,
        help="Also read what is left out of folders: version control (.git), caches, and files of "
        "the system (.DS_Store, Thumbs.db) or of office programs (~$NAME).",
    ),
    click.option(
        "--files-from",
        metavar="LIST",
        help="Also read the files and folders in LIST, one in each line or ended by NUL; - is "
        "stdin.",
    ),
)


def _missing(argument: str, options: Mapping[str, Any]) -> str:
    """What to say where no documents are named: the only one was taken for the collection."""
    message = f"Missing argument '{argument}'."
    if first := options.get("collection"):
        message += f" The first argument is the collection; {first} was taken for it."
        if not str(first).endswith(".sdx"):
            message += f" Write: AddDocuments NAME.sdx {first}"
    return message


def folder_options(to: str, missing: str = "", *, excluded: bool = True) -> Decorator:
    """The options that select files; the listed ones are added to the parameter `to`.

    They change the `reading` of `reading_options`, which stands above. Without any file the
    argument `missing` is reported. Without `excluded`, the verb has an `--exclude` of its own.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_files(
            *args: Any,
            reading: Reading,
            include: tuple[str, ...],
            exclude: tuple[str, ...],
            all_files: bool,
            files_from: str | None,
            **options: Any,
        ) -> Any:
            from sdtext.reading.selection import Selection, listed_paths

            selection = Selection(include, exclude, all_files)
            listed = () if files_from is None else listed_paths(files_from)
            options[to] = [*options[to], *listed]
            if missing and not options[to]:
                raise click.UsageError(_missing(missing, options))
            return function(*args, reading=replace(reading, selection=selection), **options)

        command: Callable[..., Any] = with_files
        for option in reversed(_OPTIONS):
            if excluded or option is not _EXCLUDE:
                command = option(command)
        return command

    return decorate
