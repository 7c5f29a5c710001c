"""Reasons and contrastive explanations: listed, counted, sampled, chosen."""
