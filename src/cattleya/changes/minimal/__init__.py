"""Minimal changes: the values that each leads to, and the class that follows."""
