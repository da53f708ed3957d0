"""CreateDictionary: equal for equal input, and what goes into it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CONFIGS, Argument, done, parsed, write_texts


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
