"""The start of the executable: the command `sdtext`, and the processes that it starts."""

import os
import subprocess
import sys
from multiprocessing import freeze_support
from pathlib import Path
from runpy import run_module


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
