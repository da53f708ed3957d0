"""CreateDictionary: equal for equal input, and what goes into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .command import CONFIGS, Argument, chance, done, parsed, write_texts


def statistics_of(dictionary: Argument) -> dict[str, Any]:
    result = done("ShowDictionaryStatistics", "-d", dictionary, "--format", "json").json
    assert isinstance(result, dict)
    return result


def digest_of(dictionary: Argument) -> str:
    return str(statistics_of(dictionary)["digest"])


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 texts in folders: several batches, so that two processes have something to share."""
    folder = tmp_path_factory.mktemp("many")
    for place in range(4):
        write_texts(folder / f"part{place}" / "deep", 50, words=80)
    return folder


def create(name: str, *arguments: Argument) -> str:
    recipe = CONFIGS / "english.toml"
    done("CreateDictionary", "-o", f"{name}.xml", "-c", recipe, *arguments)
    return digest_of(f"{name}.xml")


@pytest.mark.parametrize(
    "options",
    [
        [],
        pytest.param(["--sample", "50"], marks=pytest.mark.deep),
        ["--sample", "33%"],
        pytest.param(["--max-terms", "100"], marks=pytest.mark.deep),
        ["--sample", "77", "--max-terms", "12.5%"],
    ],
)
def test_equal_input_gives_an_equal_digest_with_any_jobs_and_in_any_order(
    many: Path, options: list[str]
) -> None:
    parts = sorted(many.iterdir())
    files = sorted(path for path in many.rglob("*.txt"))
    shuffled = list(files)
    chance(9).shuffle(shuffled)
    digests = {
        create("folder", "-p", many, *options),
        create("parts", *parts, *options),
        create("backwards", *reversed(parts), *options),
        create("files", *files, *options),
        create("shuffled", "--jobs", "2", *shuffled, *options),
        create("jobs", "--jobs", "2", "-p", many, *options),
    }
    assert len(digests) == 1
    raw = {Path(f"{name}.xml").read_bytes() for name in ("folder", "jobs")}
    assert len(raw) == 2, "GUIDs differ"


def test_the_recipe_goes_with_the_dictionary_in_whatever_form_it_came(many: Path) -> None:
    files = sorted(many.rglob("*.txt"))[:10]
    digests = set()
    recipes = (CONFIGS / "english.toml", CONFIGS / "georgetown.toml", CONFIGS / "tokenizers.xml")
    for number, recipe in enumerate(recipes):
        done("CreateDictionary", "-o", f"{number}.xml", "-c", recipe, *files)
        digests.add(digest_of(f"{number}.xml"))
    done("CreateDictionary", "-o", "again.xml", "-c", "0.xml", *files)
    digests.add(digest_of("again.xml"))
    assert len(digests) == 1
    words = parsed("0.xml").findall(".//{*}tokenizer[@name='stop-words']//{*}value")
    assert len(words) == 174
    assert "the" in {word.text for word in words}
