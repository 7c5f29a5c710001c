"""Exact explanations of ensembles: which facts force an outcome, and which changes reach another.

Every answer rests on one question, which the native search settles: is there a row in a box with
another outcome? (``src/core/ensemble_search``.)
"""
