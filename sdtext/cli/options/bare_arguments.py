"""Bare arguments of CompareDirectory: what is looked for, and the folders to search."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click


def split_folders(bare: Sequence[str], *, queries: bool) -> tuple[list[str], list[str]]:
    """The queries and the folders among arguments.

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
    """`named` and `bare` arguments as `files`, and the bare folders as `folders`.

    It stands below the options. With `-p`, all bare arguments are queries.
    """

    @wraps(function)
    def with_files(
        *args: Any,
        named: Sequence[str],
        bare: Sequence[str],
        folders: Sequence[str],
        **options: Any,
    ) -> Any:
        queries: Sequence[str] = bare
        if not folders:
            queries, folders = split_folders(bare, queries=bool(named))
        files = [*named, *queries]
        if not files or not folders:
            missing = "[DIR]" if files else "FINGERPRINT"
            raise click.UsageError(f"Missing argument '{missing}'.")
        return function(*args, files=files, folders=folders, **options)

    return with_files


def is_folder(path: str) -> bool:
    """Whether the path is that of a folder."""
    return os.path.isdir(path)  # noqa: PTH112 (Path.is_dir raises for some names)
