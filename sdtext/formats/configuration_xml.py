"""Configurations as XML: the chain of a tokenizer, the outputs of a fingerprint, plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from sdtext.errors import FormatError
from sdtext.formats.hardened_xml import (
    check_version,
    closed,
    element,
    escaped,
    events,
    local,
    number_or_none,
    opened,
)
from sdtext.model import Option, PartSpec

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LITERALS: dict[str, Option] = {"true": True, "false": False}
Output = Option | Mapping[str, Option]
_PARTS = {
    "matcher": "matcher",
    "mangler": "manglers",
    **{name: name for name in ("shingler", "fingerprint", "index")},
}
_HOLDS = (
    "<dataset>, <group>, <shingler>, <fingerprint>, <index>, <matcher>, <mangler> and "
    '<parameter name="…">'
)


def chain_from(root: Element, name: str) -> tuple[PartSpec, ...]:
    """The parts that a `<tokenizers>` element lists; `name` is the file's, for messages.

    Options stand in `<parameter name="…">` elements or as attributes; a list of words is one
    `<value>` each. Values that can be read as a number, true or false are converted.
    """
    parts: list[PartSpec] = []
    for child in root:
        if local(child) == "tokenizer":
            parts.append(_part(child, f"{name}: tokenizer {len(parts) + 1}"))
        else:
            raise FormatError(
                f"<tokenizers> holds <{child.tag!s}>; it must hold <tokenizer>", file=name
            )
    if not parts:
        raise FormatError("<tokenizers> is empty; it must name a tokenizer first", file=name)
    return tuple(parts)


def _part(element: Element, place: str) -> PartSpec:
    given = dict(element.attrib)
    part = given.pop("name", None)
    if not part:
        raise FormatError(f'{place} has no name; write <tokenizer name="…">')
    options = {str(key): literal(str(value)) for key, value in given.items()}
    for child in element:
        key = child.get("name")
        if local(child) != "parameter" or not key:
            raise FormatError(f'{place} ({part}): options stand in <parameter name="…">')
        options[key] = _value(child)
    return PartSpec.of(str(part), **options)


def _value(element: Element) -> Option:
    values = [child.text or "" for child in element if local(child) == "value"]
    return tuple(values) if values else literal((element.text or "").strip())


def literal(text: str) -> Option:
    """Parse a value: a number, true, false, or the text itself.

    >>> literal("3"), literal("0.5"), literal("true"), literal("english")
    (3, 0.5, True, 'english')
    """
    number = number_or_none(text)
    return _LITERALS.get(text, text) if number is None else number


def chain_lines(chain: Sequence[PartSpec]) -> Iterator[str]:
    """The `<tokenizers>` element."""
    yield opened("tokenizers")
    for part in chain:
        yield opened("tokenizer", name=part.name)
        for key, value in part.options:
            yield from _option_lines(key, value)
        yield closed("tokenizer")
    yield closed("tokenizers")


def _option_lines(key: str, value: Option) -> Iterator[str]:
    if isinstance(value, tuple):
        yield opened("parameter", name=key)
        yield from (f"<value>{escaped(item)}</value>\n" for item in value)
        yield closed("parameter")
    else:
        yield element("parameter", spelled(value), name=key)


def spelled(value: Option) -> str:
    """The text of a value other than a list: the inverse of `literal`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_outputs(file: IO[bytes], name: str) -> dict[str, Output]:
    """The outputs in an `<outputConfiguration>` file, in the form of the TOML tables.

    `<output name="…"/>` asks for an output; it may hold true or false, or its options, each in a
    `<parameter name="…">`. `name` is the file's, for messages. Raises FormatError.
    """
    outputs: dict[str, Output] = {}
    root = None
    for _, each in events(file, name):
        root = each if root is None else root
    if root is None or local(root) != "outputConfiguration":
        raise FormatError("is not an output configuration", file=name)
    check_version(root, name)
    for child in root:
        key = child.get("name")
        if local(child) != "output" or not key:
            raise FormatError(f'{name}: <outputConfiguration> holds <output name="…"> alone')
        outputs[key] = _options(child, name) or literal((child.text or "").strip() or "true")
    return outputs


def _options(output: Element, name: str) -> dict[str, Option]:
    parameters = [item for item in output if local(item) == "parameter"]
    if (len(output) and not parameters) or not all(item.get("name") for item in parameters):
        raise FormatError(f'{name}: <output> holds its options in <parameter name="…">')
    return {item.get("name", ""): literal((item.text or "").strip()) for item in parameters}


def read_plan_table(file: IO[bytes], name: str) -> dict[str, Any]:
    """The plan in an `<experiment>` file, in the form of its TOML table.

    A `<parameter name="…">` holds a value, several in a `<value>` each, or a range as attributes;
    parts hold their options in such elements. `name` is the file's, for messages. Raises
    FormatError.
    """
    root = None
    for _, each in events(file, name):
        root = each if root is None else root
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
        table.setdefault(_PARTS[kind], []).append(_part_of_plan(child, name))
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


def _part_of_plan(element: Element, name: str) -> dict[str, Any]:
    """A matcher or mangler with its options."""
    if not element.get("name"):
        raise FormatError(f'a {local(element)} has no name; write name="…"', file=name)
    return {"name": str(element.get("name")), **_parameters(list(element), name)}


def _parameters(elements: list[Element], name: str) -> dict[str, Any]:
    if not all(local(item) == "parameter" and item.get("name") for item in elements):
        raise FormatError('options and values stand in <parameter name="…">', file=name)
    return {str(item.get("name")): _value_in_plan(item) for item in elements}


def _value_in_plan(parameter: Element) -> Any:
    """The value of a parameter: one, several, or the ends and the step of a range."""
    attributes = {str(key): str(value) for key, value in parameter.attrib.items()}
    if limits := {key: literal(value) for key, value in attributes.items() if key != "name"}:
        return limits
    values = [literal((child.text or "").strip()) for child in parameter if local(child) == "value"]
    return values or literal((parameter.text or "").strip())
