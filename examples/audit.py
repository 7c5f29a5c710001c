"""
An audit of a whole model
=========================

Not about one person: can ``sex`` alone change any decision of this model, of any person there could
be? Does more education ever count against somebody? What does the model use at all?
"""

from tables import people

import cattleya

table = people()
model = cattleya.train(table, "income")
rows = table.drop(columns="income")
explainer = cattleya.Explainer(model, over="intervals", data=rows)

# %%
# Proved over everything that rows can be, or refuted by two rows that differ in ``sex`` only:
audit = explainer.audit(protected=["sex"], data=rows, monotone={"education-num": "up"})
print(audit)

# %%
# How the decisions of the table rest on the features:
summary = explainer.summarise(rows.iloc[:300])
summary.plot_importance()
