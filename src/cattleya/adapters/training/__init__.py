"""Models from tables of raw columns: what is in a table, how large a tree, and the training."""
