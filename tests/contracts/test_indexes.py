"""What every index of the registry keeps to."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.indexes import Index
from sdtext.parts.registry import PARTS, build
from tests.support.cases import cases
from tests.support.strategies import BRISK, specs_of

SLOTS = 1024


@cases("name", sorted(PARTS["indexes"]))
@BRISK
@given(pick=st.data())
def test_probability_grows_with_similarity_to_1(name: str, pick: st.DataObject) -> None:
    index: Index = build("indexes", pick.draw(specs_of(name, "indexes")))
    curve = index.curve(SLOTS)
    result = [probability for _, probability in curve]
    assert [jaccard for jaccard, _ in curve] == sorted({jaccard for jaccard, _ in curve})
    assert all(0 <= probability <= 1 for probability in result)
    assert result == sorted(result)
    assert result == [index.probability(jaccard, SLOTS) for jaccard, _ in curve]
    assert index.probability(1, SLOTS) == 1
