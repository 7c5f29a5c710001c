"""
A tree worth explaining
=======================

A full tree knows the table by heart, is wrong more often on new rows, and needs long reasons.
``cattleya.train`` chooses the size by cross-validation.
"""

import statistics

import matplotlib.pyplot as plt
from tables import people

import cattleya

table, fresh = people(3000), people(1000, seed=1)
rows = fresh.drop(columns="income")
sizes, right, lengths = [], [], []
for size in ("chosen", "full"):
    model = cattleya.train(table, "income", size=size)
    explainer = cattleya.Explainer(model, over="intervals", data=rows)
    reasons = [explainer.explain(rows.iloc[[number]]).reason() for number in range(20)]
    sizes.append(f"{size}: {explainer.tree.n_nodes} nodes")
    right.append(100 * model.score(rows, fresh["income"]))
    lengths.append(statistics.median(map(len, reasons)))
    print(f"{sizes[-1]}, {right[-1]:.1f} % right, reasons of {lengths[-1]:g} facts")

# %%
figure, (left, other) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
left.barh(sizes, right)
left.set(title="right on new rows (%)", xlim=(80, 100))
other.barh(sizes, lengths)
other.set(title="facts in a reason (median)", yticks=[])
