"""The version of the library, which results and pages carry."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
