"""CatBoost's models, live and exported as JSON."""
