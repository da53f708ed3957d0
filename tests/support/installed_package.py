"""A package with parts of its own, installed for some tests."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sdtext.parts import registry
from sdtext.reading import archive_members
from sdtext.reading.sandbox import pool


@contextmanager
def installed(folder: Path, name: str, module: str, entry_points: str) -> Iterator[Path]:
    """The folder of a package of one module, whose parts the registry finds meanwhile."""
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True)
    (folder / f"{name}.py").write_text(module)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(entry_points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        _forget()
        yield folder
    _forget()
    sys.modules.pop(name, None)


def _forget() -> None:
    """Begin anew: without processes, and without what was found in other places."""
    pool._end_idle()
    importlib.invalidate_caches()
    for module in (registry, archive_members):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
