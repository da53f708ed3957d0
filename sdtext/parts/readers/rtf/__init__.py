"""Reader of RTF."""
