"""An argument of a wrong type is an OptionError that names the argument, shortly."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sdtext
from sdtext.errors import OptionError, SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import load_dictionary

MANY: Any = [f"text {place}" for place in range(10_000)]
THREE: Any = 3
THREE_OF_NUMPY: Any = np.int64(3)
STRING: Any = "text"
ENGLISH: Any = sdtext.load("english")
LETTER = "tests/samples/documents/letter.docx"
DOCUMENT: Any = sdtext.Document.of("a")
DEDUPLICATED: Any = sdtext.deduplicate([{"text": "a"}])
OTHER: Any = {"top": 3}
TEXT = "tests/samples/texts/union.txt"
RECORDS: Any = [{"id": 1, "text": "Bees dance."}, {"id": 2, "text": "Bees dance."}]


def stored_records() -> sdtext.Collection:
    """The records as a collection in memory."""
    collection = sdtext.create(recipe="deduplicate")
    collection.add(RECORDS)
    return collection


def similar_with(option: str) -> sdtext.Hits:
    """A query with an option that `similar` does not have."""
    options: dict[str, Any] = {option: 5}
    return sdtext.create().similar("a", **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sdtext.read(MANY),
            r"^read: path is \['text 0', .*…; it must be the path of a file$",
        ),
        (lambda: sdtext.compare(TEXT, "tests/samples/texts", run=THREE), "^compare: run is 3; it"),
        (
            lambda: sdtext.compare(TEXT, "tests/samples/texts", min_terms=STRING),
            "^compare: min_terms is 'text'; it must be a whole number",
        ),
        (
            lambda: sdtext.compare(TEXT, "tests/samples/texts", explain=-1),
            "^compare: explain is -1; it must be a whole number of 0 or more",
        ),
        (
            lambda: sdtext.create(recipe="deduplicate").pairs(explain=-1),
            "^pairs: explain is -1; it must be a whole number of 0 or more",
        ),
        (
            lambda: sdtext.create(recipe="deduplicate").pairs(explain=True),
            "^pairs: explain is True; it must be a whole number of 0 or more",
        ),
        (lambda: sdtext.Run(jobs=0), "^Run: jobs is 0; it must be a whole number, 1 or more"),
        (
            lambda: sdtext.compare(THREE, "tests"),
            "^compare: queries is 3; it must be a fingerprint",
        ),
        (lambda: sdtext.compare("README.md", THREE), "^compare: folder is 3; it must be a finger"),
        (
            lambda: sdtext.compare(["README.md", THREE], "tests"),
            r"^compare: queries\[1\] is 3; it must be a fingerprint, .* of a file or folder$",
        ),
        (
            lambda: sdtext.compare("README.md", []),
            r"^compare: folder is \[\]; it must be a fingerprint, .* a list of these$",
        ),
        (
            lambda: sdtext.compare("README.md", "tests", similarity=80),
            "^compare: similarity is 80; it must be a similarity from 0 to 1; for 80 % write 0.8$",
        ),
        (
            lambda: sdtext.compare("README.md", "tests", top=0),
            "^compare: top is 0; it must be a whole number of 1 or more$",
        ),
        (
            lambda: sdtext.compare("README.md", "tests", matcher="cosine", recommended=True),
            "^compare: recommended stands for matcher and similarity; leave these out$",
        ),
        (
            lambda: sdtext.compare(TEXT, "tests", match="cosine"),  # type: ignore[call-arg]
            r"^compare: there is no option 'match' \(did you mean matcher\?\); .*dictionary, run,",
        ),
        (
            lambda: sdtext.compare(TEXT, "tests", min_score=80),  # type: ignore[call-arg]
            r"^compare: there is no option 'min_score' \(did you mean similarity\?\)",
        ),
        (
            lambda: sdtext.score(TEXT, TEXT, match="cosine"),  # type: ignore[call-arg]
            r"^score: there is no option 'match' \(did you mean matcher\?\); available: matcher,",
        ),
        (
            lambda: sdtext.read(TEXT, reading="latin-1"),  # type: ignore[arg-type]
            r"^read: reading is 'latin-1'; .*; write reading=Reading\(encoding='latin-1'\)$",
        ),
        (
            lambda: sdtext.find_reuse(TEXT, [f"./{TEXT}"]),
            "^find_reuse: only one document is given; name what to compare it with",
        ),
        (
            lambda: sdtext.similarity("a", "b", match="edit"),  # type: ignore[call-arg]
            r"^similarity: there is no option 'match' \(did you mean matcher\?\); available: left",
        ),
        (
            lambda: sdtext.create().pairs(min_score=80),  # type: ignore[call-arg]
            r"^pairs: there is no option 'min_score' \(did you mean similarity\?\); available",
        ),
        *(
            (
                partial(similar_with, name),
                rf"^similar: there is no option '{name}' \(did you mean top\?\); available",
            )
            for name in ("k", "n", "limit", "top_k")
        ),
        (
            lambda: sdtext.create(config="reuse"),  # type: ignore[call-arg]
            r"^create: there is no option 'config' \(did you mean recipe\?\)",
        ),
        (lambda: sdtext.create().pairs(similarity=80), "from 0 to 1; for 80 % write 0.8$"),
        (lambda: sdtext.create().pairs(similarity=2), "it must be a similarity from 0 to 1$"),
        (
            lambda: sdtext.compare("a", "b", limit=3),  # type: ignore[call-arg]
            r"^compare: there is no option 'limit' \(did you mean top\?\); available",
        ),
        (
            lambda: sdtext.score("a", "b", **OTHER),
            "score: there is no option 'top'; available: matcher, dictionary, min",
        ),
        (lambda: sdtext.score("a", "b", THREE), "^score: matcher is 3; it must be the name"),
        (
            lambda: sdtext.create().reuse({"id": 1}),  # type: ignore[arg-type]
            r"^reuse: documents is .*Document\.of\(record",
        ),
        (lambda: sdtext.examine(""), r"^a path is empty, .*\(argument paths of examine\)$"),
        (
            lambda: sdtext.create().similar({"id": 1, "body": "a b"}),
            r"^similar: query has no field 'text' \(it has id, body\)$",
        ),
        (
            lambda: sdtext.create().similar(["a", {"id": 1, "text": " "}]),
            r"^similar: query\[1\] holds no text$",
        ),
        (lambda: sdtext.create().similar(["a", THREE]), r"^similar: query\[1\] is 3; it must be a"),
        (lambda: sdtext.create().similar(THREE), "^similar: query is 3; it .* or a record such as"),
        (lambda: sdtext.create().reuse(THREE), "^reuse: documents is 3; it must be a path"),
        (
            lambda: sdtext.decontaminate(RECORDS, [{"question": "a"}], question_field=THREE),
            "^decontaminate: question_field is 3; it must be a text or several of these$",
        ),
        (lambda: sdtext.create(dictionary=THREE), "^dictionary is 3; it must be a dictionary"),
        (lambda: sdtext.create().remove(THREE + 0.5), "^remove: documents is 3.5; it must be nam"),
        (
            lambda: sdtext.create().similar("a", matcher=MANY),
            "similar: matcher is .*…; it must be th",
        ),
        (lambda: sdtext.Chain.of(THREE), "^recipe is 3; it must be"),
        (lambda: sdtext.units("README.md", THREE), "^units: unit is 3; it must be the name"),
    ],
)
def test_a_wrong_argument_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        call()
    assert len(str(caught.value)) < 200


TEXTS = "tests/samples/texts"
CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "compare": ("queries", lambda: sdtext.compare("nope", TEXTS)),
    "compare to": ("folder", lambda: sdtext.compare(f"{TEXTS}/union.txt", ["nope"])),
    "score": ("left", lambda: sdtext.score("nope", "LICENSE")),
    "similarity": ("right", lambda: sdtext.similarity("a", Path("nope"))),
    "read": ("path", lambda: sdtext.read("nope")),
    "load_recipe": ("path", lambda: sdtext.load_recipe("nope")),
    "calibrate": ("dictionary", lambda: sdtext.calibrate("nope", TEXTS)),
    "calibrate with": ("path", lambda: sdtext.calibrate("english", "nope")),
    "decontaminate": ("documents", lambda: sdtext.decontaminate("nope", RECORDS)),
    "decontaminate of": ("benchmark", lambda: sdtext.decontaminate(RECORDS, "nope")),
    "units of": ("unit", lambda: sdtext.units(DOCUMENT, "nope")),
    "Chain.of": ("recipe", lambda: sdtext.Chain.of("nope")),
    "with_texts": ("paths", lambda: sdtext.with_texts(sdtext.find_reuse(TEXTS), "nope")),
    "find_reuse": ("left", lambda: sdtext.find_reuse("nope", TEXTS)),
    "units": ("document", lambda: sdtext.units("nope", "page")),
    "window_pairs": ("left", lambda: sdtext.window_pairs("nope", "LICENSE", w=3, distance=1)),
    "open": ("path", lambda: sdtext.open("nope")),
    "create": ("recipe", lambda: sdtext.create(recipe="nope")),
    "add": ("documents", lambda: sdtext.create().add("nope")),
    "pairs": ("matcher", lambda: sdtext.create().pairs(matcher="nope")),
    "similar": ("recipe", lambda: sdtext.create().similar("a", recipe="nope")),
    "reuse": ("documents", lambda: sdtext.create().reuse("nope")),
}


@pytest.mark.parametrize("called", CALLS)
def test_an_error_about_a_file_or_a_name_names_function_and_argument(called: str) -> None:
    argument, call = CALLS[called]
    with pytest.raises(SdtextError, match=r"\bnope\b") as caught:
        call()
    assert f"argument {argument} of {called.split(maxsplit=1)[0]}" in str(caught.value)


@pytest.mark.parametrize("text", ["text", "word " * 100])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("documents of add", lambda text: sdtext.create().add([text])),
        ("left of find_reuse", lambda text: sdtext.find_reuse(text, text, run=sdtext.Run())),
    ],
)
def test_a_string_that_is_no_path_may_be_a_text(
    argument: str, call: Callable[[Any], object], text: str
) -> None:
    message = f"argument {argument}; a string is a path here; a text is given as Document.of(text, "
    with pytest.raises(UnreadableError, match=re.escape(message)) as raised:
        call(text)
    assert len(str(raised.value)) < 300
    with pytest.raises((UnreadableError, OptionError)) as error:
        call(Path("missing.txt"))
    assert "a string is a path here" not in str(error.value)
    call(sdtext.Document.of(text, name="a"))  # as the message says


def test_a_text_that_names_an_existing_file_gives_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "bees.txt"
    file.write_text("bees dance for their sisters at noon")
    collection = sdtext.create()
    collection.add([sdtext.Document.of("bees dance at noon", name="a")])
    for ask in (
        lambda: sdtext.similarity(str(file), "bees"),
        lambda: collection.similar(str(file)),
    ):
        message = "names an existing file: to read it, give Path"
        with pytest.warns(UserWarning, match=message) as warned:
            ask()
        assert [item.filename for item in warned] == [__file__]  # the line of the user


def test_an_argument_is_named_once_whatever_words_a_text_has() -> None:
    hint = r" \(argument left of find_reuse; a string is a path here;.*$"
    for text in ("the argument is old", f"the argument of {'many words ' * 200}"):
        with pytest.raises(UnreadableError, match=hint) as caught:
            sdtext.find_reuse(text, "another text")
        assert len(str(caught.value)) < 300
    with pytest.raises(UnreadableError, match=r"directory \(argument query\[0\] of similar\)$"):
        sdtext.create().similar([Path("nope")])
    with pytest.raises(OptionError, match=r"^trim: the minimum, 0\.8, is above"):
        load_dictionary("english").trim(0.8, 0.3)


def test_a_text_that_is_unlike_a_path_is_not_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    looked_up: list[str | Path] = []
    monkeypatch.setattr("os.path.isfile", looked_up.append)
    collection = sdtext.create()
    collection.add([sdtext.Document.of("bees dance at noon", name="a")])
    for text in (
        "bees dance at noon",
        "bees",
        "bees at noon",
        "my old letter to her.txt",
        "a/b c d e",
    ):
        collection.similar(text)
    texts = [path for path in looked_up if isinstance(path, str)]
    assert texts == ["bees", "bees at noon", "my old letter to her.txt", "a/b c d e"]


def test_messages_name_arguments_and_no_options_of_the_command_line() -> None:
    with pytest.raises(SdtextError, match=r"omit it, .* give a dictionary, too, or add a shingler"):
        sdtext.create(recipe="english")


@pytest.mark.parametrize("minimum", [0.8, 150, -1, "80"])
def test_a_minimum_that_is_no_score_is_refused(tmp_path: Path, minimum: Any) -> None:
    (tmp_path / "a.txt").write_text("bees dance for their sisters at noon in the old meadow")
    dictionary = sdtext.create_dictionary([tmp_path / "a.txt"], "english")
    comparison = sdtext.compare(
        sdtext.Document.of("bees dance"), tmp_path, dictionary=dictionary, min_terms=1
    )
    with pytest.raises(OptionError, match=r"best: minimum is .*; it must be a score, a whole"):
        comparison.best(minimum=minimum)


def test_each_public_function_has_a_call_that_names_an_argument() -> None:
    without = {
        "deduplicate",
        "load_plan",
        "mangle",
        "run_experiment",
        "examine",
        "list_parts",
        "list_recipes",
        "restore",
        "similarity",
    }
    functions = {name for name in sdtext.__all__ if isfunction(getattr(sdtext, name))}
    assert functions - {called.partition(" ")[0] for called in CALLS} <= without
