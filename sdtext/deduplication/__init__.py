"""Deduplication: which documents of a collection or a file of records to keep."""
