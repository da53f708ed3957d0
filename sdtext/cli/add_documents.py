"""AddDocuments: add documents to a collection, or create one."""

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading
from sdtext.cli.options.values import InputPath
from sdtext.cli.origin import origin
from sdtext.cli.print_results import report
from sdtext.cli.verb import verb


@verb(
    "sdtext AddDocuments papers.sdx papers/",
    "sdtext AddDocuments web.sdx pages.jsonl.gz --id-field url -c deduplicate",
    "sdtext AddDocuments all.sdx mine.sdx share.xml.gz",
)
@common.path("NAME.sdx", "collection")
@common.inputs("PATH", "paths")
@common.shared(
    "config",
    "The recipe of a new collection: a name of ListRecipes, or a file.  [default: reuse, for "
    "shared passages and similar documents]",
)
@common.shared("dictionaries", "Also store bit vectors over this dictionary. Repeatable.")
@common.option(
    "--metadata",
    kind=InputPath(),
    metavar="FILE",
    help="Metadata of the documents: a file of CSV or JSON lines.",
)
@common.flag("keep-text", "Also store the texts. Whoever has the collection can read them.")
@common.records
@reading.folders
def command(
    collection: str,
    paths: tuple[str, ...],
    config: str | None,
    dictionaries: tuple[str, ...],
    metadata: str | None,
    keep_text: bool,
    text_field: str,
    id_field: str,
    batch: Batch,
) -> int:
    """Add the documents at PATH to the collection NAME.sdx.

    PATH is a file, a folder, an archive, or a file of records (JSON lines, compressed or not, or
    Parquet); - is standard input. Unchanged documents are not read again; changed ones replace the
    stored ones. What is added is committed every 30 seconds; after an interruption the same command
    continues from there.

    PATH may also be another collection, or a file of fingerprints (XML). Their documents are added
    as they are stored there: all of them, or none.
    """
    from sdtext.collections.add import add_documents
    from sdtext.collections.collection_recipe import CollectionSpec
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.parts.load_recipe import load_recipe
    from sdtext.reading.inputs import Inputs
    from sdtext.reading.records.record import Fields

    if collection == "-":
        raise click.UsageError("name the collection first, NAME.sdx; - is standard input")
    recipe = load_recipe(config) if config else None
    loaded = tuple(load_dictionary(path, batch.reading.max_bytes) for path in dictionaries)
    inputs = Inputs(paths, Fields(text_field, id_field), metadata)
    kept = CollectionSpec(recipe, loaded, keep_text, origin=origin())
    with batch.running(paths) as run:
        added = add_documents(collection, inputs, kept, run)
    return report(run.problems, added.recipe_choice, added.length_reason, str(added))
