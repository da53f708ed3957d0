"""The version of this package, alone, so that the build can read it."""

VERSION = "0.1.0"
