"""Proves or refutes what is said of a row; sees only ``model/`` and its own part of the core.

What a proof has in common with the search, and why that cannot hide a fault of it:

- Plain values: the arrays of the tree, the row, the attributes of the domain, conditions as they
  are given or read from their text. A proof is about what these say. Which class the tree gives to
  a row is read off its arrays (in ``conditions``, and by ``Tree.apply``), and so are the row's
  conditions; the class that an explanation claims must be the same.
- The numbering of the conditions (``model.conditions.tests``). It is checked against the tree when
  a prover is made: each node's condition is the node's test, and no two conditions are the same. A
  condition that is asked about is checked against the test of its number.
- Between which two values a threshold parts a number (``Number.last``). It is checked for each
  threshold (``beside``).

What remains is a definition that both take: which values a number can have and what the tree sees
of each (the attributes of ``Number`` and its ``to_tree``), which values a category has, and how a
condition is worded in the user's units. Were one of these wrong, search and proof would be wrong
alike. They are held against the definitions themselves, all rows of small domains and the
pipelines of scikit-learn, by the tests, as is the proof as a whole. On the native side, both check
with the same code that the nodes are a tree (``shape``), and stop by the same clock (``budget``).

Of an ensemble (``ensemble``) three more things are shared:

- The sums of a row (``Ensemble.margins_of``, ``src/core/ensemble``), by which the search confirms
  each row that it finds, and to which the proof gives one row of every cell. They are the
  definition of what the model decides, and are held against each library bit by bit. The search
  decides whole boxes without them, by its own tables (``src/core/ensemble_search``), and integer
  programming takes the leaves' numbers as they are, and adds by itself.
- Which outcome a sum has (``cuts``), where a target asks for more than the predicted class.
- The columns that sets of categories become (``model.ensemble.category_columns``). That they decide
  as the sets do is tested by itself, on random ensembles and on models of each library.

Nothing else is shared: ``tests/proof`` lists each module and file that a proof
reaches, and plants faults in the search that the proof must find.
"""
