"""The `<experiment>` element: a plan of an experiment in XML, with the content of the TOML form."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from sdtext.errors import FormatError
from sdtext.formats.configuration_xml import chain_from, literal
from sdtext.formats.hardened_xml_reader import check_version, events, local
from sdtext.model import PartSpec

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_PARTS = {
    "matcher": "matcher",
    "mangler": "manglers",
    **{name: name for name in ("shingler", "fingerprint", "index")},
}
_HOLDS = (
    "<dataset>, <group>, <shingler>, <fingerprint>, <index>, <matcher>, <mangler> and "
    '<parameter name="…">'
)


def read_plan_table(file: IO[bytes], name: str) -> dict[str, Any]:
    """The plan in an `<experiment>` file, in the form of its TOML table.

    A `<parameter name="…">` holds a value, several in a `<value>` each, or a range as attributes;
    parts hold their options in such elements. `name` is the file's, for messages. Raises
    FormatError.
    """
    root = None
    for _, element in events(file, name):
        root = element if root is None else root
    if root is None or local(root) != "experiment":
        raise FormatError("is not a plan of an experiment", file=name)
    check_version(root, name)
    table: dict[str, Any] = {}
    for child in root:
        _add(table, child, name)
    return table


def _add(table: dict[str, Any], child: Element, name: str) -> None:
    """Add what an element says to the table."""
    kind = local(child)
    if kind == "dataset":
        table["dataset"] = _dataset(child)
    elif kind == "group":
        table.setdefault("groups", []).append(_group(child, name))
    elif kind in _PARTS:
        table.setdefault(_PARTS[kind], []).append(_part(child, name))
    elif kind == "parameter":
        table.update(_parameters([child], name))
    else:
        raise FormatError(f"<experiment> holds {_HOLDS} alone", file=name)


def _dataset(element: Element) -> dict[str, Any]:
    """The name and the paths of the documents."""
    paths = [(child.text or "").strip() for child in element if local(child) == "path"]
    named = {"name": str(element.get("name"))} if element.get("name") else {}
    return {**named, "path": paths or [(element.text or "").strip()]}


def _group(element: Element, name: str) -> str | dict[str, Any]:
    """A group of tokenizers: the recipe that it names, or its chain."""
    chain = next((child for child in element if local(child) == "tokenizers"), None)
    if chain is None:
        return (element.text or "").strip()
    tokenizer, *filters = map(_table, chain_from(chain, name))
    named = {"name": str(element.get("name"))} if element.get("name") else {}
    return {**named, "tokenizer": tokenizer, "filters": filters}


def _table(part: PartSpec) -> dict[str, Any]:
    options = dict(part.options)
    lists = {key: list(value) for key, value in options.items() if isinstance(value, tuple)}
    return {"name": part.name, **options, **lists}


def _part(element: Element, name: str) -> dict[str, Any]:
    """A matcher or mangler with its options."""
    if not element.get("name"):
        raise FormatError(f'a {local(element)} has no name; write name="…"', file=name)
    return {"name": str(element.get("name")), **_parameters(list(element), name)}


def _parameters(elements: list[Element], name: str) -> dict[str, Any]:
    if not all(local(item) == "parameter" and item.get("name") for item in elements):
        raise FormatError('options and values stand in <parameter name="…">', file=name)
    return {str(item.get("name")): _value(item) for item in elements}


def _value(parameter: Element) -> Any:
    """The value of a parameter: one, several, or the ends and the step of a range."""
    attributes = {str(key): str(value) for key, value in parameter.attrib.items()}
    if limits := {key: literal(value) for key, value in attributes.items() if key != "name"}:
        return limits
    values = [literal((child.text or "").strip()) for child in parameter if local(child) == "value"]
    return values or literal((parameter.text or "").strip())
