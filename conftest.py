"""Options of the test run; names that the examples in docstrings use; the folder of real texts."""

import gc
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings

from build_backend import build_library

# Both take the same examples in each run, so that a change alone can turn a test red;
# `--hypothesis-profile=deep` takes many more.
settings.register_profile("quick", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("deep", max_examples=200, deadline=None, derandomize=True)
settings.load_profile("quick")
pytest.register_assert_rewrite("tests.support")

ROOT = Path(__file__).parent
_SPARK = ["sdtext/spark/*", "sdtext/cli/run_on_spark.py"]
collect_ignore_glob = [] if find_spec("pyspark") else _SPARK
KEY_TEXT = f"sdtext-dictionary-key-1 {'00' * 32} 933766e4"


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels if their sources changed since they were installed."""
    if not hasattr(config, "workerinput"):
        build_library()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`."""
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite the parts of the documentation that come from the code",
    )


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """One worker more than there are processors: tests of commands wait for other processes."""
    return (yield) + 1


def _compile_share(session: pytest.Session) -> None:
    """Import this worker's share of the test modules, so that each is compiled by one worker.

    pytest rewrites the assertions of a module where it is first imported, which is most of the
    time of collection, and keeps the byte code for the other workers.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    sys.dont_write_bytecode = False
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    for path in paths[int(worker["workerid"][2:]) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # collection reports it
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect the tests without passes of the garbage collector, and keep them out of later ones.

    Each pass would look through more than a million objects that stay, and take half a second. In
    the process that starts the workers there are none at all: it keeps the reports of all tests.
    """
    gc.disable()
    try:
        _compile_share(session)
        return (yield)
    finally:
        if not _starts_workers(session.config):
            gc.enable()
            gc.freeze()


def _starts_workers(config: pytest.Config) -> bool:
    return bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that load the dictionary of a language first, all of them in one worker.

    It takes up to three seconds to load one.
    """
    languages = ("chinese", "japanese", "korean", "thai")
    items.sort(key=lambda item: not any(language in item.nodeid for language in languages))


@pytest.fixture(scope="session", autouse=True)
def _bytecode() -> None:
    """Let the processes that tests start keep byte code, also where Python is to write none.

    Each would compile all modules of sdtext that it loads, which is half of its time.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session", autouse=True)
def _no_wait_for_the_disk() -> Iterator[None]:
    """Do not wait until the disk has stored what this process writes, milliseconds for each file.

    No test cuts the power. What is synchronised, and when, is tested by patches of `os.fsync`.
    """

    def checked(file: int) -> None:
        os.fstat(file)  # a descriptor that is closed is refused as by the system

    with mock.patch("os.fsync", checked):
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_defaults_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the configuration file of whoever runs the tests out of them."""
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))


@pytest.fixture(scope="session", autouse=True)
def _key_of_terms() -> None:
    """Give the filter `keyed` its key, as any other filter is tested."""
    os.environ["SDTEXT_KEY_TEXT"] = KEY_TEXT


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names for the folders of tests, numbered."""
    folder = tmp_path_factory.mktemp("tests")
    return (folder / str(number) for number in count())


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, _folders: Iterator[Path]) -> Path:
    """An empty folder for a test.

    pytest's own looks through the folders of all other tests for a number, and renews a link.
    """
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = next(_folders)
    folder = folder.with_name(f"{folder.name}-{name}")
    folder.mkdir(0o700)
    return folder


@pytest.fixture(autouse=True)
def _examples(request: pytest.FixtureRequest) -> None:
    """Give examples in docstrings their names; other tests do without the fixtures for it."""
    if isinstance(request.node, pytest.DoctestItem):
        import sdtext

        request.getfixturevalue("monkeypatch").chdir(ROOT)
        namespace = request.getfixturevalue("doctest_namespace")
        names = ("create_dictionary", "fingerprint", "load_recipe", "score", "compare")
        namespace.update({name: getattr(sdtext, name) for name in names})
        factory = request.getfixturevalue("tmp_path_factory")
        namespace["folder"] = factory.mktemp("example")
        namespace["samples"] = ROOT / "tests" / "samples" / "texts"


@pytest.fixture(params=["few", pytest.param("many", marks=pytest.mark.deep)])
def rounds(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How often to repeat what is random: a twelfth of the given number; all in `-m deep`."""
    return (
        (lambda number: number)
        if request.param == "many"
        else (lambda number: max(1, number // 12))
    )


@pytest.fixture
def data() -> Path:
    """The folder of real texts; without it the test is skipped."""
    folder = Path(os.environ.get("SDTEXT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real texts: name one by SDTEXT_DATA")
    return folder
