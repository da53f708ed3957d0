"""Provenance options of Fingerprint: profile, creator, where the document was found."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import click

from sdtext.cli.options.values import InputPath
from sdtext.fingerprinting.disclosure_profiles import PROFILES
from sdtext.model import ByteRun
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.fingerprinting.disclosure_profiles import Disclosure
    from sdtext.model import Origin


class ByteRunType(click.ParamType[ByteRun]):
    """OFFSET:LENGTH."""

    name = "OFFSET:LENGTH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ByteRun:
        if isinstance(value, ByteRun):
            return value
        parts = str(value).split(":")
        if len(parts) != 2 or not all(part.isascii() and part.isdigit() for part in parts):
            self.fail(f"{value!r} is not OFFSET:LENGTH in bytes, such as 4096:1000", param, ctx)
        if max(map(len, parts)) > 15:
            self.fail(f"{value!r} is beyond any disk", param, ctx)
        return ByteRun(*map(int, parts))


_OPTIONS = (
    click.option(
        "-c",
        "--output-config",
        type=InputPath(),
        metavar="FILE",
        help="What to write: an output configuration (TOML or XML), in place of --profile.",
    ),
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        help="What to write, as described above.  [default: full]",
    ),
    click.option(
        "--creator", default="", metavar="NAME", help="The person who makes the fingerprints."
    ),
    click.option(
        "--program", default="", metavar="NAME", help="The program that makes the fingerprints."
    ),
    click.option(
        "--volume", default="", metavar="NAME", help="The volume that holds the documents."
    ),
    click.option("--image", default="", metavar="FILE", help="The disk image that holds them."),
    click.option(
        "--byte-run",
        "byte_runs",
        multiple=True,
        type=ByteRunType(),
        help="Where the document's bytes are on the image. Repeatable.",
    ),
)
_UNIVERSAL, _DATA_SOURCE = ("creator", "program"), ("volume", "image", "byte_runs")


def provenance_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options, passed as `disclosure`, `provenance` and `output_config`.

    `provenance` is a factory, which gives a new GUID each time.
    """
    from sdtext.fingerprinting.disclosure_profiles import Provenance

    @wraps(function)
    def with_provenance(*args: Any, **options: Any) -> Any:
        values = {name: options.pop(name) for name in (*_UNIVERSAL, *_DATA_SOURCE)}
        disclosure = _disclosure(options["output_config"], options.pop("profile"))
        _check(disclosure, values)
        Provenance(**values)  # refuse bad values before a document is read
        return function(
            *args,
            disclosure=disclosure,
            provenance=lambda: Provenance(origin(), **values),
            **options,
        )

    command: Callable[..., Any] = with_provenance
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _disclosure(config: str | None, profile: str | None) -> Disclosure:
    from sdtext.fingerprinting.disclosure_profiles import load_disclosure
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES, RECIPES

    if config and profile:
        raise click.UsageError("give either -c OUTPUT_CONFIG or --profile")
    if config and (RECIPES.path(config) or DICTIONARIES.path(config)):
        raise click.UsageError(
            f"-c {config}: -c takes an output configuration here, a file; for the dictionary write "
            f"-d {config}"
        )
    return load_disclosure(config) if config else PROFILES[profile or "full"]


def _check(disclosure: Disclosure, values: dict[str, Any]) -> None:
    """Raise UsageError for an option whose value the output omits."""
    for names, output in ((_UNIVERSAL, "universal"), (_DATA_SOURCE, "dataSource")):
        given = [name for name in names if values[name]]
        if given and not getattr(disclosure, output):
            option = given[0].replace("_", "-").removesuffix("s")
            raise click.UsageError(f"--{option} is part of {output}, which this output omits")


def name_of(output: str) -> str:
    """The default name of a dictionary that is written to `output`."""
    return shown(Path(output).name.removesuffix(".gz").removesuffix(".xml"))


def origin() -> Origin:
    """A new GUID, the current time and this machine."""
    from sdtext.model import Origin, System

    system = os.uname() if hasattr(os, "uname") else None
    return Origin(
        str(uuid4()),
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        System(
            system.sysname if system else sys.platform,
            system.release if system else "",
            socket.gethostname(),
            system.machine if system else "",
        ),
    )
