"""Fingerprint: write the fingerprints of documents over dictionaries."""

import os
import re
from collections.abc import Callable
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import say
from sdtext.cli.options import common, reading
from sdtext.cli.options.common import grouped, option
from sdtext.cli.options.engine import engine
from sdtext.cli.options.values import XML_PATH, Context, InputPath, Parameter
from sdtext.cli.origin import origin
from sdtext.cli.print_results import report
from sdtext.cli.verb import verb
from sdtext.errors import UnreadableError
from sdtext.fingerprinting.disclosure_profiles import (
    PROFILES,
    Disclosure,
    Provenance,
    load_disclosure,
)
from sdtext.model import ByteRun
from sdtext.wording import shown


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


Disclosed = tuple[str | None, Disclosure, Callable[[], Provenance]]
"""The file that says what a fingerprint discloses, that, and what gives a provenance to each."""


def _disclosed(profile: str, **values: Any) -> Disclosed:
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
    return config, disclosure, lambda: Provenance(origin(), **values)


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


@verb(
    "sdtext Fingerprint memo.txt -d english -o memo.fp.xml",
    "sdtext Fingerprint letters/ -d english --profile minimal -o share.xml --names key.csv",
    "sdtext Fingerprint letters.sdx --profile minimal -o share.xml.gz",
)
@common.files_option(
    *("-i", "--input"), metavar="FILE", words="A document, a folder, or a collection alone."
)
@common.shared(
    "dictionaries",
    "The dictionary: a name such as english, or a file. Repeatable: one vector for each. "
    " [default: those of the collection]",
)
@common.output(
    "OUT",
    "One file for all documents, or a folder with a file for each; - prints one file.  "
    "[default: fingerprint_<random>.xml for each]",
    XML_PATH,
)
@common.option(
    "--names",
    metavar="KEY.csv",
    help="With --profile minimal: write here, for you alone, which number is which document. "
    "Files in a folder are then named by number.",
)
@common.segment(
    "One vector for each segment of TOKENS terms, which begin every STEP terms, as in 500/250.  "
    "[default: one vector for each document]"
)
@common.flag("codes", "Write codes of sentences in place of vectors, for FindReuse.")
@common.option("--sketch", least=16, metavar="BYTES", help="Write sketches of 128 to 512 bytes.")
@common.force
@disclosed
@reading.folders
@engine("dictionaries", "output")
def command(
    files: list[str],
    dictionaries: tuple[str, ...],
    output: str | None,
    names: str | None,
    force: bool,
    disclosed: Disclosed,
    batch: Batch,
    **content: Any,
) -> int:
    """Write the fingerprint of each FILE over the dictionary DICT, as XML.

    A folder stands for all documents in it and below it. Of a collection NAME.sdx, what it stores
    is written, without reading a document; OUT is needed. Codes and sketches need no dictionary;
    with a keyed one, they are under its key.

    An OUT that ends in / or is a folder gets one file for each document; any other OUT is one
    file, a container if there are several documents. Without OUT, fingerprint_<random>.xml is
    written for each document. Profile full (the default) embeds the dictionary and the digest, all
    terms in order; evidence omits both; minimal also omits the names of documents, people and
    machines.
    """
    from sdtext.collections.stored_fingerprints import save_all_fingerprints
    from sdtext.fingerprinting.save_fingerprints import FingerprintOutput

    config, disclosure, provenance = disclosed
    content |= {"replaces": force, "names": names}
    target = FingerprintOutput(output, disclosure, provenance, **content)
    target.check(files, [*dictionaries, *filter(None, [config])])
    with batch.running(files) as run:
        saved = save_all_fingerprints(files, dictionaries, target, run)
    for path in saved.files if output is None else ():
        click.echo(path)
    if saved.counts:
        say(f"{shown(saved.place)}: {saved.disclosed}")
        if names is not None:
            say(f"{shown(names)}: for you alone: which number is which document; do not share it")
    return report(run.problems)
