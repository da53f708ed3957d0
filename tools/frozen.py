"""The start of the executable: the command `sdtext`, and the processes that it starts.

Libraries and data of a package are unpacked when it is imported, as few commands need them all.
"""

import os
import subprocess
import sys
from importlib import invalidate_caches
from multiprocessing import freeze_support
from pathlib import Path
from runpy import run_module

from pyimod02_importers import pyz_archive  # of PyInstaller


class Unpacker:
    """Finds no module, but unpacks the files of a package before it is found elsewhere."""

    @staticmethod
    def find_spec(name, path=None, _=None):
        packed = f"files of {name}"  # a module that `executable.spec` made
        if path is not None or packed not in pyz_archive.toc:
            return
        exec(pyz_archive.extract(packed), module := {})
        for place, content in module["FILES"].items():
            file = Path(__file__).parent / place
            if file.exists():
                continue
            written = file.with_name(f"{file.name}-{os.getpid()}")  # others may do the same
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                written.write_bytes(content)
                written.replace(file)
            except OSError as error:
                error.filename = str(file)
                raise
        invalidate_caches()


class Popen(subprocess.Popen):
    """Starts other programs without the libraries in the executable, which are for itself."""

    def __init__(self, args, **options):
        if args[0] != sys.executable:
            env = dict(options.get("env") or os.environ)
            env.pop("LD_LIBRARY_PATH", None)
            if before := env.get("LD_LIBRARY_PATH_ORIG"):
                env["LD_LIBRARY_PATH"] = before
            options["env"] = env
        super().__init__(args, **options)


if __name__ == "__main__":
    sys.meta_path.insert(0, Unpacker)
    freeze_support()  # ends here in a process of multiprocessing
    subprocess.Popen = Popen
    match sys.argv[1:]:
        case ["--licenses"]:
            print(Path(__file__).with_name("LICENSES.txt").read_text("utf-8"), end="")
        case ["-P", "-c", code, *words]:  # a process that reads documents
            sys.argv = ["-c", *words]
            exec(code, {"__name__": "__main__"})
        case ["-P", "-m", module, *words]:  # a job of the web application
            sys.argv = [module, *words]
            run_module(module, run_name="__main__", alter_sys=True)
        case _:
            from sdtext.__main__ import run

            run()
