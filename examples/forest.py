"""
A forest
========

A random forest decides by the mean of its trees' probabilities. Which facts force that decision,
whatever the others are, is answered exactly.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import cattleya

cancer = load_breast_cancer(as_frame=True)
kept, tried, kept_label, _ = train_test_split(cancer.data, cancer.target, random_state=0)
model = RandomForestClassifier(50, max_depth=5, random_state=0).fit(kept, kept_label)
explainer = cattleya.Explainer(model, class_names=cancer.target_names, over="intervals")
e = explainer.explain(tried.iloc[[0]])

# %%
# A quick reason is enough for the decision, and found by bounds alone; from an exact one nothing
# can be left out.
quick, exact = e.quick_reason(), e.sufficient_reason(timeout=30)
print(f"quick: {len(quick)} facts; exact: {len(exact)} facts, irredundant: {exact.irredundant}")
print(e.prediction_name, "because", exact)

# %%
# The nearest row that is decided otherwise, and another method's word on the reason:
print(e.counterfactuals(1, timeout=30)[0])
print(e.verify(exact))

# %%
# What a search is worth: how many facts the two kinds of reasons have, for some rows.
some = [explainer.explain(tried.iloc[[number]]) for number in range(12)]
found = [(len(one.quick_reason()), len(one.sufficient_reason(timeout=30))) for one in some]
figure, axes = plt.subplots(figsize=(6, 3), layout="constrained")
for place, (by_bounds, needed) in enumerate(sorted(found)):
    axes.plot([needed, by_bounds], [place, place], color="lightgrey", zorder=0)
axes.plot([one for one, _ in sorted(found)], range(len(found)), "o", label="quick reason")
axes.plot([one for _, one in sorted(found)], range(len(found)), "s", label="exact reason")
axes.set(xlabel="facts", ylabel="rows", yticks=[], xlim=(0, None))
axes.legend()
