"""The explorer: a page on the user's own machine, to ask, to change values and to see.

It shows what ``explain`` and ``batch`` find out, in the words and templates of ``present``, and
computes nothing itself. ``state`` is what an address holds; ``table`` the rows, read as they are
shown; ``view`` what stands on a page; ``asking`` runs questions within bounds; ``guard`` decides
who may ask; ``app`` puts them together, and ``server`` runs it.
"""
