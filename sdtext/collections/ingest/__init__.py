"""Adding documents to a collection."""
