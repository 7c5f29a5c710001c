"""
Behind a Pipeline, in your own columns
======================================

A model that scales numbers, fills in what is missing and encodes categories is explained in the
columns of the table, not in those of the tree.
"""

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tables import people

import cattleya

table = people()
numbers = ["age", "education-num", "capital-gain", "hours-per-week"]
texts = ["marital-status", "occupation", "sex"]
rows = table.drop(columns="income").astype(dict.fromkeys(numbers, float))
rows.loc[::7, "hours-per-week"] = np.nan
model = make_pipeline(
    make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), texts),
    ),
    DecisionTreeClassifier(max_leaf_nodes=30, random_state=0),
).fit(rows, table["income"])

# %%
# The tree's own tests are of scaled numbers and of columns of 0 and 1:
explainer = cattleya.Explainer(model, over="intervals")
print(explainer.tree)

# %%
# What is said is about hours, jobs and years:
e = explainer.explain(rows.iloc[[7]])
print(e.prediction, "because", e.reason())
for change in e.changes(limit=3):
    print("  ", change)

# %%
cattleya.plots.importance(e)
