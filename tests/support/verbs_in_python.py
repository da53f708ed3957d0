"""The table of docs/python.md with the function for each verb."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
TEXT = PAGE.read_text("utf-8").split("## The function for each verb")[1]
TABLE = dict(re.findall(r"^\| (\w+) \| (.*) \|$", TEXT.split("\nOptions have")[0], re.MULTILINE))
del TABLE["verb"]
