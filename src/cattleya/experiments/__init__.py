"""The paper's experiments, run again and run further; uses the library as a user would.

``data`` has the data sets and how they are split, ``table`` the paper's table row by row, ``peers``
the other tools, each in a process of its own. ``growth`` and ``figure`` are experiments of one
module; ``results_page``, ``tables``, ``drawing``, ``progress`` and ``machine`` serve all of them.
"""
