"""ScoreFingerprints: score the similarity of two fingerprints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options.common import (
    dictionaries_option,
    files_option,
    format_option,
    matcher_option,
    min_terms_option,
)
from sdtext.cli.options.reading import max_bytes_option
from sdtext.cli.print_results import print_record
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb
from sdtext.model.matches import MIN_TERMS

if TYPE_CHECKING:
    from sdtext.model import Fingerprint, Match


@click.command(
    cls=Verb, epilog="Example: sdtext ScoreFingerprints -m cosine -f memo.fp.xml -f letter.fp.xml"
)
@matcher_option
@files_option(
    "-f", "--fingerprint", metavar="FINGERPRINT", words="A fingerprint file. Exactly two."
)
@dictionaries_option(
    "The dictionary for weights, if the fingerprints do not contain it. Repeatable."
)
@min_terms_option(MIN_TERMS)
@format_option
@max_bytes_option
def command(
    matcher: str | None,
    files: list[str],
    dictionaries: tuple[str, ...],
    min_terms: int,
    form: str | None,
    max_bytes: int,
) -> None:
    """Score the similarity of two fingerprints: 0 to 99, a percentage rounded down.

    common is the number of terms in both, a and b the number in each.
    """
    from sdtext.fingerprinting.compare_fingerprints import only, other_engine, score
    from sdtext.fingerprinting.load_and_save import load_dictionary

    if len(files) != 2:
        given = "one" if len(files) == 1 else len(files)
        raise click.UsageError(f"Two fingerprints are needed; you gave {given}.")
    (left, embedded), (right, others) = (only(path, max_bytes) for path in files)
    known = [load_dictionary(path, max_bytes) for path in dictionaries] or [*embedded, *others]
    result = score(left, right, matcher, known, min_terms)
    if matcher is None:
        say(f"matcher: {result.matcher}")
    record = {"matcher": result.matcher, **_record_of(result.best)}
    for side, segment in zip("ab", _segments(result.best, left, right), strict=True):
        record |= {f"{side}_segment": segment} if segment else {}
    if form in ("json", "jsonl"):
        record["pairs"] = [
            {**_record_of(pair), "vectors": pair.vectors, "segments": _segments(pair, left, right)}
            for pair in result.pairs
        ]
    print_record(form, "sdtext/score/1", record)
    if caution := other_engine(left, right):
        report([caution])


def _segments(pair: Match, *sides: Fingerprint) -> list[str | None]:
    """The places of the two segments in their documents; None for a whole document."""
    places = [side.vectors[number].place for side, number in zip(sides, pair.vectors, strict=True)]
    return [f"{place.offset}:{place.length}" if place else None for place in places]


def _record_of(match: Match) -> dict[str, Any]:
    record: dict[str, Any] = {
        "score": match.score,
        "similarity": None if match.similarity is None else float(match.similarity),
        "common": match.common,
        "a": match.left,
        "b": match.right,
    }
    return {**record, "reason": match.problem.message} if match.problem else record
