"""Readers of HTML, XML and EPUB."""
