"""
A forest
========

A random forest decides by the mean of its trees' probabilities. Which facts force that decision,
whatever the others are, is answered exactly.
"""

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
