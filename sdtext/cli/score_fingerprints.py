"""ScoreFingerprints: how alike two fingerprints are."""

from __future__ import annotations

from typing import Any

import click

from sdtext.artefacts import load_dictionary
from sdtext.cli.main import say
from sdtext.cli.options import (
    files_option,
    format_option,
    matcher_option,
    min_terms_option,
    print_record,
)
from sdtext.comparer import MIN_TERMS, score
from sdtext.model import Match


@click.command(epilog="Example: sdtext ScoreFingerprints -m cosine -f memo.fp.xml -f letter.fp.xml")
@matcher_option
@files_option("-f", "--fingerprint", metavar="FINGERPRINT", words="Exactly two.")
@click.option("-d", "--dictionary", "path", metavar="DICT", help="For weights, if not inside.")
@min_terms_option(MIN_TERMS)
@format_option
def command(
    matcher: str | None,
    files: list[str],
    path: str | None,
    min_terms: int,
    form: str | None,
) -> None:
    """Say how alike two fingerprints are: a score from 0 to 99, the percentage rounded down.

    common counts the terms in both, a and b those of each.
    """
    if len(files) != 2:
        raise click.UsageError(f"{len(files)} fingerprints are named; name two, each with -f")
    dictionary = load_dictionary(path) if path else None
    left, right = files
    result = score(left, right, matcher, dictionary, min_terms)
    if matcher is None:
        say(f"matcher: {result.matcher}")
    record = {"matcher": result.matcher, **_told(result.best)}
    if form in ("json", "jsonl"):
        record["pairs"] = [{**_told(pair), "vectors": pair.vectors} for pair in result.pairs]
    print_record(form, "sdtext/score/1", record)


def _told(match: Match) -> dict[str, Any]:
    told: dict[str, Any] = {
        "score": match.score,
        "similarity": None if match.similarity is None else float(match.similarity),
        "common": match.common,
        "a": match.left,
        "b": match.right,
    }
    return {**told, "reason": match.problem.message} if match.problem else told
