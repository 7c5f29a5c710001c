"""
Why is this an 8, and not a 3?
==============================

scikit-learn's digits, 8 x 8 pixels. The reasons of a tree can be drawn on the image.
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import cattleya

digits = load_digits()
kept, tried, kept_label, tried_label = train_test_split(digits.data, digits.target, random_state=0)
model = DecisionTreeClassifier(random_state=0).fit(kept, kept_label)
e = cattleya.Explainer(model, feature_names=digits.feature_names).explain(tried[313])
print(f"The tree says {e.prediction}; in truth it is {tried_label[313]}.")

# %%
# A shortest reason, the heat map of all reasons, and what is in every reason or in some:
cattleya.plots.image(e, shape=(8, 8), reason=e.minimal_reason())

# %%
# Why not another digit? The smallest change that leads to each:
for digit in range(10):
    if digit != e.prediction:
        print(f"{digit}: {e.contrastive(toward=digit, limit=1)[0]}")
