"""A call of each public function on texts with many repeats."""

import random
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import sdtext

Call = Callable[..., Any]


def texts(number: int, seed: int = 1) -> list[str]:
    """Texts of sentences of made words, each third one an edited copy of the one before."""
    draw = random.Random(seed)
    words = [f"{one}{two}{three}" for one in "bdfk" for two in ("a", "io") for three in "lmnrst"]
    words += [f"{one}{two}" for one in words[:30] for two in ("ing", "ed", "er")]
    made: list[str] = []
    for place in range(number):
        if place % 3 == 2:
            copy = made[place - 1].split(" ")
            start = draw.randrange(20, 60)
            for changed in range(start, start + 80, draw.randrange(9, 25)):
                copy[changed] = "changed"
            made.append(" ".join(copy))
            continue
        lengths = (draw.randint(9, 20) for _ in range(12))
        sentences = (" ".join(draw.choices(words, k=length)) for length in lengths)
        made.append(" ".join(f"{sentence.capitalize()}." for sentence in sentences))
    return made


EVIL = "<img src=x onerror=alert(1)>&amp;"


def records(number: int = 120) -> list[dict[str, Any]]:
    """The same as records with a long field, and names that a page has to escape."""
    made = enumerate(texts(number))
    return [{"id": f"r{place}{EVIL}", "text": text, "notes": "long " * 99} for place, text in made]


