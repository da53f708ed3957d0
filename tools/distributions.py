"""An sdist, and a wheel for each platform with the kernels that zig compiles for it.

The bytes depend on the sources, on the versions of zig and setuptools, and on SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import time
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import lief

from build_backend import FLAGS, ZIG
from sdtext.kernels.c_library import SIGNATURES
from sdtext.kernels.csrc import LIBRARY, SOURCES

lief.logging.disable()  # it reports what is absent from a library, too
MOST_BYTES = 20_000_000  # of a wheel


@dataclass(frozen=True)
class Target:
    """A platform: the `tag` of its wheel, its name for `zig`, and the `suffix` of a library.

    `format` and `machine` are those of the library; it may need only libraries like `needs`, and
    no newer versions of them or of the system than `newest`.
    """

    tag: str
    zig: str
    suffix: str
    format: str
    machine: str
    needs: str
    newest: tuple[int, ...] = ()


_ELF, _DARWIN = ("so", "ELF"), ("dylib", "MACHO")
_GLIBC, _MUSL, _SYSTEM = r"lib[cm]\.so\.6|ld-linux.*", r"libc\.so", r"/usr/lib/libSystem\.B\.dylib"
_WINDOWS = r"(?i)kernel32\.dll|api-ms-win-crt-.*"
TARGETS = (
    Target("manylinux_2_17_x86_64", "x86_64-linux-gnu.2.17", *_ELF, "X86_64", _GLIBC, (2, 17)),
    Target("manylinux_2_17_aarch64", "aarch64-linux-gnu.2.17", *_ELF, "ARM64", _GLIBC, (2, 17)),
    Target("musllinux_1_2_x86_64", "x86_64-linux-musl", *_ELF, "X86_64", _MUSL),
    Target("musllinux_1_2_aarch64", "aarch64-linux-musl", *_ELF, "ARM64", _MUSL),
    Target("macosx_11_0_arm64", "aarch64-macos.11.0", *_DARWIN, "ARM64", _SYSTEM, (11, 0, 0)),
    Target("macosx_10_15_x86_64", "x86_64-macos.10.15", *_DARWIN, "X86_64", _SYSTEM, (10, 15, 0)),
    Target("win_amd64", "x86_64-windows-gnu", "dll", "PE", "X86_64", _WINDOWS),
)


def make_sdist_and_plain_wheel(checkout: Path, folder: Path) -> tuple[Path, Path]:
    """The sdist, and the wheel without a library that is built from it, in `folder`."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=checkout, text=True)
    sources = folder / "sources"  # without what else is in the checkout
    for name in filter(None, listed.split("\0")):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        copy(checkout / name, sources / name)
    build = [sys.executable, "-m", "build", "--outdir", str(folder), str(sources)]
    plain = {**os.environ, "SDTEXT_KERNELS": "plain", "PYTHONHASHSEED": "0"}
    subprocess.run(build, check=True, env=plain, stdout=subprocess.DEVNULL)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    _make_reproducible(sdist)
    return sdist, wheel


def _make_reproducible(sdist: Path) -> None:
    """Sort the members of an archive, and leave out owners and the times of their making."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=packed, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.mode = _epoch(), 0o644 if member.isfile() else 0o755
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    sdist.write_bytes(gzip.compress(packed.getvalue(), mtime=_epoch()))


def make_wheel(plain: Path, target: Target, out: Path) -> Path:
    """The wheel for `target`: that without a library, with one. It is checked by opening it."""
    library = f"{LIBRARY.stem}.{target.suffix}"
    with ZipFile(plain) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}
    (record,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    about = record.removesuffix("RECORD")
    files[f"sdtext/kernels/csrc/{library}"] = compile_kernels(target, library)
    described = files[f"{about}WHEEL"].replace(b"Purelib: true", b"Purelib: false")
    files[f"{about}WHEEL"] = described.replace(b"-none-any", f"-none-{target.tag}".encode())
    del files[record]
    rows = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in sorted(files.items())]
    files[record] = "".join([*rows, f"{record},,\n"]).encode()
    path = out / plain.name.replace("-any.whl", f"-{target.tag}.whl")
    with ZipFile(path, "w", ZIP_DEFLATED) as wheel:
        # What describes the wheel comes last, as the format recommends.
        for name in sorted(files, key=lambda name: (name.startswith(about), name)):
            entry = ZipInfo(name, time.gmtime(_epoch())[:6])
            entry.external_attr, entry.compress_type = 0o100644 << 16, ZIP_DEFLATED
            wheel.writestr(entry, files[name])
    check_wheel(path, target)
    return path


def compile_kernels(target: Target, library: str) -> bytes:
    """The kernels as a library of that name for `target`."""
    flags = [flag for flag in FLAGS if flag != "-fPIC" or target.suffix != "dll"]
    with TemporaryDirectory() as folder:
        for path in SOURCES.glob("*.[ch]"):
            copy(path, folder)
        names = sorted(path.name for path in SOURCES.glob("*.c"))
        more = ["-target", target.zig, "-g0", "-s", "-o", library]
        if target.suffix == "dylib":
            more.append(f"-Wl,-install_name,@rpath/{library}")
        subprocess.run([*ZIG, *flags, *more, *names], check=True, cwd=folder)
        return Path(folder, library).read_bytes()


def check_wheel(path: Path, target: Target) -> None:
    """Raise ValueError unless the wheel has one library, and it is what the tag promises."""
    with ZipFile(path) as wheel:
        (described,) = (name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL"))
        tags = re.findall(r"(?m)^Tag: (.+?)\r?$", wheel.read(described).decode())
        (name,) = (name for name in wheel.namelist() if Path(name).name.startswith("kernels-"))
        binary: Any = lief.parse(list(wheel.read(name)))
    form, machine = binary.format.name, binary.abstract.header.architecture.name
    exported = {each.name.removeprefix("_") for each in binary.exported_functions}
    needed = [getattr(each, "name", each) for each in binary.libraries]
    newest: tuple[int, ...] = ()
    if isinstance(binary, lief.ELF.Binary):
        asked = (each for need in binary.symbols_version_requirement
                 for each in need.get_auxiliary_symbols())  # fmt: skip
        newest = max((numbers_of(each.name) for each in asked), default=())
    elif isinstance(binary, lief.MachO.Binary):
        needed = needed[1:]  # the first is its own name
        newest = tuple(binary.build_version.minos)
    wrong = {
        "tag": tags != [f"py3-none-{target.tag}"],
        "size": path.stat().st_size > MOST_BYTES,
        "format": (form, machine) != (target.format, target.machine),
        "symbols": bool({f"sdtext_{each}" for each in SIGNATURES} - exported),
        "libraries": not all(re.fullmatch(target.needs, each) for each in needed),
        "versions": newest > target.newest,
        "signature": (form, machine) == ("MACHO", "ARM64") and not binary.has_code_signature,
    }
    if any(wrong.values()):
        names = ", ".join(name for name, is_wrong in wrong.items() if is_wrong)
        raise ValueError(f"{path.name}: wrong {names} ({form}, {machine}, {needed}, {newest})")


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers in a version, such as (2, 17) in "GLIBC_2.17"."""
    return tuple(map(int, re.findall(r"\d+", version)))


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()


def _epoch() -> int:
    return int(os.environ["SOURCE_DATE_EPOCH"])
