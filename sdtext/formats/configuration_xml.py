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
    "fingerprinter": "fingerprint",  # the name in sdtext's manual
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
    given = {str(key): str(value) for key, value in element.attrib.items()}
    part = given.pop("name", "")
    if not part:
        raise FormatError(f'{place} has no name; write <tokenizer name="…">')
    options: dict[str, Option] = {key: literal(value) for key, value in given.items()}
    for child in element:
        key = child.get("name")
        if local(child) != "parameter" or not key:
            raise FormatError(f'{place} ({part}): options stand in <parameter name="…">')
        values = [item.text or "" for item in child if local(item) == "value"]
        options[key] = tuple(values) if values else literal((child.text or "").strip())
    return PartSpec.of(part, **options)


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
            if isinstance(value, tuple):
                yield opened("parameter", name=key)
                yield from (f"<value>{escaped(item)}</value>\n" for item in value)
                yield closed("parameter")
            else:
                yield element("parameter", spelled(value), name=key)
        yield closed("tokenizer")
    yield closed("tokenizers")


def spelled(value: Option) -> str:
    """The text of a value other than a list: the inverse of `literal`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_outputs(file: IO[bytes], name: str) -> dict[str, Output]:
    """The outputs in an `<outputConfiguration>` file, in the form of the TOML tables.

    `<output name="…"/>` asks for an output; it may hold true or false, or its options, each in a
    `<parameter name="…">`. `name` is the file's, for messages. Raises FormatError.
    """
    outputs: dict[str, Output] = {}
    for child in _root(file, name, "outputConfiguration", "an output configuration"):
        key = child.get("name")
        if local(child) != "output" or not key:
            raise FormatError(f'{name}: <outputConfiguration> holds <output name="…"> alone')
        parameters = [item for item in child if local(item) == "parameter"]
        if (len(child) and not parameters) or not all(item.get("name") for item in parameters):
            raise FormatError(f'{name}: <output> holds its options in <parameter name="…">')
        options = {item.get("name", ""): literal((item.text or "").strip()) for item in parameters}
        outputs[key] = options or literal((child.text or "").strip() or "true")
    return outputs


def _root(file: IO[bytes], name: str, tag: str, what: str) -> Element:
    """The whole element of that tag that a file consists of."""
    root = None
    for _, each in events(file, name):
        root = each if root is None else root
    if root is None or local(root) != tag:
        raise FormatError(f"is not {what}", file=name)
    check_version(root, name)
    return root


def read_plan_table(file: IO[bytes], name: str) -> dict[str, Any]:
    """The plan in an `<experiment>` file, in the form of its TOML table.

    A `<parameter name="…">` holds a value, several in a `<value>` each, or a range as attributes;
    parts hold their options in such elements. `name` is the file's, for messages. Raises
    FormatError.
    """
    table: dict[str, Any] = {}
    for child in _root(file, name, "experiment", "a plan of an experiment"):
        kind, text = local(child), (child.text or "").strip()
        named = {"name": str(child.get("name"))} if child.get("name") else {}
        if kind == "dataset":
            paths = [(item.text or "").strip() for item in child if local(item) == "path"]
            table["dataset"] = {**named, "path": paths or [text]}
        elif kind == "group":  # the recipe that it names, or its chain
            chains = [item for item in child if local(item) == "tokenizers"]
            group: str | dict[str, Any] = text
            if chains:
                tokenizer, *filters = map(_table, chain_from(chains[0], name))
                group = {**named, "tokenizer": tokenizer, "filters": filters}
            table.setdefault("groups", []).append(group)
        elif kind in _PARTS:
            if not named:
                raise FormatError(f'a {kind} has no name; write name="…"', file=name)
            part = {**named, **_parameters(list(child), name)}
            table.setdefault(_PARTS[kind], []).append(part)
        elif kind == "parameter":
            table.update(_parameters([child], name))
        else:
            raise FormatError(f"<experiment> holds {_HOLDS} alone", file=name)
    return table


def _table(part: PartSpec) -> dict[str, Any]:
    options = dict(part.options)
    lists = {key: list(value) for key, value in options.items() if isinstance(value, tuple)}
    return {"name": part.name, **options, **lists}


def _parameters(elements: list[Element], name: str) -> dict[str, Any]:
    """The value of each parameter: one, several, or the ends and the step of a range."""
    table: dict[str, Any] = {}
    for item in elements:
        if local(item) != "parameter" or not item.get("name"):
            raise FormatError('options and values stand in <parameter name="…">', file=name)
        attributes = {str(key): str(value) for key, value in item.attrib.items()}
        limits = {key: literal(value) for key, value in attributes.items() if key != "name"}
        values = [literal((child.text or "").strip()) for child in item if local(child) == "value"]
        table[attributes["name"]] = limits or values or literal((item.text or "").strip())
    return table
