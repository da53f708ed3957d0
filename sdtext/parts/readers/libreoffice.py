"""Conversion of old Office files by LibreOffice, with an isolated profile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sdtext.errors import UnreadableError, reason
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.external_programs import Ended, run, version_of

NAME = "LibreOffice"
_WORDS = ("--headless", "--norestore", "--nologo", "--nolockcheck")
# A profile in which no macro runs, no link to another file is followed, and the network is a
# door that is shut: a proxy where nobody listens.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
<prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop>
</item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings">
<prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop>
<prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop>
<prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop>
</item>
</oor:items>
"""
_SHUT = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")


@cache
def program() -> str:
    """The path of the program, "" if it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice") or ""


def is_installed() -> bool:
    """Whether the program is installed."""
    return bool(program())


def version() -> str:
    """The version, "" if the program does not work."""
    return version_of(program(), "--version") if is_installed() else ""


@contextmanager
def converted(content: Content, kind: str, ending: str) -> Iterator[Content]:
    """Convert `content`, which messages call a `kind`, to the format with that extension.

    The output is in a temporary folder that is removed afterwards. Raises UnreadableError.
    """
    try:
        with TemporaryDirectory(prefix="sdtext-", ignore_cleanup_errors=True) as name:
            yield _converted(content, kind, ending, Path(name))
    except OSError as error:
        raise UnreadableError(reason(error), file=content.name) from error


def _converted(content: Content, kind: str, ending: str, folder: Path) -> Content:
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_SETTINGS, "utf-8")
    # A copy, since the program leaves a file beside the one that it opens.
    source, result = folder / "source", folder / f"source.{ending}"
    with source.open("wb") as file:
        file.writelines(content.blocks())
    place = f"-env:UserInstallation={profile.as_uri()}"
    words = [place, *_WORDS, "--convert-to", ending, "--outdir", str(folder), str(source)]
    variables = {**_SHUT, "HOME": str(folder), "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    ended = run([program(), *words], content, variables=variables)
    if not result.is_file():
        raise UnreadableError(
            f"{NAME} cannot read this {kind} ({_why(ended)}): it is damaged or "
            f"locked by a password; open it in an office program and save it as {ending.upper()}",
            file=content.name,
        )
    return Content(result, content.max_bytes, content.name)


def _why(ended: Ended) -> str:
    """The messages of the program without those that it always writes."""
    lines = ended.messages.splitlines(keepends=True)
    telling = [line for line in lines if not line.startswith(b"Warning:")]
    return type(ended)(ended.code, b"", b"".join(telling)).why()
