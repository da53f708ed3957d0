"""The published vectors are what docs/vectors.md says, also by formulas of their own."""

import hmac
import json
from base64 import b64decode, b64encode
from hashlib import sha256
from math import isqrt, log
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.collections.sketch_fingerprints import sketch_recipe
from sdtext.errors import OptionError
from sdtext.parts.load_recipe import load_recipe
from sdtext.sharing import self_test as module
from sdtext.sharing.self_test import self_test
from sdtext.text.document import Document
from tests.kernels.test_bottom_k import plain
from tests.search.test_sketch_search import plain_score
from tests.support.command import ROOT, done, here

PUBLISHED: dict[str, Any] = json.loads(
    (ROOT / "sdtext" / "sharing" / "vectors.json").read_text("utf-8")
)
VECTORS: list[dict[str, Any]] = PUBLISHED["vectors"]
(DICTIONARY,) = (item["gives"] for item in VECTORS if item["computes"] == "dictionary")


def of_kind(computes: str) -> list[dict[str, Any]]:
    return [item for item in VECTORS if item["computes"] == computes]


def test_all_vectors_are_equal_here() -> None:
    assert [row.name for row in self_test() if row.result != "equal"] == []
    assert done("SelfTest").table[0]["result"] == "equal"


@pytest.mark.parametrize("computes", sorted({item["computes"] for item in VECTORS}))
def test_what_is_computed_otherwise_is_found(
    computes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.Computations, f"_{computes}", lambda *_: ["another"])
    different = [row.name for row in self_test() if row.result == "different"]
    assert different == [item["name"] for item in of_kind(computes)]
    outcome = here("SelfTest", "--format", "json")
    assert outcome.code == 4
    rows = [row for row in outcome.json["rows"] if row["result"] == "different"]
    assert {row["computed"] for row in rows} == {'["another"]'}
    assert all(json.loads(row["expected"]) for row in rows)


def test_without_the_extra_some_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise OptionError("the package cryptography is missing")

    monkeypatch.setattr(module, "optional_module", missing)
    monkeypatch.setattr(module, "term_key", missing)
    rows = [row for row in self_test() if row.result != "equal"]
    assert [row.result.partition(":")[0] for row in rows] == ["not computed", "not computed"]
    assert here("SelfTest").code == 0


def test_the_dictionary_by_the_formulas_of_the_docs() -> None:
    terms, number = DICTIONARY["terms"], DICTIONARY["documents"]
    recipe = load_recipe(PUBLISHED["dictionary"]["recipe"])
    lines = [recipe.canonical(), str(number), *(f"{term}\t{terms[term]}" for term in sorted(terms))]
    assert (
        sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == DICTIONARY["digest"]
    )
    (weights,) = (item["gives"] for item in of_kind("weights"))
    assert weights == [max(0, round(log(number / (1 + df)) * 2**20)) for df in terms.values()]


def _bits() -> dict[str, set[int]]:
    return {
        item["text"]: {
            place
            for place in range(len(DICTIONARY["terms"]))
            if b64decode(item["gives"])[place // 8] >> place % 8 & 1
        }
        for item in of_kind("bits")
    }


def test_bits_are_the_places_of_the_terms_of_a_text() -> None:
    chain = Chain.of(PUBLISHED["dictionary"]["recipe"])
    for name, bits in _bits().items():
        terms = set(chain.terms(Document.of(PUBLISHED["texts"][name]).clean))
        assert bits == {place for place, term in enumerate(DICTIONARY["terms"]) if term in terms}


def test_scores_by_the_formulas_of_the_docs() -> None:
    bits = _bits()
    (weights,) = (item["gives"] for item in of_kind("weights"))
    for item in of_kind("scores"):
        left, right = bits[item["left"]], bits[item["right"]]
        c, a, b = len(left & right), len(left), len(right)
        x, y, z = (sum(weights[i] ** 2 for i in places) for places in (left & right, left, right))
        expected = {
            "cosine": isqrt(10000 * c * c // (a * b)),
            "exact": 100 * (left == right),
            "jaccard": 100 * c // (a + b - c),
            "dice": 200 * c // (a + b),
            "containment": 100 * c // a,
            "idf-cosine": isqrt(10000 * x * x // (y * z)),
        }
        for matcher, score in expected.items():
            assert item["gives"][matcher] == min(99, score), (item["name"], matcher)


def test_sketches_are_those_of_the_plain_reference() -> None:
    encoder = Encoder(sketch_recipe())
    rows = {}
    for item in of_kind("packed") + of_kind("similar"):
        for name in (item["text"], *item.get("searched", ())):
            (numbers,) = encoder.shingle_sets([Document.of(PUBLISHED["texts"][name]).clean])
            row, data = plain(numbers.tolist(), item["bytes"])
            rows[name, item["bytes"]] = np.array(row, np.uint64)
            if item["computes"] == "packed":
                assert b64encode(data).decode() == item["gives"]
    (item,) = of_kind("similar")
    query, *searched = (rows[name, item["bytes"]] for name in (item["text"], *item["searched"]))
    scores = [plain_score(query, row, searched, "idf-cosine(power=2)") for row in searched]
    assert item["gives"] == dict(zip(item["searched"], scores, strict=True))


def test_keys_and_signatures_by_other_implementations() -> None:
    (keyed,) = of_kind("keyed")
    extracted = hmac.digest(bytes.fromhex(keyed["salt"]), bytes.fromhex(keyed["secret"]), "sha256")
    key = hmac.digest(extracted, b"sdtext/1/term\x01", "sha256")
    assert keyed["gives"] == [
        hmac.digest(key, term.encode(), "sha256").hex()[:32] for term in keyed["terms"]
    ]
    (signed,) = of_kind("signature")
    public = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(signed["secret"])).public_key()
    public.verify(bytes.fromhex(signed["gives"]), bytes.fromhex(signed["message"]))


def test_the_page_lists_what_is_computed() -> None:
    page = (ROOT / "docs" / "vectors.md").read_text("utf-8")
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert [*dict.fromkeys(listed)][1:] == list(dict.fromkeys(item["computes"] for item in VECTORS))
