"""ScoreFingerprints: score the similarity of two fingerprints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import (
    JSON_FORMATS,
    LISTED_TERMS,
    is_table,
    print_record,
    print_rows,
    report,
    warn_of_unexplained,
)
from sdtext.cli.verb import verb
from sdtext.model import Problem
from sdtext.model.matches import MIN_TERMS
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.model import Fingerprint, Match


@verb(
    "sdtext ScoreFingerprints memo.docx letter.pdf",
    "sdtext ScoreFingerprints memo.fp.xml letter.fp.xml -m cosine",
)
@common.matcher
@common.files_option(
    *("-f", "--fingerprint"),
    metavar="FINGERPRINT",
    words="A fingerprint file or a document. Exactly two.",
)
@common.dictionaries(
    "The dictionary, if the fingerprints do not contain it. Repeatable.  [default: for a document "
    "and a fingerprint, the one that it was made with, if it comes with sdtext or is a file in the "
    "same folder]"
)
@common.min_terms(MIN_TERMS)
@common.explain_terms
@common.rows_format
@reading.single_files
def command(
    matcher: str | None,
    files: list[str],
    dictionaries: tuple[str, ...],
    min_terms: int,
    explain: bool,
    form: str | None,
    batch: Batch,
) -> int:
    """Score the similarity of two fingerprints or documents: 0 to 99, a percentage rounded down.

    Two documents are compared by shingles of five words; with a fingerprint, a dictionary or a
    matcher of bit vectors, bit vectors over a dictionary are. common is the number of terms or
    shingles in both, a and b the number in each.
    """
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.search.score import score_pair

    if len(files) != 2:
        given = "one" if len(files) == 1 else len(files)
        raise click.UsageError(f"Two fingerprints are needed; you gave {given}.")
    loaded = [load_dictionary(path) for path in dictionaries]
    with batch.running(files) as run:
        pair = score_pair((files[0], files[1]), loaded, matcher, min_terms, run)
    result, sides = pair.score, pair.sides
    for line in (*(f"dictionary: {dictionary}" for dictionary in pair.located), pair.how):
        say(line)
    problems = [*(run.problems or ()), *_few_terms(result.best, sides)]
    record = {"how": pair.how, "matcher": result.matcher, **_record_of(result.best)}
    for side, place in zip("ab", _segments(result.best, sides), strict=True):
        record |= {f"{side}_segment": place} if place else {}
    in_json = form in JSON_FORMATS
    if result.chance:
        record["chance"] = result.chance.as_record() if in_json else str(result.chance)
    if in_json:
        record["pairs"] = [
            {**_record_of(each), "vectors": each.vectors, "segments": _segments(each, sides)}
            for each in result.pairs
        ]
    if explain:
        terms = result.shared_terms
        record["shared_terms"] = terms and list(map(asdict, terms[:LISTED_TERMS]))
        warn_of_unexplained(int(terms is None))
    shared = record.pop("shared_terms", None) if is_table(form) else None
    print_record(form, "sdtext/score/1", record, problems)
    if shared:  # a table of its own
        print_rows(form, list(shared[0]), shared, "")
    return report(problems)


def _few_terms(best: Match, sides: object) -> list[Problem]:
    """A warning where a score is that of few terms, which unrelated documents share, too."""
    number = min(best.left, best.right)
    if not sides or number >= MIN_TERMS:
        return []
    what = f"only {counted(number, 'term')} of the dictionary on one side"
    return [Problem("warning", "too-few-terms", f"{what}: unrelated texts may score as much")]


def _segments(pair: Match, sides: tuple[Fingerprint, Fingerprint] | None) -> list[str | None]:
    """The places of the two segments in their documents; None for a whole document."""
    if sides is None:
        return [None, None]
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
