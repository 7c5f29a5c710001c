"""The peers, each a program: ``python -m cattleya.experiments.peers.workers.NAME GIVEN RESULT``.

GIVEN is a pickle of a dict, RESULT gets a JSON list, one entry per row, written anew after each,
so that a crash loses none of those before it. None of these modules is imported by the library.
"""
