"""
Two mails, and what would change them
=====================================

Counts of words decide. For each minimal change: the nearest values that do it, and what follows.
"""

from tables import mails

import cattleya

table = mails()
model = cattleya.train(table.iloc[:1200], "kind")
tried = table.iloc[1200:].drop(columns="kind")
explainer = cattleya.Explainer(model, over="intervals", data=tried)

# %%
for number in (0, 1):
    e = explainer.explain(tried.iloc[[number]])
    print(e.prediction, "because", e.reason())
    for change in e.changes(limit=4):
        print("  ", change)

# %%
# The changes of the second mail as a picture:
cattleya.plots.contrast(e)
