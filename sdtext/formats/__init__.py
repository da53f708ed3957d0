"""The XML that is shared: recipes, dictionaries, fingerprints, output configurations.

schemas/sdtext.rng describes it.
"""

NAMESPACE = "urn:sdtext:xml"
"""The namespace of every element that sdtext writes."""
