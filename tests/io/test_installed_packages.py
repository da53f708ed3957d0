"""What installed packages say is what importlib.metadata reads."""

import sys
from importlib.metadata import distributions, version
from pathlib import Path

import pytest

from sdtext.io.installed_packages import may_register, package_version


def test_versions_are_those_of_importlib_metadata() -> None:
    names = {item.name for item in distributions()}
    assert names
    assert {name: package_version(name) for name in names} == {
        name: version(name) for name in names
    }


def test_an_archive_on_the_path_may_register_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not may_register("sdtext.no-such-kind")
    archive = tmp_path / "parts.zip"
    archive.touch()
    monkeypatch.setattr(sys, "path", [*sys.path, str(archive)])
    assert may_register("sdtext.none-either")
