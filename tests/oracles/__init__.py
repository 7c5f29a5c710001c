"""Brute force from the definitions.

No path, leaf or clause that the library computes is ever looked at.
"""
