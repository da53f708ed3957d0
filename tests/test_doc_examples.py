"""Examples are left alone where they fit their output and otherwise rewritten."""

from typing import Any

from tests.support.doc_examples import fitted, python, rewritten

STDOUT = [" term   df ", " ─────────", " bees    3"]
STDERR = ["8 added; 8 documents in texts.sdx", "wrote 3f2a.xml"]


def test_lines_that_fit_stay_whatever_their_blanks_and_elisions() -> None:
    for shown in (
        ["term df", "─────────", "", "bees 3"],
        ["8 added; 8 documents in texts.sdx", *STDOUT],
        ["term df", "…"],
        [*STDOUT, "wrote ….xml"],
    ):
        assert fitted(shown, STDOUT, STDERR) == shown


def test_other_lines_are_replaced_by_the_output() -> None:
    shown = ["term df", "bees 4", "wrote ….xml"]
    expected = [*(line.rstrip() for line in STDOUT), STDERR[0], "wrote ….xml"]
    assert fitted(shown, STDOUT, STDERR) == expected
    assert fitted([], ["3"], ["done"]) == ["3", "done"]
    assert fitted([], [], ["done"]) == []
    assert fitted(["3"], ["4"], ["done"]) == ["4"]


def test_the_output_of_a_session_is_replaced_where_it_differs() -> None:
    names: dict[str, Any] = {}
    session = ">>> size = 2\n>>> size\n3\n>>> [\n...     size,\n... ]\n[2]\n>>> 'a' * size\n'…'\n"
    assert python(session, names, "page") == session.replace("\n3\n", "\n2\n")
    assert names["size"] == 2


def test_blocks_are_rewritten_in_place() -> None:
    page = "text\n```sh\n1\n```\n\n```console\n2\n```\nend\n"
    assert rewritten(page, lambda language, content: f"{language} {content}") == (
        "text\n```sh\nsh 1\n```\n\n```console\nconsole 2\n```\nend\n"
    )
