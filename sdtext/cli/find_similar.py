"""FindSimilar: find the documents of a collection that are similar to given ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import say
from sdtext.cli.options import common, html_page, reading, search
from sdtext.cli.options.engine import engine
from sdtext.cli.print_results import print_search
from sdtext.cli.verb import verb

if TYPE_CHECKING:
    from sdtext.search.search_plan import Question


@verb(
    "sdtext FindSimilar papers.sdx draft.pdf -k 10",
    "sdtext FindSimilar archive.sdx letters.zip -s 80 --where \"organisation = 'HUT'\"",
)
@common.path("NAME.sdx")
@common.inputs("FILE")
@search.question(
    common.shared(
        "minimum",
        "Minimum score, 0 to 99.  [default: 3; of sketches 6; of shingles 1, without pairs that "
        "share nothing rare; with -k 1]",
    ),
    common.recommended,
    most="Maximum number of rows for each FILE or record.  [default: 10, with -s all]",
)
@search.skip_damaged
@common.exit_code
@common.rows_format
@html_page.html
@common.records
@reading.single_files
@engine("minimum", "matcher", "config", "top")
def command(
    path: str,
    files: tuple[str, ...],
    question: Question,
    skip_damaged: bool,
    form: str | None,
    html: html_page.HtmlFile,
    text_field: str,
    id_field: str,
    batch: Batch,
) -> int:
    """Find the documents of the collection NAME.sdx that are similar to FILE.

    FILE is a document, an archive, a folder, or a file of records (JSON lines or Parquet), each of
    which is a query; - is standard input. For each FILE or record, rows are sorted by similarity,
    highest first. metadata is that of the stored document. A FILE that is stored itself, with the
    same path, is compared with the other documents only.

    FILE may also hold fingerprints, as Fingerprint writes them. They are compared with the bit
    vectors of the collection by the dictionary that they were made with, sketches with sketches.

    By default, the best ten documents are listed that score 3 or more, by shingles those that share
    rare ones. Which score deserves a look depends on the measure. Shingles of words: unrelated
    texts share hardly any, or those that many have. Bit vectors: they mostly stay below 15 with a
    whole dictionary of the same documents, below 35 with the bundled English and German
    dictionaries (40 for English documents of one project), below 45 with the other bundled ones.
    For a small or trimmed dictionary, Calibrate measures it.
    """
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.records.record import Fields
    from sdtext.search.search_plan import plan_search
    from sdtext.search.similar_documents import similar_to_files

    html.check([path, *files])
    collection = StoredCollection.open(path, skip_damaged=skip_damaged)
    if question.recommended:
        say(f"recommended: {plan_search(collection, question).calibrations[0].described()}")
    with batch.running(files) as run:
        result = similar_to_files(
            collection, Inputs(files, Fields(text_field, id_field)), question, run
        )
    html.write_overview(lambda made: made.page_of_hits(result, collection, files, question))
    return print_search(result, "sdtext/similar/1", form)
