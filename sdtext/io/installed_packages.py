"""What installed packages say about themselves, in the files that importlib.metadata reads.

That module takes 25 ms to load. It is asked where these files do not answer, as for packages in an
archive on the path.
"""

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path


def package_version(package: str) -> str:
    """The version of an installed package, "" of another.

    >>> package_version("no-such-package")
    ''
    """
    spellings = re.compile(re.sub("[-_.]+", "[-_.]+", package), re.IGNORECASE)
    for name, folder in _described(tuple(sys.path))[0].items():
        if spellings.fullmatch(name.partition("-")[0]):
            with suppress(OSError), Path(folder, "METADATA").open("rb") as lines:
                for line in lines:
                    if line.startswith(b"Version:"):
                        return line.partition(b":")[2].decode("utf-8").strip()
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@cache
def may_register(prefix: str) -> bool:
    """Whether a package may have entry points in groups that begin so."""
    folders, has_others = _described(tuple(sys.path))
    mark = f"[{prefix}".encode()
    for folder in folders.values():
        with suppress(OSError):
            if mark in Path(folder, "entry_points.txt").read_bytes():
                return True
    return has_others


@cache
def _described(path: tuple[str, ...]) -> tuple[Mapping[str, str], bool]:
    """The folders that describe packages, by their names, and whether there may be others."""
    folders: dict[str, str] = {}
    has_archives = False
    for place in path:
        has_archives |= place.endswith(".egg")
        try:
            for item in os.scandir(place or "."):
                if item.name.endswith((".dist-info", ".egg-info")):
                    folders.setdefault(item.name, item.path)
        except NotADirectoryError:
            has_archives = True
        except OSError:
            continue
    return folders, has_archives
