"""Formats of files of records, and which one the name of a file says."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from os.path import splitext
from pathlib import Path

_QUERY = re.compile(r"(?<=^http)(s?:[^?#]*)[?#].*", re.DOTALL)
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
TEXT_ENDINGS = (
    *(".html", ".htm", ".xhtml", ".xml", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".tab"),
    *(".toml", ".yaml", ".yml"),
)
_ENDINGS = {
    *TEXT_ENDINGS,
    *(".eml", ".svg", ".png", ".jpg", ".jpeg", ".pdf"),
    *(".doc", ".docx", ".odt", ".rtf", ".epub", ".ppt", ".pptx", ".ods", ".xls", ".xlsx"),
    *(".arrow", ".arrows", ".avro", ".feather", ".ipc", ".orc", ".parquet"),
    *(".db", ".sdx", ".sqlite"),
    *(".7z", ".br", ".lz4", ".lzma", ".rar", ".tar", ".tgz", ".z", ".zip"),
}
"""Endings of names that say a format; that of a result in another format is no such name."""


@dataclass(frozen=True)
class RecordFormat:
    """A format of records.

    `name` is that of options, `called` that of messages, and `noun` what holds one record. A file
    whose name ends in one of `suffixes` is in this format, also compressed if `is_packed`.
    """

    name: str
    called: str
    suffixes: tuple[str, ...]
    noun: str = "line"
    is_packed: bool = True

    @property
    def endings(self) -> str:
        """How names of such files end, for messages.

        >>> JSON_LINES.endings, PARQUET.endings
        ('.jsonl (or .jsonl.gz and the like)', '.parquet')
        """
        first = self.suffixes[0]
        return f"{first} (or {first}.gz and the like)" if self.is_packed else first


JSON_LINES = RecordFormat("jsonl", "JSON lines", (".jsonl", ".ndjson"))
JSON_ARRAY = RecordFormat("json", "a JSON array", (".json",), "element")
CSV = RecordFormat("csv", "CSV", (".csv",))
TSV = RecordFormat("tsv", "TSV", (".tsv", ".tab"))
PARQUET = RecordFormat("parquet", "Parquet", (".parquet",), "row", is_packed=False)

FORMATS = {each.name: each for each in (JSON_LINES, JSON_ARRAY, CSV, TSV, PARQUET)}
DELIMITED = (CSV, TSV)
BY_SUFFIX = {suffix: each for each in FORMATS.values() for suffix in each.suffixes}


def format_of(path: str | Path) -> RecordFormat | None:
    """The format that the name of a file says; None for other names.

    >>> [kind and kind.name for kind in map(format_of, ("a.NDJSON.gz", "a.csv", "a.txt.gz"))]
    ['jsonl', 'csv', None]
    """
    suffix, is_packed = ending_of(path)
    named = BY_SUFFIX.get(suffix)
    return named if named and (named.is_packed or not is_packed) else None


def ending_of(path: str | Path) -> tuple[str, bool]:
    """The ending of a name that says a format, and whether that of a compression follows it.

    >>> ending_of("a.CSV.gz"), ending_of("a.csv"), ending_of("a.gz"), ending_of("a")
    (('.csv', True), ('.csv', False), ('.gz', False), ('', False))
    """
    root, ending = splitext(_QUERY.sub(r"\1", str(path)).lower())  # noqa: PTH122 (Path is slow)
    packed = splitext(root)[1] if ending in COMPRESSIONS else ""  # noqa: PTH122
    return (packed, True) if packed else (ending, False)


def names_other_format(path: str | Path, endings: Iterable[str]) -> bool:
    """Whether a name says a format other than that of the `endings`, such as of a spreadsheet.

    So does that of compressed Parquet, which is neither read nor written.

    >>> [names_other_format(name, [".csv"]) for name in ("a.xlsx", "a.csv", "a.csv.gz", "a.txt")]
    [True, False, False, False]
    """
    is_packed_parquet = ending_of(path) == (".parquet", True)
    return is_packed_parquet or Path(path).suffix.lower() in _ENDINGS - {*endings}
