"""
Last year's model and this year's
=================================

The same columns, trained again on more rows. Where do the two models decide differently, over all
that rows can be, and whose decisions change?
"""

import matplotlib.pyplot as plt
from tables import people

import cattleya

old = cattleya.train(people(500), "income")
new = cattleya.train(people(2000, seed=1), "income")
table = people(1000, seed=2).drop(columns="income")

# %%
# The regions are complete: outside of them the two are proved to be the same. A row of each region
# was given to both models.
comparison = cattleya.compare(old, new, data=table, protected=["sex"])
print(comparison)

# %%
# Of the rows of the table, by direction:
figure, axes = plt.subplots(figsize=(6, 2), layout="constrained")
directions = comparison.directions
axes.barh([f"{one[0]} to {one[1]}" for one in directions], list(directions.values()))
axes.set(title=f"{comparison.changed_rows} of {len(table)} decisions change", xlabel="rows")