class Material:
    """What the calls are made with; files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.records = folder, records()
        self.many = folder / "many"
        self.many.mkdir()
        for place, text in enumerate(texts(40)):
            (self.many / f"{place}.txt").write_text(text)
        mixed = f"{texts(1)[0][:500]} {texts(1, seed=9)[0]}"
        (self.many / "mixed.txt").write_text(mixed)
        self.one = self.many / "1.txt"

    @cached_property
    def dictionary(self) -> sdtext.Dictionary:
        """A dictionary of the folder."""
        return sdtext.create_dictionary(self.many, "english")

    @cached_property
    def fingerprint(self) -> sdtext.Fingerprint:
        """The fingerprint of a document."""
        return sdtext.fingerprint(self.one, self.dictionary)

    @cached_property
    def evidence(self) -> sdtext.Evidence:
        """The passages that the documents of the folder share."""
        return sdtext.find_reuse(self.many)

    @cached_property
    def passages(self) -> Any:
        """The records without repeated passages."""
        return sdtext.deduplicate(self.records, unit="passage", min_tokens=5)

    @cached_property
    def stored(self) -> sdtext.Collection:
        """A collection with the records and their texts."""
        collection = sdtext.create(self.folder / "stored.sdx", recipe="deduplicate", keep_text=True)
        collection.add(self.records)
        return collection

    @cached_property
    def vectors(self) -> sdtext.Collection:
        """A collection over the dictionary."""
        collection = sdtext.create(dictionary=self.dictionary)
        collection.add(self.many)
        return collection

    @cached_property
    def words(self) -> sdtext.Collection:
        """A collection with the places of words of the files."""
        collection = sdtext.create(recipe="reuse")
        collection.add(self.many)
        return collection

    @cached_property
    def keys(self) -> list[Path]:
        """A key to sign with, and its public one."""
        return sdtext.new_signing_key(self.folder / "own.key")

    def signed(self, name: str) -> Any:
        """What is signed, and the signature."""
        path = self.folder / name
        sdtext.save(self.dictionary, path)
        time = "2026-11-29T09:00:00Z"
        return path, sdtext.sign(path, self.keys[0], signer="Unit 7", signed=time)

    def file(self, name: str) -> Path:
        """A file with true cases or detections, or with a fingerprint and its dictionary."""
        path = self.folder / name
        if name == "full.xml":
            sdtext.save(self.fingerprint, path, dictionary=self.dictionary)
            return path
        kind = "plagiarism" if name == "truth.xml" else "detected-plagiarism"
        case = f'<feature name="{kind}" this_offset="0" this_length="9" source_offset="0" '
        case += 'source_reference="b.txt" source_length="9"/>'
        path.write_text(f'<document reference="a.txt">{case}</document>')
        return path


CALLS: Mapping[str, Call] = {
    "calibrate": lambda m, **more: sdtext.calibrate(m.dictionary, m.many, matcher="cosine", **more),
    "compare": lambda m, **more: sdtext.compare(
        m.one, m.many, dictionary=m.dictionary, explain=10, **more
    ),
    "compare (calibrated)": lambda m, **more: sdtext.compare(
        m.one, m.many, dictionary="english", **more
    ),
    "create": lambda _, **more: sdtext.create(recipe="reuse", **more),
    "create_dictionary": lambda m, **more: sdtext.create_dictionary(m.many, "english", **more),
    "decontaminate": lambda m, **more: sdtext.decontaminate(
        m.records, [{"question": each["text"]} for each in m.records[:60]], **more
    ),
    "deduplicate": lambda m, **more: sdtext.deduplicate(
        m.records, similarity=0.5, explain=True, review=50, **more
    ),
    "deduplicate (against)": lambda m, **more: sdtext.deduplicate(
        [{**each, "text": each["text"][100:]} for each in m.records], against=m.stored, **more
    ),
    "deduplicate (passages)": lambda m, **more: sdtext.deduplicate(
        m.records, unit="passage", min_tokens=5, **more
    ),
    "embedded_dictionaries": lambda m, **more: sdtext.embedded_dictionaries(
        m.file("full.xml"), **more
    ),
    "evaluate": lambda m, **more: sdtext.evaluate(
        m.file("truth.xml"), m.file("detected.xml"), **more
    ),
    "examine": lambda m, **more: [*sdtext.examine(m.many, **more)],
    "find_reuse": lambda m, **more: sdtext.find_reuse(m.many, **more),
    "fingerprint": lambda m, **more: sdtext.fingerprint(
        m.one, m.dictionary, segment="5", digest=sdtext.Digest(), **more
    ),
    "list_parts": lambda _: sdtext.list_parts(),
    "list_recipes": lambda _: sdtext.list_recipes(),
    "load": lambda _, **more: sdtext.load("english", **more),
    "load_disclosure": lambda _: sdtext.load_disclosure("configs/output-evidence.toml"),
    "load_plan": lambda _, **more: sdtext.load_plan("configs/experiment.toml", **more),
    "load_recipe": lambda _: sdtext.load_recipe("auto"),
    "mangle": lambda m, **more: [*sdtext.mangle(m.many, "shuffle", **more)],
    "open": lambda m, **more: sdtext.open(m.stored.path, **more),
    "read": lambda m, **more: sdtext.read(m.one, **more),
    "restore": lambda m, **more: sdtext.restore(m.passages.kept, m.passages.removed, **more),
    "run_experiment": lambda _, **more: sdtext.run_experiment("configs/experiment.toml", **more),
    "score": lambda m, **more: sdtext.score(m.fingerprint, m.fingerprint, **more),
    "similarity": lambda m, **more: sdtext.similarity(
        m.records[0]["text"], m.records[0]["text"][:500], **more
    ),
    "units": lambda m, **more: sdtext.units(m.one, "sentence", **more),
    "window_pairs": lambda m, **more: sdtext.window_pairs(
        m.one, m.many / "2.txt", w=20, distance=9, **more
    ),
    "new_dictionary_key": lambda m: sdtext.new_dictionary_key(m.folder / "both.key"),
    "key_dictionary": lambda m: sdtext.key_dictionary(m.dictionary, m.folder / "both.key"),
    "new_signing_key": lambda m: m.keys,
    "sign": lambda m: m.signed("signed.xml")[1],
    "verify": lambda m: sdtext.verify(m.signed("verified.xml")[0], m.keys[1]),
    "self_test": lambda _: sdtext.self_test(),
    "with_texts": lambda m, **more: sdtext.with_texts(m.evidence, **more),
    "Chain.of": lambda _, **more: sdtext.Chain.of("english", **more),
    "Chain.explain": lambda m: sdtext.Chain.of("english").explain(m.records[0]["text"][:50]),
    "Chain.terms": lambda m: sdtext.Chain.of("english").terms(m.records[0]["text"]),
    "Dictionary.idf": lambda m: m.dictionary.idf(3),
    "Dictionary.nidf": lambda m: m.dictionary.nidf(3),
    "Dictionary.max_idf": lambda m: m.dictionary.max_idf,
    "Dictionary.trim": lambda m: m.dictionary.trim(),
    "Collection.add": lambda m, **more: sdtext.create(recipe="reuse").add(m.records, **more),
    "Collection.compact": lambda m: m.stored.compact(),
    "Collection.documents": lambda m: [*m.stored.documents()],
    "Collection.fingerprints": lambda m: m.vectors.fingerprints(),
    "Collection.pairs": lambda m, **more: m.stored.pairs(similarity=0.3, explain=5, **more),
    "Collection.recipe": lambda m: m.vectors.recipe,
    "Collection.remove": lambda _: sdtext.create().remove([]),
    "Collection.reuse": lambda m, **more: m.words.reuse(m.one, **more),
    "Collection.similar": lambda m, **more: m.stored.similar(
        [sdtext.Document.of(each["text"]) for each in m.records[:50]], explain=5, **more
    ),
    "Collection.similar (calibrated)": lambda m, **more: m.vectors.similar(m.one, **more),
    "Collection.verify": lambda m: [*m.stored.verify()],
}
"""A call of each public function with the material, by the name of the function.

Further options may be given.
"""
