"""Records: many texts in one file, each with an id and metadata; and metadata of other files."""

from sdtext.records.inputs import holds_records, is_records, lines_without, records_in
from sdtext.records.metadata import load_metadata
from sdtext.records.record import Fields, Metadata, Record

__all__ = [
    "Fields",
    "Metadata",
    "Record",
    "holds_records",
    "is_records",
    "lines_without",
    "load_metadata",
    "records_in",
]
