"""What users import: a model, its rows, and the answers about each."""
