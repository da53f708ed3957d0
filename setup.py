"""Puts what comes with sdtext into what is installed: recipes, dictionaries, manual pages."""

from pathlib import Path
from shutil import copy

from setuptools import setup
from setuptools.command.build_py import build_py

BUNDLED = {"dictionaries": "*.xml.gz", "configs": "*"}
"""The files of a folder beside the package that go into a folder of that name within it."""


class WithBundledFiles(build_py):
    """Builds the package with the dictionaries and recipes; a checkout has its own."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for folder, pattern in BUNDLED.items():
                self._bundle(Path(folder), pattern)

    def _bundle(self, folder: Path, pattern: str) -> None:
        target = Path(self.build_lib, "sdtext", folder)
        target.mkdir(parents=True, exist_ok=True)
        files = sorted(folder.glob(pattern))
        if not files:
            raise FileNotFoundError(
                f"{folder}/{pattern}: the files that come with sdtext are missing"
            )
        for file in files:
            copy(file, target)


MANUAL_PAGES = sorted(map(str, Path("docs", "man").glob("*.1")))

setup(cmdclass={"build_py": WithBundledFiles}, data_files=[("share/man/man1", MANUAL_PAGES)])
