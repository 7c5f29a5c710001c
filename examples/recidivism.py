"""
A protected feature
===================

A tree predicts who will re-offend. How many of its decisions depend on where somebody comes from?
"""

from tables import defendants

import cattleya

table = defendants()
model = cattleya.train(table.iloc[:1000], "within two years")
tried = table.iloc[1000:].drop(columns="within two years")
explainer = cattleya.Explainer(model, over="intervals", data=tried)

# %%
# Every decision is asked whether a change of ``origin`` or ``sex`` alone would change it. The
# answer is exact: it is not a correlation, and no pair of rows of the table needs to show it.
fairness = explainer.is_fair(tried, ["origin", "sex"])
print(fairness)

# %%
# One of those that depend on them, and the row that shows it:
e = explainer.explain(tried.iloc[[fairness.rows[0]]])
print(e.is_fair(["origin", "sex"]))
print(e.prediction, "because", e.reason())

# %%
# Without them, is there a reason at all? Every sufficient reason mentions one of them where not.
print(e.is_free_of(["origin", "sex"]))

# %%
# The path of the row in the tree, with the reason marked:
cattleya.plots.tree(e)
