"""File formats: recipes, dictionaries, fingerprints, output configurations, evidence.

schemas/sdtext.rng describes it, and schemas/evidence.rng the evidence.
"""

NAMESPACE = "urn:sdtext:xml"
"""The namespace of every element that sdtext writes, except in evidence."""

EVIDENCE = "urn:sdtext:evidence"
"""The namespace of evidence: where documents share text."""
