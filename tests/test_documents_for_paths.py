"""A Document gives what the file does from which it was read, wherever a path can be given."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import pytest

import sdtext
from tests.support.public_results import Material

Given = Sequence[Any]


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return Material(tmp_path_factory.mktemp("documents"))


def named(items: Any) -> list[str]:
    """The names of documents, in memory or in files."""
    return [getattr(item, "source", str(item)) for item in items]


def calibrated(m: Material, given: Given) -> Any:
    done = sdtext.calibrate(m.dictionary, given, matcher="cosine", sample=60)
    return done.calibrations, done.left_out


def contaminated(m: Material, given: Given) -> Any:
    items = [{"question": each["text"][:200]} for each in m.records[:60]]
    done = sdtext.decontaminate(given, items)
    return sorted(done.matches, key=str), sorted(named(done.kept))


def searched_for(m: Material, given: Given) -> Any:
    done = sdtext.decontaminate(m.records, given[:9])
    return sorted((match.record, match.item, match.score) for match in done.matches), done.items


def deduplicated(_: Material, given: Given) -> Any:
    done = sdtext.deduplicate(given, similarity=0.5)
    return {frozenset((row.document, row.kept)) for row in done.removed}, len(done.kept)


def without_passages(_: Material, given: Given) -> Any:
    done = sdtext.deduplicate(given, unit="passage")
    return sum(row.end - row.start for row in done.removed), sorted(named(done.kept))


def experiment(_: Material, given: Given) -> Any:
    plan = sdtext.load_plan(dataset=given[:20])
    few = replace(plan, groups=plan.groups[1:], cells=plan.cells[:1], manglers=plan.manglers[:1])
    result = sdtext.run_experiment(few)
    return len(result.rows), result.documents, result.held_out.recall.whole


def stored(_: Material, given: Given) -> Any:
    with sdtext.create(recipe="deduplicate") as collection:
        return collection.add(given).added, len(collection.pairs(similarity=0.5))


CALLS: dict[str, Callable[[Material, Given], Any]] = {
    "calibrate": calibrated,
    "create_dictionary": lambda _, given: sdtext.create_dictionary(given, "english").digest,
    "decontaminate": contaminated,
    "decontaminate (items)": searched_for,
    "deduplicate": deduplicated,
    "deduplicate (one)": lambda _, given: len(sdtext.deduplicate(given[0]).kept),
    "deduplicate (passages)": without_passages,
    "examine": lambda _, given: sorted(sdtext.examine(given), key=attrgetter("path")),
    "load_plan": experiment,
    "mangle": lambda _, given: sorted(map(str, sdtext.mangle(given, ["shuffle", "keep-lines"]))),
    "mangle (others)": lambda m, given: [*sdtext.mangle(m.one, "keep-lines", others=given)],
    "Collection.add": stored,
    "read": lambda _, given: [*map(sdtext.read, given)],
    "units": lambda _, given: [sdtext.units(item, "sentence") for item in given],
    "window_pairs": lambda _, given: [*sdtext.window_pairs(given[1], given[2], w=20, distance=9)],
}


@pytest.mark.parametrize("name", CALLS)
def test_documents_give_what_their_files_give(material: Material, name: str) -> None:
    paths = sorted(material.many.iterdir())
    documents = [*map(sdtext.read, paths)]
    expected = CALLS[name](material, paths)
    assert CALLS[name](material, documents) == expected
    mixed = [path if place % 2 else documents[place] for place, path in enumerate(paths)]
    if name != "calibrate":  # which draws edits from the documents by their order
        assert CALLS[name](material, mixed) == expected


def test_texts_of_evidence_are_those_of_documents_that_did_not_change(material: Material) -> None:
    documents = [
        sdtext.Document.of(each["text"], f"record {each['id']}") for each in material.records[:6]
    ]
    texts = {item.source: item.text for item in documents}
    evidence = sdtext.find_reuse(documents)
    place = material.folder / "evidence.xml"
    sdtext.save(evidence, place)
    loaded = sdtext.load(place)
    assert isinstance(loaded, sdtext.Evidence)
    sharing = {place for pair in loaded.shared for place in (pair.left, pair.right)}
    assert not any(item.text for item in loaded.documents)
    filled = [sdtext.with_texts(loaded, documents).documents[item] for item in sharing]
    assert [item.text for item in filled] == [texts[item.name] for item in filled]
    changed = [sdtext.Document.of(f"{item.text[:-1]}!", item.source) for item in documents]
    assert len(sdtext.with_texts(loaded, changed).problems) == len(sharing)


def test_unnamed_documents_are_known_by_their_places() -> None:
    texts = [f"Bees dance in hive {number}, and the others follow them." for number in range(3)]
    documents = [*map(sdtext.Document.of, texts)]
    copies = [*sdtext.mangle(documents, "shuffle")]
    assert [copy.original for copy in copies] == ["0", "1", "2"]
    [finding] = sdtext.examine(documents[0])
    assert (finding.path, finding.kind, finding.characters) == ("", "text in memory", 49)
    [finding] = sdtext.examine(sdtext.Document.of(" \n", "blank"))
    assert (finding.path, finding.problem) == ("blank", "holds no text")


@pytest.mark.parametrize("other", ["many", "records.jsonl"])
def test_folders_and_records_among_documents_are_noted(material: Material, other: str) -> None:
    (material.folder / "records.jsonl").write_text('{"text": "Bees dance."}\n')
    path = str(material.folder / other)
    document = sdtext.Document.of("Bees dance and sing.", "a")
    result = sdtext.deduplicate([document, path])
    assert result.kept == (document, path)
    assert path in {problem.path for problem in result.problems}
