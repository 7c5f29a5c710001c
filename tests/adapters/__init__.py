"""Models of scikit-learn, pipelines, and training."""
