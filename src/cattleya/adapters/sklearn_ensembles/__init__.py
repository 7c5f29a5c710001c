"""scikit-learn's ensembles of trees, read into :class:`cattleya.Ensemble`."""
