"""A tree, the values its rows can have, and what can be said of them: plain values."""
