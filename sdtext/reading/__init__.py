"""From files, archives and records to documents."""
