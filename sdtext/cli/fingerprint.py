"""Fingerprint: the fingerprints of documents over a dictionary."""

from __future__ import annotations

from pathlib import Path

import click

from sdtext.artefacts import load_dictionary
from sdtext.cli.main import say
from sdtext.cli.options import (
    files_option,
    jobs_option,
    origin,
    reading_options,
    refuse_inputs,
    report,
    running,
)
from sdtext.disclosure import PROFILES, load_disclosure, save_fingerprints
from sdtext.documents import Reading
from sdtext.errors import shown
from sdtext.fingerprinting import fingerprints


@click.command(
    epilog="Examples: sdtext Fingerprint -i memo.txt -d letters.xml -o memo.fp.xml\n\n"
    "sdtext Fingerprint -d letters.xml --profile minimal -o fingerprints.xml.gz letters/*.txt"
)
@files_option("-i", "--input", metavar="FILE", words="A document.")
@click.option(
    "-d",
    "--dictionary",
    "dictionaries",
    required=True,
    multiple=True,
    metavar="DICT",
    help="The dictionary.",
)
@click.option(
    "-o", "--output", metavar="OUT", help="A file for all, or a folder with one for each."
)
@click.option("-c", "--output-config", metavar="OUTPUT_CONFIG", help="What to write, in TOML.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="What to write, in one word.")
@reading_options
@jobs_option
def command(
    files: list[str],
    dictionaries: tuple[str, ...],
    output: str | None,
    output_config: str | None,
    profile: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Write the fingerprint of each FILE over the dictionary DICT, as XML.

    OUT that ends in / or is a folder gets a file for each document; any other OUT is one file,
    for several documents a container. Without OUT, fingerprint_<random>.xml is written for each.
    Profile full (the default) embeds the dictionary; evidence leaves it out; minimal leaves out
    all that names documents, people and machines.
    """
    if len(dictionaries) > 1:
        raise click.UsageError("fingerprints are made with one dictionary; name one with -d")
    dictionary = dictionaries[0]
    if output_config and profile:
        raise click.UsageError("give either -c OUTPUT_CONFIG or --profile")
    refuse_inputs(output, [*files, dictionary])
    disclosure = load_disclosure(output_config) if output_config else PROFILES[profile or "full"]
    loaded = load_dictionary(dictionary, reading.max_bytes)
    paths = [Path(path) for path in files]
    with running(reading, jobs, files) as run:
        named = (
            (path, disclosure.of(found, path, [(loaded, Path(dictionary))], origin()))
            for path, found in fingerprints(paths, [loaded], run)
        )
        embedded = loaded if disclosure.dictionary else None
        saved = list(save_fingerprints(named, output, embedded, several=len(files) > 1))
    for target, _ in saved if output is None else ():
        click.echo(target)
    counts = [count for _, counts in saved for count in counts]
    if counts:
        place = saved[0][0] if len(saved) == 1 else f"{len(saved)} files"
        by_name = len(saved) > 1 or saved[0][0] not in (output, files[0])
        told = disclosure.told(counts, loaded, by_name=output is not None and by_name)
        say(f"{shown(place)}: {told}")
    return report(run.problems or ())
