"""What a user may get wrong, as data: each call and command is run as it is written.

``prepared`` has what they are about, ``case`` what they are; the other files are the cases, a
folder's worth of them each. ``tests/test_bad_input.py`` runs them, and
``tests/document_bad_input.py`` writes them down for users, in ``docs/bad_input.md``.
"""
