"""Puts what comes with sdtext into what is installed: recipes, dictionaries, manual pages."""

import sys
from pathlib import Path
from shutil import copy

from setuptools import setup
from setuptools.command.build_py import build_py

BUNDLED = {"dictionaries": "*.xml.gz", "configs": "*"}
"""The files of a folder beside the package that go into a folder of that name within it."""


class WithBundledFiles(build_py):
    """Builds the package with dictionaries, recipes and manual pages; a checkout has its own."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for folder, pattern in BUNDLED.items():
                self._bundle(Path(folder), pattern)
            self.distribution.data_files = [("share/man/man1", self._manual_pages())]

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

    def _manual_pages(self) -> list[str]:
        """The manual pages, written from the help of the verbs."""
        sys.path.insert(0, str(Path(__file__).parent))
        from sdtext.cli.man_pages import man_pages

        folder = Path(self.build_lib).parent / "man"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in man_pages().items():
            (folder / name).write_text(text, "utf-8")
        return sorted(map(str, folder.glob("*.1")))


setup(cmdclass={"build_py": WithBundledFiles})
