"""What every mangler of the registry keeps to."""

import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.parts.manglers import seeded_draw
from sdtext.parts.registry import PARTS, build
from tests.support.cases import cases
from tests.support.strategies import BRISK, TEXTS, specs, specs_of

MANGLERS = sorted(PARTS["manglers"])
OTHERS = st.lists(TEXTS | st.just(""), min_size=1, max_size=3)

every = cases("name", MANGLERS)


@every
@BRISK
@given(pick=st.data(), text=TEXTS | st.text(), others=OTHERS, seed=st.integers(0, 9))
def test_a_copy_follows_from_its_arguments_alone(
    name: str, pick: st.DataObject, text: str, others: list[str], seed: int
) -> None:
    spec = pick.draw(specs_of(name, "manglers"))
    mangler, given_others, state = build("manglers", spec), list(others), random.getstate()
    copy = mangler(text, seeded_draw(seed, spec, text), others)
    again = pickle.loads(pickle.dumps(mangler))  # noqa: S301 (our own bytes)
    again("Another text.", random.Random(seed), others)
    assert again(text, seeded_draw(seed, spec, text), tuple(others)) == copy
    assert isinstance(copy, str)
    assert others == given_others
    assert random.getstate() == state


@every
@BRISK
@given(pick=st.data(), text=TEXTS)
def test_a_mangler_that_needs_others_says_so(name: str, pick: st.DataObject, text: str) -> None:
    mangler = build("manglers", pick.draw(specs_of(name, "manglers")))
    if mangler.needs_others:
        with pytest.raises(OptionError, match=f"{name}: takes text from other documents"):
            mangler(text, random.Random(1), [])
    else:
        assert mangler(text, random.Random(1), []) == mangler(text, random.Random(1), ["Bees."])


@given(spec=specs("manglers"), text=TEXTS)
@BRISK
def test_each_copy_draws_numbers_of_its_own(spec: PartSpec, text: str) -> None:
    first = seeded_draw(1, spec, text).random()
    changed = [
        seeded_draw(2, spec, text), seeded_draw(1, spec, text, 1), seeded_draw(1, spec, text + "."),
        seeded_draw(1, PartSpec.of("shuffle", group=77), text),
    ]  # fmt: skip
    assert first not in [draw.random() for draw in changed]
    assert seeded_draw(1, spec, text, 0).random() == first


def test_numbers_are_the_same_on_every_machine() -> None:
    draw = seeded_draw(1, PartSpec.of("keep-lines", share=0.5), "Bees dance.\n")
    assert [draw.randrange(1000) for _ in range(4)] == [453, 393, 332, 165]
