"""What users import: explainers, explanations and their values."""
