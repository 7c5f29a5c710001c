"""Explanations of ensembles: against all rows of small ones, and on real data."""
