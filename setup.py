"""Puts what comes with sdtext into what is installed: recipes, dictionaries, pages, kernels."""

import sys
from pathlib import Path
from shutil import copy, rmtree

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))

from build_backend import build_library

BUNDLED = {"dictionaries": "*.xml.gz", "configs": "*"}
"""The files of a folder beside the package that go into a folder of that name within it."""


class WithBundledFiles(build_py):
    """Builds the package with dictionaries, recipes, manual pages and the compiled kernels.

    A checkout has its own recipes and dictionaries, and gets the kernels.
    """

    def run(self) -> None:
        kernels = Path(self.build_lib, "sdtext", "kernels", "csrc")
        rmtree(kernels, ignore_errors=True)
        super().run()
        if self.editable_mode:
            build_library()
        else:
            for folder, pattern in BUNDLED.items():
                self._bundle(Path(folder), pattern)
            build_library(kernels)
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
        from sdtext.cli.man_pages import man_pages

        folder = Path(self.build_lib).parent / "man"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in man_pages().items():
            (folder / name).write_text(text, "utf-8")
        return sorted(map(str, folder.glob("*.1")))


class WheelOfPlatform(bdist_wheel):
    """A wheel for every Python, on this platform or, without a library, on all."""

    def get_tag(self) -> tuple[str, str, str]:
        self.root_is_pure = not any(Path(self.bdist_dir).rglob("kernels-*"))
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": WithBundledFiles, "bdist_wheel": WheelOfPlatform})
