"""Readers of PDF, with and without OCR."""
