"""Configurations as XML: the chain of a tokenizer, the outputs of a fingerprint, plans."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from sdtext.errors import FormatError
from sdtext.formats import hardened_xml as xml
from sdtext.model import Option, PartSpec

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


def chain_from(root: xml.Element, name: str) -> tuple[PartSpec, ...]:
    """The parts that a `<tokenizers>` element lists; `name` is the file's, for messages.

    Options stand in `<parameter name="…">` elements or as attributes; a list of words is one
    `<value>` each. Values that can be read as a number, true or false are converted.
    """
    parts: list[PartSpec] = []
    for child in root:
        if xml.local(child) == "tokenizer":
            parts.append(_part(child, f"{name}: tokenizer {len(parts) + 1}"))
        else:
            what = f"<tokenizers> holds <{child.tag!s}>; it must hold <tokenizer>"
            raise FormatError(what, file=name)
    if not parts:
        raise FormatError("<tokenizers> is empty; it must name a tokenizer first", file=name)
    return tuple(parts)


def _part(item: xml.Element, place: str) -> PartSpec:
    given = {str(key): str(value) for key, value in item.attrib.items()}
    part = given.pop("name", "")
    if not part:
        raise FormatError(f'{place} has no name; write <tokenizer name="…">')
    options: dict[str, Option] = {key: literal(value) for key, value in given.items()}
    for key, parameter, values in _parameters(item, f"{place} ({part:.60})"):
        options[key] = tuple(values) or literal(_text(parameter))
    return PartSpec.of(part, **options)


def _parameters(
    items: Iterable[xml.Element], place: str
) -> Iterator[tuple[str, xml.Element, list[str]]]:
    """The `<parameter name="…">` elements, which alone may stand there: name, element, values."""
    for item in items:
        name = item.get("name")
        if xml.local(item) != "parameter" or not name:
            raise FormatError(f'{place}: options and values stand in <parameter name="…">')
        yield name, item, [each.text or "" for each in item if xml.local(each) == "value"]


def _text(item: xml.Element) -> str:
    return (item.text or "").strip()


def literal(text: str) -> Option:
    """Parse a value: a number, true, false, or the text itself.

    >>> literal("3"), literal("0.5"), literal("true"), literal("english")
    (3, 0.5, True, 'english')
    """
    number = xml.number_or_none(text)
    return _LITERALS.get(text, text) if number is None else number


def chain_lines(chain: Sequence[PartSpec]) -> Iterator[str]:
    """The `<tokenizers>` element."""
    yield xml.opened("tokenizers")
    for part in chain:
        yield xml.opened("tokenizer", name=part.name)
        for key, value in part.options:
            if isinstance(value, tuple):
                yield xml.opened("parameter", name=key)
                yield from (f"<value>{xml.escaped(item)}</value>\n" for item in value)
                yield xml.closed("parameter")
            else:
                yield xml.element("parameter", spelled(value), name=key)
        yield xml.closed("tokenizer")
    yield xml.closed("tokenizers")


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
        if xml.local(child) != "output" or not key:
            raise FormatError(f'{name}: <outputConfiguration> holds <output name="…"> alone')
        parameters = _parameters(child, f"{name}: output {key:.60}")
        options = {option: literal(_text(item)) for option, item, _ in parameters}
        outputs[key] = options or literal(_text(child) or "true")
    return outputs


def _root(file: IO[bytes], name: str, tag: str, what: str) -> xml.Element:
    """The whole element of that tag that a file consists of."""
    stream = xml.events(file, name)
    root = xml.root_in(stream, name, what, tag)
    deque(stream, 0)
    return root


def read_plan_table(file: IO[bytes], name: str) -> dict[str, Any]:
    """The plan in an `<experiment>` file, in the form of its TOML table.

    A `<parameter name="…">` holds a value, several in a `<value>` each, or a range as attributes;
    parts hold their options in such elements. `name` is the file's, for messages. Raises
    FormatError.
    """
    table: dict[str, Any] = {}
    for child in _root(file, name, "experiment", "a plan of an experiment"):
        kind = xml.local(child)
        named = {"name": str(child.get("name"))} if child.get("name") else {}
        if kind == "dataset":
            paths = [_text(item) for item in child if xml.local(item) == "path"]
            table["dataset"] = {**named, "path": paths or [_text(child)]}
        elif kind == "group":  # the recipe that it names, or its chain
            chains = [item for item in child if xml.local(item) == "tokenizers"]
            group: str | dict[str, Any] = _text(child)
            if chains:
                tokenizer, *filters = map(_table, chain_from(chains[0], name))
                group = {**named, "tokenizer": tokenizer, "filters": filters}
            table.setdefault("groups", []).append(group)
        elif kind in _PARTS:
            if not named:
                raise FormatError(f'a {kind} has no name; write name="…"', file=name)
            table.setdefault(_PARTS[kind], []).append({**named, **_values(child, name)})
        elif kind == "parameter":
            table |= _values([child], name)
        else:
            raise FormatError(f"<experiment> holds {_HOLDS} alone", file=name)
    return table


def _table(part: PartSpec) -> dict[str, Any]:
    options = dict(part.options)
    lists = {key: list(value) for key, value in options.items() if isinstance(value, tuple)}
    return {"name": part.name, **options, **lists}


def _values(items: Iterable[xml.Element], name: str) -> dict[str, Any]:
    """The value of each parameter: one, several, or the ends and the step of a range."""
    table: dict[str, Any] = {}
    for key, item, values in _parameters(items, name):
        limits = {str(end): literal(str(value)) for end, value in item.attrib.items()}
        del limits["name"]
        several = [literal(value.strip()) for value in values]
        table[key] = limits or several or literal(_text(item))
    return table
