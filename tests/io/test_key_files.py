"""Key files: secret ones are for their owner alone, and damage is found."""

from pathlib import Path

import pytest

from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.io.key_files import read_key, write_key

KEY = bytes(range(32))


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SDTEXT_KEY_TEXT")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "own.key"
    write_key("dictionary", KEY, file, lambda: None)
    return file


def test_a_key_is_in_a_file_or_the_environment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError):
        read_key("dictionary")
    assert read_key("dictionary", path) == KEY
    monkeypatch.setenv("SDTEXT_KEY", str(path))
    assert read_key("dictionary") == KEY
    monkeypatch.setenv("SDTEXT_KEY_TEXT", path.read_text())
    monkeypatch.delenv("SDTEXT_KEY")
    path.unlink()
    assert read_key("dictionary") == KEY


def test_a_secret_key_that_others_can_read_is_refused(path: Path) -> None:
    path.chmod(0o640)
    with pytest.raises(UnreadableError, match="600"):
        read_key("dictionary", path)
    write_key("public", KEY, path, lambda: None)
    path.chmod(0o644)
    assert read_key("public", path) == KEY


def test_a_damaged_key_is_an_error_that_does_not_show_it(path: Path) -> None:
    text = path.read_bytes()
    for place in range(len(text) - 1):
        changed = bytearray(text)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(FormatError) as caught:
            read_key("dictionary", path)
        assert KEY.hex()[:16] not in str(caught.value)
    for content in (b"", b"\xff" * 5000, b"\0", text[:-9], text + text):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            read_key("dictionary", path)


def test_a_key_of_another_kind_or_in_place_of_its_file_is_refused(path: Path) -> None:
    with pytest.raises(FormatError, match="signing"):
        read_key("signing", path)
    with pytest.raises(OptionError) as caught:
        read_key("dictionary", path.read_text().strip())
    assert KEY.hex() not in str(caught.value)


@pytest.mark.parametrize("name", ["missing", ".", "a\0b", "x" * 300])
def test_what_is_no_file_is_an_error(name: str) -> None:
    with pytest.raises(SdtextError):
        read_key("signing", name)
