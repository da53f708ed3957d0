"""The XML that is shared: recipes, dictionaries, fingerprints. Each has a schema in schemas/."""

NAMESPACE = "urn:sdtext:xml"
"""The namespace of every element that sdtext writes."""
