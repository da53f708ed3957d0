"""Repeated passages: paragraphs, sentences and longer runs of words, each removed but its first."""
