"""sdtext: find which documents share content, and where, by fingerprints that can be shared.

- `similarity` compares two texts; `deduplicate` takes files, records, or Documents made of texts
  (`Document.of`).
- `create` and `open` give collections, which are searched with `pairs`, `similar` and `reuse`.
- `find_reuse` finds the passages that documents share.
- `create_dictionary`, `fingerprint`, `score` and `compare` work with fingerprints to be shared.

`help(sdtext.similarity)` explains a function with an example. The stub beside this file,
`__init__.pyi`, is the one table of the public names; all else may change. A name is loaded when it
is first used.
"""

from __future__ import annotations

# Nothing is imported before the command line handles Ctrl-C.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    _Names = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]
_loaded: list[_Names] = []


def _names_of_stub() -> _Names:
    """The functions that load a name and list all names, and the public names."""
    if not _loaded:
        import lazy_loader  # not for the command line, which uses none of these names

        _loaded.append(lazy_loader.attach_stub(__name__, __file__))
    return _loaded[0]


def __dir__() -> list[str]:
    return _names_of_stub()[1]()


def __getattr__(name: str) -> object:
    load, _, public = _names_of_stub()
    if name == "__all__":
        return public
    try:
        return load(name)
    except AttributeError:
        if name in public:
            raise
    import sys

    words, module = f"module {__name__!r} has no attribute {name!r}", sys.modules[__name__]
    raise AttributeError(words, name=name, obj=module)  # so that Python asks "Did you mean …?"
