"""Bytes of files: compression, limits, archives, atomic writing."""
