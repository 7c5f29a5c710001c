"""
Why was the loan refused?
=========================

A bank's tree predicts who earns more than 50,000 a year. It says no to one person. Why, what would
have changed it, and would it have been another answer for a man?
"""

from tables import people

import cattleya

table = people()
model = cattleya.train(table, "income")
rows = table.drop(columns="income")
refused = rows[(model.predict(rows) == "<=50K") & rows["sex"].eq("Female") & rows["age"].gt(40)]
applicant = refused.iloc[[0]]

# %%
# The table is given as well: its columns of whole numbers are read as such, and each reason says
# how many of its rows it covers.
explainer = cattleya.Explainer(model, over="intervals", data=rows)
e = explainer.explain(applicant)
print(e)

# %%
# Of the changes that she could make herself, the smallest:
for other in e.counterfactuals(3, immutable=["age", "sex", "marital-status"], data=rows):
    print(other)

# %%
# Was it because she is a woman? If nothing but ``sex`` were different, would the decision be?
print(e.is_fair(["sex"]))

# %%
# How often each feature is in a reason:
cattleya.plots.importance(e)
