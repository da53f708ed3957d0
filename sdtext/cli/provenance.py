"""What is said of a fingerprint on the command line: profile, creator, where it was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options import origin
from sdtext.fingerprinting.disclosure import PROFILES
from sdtext.model import ByteRun

if TYPE_CHECKING:
    from sdtext.fingerprinting.disclosure import Disclosure


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
            self.fail(f"{value!r} is not OFFSET:LENGTH in bytes, as 4096:1000", param, ctx)
        if max(map(len, parts)) > 15:
            self.fail(f"{value!r} is beyond any disk", param, ctx)
        return ByteRun(*map(int, parts))


_OPTIONS = (
    click.option("-c", "--output-config", metavar="OUTPUT_CONFIG", help="What to write: a file."),
    click.option(
        "--profile", type=click.Choice(list(PROFILES)), help="What to write, in one word."
    ),
    click.option("--creator", default="", metavar="NAME", help="Who makes the fingerprints."),
    click.option("--program", default="", metavar="NAME", help="What program has them made."),
    click.option("--volume", default="", metavar="NAME", help="The volume the documents stood on."),
    click.option("--image", default="", metavar="FILE", help="The disk image they stood on."),
    click.option(
        "--byte-run",
        "byte_runs",
        multiple=True,
        type=ByteRunType(),
        help="Where on the image the document's bytes stood. Repeatable.",
    ),
)
_UNIVERSAL, _DATA_SOURCE = ("creator", "program"), ("volume", "image", "byte_runs")


def provenance_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options as two arguments: `disclosure`, and `provenance` that makes it anew each time."""
    from sdtext.fingerprinting.disclosure import Provenance

    @wraps(function)
    def with_provenance(*args: Any, **options: Any) -> Any:
        said = {name: options.pop(name) for name in (*_UNIVERSAL, *_DATA_SOURCE)}
        disclosure = _disclosure(options.pop("output_config"), options.pop("profile"))
        _check(disclosure, said)
        Provenance(**said)  # lest it is refused for the first document
        return function(
            *args,
            disclosure=disclosure,
            provenance=lambda: Provenance(origin(), **said),
            **options,
        )

    command: Callable[..., Any] = with_provenance
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _disclosure(config: str | None, profile: str | None) -> Disclosure:
    from sdtext.fingerprinting.disclosure import load_disclosure

    if config and profile:
        raise click.UsageError("give either -c OUTPUT_CONFIG or --profile")
    return load_disclosure(config) if config else PROFILES[profile or "full"]


def _check(disclosure: Disclosure, said: dict[str, Any]) -> None:
    """UsageError where something is to be said that the output leaves out."""
    for names, output in ((_UNIVERSAL, "universal"), (_DATA_SOURCE, "dataSource")):
        given = [name for name in names if said[name]]
        if given and not getattr(disclosure, output):
            option = given[0].replace("_", "-").removesuffix("s")
            raise click.UsageError(f"--{option} is part of {output}, which the output leaves out")
