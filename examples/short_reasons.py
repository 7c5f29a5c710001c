"""
Two or three facts, and how often they are right
================================================

What forces a decision may take many facts. A short reason takes few, and says exactly how many rows
of a table with these facts get the same decision: counted, not estimated.
"""

from tables import people

import cattleya

table, others = people(3000), people(3000, seed=1)
model = cattleya.train(table, "income", size="full")
among = others.drop(columns="income")
e = cattleya.Explainer(model, over="intervals", data=among).explain(among.iloc[[5]])

# %%
# What forces the decision, and what usually goes with it:
print(len(e.reason()), "facts force it:", e.reason())
short = e.short_reason(precision=0.9, among=among)
print(short)
print(f"right for {float(short.precision):.1%} of the rows that have these facts")

# %%
# The rows that have these facts and another decision:
print(short.exceptions(among))

# %%
# What each further fact gains:
cattleya.plots.trade_off(e, among=among)
