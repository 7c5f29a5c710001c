"""Ensembles, in the words of a single tree: what their explanations share, and each of them."""
