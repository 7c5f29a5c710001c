"""Limits of time and memory, and files: what knows no tree."""
