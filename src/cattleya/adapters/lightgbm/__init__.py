"""LightGBM's models, live and in files."""
