"""Puts the ready dictionaries, which stand beside the package, into what is installed of it."""

from pathlib import Path
from shutil import copy

from setuptools import setup
from setuptools.command.build_py import build_py


class WithDictionaries(build_py):
    """Builds the package with the folder `sdtext/dictionaries`; a checkout has its own."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "sdtext", "dictionaries")
            target.mkdir(parents=True, exist_ok=True)
            files = sorted(Path("dictionaries").glob("*.xml.gz"))
            if not files:
                raise FileNotFoundError("dictionaries/*.xml.gz: the ready dictionaries are missing")
            for file in files:
                copy(file, target)


setup(cmdclass={"build_py": WithDictionaries})
