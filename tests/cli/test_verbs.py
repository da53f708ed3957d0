"""The verbs as a person finds them: names, help, examples, hints, values given in any way."""

import re
import shlex
import subprocess
import sys

import click
import pytest

from tests.support.command import check_usage, done, here, there
from tests.support.commands import VERB_NAMES, command_of

from .conftest import Shelf

ORIGINALS = ("BitVectorFingerprinter",)


def kebab(verb: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", verb).lower()


def test_help_lists_every_verb_with_what_it_does() -> None:
    outcome = there("--help")
    assert (outcome.code, outcome.err) == (0, "")
    for verb in VERB_NAMES:
        line = next(line for line in outcome.text.splitlines() if line.split()[:1] == [verb])
        assert len(line.split()) > 3
    assert here("-h").out == here("--help").out


@pytest.mark.parametrize("verb", [*VERB_NAMES, *ORIGINALS])
def test_a_verb_may_be_written_in_many_ways(verb: str) -> None:
    expected = done(verb, "--help").out
    spellings = {kebab(verb), verb.lower(), verb.upper(), kebab(verb).upper()}
    for spelling in spellings:
        assert done(spelling, "--help").out == expected
    assert (
        "-" not in kebab(verb) or len(spellings) > 3  # of one word there are two
    )


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_the_help_of_a_verb_has_an_example_that_uses_it_rightly(verb: str) -> None:
    text = done(verb, "--help").text
    lines = text.split("Examples:\n")[1].replace("\\\n", "")
    examples = re.findall(r"sdtext [A-Z][A-Za-z]+ [^\n]*", lines)
    assert examples
    for example in examples:
        name, *words = shlex.split(example)[1:]
        assert name == verb
        command = command_of(verb)
        with command.make_context(verb, words):  # raises for an option or value it does not take
            pass


def test_options_are_few() -> None:
    commands = map(command_of, VERB_NAMES)
    numbers = [sum(isinstance(each, click.Option) for each in item.params) for item in commands]
    assert max(numbers) <= 25
    assert sum(numbers) <= 330


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_an_option_that_takes_one_value_is_refused_if_it_is_given_twice(verb: str) -> None:
    for parameter in command_of(verb).params:
        if not isinstance(parameter, click.Option) or parameter.is_flag:
            continue
        first, last = parameter.opts[0], parameter.opts[-1]
        for line in ((first, "1", last, "2"), (first, "1", f"{last}=1"), (f"{last}=1",) * 3):
            outcome = here(verb, *line)
            if parameter.multiple:
                assert "takes one value" not in outcome.err
            else:
                check_usage(outcome)
                given = (
                    f"takes one value, but it is given {len(line) if '=' in line[0] else 2} times"
                )
                assert f"{last}'" in outcome.errors[-1]
                assert given in outcome.errors[-1]


def test_a_flag_may_be_given_twice(shelf: Shelf) -> None:
    line = ("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "--preview")
    assert done(*line, "--preview").err == done(*line).err


def test_the_module_is_the_command() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "sdtext", "--help"], capture_output=True, check=True, timeout=60
    )
    assert run.stdout == there("--help").out


SECTIONS = (
    "Options",
    "Output",
    "Repeated passages (--unit)",
    "Files in folders",
    "Records (JSON lines, tables, Parquet)",
    "Reading of documents",
    "Provenance",
    "Apache Spark",
    "Damaged collections",
    "Other",
)


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_help_lists_options_in_sections_common_ones_first(verb: str) -> None:
    text = done(verb, "--help").text
    titles = re.findall(r"^(\w[^\n]*):$", text, re.MULTILINE)
    assert titles == [title for title in (*SECTIONS, "Examples") if title in titles]
    assert titles[-2:] == ["Other", "Examples"]
    below = text[text.index(f"\n{titles[0]}:") :].split("\nExamples:")[0]
    listed = re.findall(r"^  (?:-\w, )*(--?[a-z-]+)", below, re.MULTILINE)
    command = command_of(verb)
    options = command.get_params(click.Context(command))
    assert (
        len(listed) == len(set(listed)) == sum(isinstance(item, click.Option) for item in options)
    )
    common = ("--input", "--fingerprint", "--path", "--output", "--min-score", "--top", "--config")
    assert [name for name in listed if name in common] == [
        name for name in common if name in listed
    ]
    assert all(len(line) < 80 for line in text.split("\nExamples:")[0].splitlines())
