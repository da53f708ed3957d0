"""The XML that is shared: recipes, dictionaries, fingerprints. Each has a schema in schemas/."""

NAMESPACE = "urn:sdtext"
"""The namespace of every element that sdtext writes."""
