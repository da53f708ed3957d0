"""Records: many texts in one file, each with an id and metadata; and metadata of other files."""

from sdtext.reading.records.metadata_files import load_metadata
from sdtext.reading.records.record import Fields, Record
from sdtext.reading.records.record_files import (
    check_filled,
    expected_records,
    format_in,
    holds_records,
    longest_text,
    place_of_record,
    records_in,
    table_at,
)

__all__ = [
    "Fields",
    "Record",
    "check_filled",
    "expected_records",
    "format_in",
    "holds_records",
    "load_metadata",
    "longest_text",
    "place_of_record",
    "records_in",
    "table_at",
]
