"""Short reasons: few facts of a row, and exactly how often they are right."""
