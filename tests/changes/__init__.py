"""Counterfactuals, fairness and general reasons."""
