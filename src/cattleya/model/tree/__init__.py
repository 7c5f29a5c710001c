"""A tree and its rows."""
