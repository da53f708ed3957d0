"""The version of this package, alone, so that the build can read it."""

__version__ = "0.2.0"
