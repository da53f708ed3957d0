"""Reports: rows in, a table for people or a format for programs out."""
