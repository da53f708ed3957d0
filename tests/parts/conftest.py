"""What the tests of parts share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, written anew for each example."""
    return tmp_path_factory.mktemp("files") / "file"
