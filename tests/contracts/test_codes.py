"""What every matcher of codes keeps to."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import PartSpec, Similarity
from sdtext.parts.registry import PARTS, build, find
from tests.support.cases import cases
from tests.support.strategies import BRISK

OF_CODES = [name for name in PARTS["matchers"] if find("matchers", name).compares == "codes"]
every = cases("name", OF_CODES)
codes = st.binary(min_size=13, max_size=13).map(lambda code: code[:12] + bytes([code[12] & 15]))
BITS = 100


@every
@BRISK
@given(first=codes, by=codes, other=codes)
def test_the_similarity_is_symmetric_and_the_distance_a_metric(
    name: str, first: bytes, by: bytes, other: bytes
) -> None:
    matcher = build("matchers", PartSpec(name))
    result = matcher.of_codes(first, other, BITS)
    assert matcher.symmetric
    assert result == matcher.of_codes(other, first, BITS)
    assert 0 <= float(result) <= 1
    assert (float(result) == 1) is (first == other)
    assert float(matcher.of_codes(first, first, BITS)) == 1
    direct = matcher.distance(first, other)
    assert direct == matcher.distance(other, first) >= 0
    assert (direct == 0) is (first == other)
    assert direct <= matcher.distance(first, by) + matcher.distance(by, other)
    assert direct == sum((a ^ b).bit_count() for a, b in zip(first, other, strict=True))


@cases("distance, expected", [
    (0, 99), (2, 96), (10, 80), (49, 2), (50, 0), (90, 0),
])  # fmt: skip
def test_the_estimate_falls_by_2_percent_with_a_bit_of_100(distance: int, expected: int) -> None:
    assert Similarity.of_codes(distance, BITS).score == expected
