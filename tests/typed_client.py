"""A program as a user writes it, which mypy checks with the tests: nothing here is run."""

from pathlib import Path
from typing import assert_type

import sdtext


def client(folder: Path) -> None:
    """Use the public functions with the arguments that the page for Python shows."""
    document = sdtext.Document.of("a text", name="a")
    assert_type(sdtext.similarity("one text", folder / "b.txt").score, int | None)
    with sdtext.create(recipe="reuse") as collection:
        assert_type(collection, sdtext.Collection)
        collection.add(["a.pdf", document, {"id": 1, "text": "…", "year": 2020}])
        collection.remove(where="year < 2000")
        assert_type(collection.pairs(similarity=0.8).rows, tuple[sdtext.Pair, ...])
        assert_type(collection.similar("a.txt", top=3).rows[0].similarity, float)
        collection.similar(["a.txt", document, folder / "b.txt"])
        evidence = collection.reuse("b.pdf", w=20, where="year > 2000")
        assert_type(evidence, sdtext.Evidence)
    records = [{"id": 1, "text": "…"}]
    assert_type(sdtext.deduplicate(records, similarity=0.8), sdtext.Deduplication)
    sdtext.find_reuse([document, "a.txt"], folder)
    for row in sdtext.evaluate("truth", "found"):
        assert_type(row, sdtext.EvaluationRow)
    assert_type(sdtext.list_parts("filters")[0].name, str)
    assert_type(sdtext.list_recipes(), list[sdtext.BundledRecipe])


def client_of_fingerprints(folder: Path, document: sdtext.Document) -> None:
    """Make fingerprints and compare them."""
    dictionary = sdtext.create_dictionary(["a.txt", document, folder], "english")
    sdtext.create_dictionary(folder, "english", sample="10%", max_terms=900, name="mine")
    sdtext.calibrate(dictionary, folder, sample="50%")
    reading = sdtext.Reading(max_seconds=3)
    run = sdtext.Run(reading=reading)
    fingerprint = sdtext.fingerprint(document, [dictionary, "german"], run=run)
    assert_type(fingerprint.vectors[0].bits().count(), int)
    prints = sdtext.fingerprint([document, "a.txt", folder], dictionary, run=sdtext.Run(jobs=2))
    assert_type(prints, list[sdtext.Fingerprint])
    assert_type(sdtext.fingerprint("a.txt", dictionary), sdtext.Fingerprint)
    sdtext.save(prints, "share.xml", names="key.csv")
    sdtext.score(fingerprint, "b.txt", dictionary=dictionary, min_terms=3, reading=reading)
    assert_type(sdtext.compare(document, folder).best(similarity=0.8)[0].score, int | None)
    compared = sdtext.compare([fingerprint, "a.txt"], [document, folder], top=3, similarity=0.5)
    assert_type(compared.best(similarity=0.8, top=2)[0].similarity, float | None)
