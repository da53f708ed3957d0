"""The self-test: whether this installation computes what every other one does.

`vectors.json` has texts, and for each step from text to score what it must give. Another program
can be checked by the same file (docs/vectors.md).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.wordless_fingerprints import sketch
from sdtext.errors import OptionError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.parts.filters.keyed import keyed_term, term_key
from sdtext.parts.filters.stemmers import optional_module
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.reuse.reuse_search import find_reuse
from sdtext.search.compare import compare
from sdtext.search.score import score
from sdtext.text.document import Document

Vector = Mapping[str, Any]
"""What is computed, of what, and what it gives: a JSON object."""


class VectorResult(NamedTuple):
    """The result of one vector: "equal", "different", or why it was not computed.

    `expected` and `computed` are JSON texts, and empty where they are equal.
    """

    name: str
    result: str
    expected: str
    computed: str


def self_test() -> list[VectorResult]:
    """Compute all published vectors.

    >>> {vector.result for vector in self_test()}
    {'equal'}
    """
    published = json.loads(files("sdtext.sharing").joinpath("vectors.json").read_text("utf-8"))
    compute = Computations(published["texts"], published["dictionary"])
    results = []
    for vector in published["vectors"]:
        try:
            pair = [
                json.dumps(each, ensure_ascii=False) for each in (vector["gives"], compute(vector))
            ]
            row = ("equal", "", "") if pair[0] == pair[1] else ("different", *pair)
        except OptionError as error:  # without an extra
            row = (f"not computed: {error}", "", "")
        results.append(VectorResult(vector["name"], *row))
    return results


class Computations:
    """What vectors compute of `texts`, each step by the functions that the verbs call.

    `dictionary` names the texts and the recipe of the dictionary of all vectors.
    """

    def __init__(self, texts: Mapping[str, str], dictionary: Mapping[str, Any]) -> None:
        self._dictionary_of = dictionary
        self._documents = {name: Document.of(text, name=name) for name, text in texts.items()}

    def __call__(self, vector: Vector) -> Any:
        """What a vector gives here, as JSON values."""
        compute: Callable[[Vector], Any] = getattr(self, f"_{vector['computes']}")
        return compute(vector)

    def _of(self, vector: Vector) -> Document:
        return self._documents[vector["text"]]

    def _sides(self, vector: Vector) -> Sequence[Document]:
        return [self._documents[vector[side]] for side in ("left", "right")]

    @cached_property
    def _made(self) -> Dictionary:
        texts = map(self._documents.__getitem__, self._dictionary_of["texts"])
        return create_dictionary(list(texts), self._dictionary_of["recipe"])

    def _clean(self, vector: Vector) -> str:
        return self._of(vector).clean

    def _terms(self, vector: Vector) -> list[str]:
        return Chain.of(vector["recipe"]).terms(self._of(vector).clean)

    def _dictionary(self, _: Vector) -> dict[str, Any]:
        made = self._made
        return {
            "documents": made.documents,
            "terms": dict(zip(made.terms, made.counts, strict=True)),
            "digest": made.digest,
        }

    def _weights(self, _: Vector) -> list[int]:
        return self._made.weights()

    def _bits(self, vector: Vector) -> str:
        packed = fingerprint(self._of(vector), self._made).vectors[0].packed
        return b64encode(packed).decode("ascii")

    def _scores(self, vector: Vector) -> dict[str, int | None]:
        left, right = (fingerprint(side, self._made) for side in self._sides(vector))
        return {name: score(left, right, matcher=name).score for name in vector["gives"]}

    def _shingles(self, vector: Vector) -> list[str]:
        encoder = Encoder(load_recipe(vector["recipe"]))
        return [f"{number:016x}" for number in encoder([self._of(vector).clean])[0].tolist()]

    def _sketch(self, vector: Vector) -> Any:
        recipe = load_recipe(vector["recipe"])
        assert recipe.fingerprint is not None  # noqa: S101 (of a recipe that comes with sdtext)
        sets = Encoder(recipe).shingle_sets([self._of(vector).clean])
        return build("fingerprints", recipe.fingerprint)(sets)[0].tolist()

    def _packed(self, vector: Vector) -> str | None:
        made = self._sketched(vector["text"], vector["bytes"]).sketch
        return b64encode(made.packed).decode("ascii") if made else None

    def _similar(self, vector: Vector) -> dict[str, int | None]:
        query, *searched = (
            self._sketched(name, vector["bytes"]) for name in (vector["text"], *vector["searched"])
        )
        return {row.path: row.score for row in compare(query, searched, similarity=0).rows}

    def _sketched(self, name: str, size: int) -> Fingerprint:
        return sketch(self._documents[name], size)

    def _codes(self, vector: Vector) -> list[list[object]]:
        coded = UnitCodes(load_recipe(vector["recipe"]))([self._of(vector)])
        rows = zip(coded.starts[0].tolist(), coded.ends[0].tolist(), coded.codes[0], strict=True)
        return [[start, end, code.tobytes().hex()] for start, end, code in rows]

    def _passages(self, vector: Vector) -> list[list[int | None]]:
        left, right = self._sides(vector)
        return [
            [
                *(number for span in (item.left, item.right) for number in (span.start, span.end)),
                item.similarity.score,
            ]
            for shared in find_reuse([left], [right], recipe=vector["recipe"]).shared
            for item in shared.passages
        ]

    def _keyed(self, vector: Vector) -> list[str]:
        key = term_key(bytes.fromhex(vector["secret"]), vector["salt"])
        return [keyed_term(term, key) for term in vector["terms"]]

    def _signature(self, vector: Vector) -> str:
        module = optional_module(
            "Sign", "keys", "cryptography.hazmat.primitives.asymmetric.ed25519"
        )
        key = module.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vector["secret"]))
        signature: bytes = key.sign(bytes.fromhex(vector["message"]))
        return signature.hex()
