"""Candidates: pairs of documents whose shingles or sketches may reach the least score."""
