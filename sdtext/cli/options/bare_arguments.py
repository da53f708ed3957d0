"""Bare arguments by what they are: queries, folders and dictionaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import Decorator
from sdtext.cli.verb import is_typed
from sdtext.errors import UnreadableError, did_you_mean, shown

if TYPE_CHECKING:
    from sdtext.io.decompressed_content import Content
    from sdtext.reading.options import Reading


def opened_files(bare: Sequence[str], max_bytes: int) -> dict[str, Content]:
    """The arguments that are files and not names of dictionaries, with what is read of them."""
    from sdtext.io.decompressed_content import Content
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
    from sdtext.reading.walk import ShortFiles

    short = ShortFiles()
    return {
        argument: short.kept(Content(argument, max_bytes))
        for argument in bare
        if os.path.isfile(argument)  # noqa: PTH113 (Path.is_file raises for some names)
        and not DICTIONARIES.path(argument)
    }


def split_dictionaries(
    bare: Sequence[str], opened: Mapping[str, Content]
) -> tuple[list[str], list[str]]:
    """The arguments that are no dictionaries, and those that are: names, or dictionary files.

    Raises UnreadableError for what seems to be a misspelt name.
    """
    _check_spelling(bare)
    dictionaries = [argument for argument in bare if _is_dictionary(argument, opened)]
    return [argument for argument in bare if argument not in dictionaries], dictionaries


def _check_spelling(bare: Sequence[str]) -> None:
    """Raise UnreadableError for what seems to be a misspelt name of a dictionary."""
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

    for argument in bare:
        if (name := DICTIONARIES.similar(argument)) and not did_you_mean(argument):
            what = f"no such file, folder or dictionary; did you mean {name}?"
            raise UnreadableError(what, file=argument)


def documents_and_dictionaries(bare: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments of a verb that reads documents, and the dictionaries among them.

    The name of a dictionary is that of a document where a file or folder is called so. Raises
    UnreadableError for what seems to be a misspelt name.
    """
    from sdtext.fingerprinting.load_and_save import kind_of_file
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

    def is_dictionary(argument: str) -> bool:
        if not os.path.lexists(argument):
            return DICTIONARIES.path(argument) is not None
        try:
            is_file = os.path.isfile(argument)  # noqa: PTH113 (Path.is_file raises for some names)
            return is_file and kind_of_file(argument) == "dictionary"
        except UnreadableError:
            return False

    _check_spelling(bare)
    dictionaries = [argument for argument in bare if is_dictionary(argument)]
    return [argument for argument in bare if argument not in dictionaries], dictionaries


def bare_dictionaries(to: str, *, several: bool = True) -> Decorator:
    """Take dictionaries from the `bare` arguments for the option `to`, unless that is typed.

    It stands above the arguments. With `-d`, no file is opened for a look at what it is.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_dictionaries(*args: Any, bare: Sequence[str], **options: Any) -> Any:
            if is_typed(to):
                return function(*args, bare=bare, **options)
            others, dictionaries = documents_and_dictionaries(bare)
            if len(dictionaries) > 1 and not several:
                first, second = map(shown, dictionaries[:2])
                raise click.UsageError(f"{first} and {second} are dictionaries; name one of them")
            if dictionaries:
                options[to] = tuple(dictionaries) if several else dictionaries[0]
            return function(*args, bare=others, **options)

        return with_dictionaries

    return decorate


def all_dictionaries(options: Sequence[str], bare: Sequence[str]) -> list[str]:
    """The values of `-d`, then the bare dictionaries, which replace a default of `-d`."""
    return [*(options if is_typed("dictionaries") or not bare else ()), *bare]


def split_folders(bare: Sequence[str], *, queries: bool) -> tuple[list[str], list[str]]:
    """The queries and the folders among arguments without dictionaries.

    Of folders alone, the first has the queries, unless there are other `queries`. If none is a
    folder, the last one is searched, such as an archive, unless it is the only one and there are no
    other `queries`.
    """
    folders = [argument for argument in bare if is_folder(argument)]
    files = [argument for argument in bare if argument not in folders]
    if folders and (files or queries or len(folders) == 1):
        return files, folders
    if folders:
        return folders[:1], folders[1:]
    return (files, []) if len(bare) + queries < 2 else (files[:-1], files[-1:])


def comparison_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """`named` and `bare` arguments as `files`, and the bare folders and dictionaries as such.

    It stands below the options. With `-p`, all bare arguments but dictionaries are queries. The
    bare files are `opened`.
    """

    @wraps(function)
    def with_files(
        *args: Any,
        named: Sequence[str],
        bare: Sequence[str],
        folders: Sequence[str],
        dictionaries: Sequence[str],
        reading: Reading,
        **options: Any,
    ) -> Any:
        opened = opened_files(bare, reading.max_bytes)
        queries, more = split_dictionaries(bare, opened)
        is_sorted = not folders
        if is_sorted:
            queries, folders = split_folders(queries, queries=bool(named))
        if not folders and (called_alike := [*filter(is_folder, more)]):
            more = [argument for argument in more if argument not in called_alike]
            arguments = [argument for argument in bare if argument not in more]
            queries, folders = split_folders(arguments, queries=bool(named))
            name = shown(called_alike[0])
            say(f"{name} is read as the folder; the dictionary of this name is -d {name}")
        _check(named, queries, folders, more)
        files = [*named, *queries]
        if is_sorted and len(files) > 1 and not is_folder(folders[0]):
            say(
                f"only {shown(folders[0])} is searched, for what is in the {len(files):,} other "
                "files; to search several files, name their folder, or each with -p"
            )
        options |= {"files": files, "folders": folders, "opened": opened}
        options["dictionaries"] = all_dictionaries(dictionaries, more)
        return function(*args, reading=reading, **options)

    return with_files


def _check(
    named: Sequence[str], bare: Sequence[str], folders: Sequence[str], dictionaries: Sequence[str]
) -> None:
    """Raise UsageError or UnreadableError for queries and folders that cannot be compared."""
    from sdtext.reading.walk import is_collection

    if not (named or bare):
        taken = f"{shown(dictionaries[0])} is a dictionary (-d), and " if dictionaries else ""
        raise click.UsageError(
            f"{taken}no fingerprint is given; name one (-f), a document or a folder of these "
            "before the folder to search. FindReuse FOLDER compares the files of a folder with "
            "each other."
        )
    if not folders:
        raise click.UsageError("no folder to search is given; name one with -p, or last")
    if all(map(is_collection, folders)):
        name, query = shown(folders[0]), shown([*named, *bare][0])
        what = f"is a collection of sdtext, not a folder of documents; FindSimilar {name} {query} "
        raise UnreadableError(f"{what}searches it", file=folders[0])
    folder = next(filter(is_folder, bare), None)
    if folder and (named or not all(map(is_folder, bare))):
        name = shown(folder)
        raise click.UsageError(
            f"{name} is a folder; to search it, too, repeat -p: -p {shown(folders[-1])} -p {name}; "
            f"to search for what is in it, write -f {name}"
        )


def is_folder(path: str) -> bool:
    """Whether the path is that of a folder."""
    return os.path.isdir(path)  # noqa: PTH112 (Path.is_dir raises for some names)


def _is_dictionary(argument: str, opened: Mapping[str, Content]) -> bool:
    from sdtext.fingerprinting.load_and_save import kind_of_file
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

    if argument not in opened:
        return DICTIONARIES.path(argument) is not None
    try:
        return kind_of_file(opened[argument]) == "dictionary"
    except UnreadableError:
        return False
