"""From documents to terms, shingles, windows and sentence codes."""
