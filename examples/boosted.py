"""
A boosted model, at a threshold of its probability
==================================================

"Is the probability of spam at least 0.3?" is a question of its own, and has reasons of its own.
"""

from sklearn.ensemble import HistGradientBoostingClassifier
from tables import mails

import cattleya

table = mails()
rows = table.drop(columns="kind")
model = HistGradientBoostingClassifier(max_iter=60, max_depth=4, random_state=0)
model.fit(rows.iloc[:1200], table["kind"].iloc[:1200])

# %%
likely = cattleya.Probability("spam", at_least=0.3)
explainer = cattleya.Explainer(model, target=likely, over="intervals")
e = explainer.explain(rows.iloc[[1201]])
print(e.prediction, "- explained:", e.outcome)
print("because", e.sufficient_reason(timeout=30))

# %%
print("nearest otherwise:", e.counterfactuals(1, timeout=30)[0])

# %%
# Which features the reasons of some mails mention, one reason of each:
explainer.summarise(rows.iloc[1200:1225]).plot_importance()
