"""Bare arguments of a comparison, by what they are: queries, folders and dictionaries."""

from __future__ import annotations

import os
from collections.abc import Sequence


def split_dictionaries(bare: Sequence[str], max_bytes: int) -> tuple[list[str], list[str]]:
    """The arguments that are no dictionaries, and those that are: names, or dictionary files."""
    dictionaries = [argument for argument in bare if _is_dictionary(argument, max_bytes)]
    return [argument for argument in bare if argument not in dictionaries], dictionaries


def split_folders(bare: Sequence[str], *, queries: bool) -> tuple[list[str], list[str]]:
    """The queries and the folders among arguments without dictionaries.

    If none is a folder, the last one is searched, such as an archive, unless it is the only one
    and there are no other `queries`.
    """
    folders = [argument for argument in bare if os.path.isdir(argument)]  # noqa: PTH112 (any name)
    if folders or len(bare) + queries < 2:
        return [argument for argument in bare if argument not in folders], folders
    return list(bare[:-1]), list(bare[-1:])


def _is_dictionary(argument: str, max_bytes: int) -> bool:
    from sdtext.errors import UnreadableError
    from sdtext.fingerprinting.load_and_save import kind_of_file
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

    if DICTIONARIES.path(argument):
        return True
    if not os.path.isfile(argument):  # noqa: PTH113 (Path.is_file raises for some names)
        return False
    try:
        return kind_of_file(argument, max_bytes) == "dictionary"
    except UnreadableError:
        return False
