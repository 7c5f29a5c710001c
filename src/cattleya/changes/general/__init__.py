"""General reasons: of each feature an interval or a set of values, as large as it can be."""
