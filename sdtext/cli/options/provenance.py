"""Provenance options of Fingerprint: profile, creator, where the document was found."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import grouped, option
from sdtext.cli.options.values import Context, InputPath, Parameter
from sdtext.cli.origin import origin
from sdtext.errors import UnreadableError
from sdtext.fingerprinting.disclosure_profiles import PROFILES
from sdtext.model import ByteRun
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.fingerprinting.disclosure_profiles import Disclosure, Provenance


class ByteRunType(click.ParamType[ByteRun]):
    """OFFSET:LENGTH."""

    name = "OFFSET:LENGTH"

    def convert(self, value: Any, param: Parameter, ctx: Context) -> ByteRun:
        if isinstance(value, ByteRun):
            return value
        match = re.fullmatch(r"([0-9]{1,15}):([0-9]{1,15})", str(value))
        if not match:
            self.fail(f"{value!r} is not OFFSET:LENGTH in bytes, such as 4096:1000", param, ctx)
        return ByteRun(*map(int, match.groups()))


@dataclass(frozen=True)
class Disclosed:
    """What a fingerprint discloses, and the file that says so.

    `provenance` gives one with a new GUID each time.
    """

    output_config: str | None
    disclosure: Disclosure
    provenance: Callable[[], Provenance]


def _disclosed(profile: str, **values: Any) -> Disclosed:
    from sdtext.fingerprinting.disclosure_profiles import Provenance, load_disclosure

    config = None if profile in PROFILES else profile
    if config and not os.path.lexists(config):
        known = ", ".join(PROFILES)
        raise UnreadableError(f"no such profile or file; profiles: {known}", file=config)
    disclosure = load_disclosure(config) if config else PROFILES[profile]
    for names, part in (
        (("creator",), "universal"),
        (("volume", "image", "byte_runs"), "dataSource"),
    ):
        given = [name for name in names if values[name]]
        if given and not getattr(disclosure, part):
            option = given[0].replace("_", "-").removesuffix("s")
            raise click.UsageError(f"--{option} is omitted by the profile {shown(profile)}")
    Provenance(**values)  # refuse bad values before a document is read
    return Disclosed(config, disclosure, lambda: Provenance(origin(), **values))


def _text(name: str, metavar: str, words: str) -> Callable[[Any], Any]:
    return option(f"--{name}", metavar=metavar, default="", help=words)


disclosed = grouped(
    "disclosed",
    _disclosed,
    option(
        *("-c", "--profile"),
        kind=InputPath("profiles"),
        metavar="|".join((*PROFILES, "FILE")),
        default="full",
        help="What to write, as described above; FILE is an output configuration (TOML or XML).",
    ),
    _text("creator", "NAME", "The person who makes the fingerprints."),
    _text("volume", "NAME", "The volume that holds the documents."),
    _text("image", "FILE", "The disk image that holds them."),
    click.option(
        "--byte-run",
        "byte_runs",
        multiple=True,
        type=ByteRunType(),
        help="Where the document's bytes are on the image. Repeatable.",
    ),
)
