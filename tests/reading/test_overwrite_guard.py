"""The rule for output files, against what happens to a small tree of files of every sort."""

import gzip
import os
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import OptionError, OutputError
from sdtext.io.output import written
from sdtext.reading import overwrite_guard as output_guard
from sdtext.reading.overwrite_guard import (
    DICTIONARY,
    FINGERPRINTS,
    PLAIN,
    Output,
    OutputKind,
    check_outputs,
)
from sdtext.reading.read_document import Source
from tests.support.command import here

RESULT = {
    DICTIONARY: b'<dictionary xmlns="urn:sdtext:xml" version="1.0"/>',
    FINGERPRINTS: b'<fingerprints xmlns="urn:sdtext:xml" version="1.0"/>',
    PLAIN: b"a result",
}
INPUTS = (
    *("a", "./a/../a", "linked", "a/b", "c", "."),
    *("a/x.txt", "a/b/../x.txt", "linked/x.txt", "c/soft.txt", "c/hard.txt", "a/d.xml", "p.zip!n"),
)
OUTPUTS = (
    *("a/x.txt", "./a/b/../x.txt", "linked/x.txt", "a/b/y.txt", "a/d.xml", "linked/d.xml"),
    *("c/hard.txt", "c/soft.txt", "c/z.txt", "c/empty", "p.zip", "d.xml.gz"),
    *("a/new", "a/b/new", "linked/new", "c/new", "c/nowhere", "new"),
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders of documents, a dictionary, links of every sort, an archive."""
    monkeypatch.chdir(tmp_path)
    plant()
    return tmp_path


def plant() -> None:
    for entry in Path().iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    Path("a/b").mkdir(parents=True)
    Path("c").mkdir()
    for name in ("a/x.txt", "a/b/y.txt", "c/z.txt", "p.zip"):
        Path(name).write_text(f"the user's {name}")
    Path("c/empty").touch()
    Path("a/d.xml").write_bytes(RESULT[DICTIONARY] + b"<!-- the user's -->")
    Path("d.xml.gz").write_bytes(gzip.compress(RESULT[DICTIONARY]))
    os.link("a/x.txt", "c/hard.txt")
    Path("c/soft.txt").symlink_to("../a/x.txt")
    Path("c/nowhere").symlink_to("../a/new")
    Path("linked").symlink_to("a")


def documents(given: str) -> Iterator[str]:
    """The files that reading `given` opens, by their paths without links."""
    if not os.path.isdir(given):  # noqa: PTH112 (plainly)
        yield os.path.realpath(given.split("!", maxsplit=1)[0])
    for folder, _, names in os.walk(given):
        for name in names:
            if not os.path.islink(path := os.path.join(folder, name)):  # noqa: PTH114, PTH118
                yield os.path.realpath(path)


def refused(output: Output, given: str) -> str:
    try:
        output.check([given])
    except OutputError as error:
        return str(error)
    return ""


def is_result(path: str, kind: OutputKind) -> bool:
    return kind is DICTIONARY and path.endswith((".xml", ".xml.gz"))


@pytest.mark.parametrize(
    "kind", [PLAIN, DICTIONARY, pytest.param(FINGERPRINTS, marks=pytest.mark.deep)]
)
@pytest.mark.parametrize("replaces", [pytest.param(False, marks=pytest.mark.deep), True])
def test_a_result_is_written_only_if_nothing_is_lost(
    tree: Path, kind: OutputKind, replaces: bool
) -> None:
    for given, path in product(INPUTS, OUTPUTS):
        before = {name: Path(name).read_bytes() for name in documents(given)}
        target = os.path.realpath(path)
        there = Path(target).exists()
        named = not Path(given).is_dir()
        same = [name for name in before if there and Path(name).samefile(target)]
        inside = (tree / target).is_relative_to(os.path.realpath(given)) and not named
        skipped = (kind is DICTIONARY) and (is_result(target, kind) or not there)
        is_input = (bool(same) or inside) and not (inside and skipped)
        is_foreign = there and os.stat(target).st_size and not is_result(target, kind)  # noqa: PTH116
        allowed = not is_input and (replaces or not is_foreign)
        refusal = refused(Output(path, kind, replaces), given)
        assert (not refusal) == allowed, (given, path, refusal)
        if refusal:
            assert refusal.startswith(f"{path}: ")
            assert ("already exists" in refusal) == (not is_input), (given, path, refusal)
            continue
        Path("beside").write_bytes(RESULT[kind])  # as sdtext.io.output does, without waiting
        Path("beside").replace(target)
        after = {name: Path(name).read_bytes() for name in documents(given)}
        changed = {name for name in after if after[name] != before.get(name)}
        assert changed <= {target}
        assert not changed or skipped
        plant()


@pytest.mark.usefixtures("tree")
def test_a_result_of_a_kind_gives_way_to_one_of_its_kind_alone() -> None:
    for present, kind in product((DICTIONARY, FINGERPRINTS, PLAIN), (DICTIONARY, FINGERPRINTS)):
        for pack in (bytes, gzip.compress):
            Path("there").write_bytes(pack(RESULT[present]))
            if present is kind:
                Output("there", kind).check()
                continue
            with pytest.raises(OutputError, match=f"and is not {kind.name}; .*"):
                Output("there", kind).check()


@pytest.mark.usefixtures("tree")
def test_devices_and_the_standard_output_are_accepted_and_two_outputs_are_two_files() -> None:
    os.mkfifo("pipe")
    Path("-").write_text("a file")
    for path in ("-", "/dev/null", "pipe"):
        Output(path, PLAIN).check(["-", "a", "."])
    for pair in (("n", "./n"), ("a/n", "linked/n"), ("-", "-"), ("a/new", "c/nowhere")):
        with pytest.raises(OptionError, match="two outputs"):
            check_outputs([Output(path, PLAIN) for path in pair], [])
    check_outputs([Output(path, PLAIN) for path in ("n", "m", "-")], ["a"])


@pytest.mark.usefixtures("tree")
def test_a_place_where_nothing_can_be_written_is_refused_at_once() -> None:
    Path("x.sdx").mkdir()
    Path("x.sdx/catalog.sqlite").touch()
    for path, reason in (
        ("a", "folder"),
        ("none/x", "there is no folder none$"),
        ("a/x.txt/y", "a/x.txt is not a folder"),
        ("a/x.txt/../y", "a/x.txt is not a folder"),
        ("x.sdx/y", "is in the collection x.sdx"),
    ):
        with pytest.raises(OutputError, match=reason):
            Output(path, PLAIN, replaces=True).check()


@pytest.mark.usefixtures("tree")
def test_a_folder_without_permission_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    Output("a/new", FINGERPRINTS).check()
    monkeypatch.setattr(output_guard, "TemporaryFile", denied)  # root has all permissions
    for path in ("a/new", "c/z.txt"):
        with pytest.raises(OutputError, match=f"{path}: cannot be written: permission denied") as e:
            Output(path, FINGERPRINTS, replaces=True).check()
        assert str(e.value).endswith("; choose another folder, or make this one writable")
    Output("/dev/null", PLAIN).check()


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(("words", "name"), [
    (("CreateDictionary", "-p", "texts", "-c", "words.toml"), "out.xml"),
    (("Fingerprint", "texts/a.txt", "-d", "english"), "out.xml"),
    (("Fingerprint", "texts/a.txt", "texts/b.txt", "-d", "english"), "out.xml"),
    (("ExtractText", "-i", "texts/a.txt"), "out.txt"),
    (("Deduplicate", "texts", "--removed", "r.csv", "--clusters", "c.json"), "out.txt"),
], ids=["CreateDictionary", "Fingerprint", "container", "ExtractText", "Deduplicate"])  # fmt: skip
def test_a_file_that_appears_during_the_run_is_not_replaced(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    name: str,
    *,
    force: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    for letter in "ab":
        Path("texts", f"{letter}.txt").write_text(f"The bees dance in hive {letter}. " * 9)
    Path("words.toml").write_text('tokenizer = "words"\n')
    blocks = Source.blocks

    def read_while_another_program_writes(source: Source) -> Iterator[str]:
        Path(name).write_text("a letter")
        return blocks(source)

    monkeypatch.setattr(Source, "blocks", read_while_another_program_writes)
    outcome = here(*words, "-o", name, *["--force"] * force)
    partial = list(tmp_path.glob(f"{name}.*.partial"))
    if force:
        assert (outcome.code, partial) == (0, [])
        assert Path(name).read_text() != "a letter"
        return
    assert Path(name).read_text() == "a letter"
    assert len(partial) == 1
    assert partial[0].stat().st_size > 20
    assert outcome.code == 6
    assert f"the result is in {tmp_path / partial[0]}" in outcome.errors[-1]
    assert not list(tmp_path.glob(".sdtext-*"))


def test_a_file_that_appears_at_the_last_moment_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Output(tmp_path / "out.txt", PLAIN)

    link_of_system = os.link

    def link(place: Path, to: Path, **more: Any) -> None:
        if more:  # the complete file gets its name
            return link_of_system(place, to, **more)
        to.write_text("a letter")
        raise FileExistsError

    monkeypatch.setattr(os, "link", link)
    with (
        pytest.raises(OutputError, match="appeared during the run"),
        written(target.path, target.check_replaced) as file,
    ):
        file.write(b"text")
    assert Path(target.path).read_text() == "a letter"
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".partial", ".txt"]


def test_a_list_of_stop_words_is_an_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("texts", "lists"):
        Path(folder).mkdir()
    Path("texts/a.txt").write_text("The bees dance.")
    Path("lists/stop.txt").write_text("the\n")
    Path("lists/recipe.toml").write_text(
        'tokenizer = "words"\nfilters = ["lowercase", { name = "stop-words", file = "stop.txt" }]'
    )
    Path("lists/recipe.xml").write_text(
        '<tokenizers xmlns="urn:sdtext:xml" version="1.0"><tokenizer name="words"/>'
        '<tokenizer name="stop-words" file="stop.txt"/></tokenizers>'
    )
    verbs = "CreateDictionary -p texts", "Deduplicate texts", "ExtractText -i texts/a.txt"
    for words, recipe in product(verbs, ("recipe.toml", "recipe.xml")):
        outcome = here(*words.split(), "-c", f"lists/{recipe}", "-o", "lists/stop.txt", "--force")
        assert outcome.code == 6, outcome.err
        assert "is also an input" in outcome.err
        assert Path("lists/stop.txt").read_text() == "the\n"
