"""ScoreFingerprints: score the similarity of two fingerprints."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    dictionaries_option,
    explain_option,
    files_option,
    format_option,
    matcher_option,
    min_terms_option,
)
from sdtext.cli.options.reading import reading_options
from sdtext.cli.print_results import (
    JSON_FORMATS,
    LISTED_TERMS,
    as_records,
    default_format,
    print_record,
    print_rows,
    report,
    warn_of_unexplained,
)
from sdtext.cli.verb import Verb
from sdtext.errors import counted
from sdtext.model import Problem
from sdtext.model.matches import MIN_TERMS

if TYPE_CHECKING:
    from sdtext.fingerprinting.compare_fingerprints import Score
    from sdtext.model import Fingerprint, Match
    from sdtext.reading.options import Reading


@click.command(
    cls=Verb,
    epilog="Examples: sdtext ScoreFingerprints memo.docx letter.pdf\n\n"
    "sdtext ScoreFingerprints memo.fp.xml letter.fp.xml -m cosine",
)
@matcher_option
@files_option(
    "-f",
    "--fingerprint",
    metavar="FINGERPRINT",
    words="A fingerprint file or a document. Exactly two.",
)
@dictionaries_option(
    "The dictionary, if the fingerprints do not contain it. Repeatable.  [default: for a document "
    "and a fingerprint, the one that it was made with, if it comes with sdtext or is a file in the "
    "same folder; for two documents, the one that comes with sdtext for their language]"
)
@min_terms_option(MIN_TERMS)
@explain_option
@format_option
@reading_options
def command(
    matcher: str | None,
    files: list[str],
    dictionaries: tuple[str, ...],
    min_terms: int,
    explain: bool,
    form: str | None,
    reading: Reading,
) -> int:
    """Score the similarity of two fingerprints or documents: 0 to 99, a percentage rounded down.

    common is the number of terms in both, a and b the number in each.
    """
    from sdtext.fingerprinting.compare_fingerprints import other_engine, score_by
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.fingerprinting.query_files import load_pair

    if len(files) != 2:
        given = "one" if len(files) == 1 else len(files)
        raise click.UsageError(f"Two fingerprints are needed; you gave {given}.")
    loaded = [load_dictionary(path, reading.max_bytes) for path in dictionaries]
    with running(reading, 1, files) as run:
        left, right, pair = load_pair((files[0], files[1]), loaded, run)
        result = score_by(pair.comparer(matcher, min_terms), left, right, pair.names)
        result = replace(result, chance=None) if pair.foreign else result
    for dictionary in pair.origins:
        say(f"dictionary: {dictionary}")
    if matcher is None:
        say(f"matcher: {result.matcher}")
    found = [other_engine(left, right), _few_terms(result.best)]
    problems = [*(run.problems or ()), *filter(None, found)]
    record = {"matcher": result.matcher, **_record_of(result.best)}
    for side, segment in zip("ab", _segments(result.best, left, right), strict=True):
        record |= {f"{side}_segment": segment} if segment else {}
    form = form or default_format()
    record |= _chance_of(result, form)
    if form in JSON_FORMATS:
        record["pairs"] = [
            {**_record_of(pair), "vectors": pair.vectors, "segments": _segments(pair, left, right)}
            for pair in result.pairs
        ]
        record["problems"] = as_records(problems)
    if explain:
        terms = result.shared_terms
        record["shared_terms"] = terms and list(map(asdict, terms[:LISTED_TERMS]))
        warn_of_unexplained(int(terms is None))
    _print(form, record)
    return report(problems)


def _few_terms(best: Match) -> Problem | None:
    """A warning where a score is that of few terms, which unrelated documents share, too."""
    number = min(best.left, best.right)
    if best.score is None or number >= MIN_TERMS:
        return None
    what = f"only {counted(number, 'term')} of the dictionary on one side"
    return Problem("warning", "too-few-terms", f"{what}: unrelated texts may score as much")


def _print(form: str, record: dict[str, Any]) -> None:
    """Print the score; as a table, the shared terms in a table of their own."""
    terms = record.pop("shared_terms", None) if form == "table" else None
    print_record(form, "sdtext/score/1", record)
    if terms:
        print_rows(form, list(terms[0]), terms, "")


def _chance_of(result: Score, form: str) -> dict[str, Any]:
    """How often chance gives the score, if it is known: numbers in JSON, otherwise words."""
    if result.chance is None:
        return {}
    in_json = form in JSON_FORMATS
    return {"chance": result.chance.as_record() if in_json else str(result.chance)}


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
