"""One browser for all tests of a process; tests of Unix alone; kernels with sanitizers."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sdtext.io.platform import IS_UNIX
from tests.support.browser import running_browser

if "PYTEST_XDIST_WORKER" in os.environ and os.environ.pop("LD_PRELOAD", ""):
    # The sanitizers of .ci/run see the kernels that this process has loaded, and need more address
    # space than the processes may have that it starts.
    os.environ["SDTEXT_KERNELS"] = "plain"

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    with running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file, written anew for each example."""
    return tmp_path_factory.mktemp("files") / "file"


_UNIX = re.compile(
    r"/proc/|/dev/|mkfifo|symlink|killpg|chmod|interrupted\(|\bshell\(|\bRLIMIT|"
    r"os\.(?:fork|kill|geteuid)\b|signal\.SIG(?:KILL|HUP)|\bSIGKILL\b"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, on Windows, the tests that ask for what Unix alone has."""
    for item in () if IS_UNIX else items:
        if isinstance(item, pytest.Function) and (
            word := _UNIX.search(inspect.getsource(item.function))
        ):
            item.add_marker(pytest.mark.skip(reason=f"{word[0]} is of Unix"))
