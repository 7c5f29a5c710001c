"""The data sets of the experiments, and how they are split."""
