"""What a user may get wrong, as data: each call and command is run as it is written.

``prepared`` has what they are about, ``case`` what they are; the texts list the cases, one part of
the interface each. ``tests/safety/test_bad_input.py`` runs them.
"""
