"""The version, and what is installed."""

import tomllib
from importlib.metadata import version

import pytest

from sdtext._version import __version__
from sdtext.cli.installed_versions import OPTIONAL, PROGRAMS, REQUIRED
from tests.support.command import ROOT, done


def test_the_version_comes_first_and_what_is_installed_follows() -> None:
    lines = done("--version").text.split("\n")
    assert lines[0] == f"sdtext {__version__}"
    assert lines[1].startswith("Python 3.")
    assert f"numpy {version('numpy')}" in lines[2]
    assert str(ROOT) not in "".join(lines)


def test_what_is_missing_is_listed_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    text = done("--version").text
    assert "programs: none" in text
    assert "tesseract (scans)" in text.split("not installed: ")[1]


def test_the_lists_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for name, extra in OPTIONAL.items():
        assert any(item.lower().startswith(f"{name}>=") for item in extras[extra]), name
    for name in REQUIRED:
        assert any(item.startswith(f"{name}>=") for item in project["dependencies"]), name
    sources = [path.read_text("utf-8") for path in (ROOT / "sdtext" / "parts").rglob("*.py")]
    for name in PROGRAMS:
        assert any(f'"{name}"' in source for source in sources), name
