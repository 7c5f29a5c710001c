"""
A tumour, and how many reasons there are
========================================

scikit-learn's breast-cancer data. One tumour is classified; there are many sets of facts that force
the class, and they can be counted exactly without listing them.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import cattleya

cancer = load_breast_cancer(as_frame=True)
kept, tried, kept_label, _ = train_test_split(cancer.data, cancer.target, random_state=0)
model = DecisionTreeClassifier(random_state=0).fit(kept, kept_label)
explainer = cattleya.Explainer(model, class_names=cancer.target_names)
e = explainer.explain(tried.iloc[[3]])

# %%
# The paper's conditions, each independent of the others:
print(e.prediction_name, "because", e.minimal_reason())
print(f"{e.count():,} sufficient reasons, by size: {e.count_by_size()}")

# %%
# What is in all of them, and what in none:
print("decisive:", *map(str, e.necessary()), sep="\n  ")
print("played no part:", *map(str, e.irrelevant()), sep="\n  ")

# %%
cattleya.plots.importance(e)
