"""Proves or refutes what is said of a row; sees only ``model/`` and its own part of the core."""
