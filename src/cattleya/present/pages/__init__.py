"""Explanations as pages: one file that needs no network, and a fragment for notebooks."""
