"""Configurations as XML: the chain of a tokenizer and its filters, the outputs of a fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats.hardened_xml_reader import check_version, events, local
from sdtext.formats.number_syntax import number_or_none
from sdtext.formats.xml_writer import closed, element, escaped, opened
from sdtext.model import Option, PartSpec

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LITERALS: dict[str, Option] = {"true": True, "false": False}
Output = Option | Mapping[str, Option]


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
