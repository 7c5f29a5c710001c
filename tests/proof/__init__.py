"""Proofs: right, and independent of the search."""
