"""The `<outputConfiguration>` element: the fields to write with a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING

from sdtext.errors import FormatError
from sdtext.formats.hardened_xml_reader import check_version, events, local
from sdtext.formats.tokenizer_chain_xml import literal
from sdtext.model import Option

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

Output = Option | Mapping[str, Option]


def read_outputs(file: IO[bytes], name: str) -> dict[str, Output]:
    """The outputs in an `<outputConfiguration>` file, in the form of the TOML tables.

    `<output name="…"/>` asks for an output; it may hold true or false, or its options, each in a
    `<parameter name="…">`. `name` is the file's, for messages. Raises FormatError.
    """
    outputs: dict[str, Output] = {}
    root = None
    for _, element in events(file, name):
        root = element if root is None else root
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
