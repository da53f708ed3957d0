"""ShowDictionaryStatistics: what a dictionary holds and how it was made."""

from __future__ import annotations

from typing import Any

import click

from sdtext.artefacts import load_dictionary
from sdtext.cli.options import format_option, print_record
from sdtext.dictionary import Dictionary
from sdtext.model import PartSpec


@click.command(epilog="Example: sdtext ShowDictionaryStatistics -d letters.xml --format json")
@click.option("-d", "--dictionary", "path", required=True, metavar="DICT", help="The dictionary.")
@format_option
def command(path: str, form: str | None) -> None:
    """Say how many documents and terms a dictionary has, and how it was made."""
    dictionary = load_dictionary(path)
    record = statistics(dictionary)
    if form not in ("json", "jsonl"):
        record["tokenizers"] = ", ".join(map(str, dictionary.recipe.chain()))
        record["trimmed"] = (
            "no" if dictionary.trimmed is None else "{:g} to {:g}".format(*dictionary.trimmed)
        )
    print_record(form, "sdtext/dictionary/1", record)


def statistics(dictionary: Dictionary) -> dict[str, Any]:
    """The statistics by name."""
    return {
        "name": dictionary.name,
        "documents": dictionary.documents,
        "terms": len(dictionary.terms),
        "max_idf": dictionary.max_idf,
        "tokenizers": [_part(part) for part in dictionary.recipe.chain()],
        "trimmed": dictionary.trimmed,
        "guid": dictionary.guid,
        "parent": dictionary.parent or None,
        "digest": dictionary.digest,
        "created": dictionary.origin.created or None,
        "libraries": dict(dictionary.libraries),
    }


def _part(part: PartSpec) -> dict[str, Any]:
    options = {
        key: len(value) if isinstance(value, tuple) else value for key, value in part.options
    }
    return {"name": part.name, **options}
