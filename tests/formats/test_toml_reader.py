"""TOML from outside: what is parsed, and what is refused before it is."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError, SdtextError
from sdtext.formats.toml_reader import table_in

PARTS = st.sampled_from(["a", '"b"', '"."', "'.'", r'"\""', "1"])
VALUES = st.sampled_from(
    ["1.5", "[1.5, 2.5]", '"a.b.c"', '"""a.b\n.c\\""""', "'''a.\n.b'''", "{c.d = '.'}", "'#.'"]
)


@given(st.lists(PARTS, min_size=1, max_size=32), st.sampled_from([".", " . "]), VALUES)
def test_a_key_of_up_to_32_parts_is_parsed(parts: list[str], dot: str, value: str) -> None:
    text = f"{dot.join(parts)} = {value} # {'.' * 40}\n[x.{dot.join(parts[:31])}]\n"
    assert table_in(text.encode(), "r.toml", "a recipe") == tomllib.loads(text)


@given(
    st.lists(PARTS, min_size=33, max_size=60),
    st.sampled_from([".", " . "]),
    st.sampled_from(["{} = 1", "[{}]", "[[{}]]", "x = {{ {} = 1 }}", "x = [{{y = 1, {} = 2}}]"]),
    VALUES,
)
def test_a_longer_key_is_refused(parts: list[str], dot: str, form: str, value: str) -> None:
    text = f"first = {value}\n{form.format(dot.join(parts))}\n"
    with pytest.raises(OptionError):
        table_in(text.encode(), "r.toml", "a recipe")


@given(st.integers(0, 40), st.sampled_from(["[]", "{a=}"]), st.sampled_from(["'", '"', "#\n"]))
def test_only_the_depth_of_brackets_is_limited(depth: int, pair: str, quote: str) -> None:
    start, end = pair[:-1], pair[-1]
    inner = quote if "#" in quote else f"{quote}{'[{' * 40}{quote}"
    text = f"x = {start * depth}1{end * depth}\ny = [{', '.join(['[]'] * 40)}]\nz = [1, {inner}]\n"
    data = text.replace("#", f"#{'[{' * 40}").encode()
    if depth > 32:
        with pytest.raises(OptionError):
            table_in(data, "r.toml", "a recipe")
    else:
        assert table_in(data, "r.toml", "a recipe") == tomllib.loads(data.decode())


@pytest.mark.parametrize("piece", ["f", '"""\\', "'''", '"\\', "'", ".", '"""', "[", "{a="])
def test_a_file_without_sense_is_refused_at_once(piece: str) -> None:
    begin = "x = 0x" if piece == "f" else ""  # a number that cannot be printed
    data = (begin + piece * (1 << 20))[: 1 << 20].encode()
    with pytest.raises(SdtextError):
        table_in(data, "r.toml", "a recipe")
    with pytest.raises(OptionError):
        table_in(data + b"\n", "r.toml", "a recipe")
