"""
Missing values
==============

scikit-learn's trees send missing values to one side of each test. Explanations know where to.
"""

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from tables import defendants

import cattleya

table = defendants()
rows = table[["age", "priors"]].astype(float)
rows.loc[table["within two years"].eq("re-offended") & (table.index % 3 == 0), "priors"] = np.nan
model = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0)
model.fit(rows, table["within two years"])

# %%
# Whether a value is missing can be a reason in itself, where the model learned it so:
explainer = cattleya.Explainer(model, over="intervals", data=rows)
unknown = rows[rows["priors"].isna()].iloc[[0]]
e = explainer.explain(unknown)
print(e)

# %%
cattleya.plots.tree(e)
