"""What every index of the catalogue keeps to."""

from __future__ import annotations

import pickle
from doctest import DocTestFinder

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import PartSpec
from sdtext.parts.catalogue import PARTS, build, find, normalised
from sdtext.parts.indexes import Index
from tests.strategies import BRISK, specs, specs_of

every = pytest.mark.parametrize("name", sorted(PARTS["indexes"]))
SLOTS = 1024


@every
@BRISK
@given(pick=st.data())
def test_the_more_alike_the_likelier_a_pair_is_found(name: str, pick: st.DataObject) -> None:
    index: Index = build("indexes", pick.draw(specs_of(name, "indexes")))
    curve = index.curve(SLOTS)
    found = [probability for _, probability in curve]
    assert [jaccard for jaccard, _ in curve] == sorted({jaccard for jaccard, _ in curve})
    assert all(0 <= probability <= 1 for probability in found)
    assert found == sorted(found)
    assert found == [index.probability(jaccard, SLOTS) for jaccard, _ in curve]


@every
@BRISK
@given(pick=st.data())
def test_equal_sets_are_always_found(name: str, pick: st.DataObject) -> None:
    assert build("indexes", pick.draw(specs_of(name, "indexes"))).probability(1, SLOTS) == 1


@every
def test_an_index_shows_an_example(name: str) -> None:
    assert DocTestFinder(recurse=False).find(find("indexes", name), name)[0].examples


@BRISK
@given(spec=specs("indexes"))
def test_an_index_is_a_value_and_stays_the_same_when_settled(spec: PartSpec) -> None:
    index = build("indexes", spec)
    assert pickle.loads(pickle.dumps(index)) == index  # noqa: S301 (our own bytes)
    once = normalised("indexes", spec)
    assert normalised("indexes", once) == once
    assert build("indexes", once) == index
