"""The documentation as a site: `sphinx-build -W -c docs/site . build/site`.

The pages are README.md and the files of docs/ as they are; the API reference is made of docstrings.
Nothing is loaded from other places, and the search works in files, too.
"""

import inspect
import re
from pathlib import Path
from typing import Any

import sdtext

project, author = "sdtext", "The sdtext authors"
release = version = sdtext.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["*.md", "dictionaries/README.md", "docs/*.md", "docs/site/api.md"]
exclude_patterns = [".*", "benchmarks", "build", "configs", "sdtext", "tests"]
html_theme = "furo"
html_title = f"sdtext {release}"
html_show_search_summary = False  # which would be fetched, and files cannot be
html_copy_source = html_show_sourcelink = False
myst_heading_anchors = 4  # as code hosts name them
smartquotes = False
default_role = "literal"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 60
python_use_unqualified_type_names = True
suppress_warnings = ["misc.highlighting_failure"]

_SIDEBAR = """
docs/start docs/tasks docs/python docs/site/api docs/ideas docs/parts docs/formats docs/sharing
docs/experiments docs/web docs/spark docs/errors docs/measured docs/encodings docs/vectors
dictionaries/README
"""
"""The first pages of the sidebar, in order; all others follow."""


def _api() -> str:
    """A directive for each public name: functions, then classes, then errors."""
    kinds: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    for name in sdtext.__all__:
        item = getattr(sdtext, name)
        if inspect.isclass(item):
            kind = "Errors" if issubclass(item, Exception) else "Classes"
            members = ", ".join(_members(item))
            lines = [f".. autoclass:: sdtext.{name}", f"   :members: {members}"]
            lines.append("   :undoc-members:")
        elif callable(item):
            kind, lines = "Functions", [f".. autofunction:: sdtext.{name}"]
        else:
            continue
        kinds[kind].append("\n".join(lines))
    return "\n".join(
        "\n\n".join([f"## {kind}", "```{eval-rst}", *items, "```"]) for kind, items in kinds.items()
    )


def _members(item: type) -> list[str]:
    """The own members of a class whose docstring names inherited ones, and these; else none."""
    named = re.findall(r"`(\w+)`", item.__doc__ or "")
    inherited = [name for name in named if name not in vars(item) and hasattr(item, name)]
    own = [name for name in vars(item) if not name.startswith("_")]
    return own + inherited if inherited else []


def _complete(app: Any, page: str, source: list[str]) -> None:
    """Add the sidebar to the first page, and the reference to its own."""
    source[0] = re.sub(r"\[([^]]+)\]\((?:\.\./)?[a-z]+/?\)", r"\1", source[0])  # links to folders
    if page == root_doc:
        listed = _SIDEBAR.split()
        pages = [*listed, *sorted(app.env.found_docs - {root_doc, *listed})]
        source[0] += "\n".join(["\n```{toctree}", ":hidden:", "", *pages, "```\n"])
    elif page == "docs/site/api":
        source[0] += _api()


def _lead_to_first_page(app: Any, _error: object) -> None:
    page = f'<!doctype html><meta http-equiv="refresh" content="0; url={root_doc}.html">\n'
    Path(app.outdir, "index.html").write_text(page, "utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _complete)
    app.connect("build-finished", _lead_to_first_page)
