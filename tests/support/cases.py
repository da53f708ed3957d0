"""A table of cases for one test, which is one item however many rows it has."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def cases(names: str, rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test for each row, as `pytest.mark.parametrize` does, but within one item.

    `names` are those of the parameters, "a, b"; a failure names its row in a note.
    """
    keys = names.replace(",", " ").split()
    table = [dict(zip(keys, [row] if len(keys) == 1 else row, strict=True)) for row in rows]
    assert table

    def decorate(test: Test) -> Test:
        def run(**fixtures: Any) -> None:
            for row in table:
                try:
                    test(**fixtures, **row)
                except BaseException as error:
                    error.add_note(f"case: {row!r}"[:1000])
                    raise

        signature = inspect.signature(test)
        others = [each for key, each in signature.parameters.items() if key not in keys]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.__dict__["__signature__"] = signature.replace(parameters=others)
        run.__dict__["pytestmark"] = getattr(test, "pytestmark", [])
        return run

    return decorate
