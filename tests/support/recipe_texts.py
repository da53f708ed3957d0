"""Recipes as texts, in TOML and in XML, written without the code that reads them."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from sdtext.model import Option, PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe


def loaded(path: Path, text: str | bytes) -> RecipeSpec:
    """The recipe that `text` is, by way of the file at `path`."""
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return load_recipe(path)


def listing(path: Path, data: bytes) -> RecipeSpec:
    """A recipe whose stop words stand in a file of their own."""
    (path.parent / "list.txt").write_bytes(data)
    return loaded(path, stop_words('file = "list.txt"'))


def toml_part(part: PartSpec) -> str:
    """A part as TOML writes it: JSON's texts, numbers and lists are TOML's too."""
    rows = [("name", part.name), *part.options]
    return "{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in rows) + "}"


def in_toml(chain: Sequence[PartSpec]) -> str:
    filters = ", ".join(map(toml_part, chain[1:]))
    return f"tokenizer = {toml_part(chain[0])}\nfilters = [{filters}]\n"


def stop_words(option: str) -> str:
    """A recipe in TOML with a list of stop words."""
    return f'tokenizer = "words"\nfilters = [{{name = "stop-words", {option}}}]\n'


def xml_value(value: Option) -> str:
    if isinstance(value, tuple):
        return "".join(f"<value>{escape(word)}</value>" for word in value)
    return json.dumps(value) if isinstance(value, bool) else escape(str(value))


def in_xml(chain: Sequence[PartSpec], namespace: str = "") -> str:
    rows = [
        f"<tokenizer name={quoteattr(part.name)}>"
        + "".join(
            f'<parameter name="{key}">{xml_value(value)}</parameter>' for key, value in part.options
        )
        + "</tokenizer>"
        for part in chain
    ]
    return f"<tokenizers{namespace}>" + "\n  ".join(rows) + "</tokenizers>"


def in_attributes(chain: Sequence[PartSpec]) -> str:
    """XML with options as attributes."""
    rows = []
    for part in chain:
        options = "".join(f' {key}="{xml_value(value)}"' for key, value in part.options)
        rows.append(f'<tokenizer name="{part.name}"{options}/>')
    return "<tokenizers>" + "".join(rows) + "</tokenizers>"
