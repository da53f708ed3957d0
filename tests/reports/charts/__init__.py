"""Charts as their template draws them."""

from typing import Any

from lxml import etree

from sdtext.reports.html.report_page import templates


def drawing_of(name: str, *values: Any) -> etree._Element:
    """The chart of that name for some values."""
    charts: Any = templates().get_template("charts.html").module
    return etree.fromstring(str(getattr(charts, name)(*values)))
