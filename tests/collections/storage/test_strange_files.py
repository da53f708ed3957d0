"""Links, pipes and devices in place of files are never followed or read."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary
from tests.collections.stock import RECIPE, names, new_collection

pytest.importorskip("fcntl", reason="only Unix has named pipes")

Put = Callable[[Path], object]
STRANGE: tuple[Put, ...] = (
    os.mkfifo,
    lambda path: path.symlink_to("/dev/zero"),
    lambda path: path.symlink_to(path.parent / "elsewhere"),
    Path.mkdir,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_collection(tmp_path / "x.sdx", names(3))


def segment_of(path: Path) -> StoredSegment:
    (segment,) = StoredCollection.open(path).segments()
    return segment


def damage_in(path: Path) -> list[tuple[str | None, str]]:
    """The damage: each place, and what is said of it."""
    return [(item.path, item.message) for item in StoredCollection.open(path).verify()]


@pytest.mark.parametrize("put", STRANGE)
def test_in_place_of_a_dictionary(tmp_path: Path, put: Put) -> None:
    dictionary = Dictionary.of({"bee": 3, "of": 9}, 9, RecipeSpec(PartSpec("words")))
    with StoredCollection.create(tmp_path / "x.sdx", RECIPE, [dictionary]).writing():
        pass
    (file,) = (tmp_path / "x.sdx" / "dictionaries").iterdir()
    file.rename(file.with_name("elsewhere"))
    put(file)
    with pytest.raises(FormatError, match="is damaged: is not a plain file; restore"):
        _ = StoredCollection.open(tmp_path / "x.sdx").dictionaries
    ((place, message),) = damage_in(tmp_path / "x.sdx")
    assert place == str(file)
    assert "is not a plain file" in message
    assert message.count(str(file)) == 1


@pytest.mark.parametrize("put", STRANGE)
def test_in_place_of_what_is_derived(path: Path, put: Put) -> None:
    segment_of(path).derived("key", lambda: np.arange(3))
    (file,) = path.glob("segments/1/derived/*.npy")
    file.rename(file.with_name("elsewhere"))
    before = file.with_name("elsewhere").read_bytes()
    put(file)
    for array in (np.arange(4), np.arange(5)):
        there = segment_of(path).derived("key", partial(np.copy, array))
        assert there.tolist() == array.tolist()
    assert file.with_name("elsewhere").read_bytes() == before
    ((place, message),) = damage_in(path)
    assert place == str(file)
    assert "is not a plain file; delete this file; it will be recreated" in message


@pytest.mark.parametrize("put", [os.mkfifo, Path.touch, None])
def test_in_place_of_the_folder_of_what_is_derived(
    path: Path, tmp_path: Path, put: Put | None
) -> None:
    folder = path / "segments" / "1" / "derived"
    (tmp_path / "outside").mkdir()
    if put:
        put(folder)
    else:
        folder.symlink_to(tmp_path / "outside")
    assert segment_of(path).derived("key", lambda: np.arange(3)).tolist() == [0, 1, 2]
    assert list((tmp_path / "outside").iterdir()) == []
    assert segment_of(path).derived("key", lambda: np.arange(4)).tolist() == [0, 1, 2, 3]
    ((place, message),) = damage_in(path)
    assert (place, "is not a folder" in message) == (str(folder), True)


@pytest.mark.parametrize("part", ["segments", "segments/1"])
def test_links_to_segments_are_refused(path: Path, tmp_path: Path, part: str) -> None:
    (path / part).rename(tmp_path / "outside")
    (path / part).symlink_to(tmp_path / "outside")
    with pytest.raises(FormatError, match=f"x.sdx/{part}: is damaged: is not a folder; restore"):
        StoredCollection.open(path)


@pytest.mark.parametrize(
    "like", [("<i4", (3, 2)), ("<i8", (4, 2)), ("<i8", (3,)), ("<i8", (6,)), ("<i8", (3, 2, 1))]
)
def test_invalid_cached_arrays_are_computed_again(
    path: Path, like: tuple[str, tuple[int, ...]]
) -> None:
    segment_of(path).derived("key", lambda: np.zeros((3, 2), np.int64))
    kept = np.zeros((3, 2), np.int64), ("<i8", (-1, 2))
    assert segment_of(path).derived("key", _never, kept[1]).tolist() == kept[0].tolist()
    fresh = np.ones(like[1], like[0])
    for make in (lambda: fresh, _never):
        again = segment_of(path).derived("key", make, like)
        assert (again.dtype, again.tolist()) == (fresh.dtype, fresh.tolist())


def _never() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    raise AssertionError("it is there")
