"""Fingerprint: write the fingerprints of documents over dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import say
from sdtext.cli.options import common, reading
from sdtext.cli.options.engine import engine
from sdtext.cli.options.provenance import Disclosed, disclosed
from sdtext.cli.options.values import XML_PATH
from sdtext.cli.print_results import report
from sdtext.cli.verb import verb
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.parts.units.term_segments import Segment


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
    segment: Segment | None,
    codes: bool,
    sketch: int | None,
    force: bool,
    disclosed: Disclosed,
    batch: Batch,
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

    parts = disclosed.disclosure, disclosed.provenance
    target = FingerprintOutput(output, *parts, segment, force, names, codes, sketch)
    target.check(files, [*dictionaries, *filter(None, [disclosed.output_config])])
    with batch.running(files) as run:
        saved = save_all_fingerprints(files, dictionaries, target, run)
    for path in saved.files if output is None else ():
        click.echo(path)
    if saved.counts:
        say(f"{shown(saved.place)}: {saved.disclosed}")
        if names is not None:
            say(f"{shown(names)}: for you alone: which number is which document; do not share it")
    return report(run.problems)
