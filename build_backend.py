"""The build backend: setuptools, and the kernels in C compiled into one shared library.

The compiler is `cc`, or what CC names, or else that of the package ziglang, which is asked for only
then. Where neither works, or with SDTEXT_KERNELS=plain, sdtext is installed without the library and
uses its plain references.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 (the hooks that stay as they are)

sys.path.insert(0, str(Path(__file__).parent))

from sdtext.kernels.csrc import IS_PLAIN, LIBRARY, SOURCES

SYSTEM = shlex.split(os.environ.get("CC", "cc"))
ZIG = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline", "-fno-sanitize=undefined"]
FLAGS = ["-std=c11", "-O3", "-shared", "-Wall", "-Wextra", *(["-fPIC"] if os.name != "nt" else [])]
PACKAGE = "ziglang>=0.13; sys_platform in 'linux win32 darwin'"


def get_requires_for_build_wheel(config_settings=None):
    """What setuptools needs, and a compiler if there is none."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler_package()]


def get_requires_for_build_editable(config_settings=None):
    """The same for an editable installation, whose library stands beside the sources."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler_package()]


def _compiler_package():
    return [] if IS_PLAIN or _compiles(SYSTEM) else [PACKAGE]


def build_library(folder=SOURCES):
    """Compile the kernels into `folder`, unless the library of these sources is there."""
    target = Path(folder, LIBRARY.name)
    compiler = None
    if not IS_PLAIN and not target.exists():
        compiler = next((command for command in (SYSTEM, ZIG) if _compiles(command)), None)
    if not compiler:
        return
    for old in target.parent.glob("kernels-*"):
        old.unlink()
    sources = map(str, sorted(SOURCES.glob("*.c")))
    with TemporaryDirectory(dir=target.parent) as beside:
        made = Path(beside, target.name)
        subprocess.run([*compiler, *FLAGS, "-o", str(made), *sources], check=True)
        made.replace(target)


def _compiles(compiler):
    """Whether the command makes a shared library of a program with a header."""
    with TemporaryDirectory() as folder:
        program = Path(folder, "program.c")
        program.write_text("#include <stdlib.h>\nint one(void) { return abs(1); }\n", "utf-8")
        command = [*compiler, *FLAGS, "-o", str(Path(folder, "library")), str(program)]
        try:
            return not subprocess.run(command, capture_output=True, check=False).returncode
        except OSError:
            return False
