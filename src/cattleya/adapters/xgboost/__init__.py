"""XGBoost's models, live and in files."""
