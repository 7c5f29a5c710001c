"""Many rows: explained together, in parallel, and looked at as a whole."""
