"""The steps of a scikit-learn Pipeline, traced back to the user's columns."""
