"""Attacks on the library: random trees against brute force, bad files, load.

``python -m fuzz`` draws small trees and asks every question of the public interface about a row of
each; every answer is held against the definitions (``tests.oracles``) and the other answers.
``python -m fuzz.middling`` does so on trees too large for brute force, with a model counter beside.
``python -m fuzz.models`` trains models of the learning libraries and compares what they say with
the ensembles read from them. ``python -m fuzz.readers`` feeds damaged files to what reads files,
and ``python -m fuzz.load`` asks from many threads and processes at once, with limits and
interrupts. None is part of the package.
"""
