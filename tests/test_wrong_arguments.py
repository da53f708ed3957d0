"""An argument of a wrong type is an OptionError that names the argument, shortly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sdtext
from sdtext.errors import OptionError, UnreadableError

MANY: Any = [f"text {place}" for place in range(10_000)]
THREE: Any = 3
OTHER: Any = {"top": 3}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sdtext.read(MANY),
            r"^read: path is \['text 0', .*…; it must be the path of a file$",
        ),
        (lambda: sdtext.load(THREE), "^load: path is 3; it must be"),
        (lambda: sdtext.save(THREE, "x.xml"), "^save: item is 3; it must be a dictionary, fing"),
        (lambda: sdtext.save([], THREE), "^save: path is 3; it must be the path"),
        (lambda: sdtext.embedded_dictionaries(THREE), "^embedded_dictionaries: path is 3"),
        (
            lambda: sdtext.fingerprint(MANY, "english"),
            "^fingerprint: document is .* it must be an s",
        ),
        (
            lambda: sdtext.fingerprint("README.md", THREE),
            "^dictionary is 3; it must be a dictionary",
        ),
        (lambda: sdtext.fingerprint("README.md", "english", segment=THREE), "segment is 3"),
        (lambda: sdtext.create_dictionary(THREE, "english"), "^create_dictionary: paths is 3"),
        (
            lambda: sdtext.create_dictionary("tests", THREE),
            "^recipe is 3; it must be a recipe, the",
        ),
        (lambda: sdtext.create_dictionary("tests", "english", THREE), "sample is 3; it must be an"),
        (
            lambda: sdtext.compare(THREE, "tests"),
            "^compare: queries is 3; it must be a fingerprint",
        ),
        (lambda: sdtext.compare("README.md", THREE), "^a path is 3; it must be a string or a Path"),
        (
            lambda: sdtext.compare("README.md", [THREE]),
            "^a path is 3; it must be a string or a Path",
        ),
        (
            lambda: sdtext.compare("a", "b", **OTHER),
            "compare: there is no option 'top'; available",
        ),
        (
            lambda: sdtext.score("a", "b", **OTHER),
            "score: there is no option 'top'; available: min",
        ),
        (lambda: sdtext.score("a", "b", THREE), "^score: matcher is 3; it must be the name"),
        (lambda: sdtext.deduplicate([], **OTHER), "deduplicate: there is no option 'top'"),
        (lambda: sdtext.find_reuse(THREE), "^find_reuse: left is 3; it must be a path, an sdtext"),
        (lambda: sdtext.find_reuse("tests", question=THREE), "^find_reuse: question is 3; it must"),
        (lambda: sdtext.evaluate(THREE, "x"), "^evaluate: truth is 3; it must be the path"),
        (lambda: list(sdtext.examine(THREE)), "^a path is 3; it must be"),
        (lambda: sdtext.create(dictionary=THREE), "^dictionary is 3; it must be a dictionary"),
        (lambda: sdtext.create().remove(THREE + 0.5), "^remove: documents is 3.5; it must be ids"),
        (
            lambda: sdtext.create().similar("a", matcher=MANY),
            "similar: matcher is .*…; it must be th",
        ),
        (lambda: sdtext.Chain.of(THREE), "^recipe is 3; it must be"),
        (lambda: sdtext.units("README.md", THREE), "^units: unit is 3; it must be the name"),
        (
            lambda: sdtext.window_pairs("a", "b", 3, 3),
            "^window_pairs: distance is 3; it must be 0 or more",
        ),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        call()
    assert len(str(caught.value)) < 200


def test_a_text_in_place_of_a_path_is_explained() -> None:
    with pytest.raises(UnreadableError, match=r"argument document of fingerprint; .*Document\.of"):
        sdtext.fingerprint("The bees dance in the hive.", "english")
