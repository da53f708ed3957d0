"""Collections on disk: what is kept of many documents, and how it is found again."""
